//! Puts the text of a kernel together: prelude, constants, generated functions, skeleton.

use std::fmt::Write;

use cuproxide_hal::ir::{Body, Fold, Kernel, LegalizeOptions, Mode, legalize};
use cuproxide_hal::{Access, DType, Error, Result, Specialization};

use crate::Dialect;
use crate::analysis::{Shape, Touch, Walk, accumulator_types};
use crate::emit::{Emitter, storage_name, type_name};
use crate::plan::{HEADER_WORDS, MAX_WORDS, THREADS, WORDS_A_DIVISOR};

const COMMON: &str = include_str!("skeletons/common.h");
const MAP: &str = include_str!("skeletons/map.h");
const SHUFFLE: &str = include_str!("skeletons/shuffle.h");
const FOLD: &str = include_str!("skeletons/fold.h");
const REDUCE_ROWS: &str = include_str!("skeletons/reduce_rows.h");
const REDUCE_COLUMNS: &str = include_str!("skeletons/reduce_columns.h");
const COMBINE: &str = include_str!("skeletons/combine.h");
const SCAN_ROWS: &str = include_str!("skeletons/scan_rows.h");
const SCAN_COLUMNS: &str = include_str!("skeletons/scan_columns.h");
const SCAN_OFFSETS: &str = include_str!("skeletons/scan_offsets.h");

/// A kernel as text, with all that is needed to launch it.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
    entries: Vec<String>,
    pub(crate) shape: Shape,
    pub(crate) operands: usize,
    pub(crate) scalars: usize,
}

impl Program {
    /// Writes `kernel`, which must be valid, for launches of one specialisation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the kernel has more scalars than a launch can carry.
    pub fn new(kernel: &Kernel, specialization: Specialization, dialect: &Dialect) -> Result<Program> {
        let legal = legalize(kernel, LegalizeOptions { native_half: true });
        let shape = Shape::of(kernel, &legal, specialization, dialect.warp);
        let (operands, scalars) = (legal.operands.len(), legal.scalars.len());
        if argument_words(&shape, operands, scalars) > MAX_WORDS {
            return Err(Error::unsupported(dialect.name, format!("a kernel with {scalars} scalars")));
        }
        let mut writer = Writer { kernel: &legal, shape: &shape, specialization, out: String::new() };
        let suffixes: &[&str] = match (&legal.body, shape.scan) {
            (Body::Map(_), _) => &[""],
            (_, false) => &["", "_combine"],
            (_, true) => &["", "_parts", "_offsets"],
        };
        let entries: Vec<String> = suffixes.iter().map(|suffix| format!("cuproxide_{}{suffix}", legal.name)).collect();
        writer.write(dialect, &entries);
        Ok(Program { text: writer.out, entries, shape, operands, scalars })
    }

    /// The text to compile.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the kernels in the text; a [`Step`](crate::Step) refers to them by number.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }
}

/// Words of the argument of a kernel.
pub(crate) fn argument_words(shape: &Shape, operands: usize, scalars: usize) -> usize {
    let dims = shape.dims().max(1);
    HEADER_WORDS + operands.max(1) + dims * (WORDS_A_DIVISOR + operands.max(1)) + 2 * scalars.max(1)
}

struct Writer<'k> {
    kernel: &'k Kernel,
    shape: &'k Shape,
    specialization: Specialization,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn part(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn write(&mut self, dialect: &Dialect, entries: &[String]) {
        self.part(dialect.prelude);
        let mut atomics = false;
        self.kernel.visit(&mut |statement| atomics |= matches!(statement, cuproxide_hal::ir::Stmt::Atomic { .. }));
        if atomics {
            self.part(dialect.atomics);
        }
        self.settings();
        self.arguments();
        self.part(COMMON);
        match &self.kernel.body {
            Body::Map(block) => {
                let touches = self.touches(0);
                self.element(&touches, &[]);
                let body = Emitter::new(self.kernel, touches).body(block);
                self.function("void point", "const Place& p, i64 index, i64 outer, Element& e", &body);
                self.line(format!("#define MAP {}", entries[0]));
                self.part(MAP);
            }
            Body::Reduce(fold) => {
                self.fold(fold);
                let rows = self.shape.walk == Walk::Rows;
                self.line(format!("#define REDUCE {}", entries[0]));
                self.line(format!("#define COMBINE {}", entries[1]));
                self.part(FOLD);
                self.part(if rows { REDUCE_ROWS } else { REDUCE_COLUMNS });
                self.part(COMBINE);
            }
            Body::Scan(fold) => {
                self.fold(fold);
                let rows = self.shape.walk == Walk::Rows;
                self.line(format!("#define SCAN {}", entries[0]));
                self.line(format!("#define SCAN_PARTS {}", entries[1]));
                self.line(format!("#define SCAN_OFFSETS {}", entries[2]));
                self.part(FOLD);
                self.part(if rows { SCAN_ROWS } else { SCAN_COLUMNS });
                self.part(SCAN_OFFSETS);
            }
        }
    }

    fn touches(&self, section: usize) -> Vec<Touch> {
        self.shape.touches.iter().map(|touches| touches[section]).collect()
    }

    fn settings(&mut self) {
        let shape = self.shape;
        let (index, offset) = if shape.narrow { ("u32", "i32") } else { ("u64", "i64") };
        self.line(format!("typedef {index} Index;"));
        self.line(format!("typedef {offset} Offset;"));
        let vector = shape.vector.map_or(-1, |dim| dim as i64);
        let numbers = [
            ("THREADS", THREADS as i64),
            ("OPERANDS", self.kernel.operands.len() as i64),
            ("OUTER", shape.outer as i64),
            ("INNER", shape.inner as i64),
            ("WIDTH", shape.width as i64),
            ("VECTOR", vector),
            ("UNROLL", shape.unroll as i64),
            ("LANES", shape.lanes as i64),
            ("PURE", shape.pure.into()),
            ("COMMUTATIVE", shape.commutative.into()),
        ];
        for (name, value) in numbers {
            self.line(format!("#define {name} {value}"));
        }
    }

    fn arguments(&mut self) {
        let operands = self.kernel.operands.len().max(1);
        let dims = self.shape.dims().max(1);
        let scalars = self.kernel.scalars.len().max(1);
        self.part(&format!(
            "
struct Divisor {{
    u64 length, packs, magic, shift;
}};

struct Arguments {{
    u64 outer_size, inner_size;
    u32* fault;
    byte* scratch;
    u64 plan[8];
    byte* operand[{operands}];
    Divisor dim[{dims}];
    i64 stride[{dims}][{operands}];
    u64 scalar[{scalars}][2];
}};
"
        ));
    }

    /// `DEVICE head(const Arguments& a, parameters) { body }`
    fn function(&mut self, head: &str, parameters: &str, body: &str) {
        let separator = if parameters.is_empty() { "" } else { ", " };
        self.part(&format!("DEVICE {head}(const Arguments& a{separator}{parameters}) {{\n{body}}}\n"));
    }

    fn fold(&mut self, fold: &Fold) {
        let reads = self.touches(0);
        let writes = self.touches(1);
        let nothing = || vec![Touch::default(); reads.len()];
        self.accumulator();
        self.element(&reads, &writes);

        let identity = Emitter::new(self.kernel, nothing()).lambda(&fold.identity, true);
        let identity = format!("    const i64 index = 0;\n    const Place p = origin();\n{identity}");
        self.function("Accumulator identity", "i64 outer", &identity);
        let map = Emitter::new(self.kernel, reads.clone()).lambda(&fold.map, true);
        self.function("Accumulator map", "const Place& p, i64 index, i64 outer, const Element& e", &map);

        let half = fold.combine.results.len();
        let mut combine = "    const i64 index = 0, outer = 0;\n    const Place p = origin();\n".to_owned();
        for (at, param) in fold.combine.params.iter().enumerate() {
            let (side, part) = if at < half { ("earlier", at) } else { ("later", at - half) };
            let name = type_name(self.kernel.dtype(*param));
            let _ = writeln!(combine, "    const {name} v{} = {side}.part{part};", param.0);
        }
        combine.push_str(&Emitter::new(self.kernel, nothing()).lambda(&fold.combine, true));
        self.function("Accumulator combine", "const Accumulator& earlier, const Accumulator& later", &combine);

        let mut finish = String::new();
        for (part, param) in fold.finish.params.iter().enumerate() {
            let name = type_name(self.kernel.dtype(*param));
            let _ = writeln!(finish, "    const {name} v{} = value.part{part};", param.0);
        }
        if self.shape.scan {
            finish.push_str(&Emitter::new(self.kernel, writes).lambda(&fold.finish, false));
            let parameters = "const Place& p, i64 index, i64 outer, const Accumulator& value, Element& e";
            self.function("void finish", parameters, &finish);
        } else {
            finish.push_str(&Emitter::new(self.kernel, nothing()).lambda(&fold.finish, false));
            let finish = format!("    const i64 index = 0;\n{finish}");
            self.function("void finish_point", "const Place& p, i64 outer, const Accumulator& value", &finish);
        }
    }

    fn accumulator(&mut self) {
        let types = accumulator_types(self.kernel);
        self.line("struct Accumulator {");
        for (part, dtype) in types.iter().enumerate() {
            self.line(format!("    {} part{part};", type_name(*dtype)));
        }
        self.line("};\n");
        self.part(SHUFFLE);
        for (name, primitive) in [("down", "shuffle_down_any"), ("up", "shuffle_up_any"), ("from", "shuffle_from_any")]
        {
            self.line(format!("DEVICE Accumulator shuffled_{name}(const Accumulator& value, u32 by) {{"));
            self.line("    Accumulator moved;");
            for part in 0..types.len() {
                self.line(format!("    moved.part{part} = {primitive}(value.part{part}, by);"));
            }
            self.line("    return moved;\n}");
        }
        self.line("");
    }

    /// The struct of the elements that pass through registers, and the functions that load and store it.
    fn element(&mut self, reads: &[Touch], writes: &[Touch]) {
        let operands = self.kernel.operands.clone();
        let read: Vec<usize> = (0..operands.len()).filter(|&k| reads[k].buffered_read).collect();
        let written: Vec<usize> = (0..operands.len())
            .filter(|&k| reads[k].buffered_write || writes.get(k).is_some_and(|touch| touch.buffered_write))
            .filter(|&k| operands[k].mode == Mode::Write)
            .collect();
        let fields = |k: usize| (0..operands[k].dtype.lanes()).map(move |lane| (k, lane));

        self.line("struct Element {");
        for (k, lane) in read.iter().flat_map(|&k| fields(k)) {
            self.line(format!("    {} r{k}_{lane};", storage_name(operands[k].dtype)));
        }
        for (k, lane) in written.iter().flat_map(|&k| fields(k)) {
            self.line(format!("    {} w{k}_{lane};", storage_name(operands[k].dtype)));
        }
        self.line("};\n");

        let address = |k: usize, lane: usize| {
            let lane =
                if lane > 0 { format!(" + {}", operands[k].dtype.storage().size() * lane) } else { String::new() };
            format!("a.operand[{k}] + p.at[{k}]{lane}")
        };
        let mut fetch = String::new();
        for (k, lane) in read.iter().flat_map(|&k| fields(k)) {
            let storage = storage_name(operands[k].dtype);
            let _ = writeln!(fetch, "    e.r{k}_{lane} = load<{storage}>({});", address(k, lane));
        }
        self.function("void fetch", "const Place& p, Element& e", &fetch);
        let mut commit = String::new();
        for (k, lane) in written.iter().flat_map(|&k| fields(k)) {
            let storage = storage_name(operands[k].dtype);
            let _ = writeln!(commit, "    store<{storage}>({}, e.w{k}_{lane});", address(k, lane));
        }
        self.function("void commit", "const Place& p, const Element& e", &commit);

        let (mut fetch, mut commit) = (String::new(), String::new());
        if self.shape.width == 1 {
            fetch.push_str("    fetch(a, p, e[0]);\n");
            commit.push_str("    commit(a, p, e[0]);\n");
        } else {
            for &k in &read {
                self.fetch_pack(&mut fetch, k, operands[k].dtype, &address(k, 0));
            }
            for &k in &written {
                let (storage, lanes) = (storage_name(operands[k].dtype), operands[k].dtype.lanes());
                let _ = writeln!(commit, "    {{\n        Pack<{storage}, {lanes} * WIDTH> pack;");
                commit.push_str("        UNROLLED\n        for (u32 v = 0; v < WIDTH; ++v) {\n");
                for lane in 0..lanes {
                    let _ = writeln!(commit, "            pack.at[{lanes} * v + {lane}] = e[v].w{k}_{lane};");
                }
                let _ = writeln!(commit, "        }}\n        store_pack({}, pack);\n    }}", address(k, 0));
            }
        }
        self.function("void fetch_pack", "const Place& p, Element (&e)[WIDTH]", &fetch);
        self.function("void commit_pack", "const Place& p, const Element (&e)[WIDTH]", &commit);
    }

    fn fetch_pack(&self, out: &mut String, k: usize, dtype: DType, address: &str) {
        let (storage, lanes) = (storage_name(dtype), dtype.lanes());
        let access = match self.shape.walk {
            Walk::Rows => self.specialization.inner_access(k, self.kernel.operands.len()),
            _ => self.specialization.outer_access(k),
        };
        let one = access == Access::Broadcast;
        let count = if one { format!("{lanes}") } else { format!("{lanes} * WIDTH") };
        let _ = writeln!(out, "    {{\n        Pack<{storage}, {count}> pack;");
        if one {
            for lane in 0..lanes {
                let _ = writeln!(out, "        pack.at[{lane}] = (({storage} const*)({address}))[{lane}];");
            }
        } else {
            let _ = writeln!(out, "        load_pack({address}, pack);");
        }
        out.push_str("        UNROLLED\n        for (u32 v = 0; v < WIDTH; ++v) {\n");
        for lane in 0..lanes {
            let from = if one { format!("{lane}") } else { format!("{lanes} * v + {lane}") };
            let _ = writeln!(out, "            e[v].r{k}_{lane} = pack.at[{from}];");
        }
        out.push_str("        }\n    }\n");
    }
}
