//! Puts the text of a kernel together: prelude, constants, generated functions, skeleton.

use std::collections::BTreeMap;
use std::fmt::Write;

use cuproxide_hal::ir::{Binary, Body, Callee, Fold, Kernel, LegalizeOptions, Mode, Op, Stmt, Unary, legalize};
use cuproxide_hal::{Access, DType, Error, Result, Specialization};

use crate::Dialect;
use crate::analysis::accumulator_types;
use crate::emit::{Constants, Emitter, storage_name, type_name};
use crate::halves::plain_halves;
use crate::shape::{Shape, Touch, Walk};
use crate::sides;
use crate::words::{MAX_WORDS, THREADS, argument_words};

const COMMON: &str = include_str!("skeletons/common.h");
const MAP: &str = include_str!("skeletons/map.h");
const SHUFFLE: &str = include_str!("skeletons/shuffle.h");
pub(crate) const TEAMS: &str = include_str!("skeletons/teams.h");
const FOLD: &str = include_str!("skeletons/fold.h");
const FOLD_ROW: &str = include_str!("skeletons/fold_row.h");
const FOLD_COLUMNS: &str = include_str!("skeletons/fold_columns.h");
const PLACES: &str = include_str!("skeletons/places.h");
const PLACE_ROW: &str = include_str!("skeletons/place_row.h");
const PLACE_COLUMNS: &str = include_str!("skeletons/place_columns.h");
const REDUCE_ROWS: &str = include_str!("skeletons/reduce_rows.h");
const REDUCE_COLUMNS: &str = include_str!("skeletons/reduce_columns.h");
pub(crate) const COMBINE: &str = include_str!("skeletons/combine.h");
const SCAN_ROWS: &str = include_str!("skeletons/scan_rows.h");
const SCAN_TILES: &str = include_str!("skeletons/scan_tiles.h");
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
        let mut legal = legalize(
            kernel,
            LegalizeOptions { native_half: true, inline: LegalizeOptions::SHORT, ..LegalizeOptions::default() },
        );
        sides::branch(&mut legal);
        let shape = Shape::of(kernel, &legal, specialization, dialect.warp);
        let (operands, scalars) = (legal.operands.len(), legal.scalars.len());
        if argument_words(&shape, operands, scalars) > MAX_WORDS {
            return Err(Error::unsupported(dialect.name, format!("a kernel with {scalars} scalars")));
        }
        if shape.rows.is_some() && !shape.commutative {
            return Err(Error::unsupported(
                dialect.name,
                format!("rows of kernel {}, whose folds are ordered", legal.name),
            ));
        }
        let mut writer = Writer { kernel: &legal, shape: &shape, specialization, out: String::new() };
        let suffixes: &[&str] = match (&legal.body, shape.scan) {
            (Body::Map(_) | Body::Rows(_), _) => &[""],
            (_, false) => &["", "_combine"],
            (_, true) if shape.walk == Walk::Rows => &["", "_clear", "_tiles"],
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

    /// Whether the kernel is a reduction.
    pub fn is_fold(&self) -> bool {
        self.shape.walk != Walk::Map && !self.shape.scan
    }

    /// The names of the kernels in the text; a [`Step`](crate::Step) refers to them by number.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }
}

/// A line of every text that calls functions of the vendor's mathematical library. Each version of the compiler brings
/// its own, and they round differently.
pub const LIBRARY: &str = "// Calls the mathematical library.";

/// The line of the text of a map before which `RESIDENT`, if it is defined, says how many blocks are to reside.
pub const CHOICE: &str = "#if defined(RESIDENT)";

/// Whether an operation is a call of that library; what IEEE 754 rounds one way is not.
fn is_of_the_library(op: &Op) -> bool {
    use Unary::{Ceil, Floor, Rint, Sqrt, SqrtNormal, Trunc};
    match op {
        Op::Unary(op, _) => op.is_math() && !matches!(op, Sqrt | SqrtNormal | Floor | Ceil | Trunc | Rint),
        Op::Binary(op, ..) => matches!(op, Binary::Pow | Binary::Atan2),
        _ => false,
    }
}

pub(crate) struct Writer<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) shape: &'k Shape,
    specialization: Specialization,
    out: String,
}

impl Writer<'_> {
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    pub(crate) fn part(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn write(&mut self, dialect: &Dialect, entries: &[String]) {
        let (mut atomics, mut library, mut logarithm) = (false, false, false);
        self.kernel.visit_all(&mut |statement| {
            atomics |= matches!(statement, Stmt::Atomic { .. });
            library |= matches!(statement, Stmt::Let(_, op) if is_of_the_library(op));
            logarithm |= matches!(*statement, Stmt::Let(value, Op::Unary(Unary::Log1p, _)) if self.kernel.dtype(value) == DType::F64);
        });
        self.part(dialect.prelude);
        if library {
            self.line(LIBRARY);
        }
        if atomics {
            self.part(dialect.atomics);
        }
        if logarithm {
            self.part(dialect.logarithm);
        }
        self.settings();
        self.arguments();
        if self.specialization.unaligned() {
            self.line("#define UNALIGNED");
        }
        if self.shape.scan && self.shape.walk == Walk::Rows {
            self.line("#define ONCE");
        }
        self.part(COMMON);
        if let Some(table) = Constants::of(self.kernel).declaration() {
            self.part(&table);
        }
        self.functions();
        match &self.kernel.body {
            Body::Map(block) => {
                let touches = self.touches(0);
                self.element(&touches, &[]);
                let body = Emitter::new(self.kernel, touches).body(block);
                self.function("void point", "const Place& p, i64 index, i64 outer, Element& e", &body);
                self.line(format!("#define MAP {}", entries[0]));
                if self.shape.interleaved {
                    self.line(format!("#define RESIDENT {}", self.shape.resident));
                }
                self.part(MAP);
            }
            Body::Reduce(fold) => {
                self.fold(fold);
                let rows = self.shape.walk == Walk::Rows;
                self.line(format!("#define REDUCE {}", entries[0]));
                self.line(format!("#define COMBINE {}", entries[1]));
                self.line(format!("#define RESIDENT {}", self.shape.resident));
                self.part(TEAMS);
                self.part(FOLD);
                if let Some(located) = &self.shape.located {
                    self.line(format!("#define POSITION part{}", located.part));
                    self.line(format!("#define WHOLE {}", i32::from(located.whole)));
                    self.part(PLACES);
                    self.part(if rows { PLACE_ROW } else { PLACE_COLUMNS });
                } else {
                    self.part(if rows { FOLD_ROW } else { FOLD_COLUMNS });
                }
                self.part(if rows { REDUCE_ROWS } else { REDUCE_COLUMNS });
                self.part(COMBINE);
            }
            Body::Rows(rows) => {
                let shape = self.shape.rows.as_ref().expect("a kernel of rows has their shape");
                self.rows(rows, shape, &entries[0]);
            }
            Body::Segments(segments) => self.segments(segments, entries),
            Body::Scan(fold) => {
                self.fold(fold);
                let rows = self.shape.walk == Walk::Rows;
                self.line(format!("#define SCAN {}", entries[0]));
                let others = if rows { ["SCAN_CLEAR", "SCAN_TILES"] } else { ["SCAN_PARTS", "SCAN_OFFSETS"] };
                for (name, entry) in others.iter().zip(&entries[1..]) {
                    self.line(format!("#define {name} {entry}"));
                }
                if rows {
                    self.line(format!("#define ROUNDS {}", self.shape.rounds()));
                    self.line("#define RESIDENT 3");
                }
                self.part(TEAMS);
                self.part(FOLD);
                if rows {
                    self.part(FOLD_ROW);
                }
                self.part(if rows { SCAN_ROWS } else { SCAN_COLUMNS });
                self.part(if rows { SCAN_TILES } else { SCAN_OFFSETS });
            }
        }
    }

    /// The kernel's own functions that are long enough to be called, which the compiler is not to inline either.
    fn functions(&mut self) {
        for number in 0..self.kernel.functions.len() {
            let text = Emitter::new(self.kernel, vec![]).function(Callee(number as u16));
            self.part(&text);
        }
    }

    pub(crate) fn touches(&self, section: usize) -> Vec<Touch> {
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
            ("AHEAD", shape.ahead as i64),
            ("LANES", shape.lanes as i64),
            ("PURE", shape.pure.into()),
            ("BLIND", shape.blind.into()),
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
    pub(crate) fn function(&mut self, head: &str, parameters: &str, body: &str) {
        let separator = if parameters.is_empty() { "" } else { ", " };
        self.part(&format!("DEVICE {head}(const Arguments& a{separator}{parameters}) {{\n{body}}}\n"));
    }

    fn fold(&mut self, fold: &Fold) {
        let reads = self.touches(0);
        let writes = self.touches(1);
        let nothing = || vec![Touch::default(); reads.len()];
        self.shuffles();
        self.accumulator(&accumulator_types(self.kernel));
        self.element(&reads, &writes);

        self.identity(fold);
        let halves = if self.shape.scan { BTreeMap::new() } else { plain_halves(fold) };
        let map = Emitter::new(self.kernel, reads.clone()).plain(halves).lambda(&fold.map, true);
        self.function("Accumulator map", "const Place& p, i64 index, i64 outer, const Element& e", &map);

        self.combine(fold);

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

    pub(crate) fn identity(&mut self, fold: &Fold) {
        let nothing = vec![Touch::default(); self.kernel.operands.len()];
        let identity = Emitter::new(self.kernel, nothing).lambda(&fold.identity, true);
        let identity = format!("    const i64 index = 0;\n    const Place p = origin();\n{identity}");
        self.function("Accumulator identity", "i64 outer", &identity);
    }

    pub(crate) fn combine(&mut self, fold: &Fold) {
        let nothing = vec![Touch::default(); self.kernel.operands.len()];
        let half = fold.combine.results.len();
        let mut combine = "    const i64 index = 0, outer = 0;\n    const Place p = origin();\n".to_owned();
        for (at, param) in fold.combine.params.iter().enumerate() {
            let (side, part) = if at < half { ("earlier", at) } else { ("later", at - half) };
            let name = type_name(self.kernel.dtype(*param));
            let _ = writeln!(combine, "    const {name} v{} = {side}.part{part};", param.0);
        }
        combine.push_str(&Emitter::new(self.kernel, nothing).lambda(&fold.combine, true));
        self.function("Accumulator combine", "const Accumulator& earlier, const Accumulator& later", &combine);
    }

    /// The functions that move values between the threads of a warp.
    pub(crate) fn shuffles(&mut self) {
        self.part(SHUFFLE);
    }

    /// The struct of accumulators of these types, and the functions that move it between the threads of a warp.
    pub(crate) fn accumulator(&mut self, types: &[DType]) {
        self.line("struct Accumulator {");
        for (part, dtype) in types.iter().enumerate() {
            self.line(format!("    {} part{part};", type_name(*dtype)));
        }
        self.line("};\n");
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
        let both = |k: usize| Touch {
            buffered_write: reads[k].buffered_write || writes.get(k).is_some_and(|touch| touch.buffered_write),
            ..reads[k]
        };
        let all: Vec<Touch> = (0..reads.len()).map(both).collect();
        self.line("struct Element {");
        self.fields(&all);
        self.line("};\n");
        let single = self.memory_of_element(&all);
        self.part(&single);
        self.memory("fetch_pack", "commit_pack", &all);
    }

    /// The operands that pass through registers: those read, those written.
    fn buffered(&self, touches: &[Touch]) -> (Vec<usize>, Vec<usize>) {
        let all = || 0..touches.len();
        let written = all().filter(|&k| touches[k].buffered_write && self.kernel.operands[k].mode == Mode::Write);
        (all().filter(|&k| touches[k].buffered_read).collect(), written.collect())
    }

    /// The fields of the elements of operands, one a lane.
    pub(crate) fn fields(&mut self, touches: &[Touch]) {
        let (read, written) = self.buffered(touches);
        for (operands, name) in [(read, 'r'), (written, 'w')] {
            for k in operands {
                let dtype = self.kernel.operands[k].dtype;
                for lane in 0..dtype.lanes() {
                    self.line(format!("    {} {name}{k}_{lane};", storage_name(dtype)));
                }
            }
        }
    }

    fn address(&self, k: usize, lane: usize) -> String {
        let size = self.kernel.operands[k].dtype.storage().size();
        let lane = if lane > 0 { format!(" + {}", size * lane) } else { String::new() };
        format!("a.operand[{k}] + p.at[{k}]{lane}")
    }

    /// The functions that load and store one element.
    pub(crate) fn memory_of_element(&self, touches: &[Touch]) -> String {
        let (read, written) = self.buffered(touches);
        let lanes = |k: usize| 0..self.kernel.operands[k].dtype.lanes();
        let mut text = "DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {\n".to_owned();
        for k in read {
            let storage = storage_name(self.kernel.operands[k].dtype);
            for lane in lanes(k) {
                let _ = writeln!(text, "    e.r{k}_{lane} = load<{storage}>({});", self.address(k, lane));
            }
        }
        text.push_str("}\n\nDEVICE void commit(const Arguments& a, const Place& p, const Element& e) {\n");
        for k in written {
            let storage = storage_name(self.kernel.operands[k].dtype);
            for lane in lanes(k) {
                let _ = writeln!(text, "    store<{storage}>({}, e.w{k}_{lane});", self.address(k, lane));
            }
        }
        text.push_str("}\n");
        text
    }

    /// The functions that load and store neighbouring elements; the one without a name is left out.
    pub(crate) fn memory(&mut self, fetch_name: &str, commit_name: &str, touches: &[Touch]) {
        let (read, written) = self.buffered(touches);
        let (mut fetch, mut commit) = (String::new(), String::new());
        let operands = self.kernel.operands.clone();
        let vector = self.shape.vector.is_some();
        for &k in &read {
            if vector {
                self.fetch_pack(&mut fetch, k, operands[k].dtype, &self.address(k, 0));
            } else {
                let storage = storage_name(operands[k].dtype);
                for lane in 0..operands[k].dtype.lanes() {
                    let _ = writeln!(fetch, "    e[0].r{k}_{lane} = load<{storage}>({});", self.address(k, lane));
                }
            }
        }
        for &k in &written {
            let (storage, lanes) = (storage_name(operands[k].dtype), operands[k].dtype.lanes());
            if !vector {
                for lane in 0..lanes {
                    let _ = writeln!(commit, "    store<{storage}>({}, e[0].w{k}_{lane});", self.address(k, lane));
                }
                continue;
            }
            let _ = writeln!(commit, "    {{\n        Pack<{storage}, {lanes} * WIDTH> pack;");
            commit.push_str("        UNROLLED\n        for (u32 v = 0; v < WIDTH; ++v) {\n");
            for lane in 0..lanes {
                let _ = writeln!(commit, "            pack.at[{lanes} * v + {lane}] = e[v].w{k}_{lane};");
            }
            let _ = writeln!(commit, "        }}\n        store_pack({}, pack);\n    }}", self.address(k, 0));
        }
        self.function(&format!("void {fetch_name}"), "const Place& p, Element (&e)[WIDTH]", &fetch);
        if !commit_name.is_empty() {
            self.function(&format!("void {commit_name}"), "const Place& p, const Element (&e)[WIDTH]", &commit);
        }
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
        } else if self.specialization.shifted() {
            let _ = writeln!(out, "        UNROLLED\n        for (u32 v = 0; v < {count}; ++v)");
            let _ = writeln!(out, "            pack.at[v] = (({storage} const*)({address}))[v];");
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
