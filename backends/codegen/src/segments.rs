//! Kernels of segments: the functions that find a range, fold its elements and store the result.

use std::fmt::Write;

use cuproxide_hal::ir::Segments;

use crate::analysis::accumulator_types;
use crate::emit::{Emitter, type_name};
use crate::program::{COMBINE, TEAMS, Writer};
use crate::shape::Touch;

const SEGMENTS: &str = include_str!("skeletons/segments.h");

impl Writer<'_> {
    /// Everything of a kernel of segments but what all kernels have.
    pub(crate) fn segments(&mut self, segments: &Segments, entries: &[String]) {
        let Segments { range, fold } = segments;
        let nothing = || vec![Touch::default(); self.kernel.operands.len()];
        let emit = |lambda| Emitter::new(self.kernel, nothing()).lambda(lambda, true);
        let bounds = [range.results[0].0, range.results[1].0];

        let mut find = "    const i64 index = 0, length = (i64)a.inner_size;\n".to_owned();
        find.push_str(&Emitter::new(self.kernel, nothing()).body(&range.body));
        let [first, last] = bounds;
        let _ = writeln!(find, "    const i64 begin = v{first} < 0 ? 0 : v{first} > length ? length : v{first};");
        let _ = writeln!(find, "    const i64 end = v{last} < begin ? begin : v{last} > length ? length : v{last};");
        find.push_str("    const Range range = {begin, end};\n    return range;\n");
        // Bounds that are computed alike are one value.
        let mut known = format!("    const i64 v{first} = range.begin;\n");
        if first != last {
            let _ = writeln!(known, "    const i64 v{last} = range.end;");
        }
        let map = format!("{known}{}", emit(&fold.map));
        let mut finish = format!("    const i64 index = 0;\n    const Range range = find_range(a, p, outer);\n{known}");
        for (part, param) in fold.finish.params.iter().enumerate() {
            let name = type_name(self.kernel.dtype(*param));
            let _ = writeln!(finish, "    const {name} v{} = value.part{part};", param.0);
        }
        finish.push_str(&Emitter::new(self.kernel, nothing()).lambda(&fold.finish, false));

        self.shuffles();
        self.accumulator(&accumulator_types(self.kernel));
        self.line("struct Range {\n    i64 begin, end;\n};\n");
        self.function("Range find_range", "const Place& p, i64 outer", &find);
        self.identity(fold);
        self.function("Accumulator map", "const Place& p, i64 index, i64 outer, const Range& range", &map);
        self.combine(fold);
        self.function("void finish_point", "const Place& p, i64 outer, const Accumulator& value", &finish);
        self.line(format!("#define SEGMENTS {}", entries[0]));
        self.line(format!("#define COMBINE {}", entries[1]));
        self.line(format!("#define RESIDENT {}", self.shape.resident));
        self.part(TEAMS);
        self.part(SEGMENTS);
        self.part(COMBINE);
    }
}
