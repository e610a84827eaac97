//! Kernels of rows: a struct of functions for each fold and for the last map.

use std::fmt::Write;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Block, Fold, Rows, Stmt, Value};

use crate::analysis::touch_of;
use crate::emit::{Emitter, type_name};
use crate::program::Writer;
use crate::shape::{Held, RowsShape, Touch, floor_power_of_two};

const ROWS: &str = include_str!("skeletons/rows.h");
/// Bytes of elements that a thread of the last map may have in registers.
const REGISTER_BYTES: usize = 128;

/// What folds find out of a row: one value may be several results.
fn found(folds: &[Fold]) -> Vec<Value> {
    let mut values: Vec<Value> = folds.iter().flat_map(|fold| fold.finish.results.iter().copied()).collect();
    values.sort_unstable();
    values.dedup();
    values
}

impl Writer<'_> {
    /// Everything of a kernel of rows but what all kernels have.
    pub(crate) fn rows(&mut self, rows: &Rows, shape: &RowsShape, entry: &str) {
        let count = rows.folds.len();
        let blocks: Vec<Block> = (0..=count)
            .map(|number| {
                let mut block: Block =
                    rows.repeated(self.kernel, number, &shape.held[number].values).into_iter().cloned().collect();
                block.extend(rows.maps().nth(number).into_iter().flatten().cloned());
                block
            })
            .collect();
        let touches: Vec<Vec<Touch>> = blocks.iter().map(|block| self.touches_in(block)).collect();
        self.row_elements(rows, shape, &touches);
        self.shuffles();
        for number in 0..count {
            self.fold_of_rows(rows, shape, number, &blocks[number], &touches[number]);
        }
        if !rows.map.is_empty() {
            self.line("struct Last {");
            self.recall(&shape.held[count]);
            self.memory("fetch_pack", "commit_pack", &touches[count]);
            let body = format!(
                "{}{}",
                self.known(rows, count, &shape.held[count]),
                Emitter::new(self.kernel, touches[count].clone()).body(&blocks[count])
            );
            self.function("void map", "const Place& p, i64 index, i64 outer, Element& e, const Row& row", &body);
            self.line("};\n");
        }
        // The last map has few packs in registers at a time if it reads much of each.
        let read = (0..touches[count].len()).filter(|&k| touches[count][k].buffered_read);
        let bytes = read.map(|k| self.kernel.operands[k].dtype.size()).sum::<usize>() + shape.held[count].bytes;
        let at_once =
            floor_power_of_two((REGISTER_BYTES / (bytes * self.shape.width).max(1)).clamp(1, self.shape.unroll));
        self.line(format!("#define AT_ONCE {at_once}"));
        self.line(format!("#define RESIDENT {}", self.shape.resident));
        self.line(format!("#define SLOT {}", shape.slot));
        self.line(format!("#define ROWS {entry}"));
        let mut calls = String::new();
        for number in 0..count {
            let _ = write!(calls, " fold_pass<Pass{number}>(t, row);");
        }
        if !rows.map.is_empty() {
            calls.push_str(" map_row<Last>(t, row);");
        }
        self.line(format!("#define PASSES{calls}"));
        self.part(ROWS);
    }

    /// How a block touches operands, given how the whole kernel does.
    fn touches_in(&self, block: &Block) -> Vec<Touch> {
        let mut touches = self.touches(0);
        for (operand, touch) in touches.iter_mut().enumerate() {
            let here = touch_of(self.kernel, block, operand);
            touch.buffered_read &= here.buffered_read;
            touch.buffered_write &= here.buffered_write;
            touch.direct &= here.direct || here.buffered_write;
        }
        touches
    }

    /// The structs of an element in registers and of what is known of a row.
    fn row_elements(&mut self, rows: &Rows, shape: &RowsShape, touches: &[Vec<Touch>]) {
        let any = |operand: usize| Touch {
            buffered_read: touches.iter().any(|touches| touches[operand].buffered_read),
            buffered_write: touches.iter().any(|touches| touches[operand].buffered_write),
            direct: false,
        };
        let all: Vec<Touch> = (0..self.kernel.operands.len()).map(any).collect();
        self.line("struct Element {");
        self.fields(&all);
        let mut values: Vec<Value> = shape.held.iter().flat_map(|held| held.values.iter().copied()).collect();
        values.sort_unstable();
        values.dedup();
        for value in values {
            self.line(format!("    {} h{};", type_name(self.kernel.dtype(value)), value.0));
        }
        self.line("};\n\nstruct Row {");
        for value in found(&rows.folds) {
            self.line(format!("    {} v{};", type_name(self.kernel.dtype(value)), value.0));
        }
        self.line("};\n");
        let element = self.memory_of_element(&all);
        self.part(&element);
    }

    /// Names for what earlier parts found out: of the row, and of the point.
    fn known(&self, rows: &Rows, number: usize, held: &Held) -> String {
        let mut text = String::new();
        for value in found(&rows.folds[..number]) {
            let _ = writeln!(text, "    const {} v{1} = row.v{1};", type_name(self.kernel.dtype(value)), value.0);
        }
        for value in &held.values {
            let _ = writeln!(text, "    const {} v{1} = e.h{1};", type_name(self.kernel.dtype(*value)), value.0);
        }
        text
    }

    /// The functions that copy what is kept of neighbouring points between a slot and registers.
    fn slots(&mut self, name: &str, held: &Held, keep: bool) {
        let mut body = String::new();
        for (value, offset) in held.values.iter().zip(&held.offsets) {
            let (dtype, number) = (type_name(self.kernel.dtype(*value)), value.0);
            let _ = writeln!(body, "    {{\n        Pack<{dtype}, WIDTH> pack;");
            let place = format!("slot + {offset} * WIDTH");
            let each = |text: String| format!("        UNROLLED\n        for (u32 v = 0; v < WIDTH; ++v) {text}\n");
            if keep {
                body.push_str(&each(format!("pack.at[v] = e[v].h{number};")));
                let _ = writeln!(body, "        store_pack({place}, pack);");
            } else {
                let _ = writeln!(body, "        load_pack({place}, pack);");
                body.push_str(&each(format!("e[v].h{number} = pack.at[v];")));
            }
            body.push_str("    }\n");
        }
        let element = if keep { "const Element (&e)[WIDTH]" } else { "Element (&e)[WIDTH]" };
        self.function(&format!("void {name}"), &format!("byte* slot, {element}"), &body);
    }

    fn recall(&mut self, held: &Held) {
        self.slots("recall", held, false);
    }

    fn fold_of_rows(&mut self, rows: &Rows, shape: &RowsShape, number: usize, block: &Block, touches: &[Touch]) {
        let fold = &rows.folds[number];
        let nothing = || vec![Touch::default(); touches.len()];
        self.line(format!("struct Pass{number} {{"));
        self.line(format!("enum {{ PARTIALS = {} }};", shape.lanes[number]));
        let types: Vec<DType> = fold.finish.params.iter().map(|&value| self.kernel.dtype(value)).collect();
        self.accumulator(&types);
        self.recall(&shape.held[number]);
        self.slots("keep", &shape.held[number + 1], true);
        self.memory("fetch_pack", "", touches);

        self.identity(fold);

        let mut map = self.known(rows, number, &shape.held[number]);
        map.push_str(&Emitter::new(self.kernel, touches.to_vec()).body(block));
        for value in shape.held[number + 1].values.iter().filter(|value| !shape.held[number].values.contains(value)) {
            let _ = writeln!(map, "    e.h{0} = v{0};", value.0);
        }
        map.push_str("    Accumulator result;\n");
        for (part, value) in fold.map.results.iter().enumerate() {
            let _ = writeln!(map, "    result.part{part} = v{};", value.0);
        }
        map.push_str("    return result;\n");
        self.function("Accumulator map", "const Place& p, i64 index, i64 outer, Element& e, const Row& row", &map);

        self.combine(fold);

        let mut finish = "    const i64 index = 0;\n".to_owned();
        for (part, param) in fold.finish.params.iter().enumerate() {
            let name = type_name(self.kernel.dtype(*param));
            let _ = writeln!(finish, "    const {name} v{} = value.part{part};", param.0);
        }
        finish.push_str(&self.known(rows, number, &Held::default()));
        let (stores, lets): (Block, Block) =
            fold.finish.body.iter().cloned().partition(|statement| matches!(statement, Stmt::Store { .. }));
        finish.push_str(&Emitter::new(self.kernel, nothing()).body(&lets));
        for value in found(std::slice::from_ref(fold)) {
            let _ = writeln!(finish, "    row.v{0} = v{0};", value.0);
        }
        if !stores.is_empty() {
            finish.push_str("    if (first) {\n");
            finish.push_str(&Emitter::new(self.kernel, nothing()).body(&stores));
            finish.push_str("    }\n");
        }
        let parameters = "const Place& p, i64 outer, const Accumulator& value, Row& row, bool first";
        self.function("void finish", parameters, &finish);
        self.line("};\n");
    }
}
