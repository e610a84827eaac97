//! Decides how a kernel is lowered: along which dimension it is vectorised, which operands pass through registers, and
//! whether its fold may be reordered.

use cuproxide_hal::ir::{Binary, Block, Body, Fold, Grouping, Kernel, Lambda, Mode, Op, Rows, Segments, Stmt, Value};
use cuproxide_hal::{Access, DType, Specialization};

use crate::shape::{Held, Located, Ranges, RowsShape, Shape, Touch, Walk, floor_power_of_two, struct_bytes};
use crate::visit::{walk, weight};

/// Weight of a map with branches from which on a thread takes one point.
const SINGLE: usize = 150;
/// The same of a map without.
const SINGLE_STRAIGHT: usize = 300;
/// Points that a thread of a long straight map in float64 computes side by side: one goes on while the other waits for its
/// own results, with half as many threads as there are registers for.
const INTERLEAVED: usize = 2;
/// Blocks of such a map that a processor should be able to run at a time: 80 registers a thread on NVIDIA's. On an H100,
/// maps of 100 to 400 operations took 0.5 to 5 % less time than one point a thread; 2 or 4 blocks, 4 points, and one point
/// with other bounds took as long or longer.
const INTERLEAVED_BLOCKS: usize = 3;
/// How many times as long maps of 4 bytes and less may be that compute in them too: their constants are parts of
/// instructions, and four neighbours are one access.
const NARROW: usize = 4;

impl Located {
    fn of(kernel: &Kernel, legal: &Kernel) -> Option<Located> {
        let Body::Reduce(fold) = &legal.body else { return None };
        let mut found = kernel.finds_position;
        let mut positions = vec![];
        walk(&fold.map.body, &mut |statement, _| match statement {
            Stmt::Store { .. } | Stmt::Atomic { .. } => found = false,
            Stmt::Let(value, Op::Index) => positions.push(*value),
            _ => {}
        });
        let position = fold.map.results.last().filter(|_| found)?;
        Some(Located { part: fold.map.results.len() - 1, whole: positions.contains(position) })
    }
}

impl Ranges {
    fn of(body: &Body, operands: usize) -> Option<Ranges> {
        let Body::Segments(segments) = body else { return None };
        let reads = |operand: usize| segments.varies(&|other| other == operand);
        let positions = segments.varies(&|_| false);
        Some(Ranges { positions, operands: (0..operands).map(reads).collect() })
    }
}

impl Shape {
    /// `kernel` as written decides about reordering, `legal` (legalised) about everything else.
    pub fn of(kernel: &Kernel, legal: &Kernel, specialization: Specialization, warp: u32) -> Shape {
        let (outer, inner) = (specialization.outer(), specialization.inner());
        let count = legal.operands.len();
        let maps: Block = match &legal.body {
            Body::Rows(rows) => rows.maps().flatten().cloned().collect(),
            _ => vec![],
        };
        let sections: [Option<&Block>; 2] = match &legal.body {
            Body::Rows(_) => [Some(&maps), None],
            Body::Map(block) => [Some(block), None],
            Body::Reduce(fold) | Body::Segments(Segments { fold, .. }) => [Some(&fold.map.body), None],
            Body::Scan(fold) => [Some(&fold.map.body), Some(&fold.finish.body)],
        };
        let mut touches = vec![[Touch::default(); 2]; count];
        for (at, block) in sections.iter().enumerate() {
            let Some(block) = block else { continue };
            for (operand, touch) in touches.iter_mut().enumerate() {
                touch[at] = touch_of(legal, block, operand);
            }
        }
        let scan = matches!(legal.body, Body::Scan(_));
        let inner_access = |k: usize| specialization.inner_access(k, count);
        let outer_access = |k: usize| specialization.outer_access(k);
        let walk = match &legal.body {
            Body::Map(_) => Walk::Map,
            Body::Rows(_) | Body::Segments(_) => Walk::Rows,
            _ => {
                let strided = |access: &dyn Fn(usize) -> Access| {
                    touches
                        .iter()
                        .enumerate()
                        .filter(|(k, t)| t[0].buffered_read && access(*k) == Access::Strided)
                        .count()
                };
                let rows = strided(&inner_access);
                if outer == 0 || rows == 0 || rows < strided(&outer_access) { Walk::Rows } else { Walk::Columns }
            }
        };
        let along = |k: usize| if walk == Walk::Rows { inner_access(k) } else { outer_access(k) };
        for (k, touch) in touches.iter_mut().enumerate() {
            // Several points share the element, so each writes for itself.
            for part in touch.iter_mut() {
                if part.buffered_write && along(k) == Access::Broadcast {
                    *part = Touch { buffered_write: false, direct: true, ..*part };
                }
            }
        }
        let vector = match walk {
            Walk::Map | Walk::Columns => outer.checked_sub(1),
            // Ranges begin anywhere.
            Walk::Rows if matches!(legal.body, Body::Segments(_)) => None,
            Walk::Rows => (inner == 1).then_some(outer),
        };
        let through_registers = || {
            let touched = touches.iter().enumerate();
            touched.filter(|(_, t)| t.iter().any(|t| t.buffered_read || t.buffered_write)).map(|(k, _)| k)
        };
        let regular = specialization.aligned() && through_registers().all(|k| along(k) != Access::Strided);
        let size = |k: usize| legal.operands[k].dtype.size();
        let sizes = || through_registers().filter(|&k| along(k) == Access::Unit).map(size);
        // What decides how elements are grouped must not depend on what computes them. Stored elements, too, are one by one
        // where none lies beside another.
        let guide = kernel.grouped_as.map(|grouping| grouping.element.size()).filter(|_| sizes().next().is_some());
        // A read may take two accesses of 16 bytes, since the cache keeps the other halves; a write should take one.
        let written = || through_registers().filter(|&k| touches[k].iter().any(|t| t.buffered_write)).map(size).max();
        // A kernel reads a mask beside the elements, stored or computed: packs are as wide as both allow.
        let sources = legal.operands.iter().take_while(|operand| operand.mode == Mode::Read).count();
        let beside = || through_registers().filter(|&k| k >= sources && along(k) == Access::Unit).map(size);
        let (widest, narrowest) = match guide {
            Some(size) => (beside().chain([size]).max(), beside().chain([size]).min()),
            None => (sizes().max(), sizes().min()),
        };
        let width = match (vector, widest, narrowest) {
            (Some(_), Some(widest), Some(narrowest)) if regular && !(scan && walk == Walk::Columns) => {
                let written = written().filter(|_| guide.is_none()).unwrap_or(1);
                (16 / narrowest).min(32 / widest).min(16 / written).max(1)
            }
            _ => 1,
        };
        // Loops of points that a thread takes side by side run one after another, and what such points gather lies apart
        // for the threads that run together. If a map both loops and gathers, most of its reads are
        // gathers.
        let looped = walk == Walk::Map && sections.iter().flatten().any(|block| has_loop(block));
        let reads = |k: usize| touches[k][0].buffered_read && along(k) != Access::Broadcast;
        let gathers = walk == Walk::Map && touches.iter().any(|touch| touch[0].direct);
        let width = if looped && gathers || (looped || gathers) && !(0..count).any(reads) { 1 } else { width };
        // Copies of long code with branches share no constants, crowd the instruction cache and take as long to compile as
        // the first one.
        let is_wide = |statement: &Stmt| matches!(statement, Stmt::Let(value, _) if legal.dtype(*value) == DType::F64);
        let wide = sizes().any(|size| size > 4) || sections.iter().flatten().any(|block| block.iter().any(is_wide));
        let narrow = if wide { 1 } else { NARROW };
        let is_long = |block: &Block| weight(block) > narrow * if has_branch(block) { SINGLE } else { SINGLE_STRAIGHT };
        let single = walk == Walk::Map && sections.iter().flatten().any(|block| is_long(block));
        let width = if single { 1 } else { width };
        // A map moves even a single complex number by one access.
        let paired = walk == Walk::Map && regular && through_registers().any(|k| legal.operands[k].dtype.lanes() > 1);
        let vector = vector.filter(|_| width > 1 || paired);

        let accumulators = accumulator_types(legal);
        let accumulator_bytes = struct_bytes(&accumulators);
        // Of several reductions side by side, each has as many accumulators as it would have alone.
        let own_bytes = match (kernel.grouped_as, &kernel.body) {
            (Some(grouping), Body::Reduce(fold)) => {
                let own = fold.identity.results.iter().take(grouping.accumulators);
                let count = own.map(|&value| kernel.dtype(value).lanes()).sum::<usize>();
                struct_bytes(&accumulators[..count.min(accumulators.len())])
            }
            _ => accumulator_bytes,
        };
        // A block keeps its accumulators in 32 KiB of shared memory when it folds columns.
        let width = match walk {
            Walk::Columns if own_bytes * width > 128 => (128 / own_bytes).max(1),
            _ => width,
        };
        let vector = vector.filter(|_| width > 1 || paired);
        let commutative = match &kernel.body {
            Body::Map(_) => false,
            Body::Reduce(fold) | Body::Scan(fold) | Body::Segments(Segments { fold, .. }) => {
                kernel.any_order || is_commutative(fold)
            }
            Body::Rows(rows) => rows.folds.iter().all(is_commutative),
        };
        let first = if guide.is_some() { sources } else { 0 };
        let elements: usize = (first..count).filter(|&k| reads(k)).map(size).sum();
        let read_bytes = (elements + guide.unwrap_or(0)) * width;
        let words = own_bytes.div_ceil(4).max(1);
        let heavy = match &legal.body {
            Body::Reduce(fold) => weight(&fold.combine.body) * own_bytes > 64 * accumulator_bytes,
            Body::Rows(_) => false,
            _ => sections.iter().flatten().map(|block| weight(block)).sum::<usize>() > 64,
        };
        let pure = walk == Walk::Map
            && sections.iter().flatten().all(|block| is_pure(block))
            && !touches.iter().any(|t| t[0].direct);
        let blind = pure && read_bytes == 0;
        let in_flight = if heavy { 32 } else { 64 };
        // Code with branches cannot be interleaved.
        let wide = legal.operands.iter().any(|operand| operand.dtype == DType::F64);
        let interleaved = single && pure && wide && !sections.iter().flatten().any(|block| has_branch(block));
        // One point after another gains nothing from what is read ahead where the work is a loop, or gathers for itself.
        let alone = looped || single || walk == Walk::Map && heavy && !blind && read_bytes == 0;
        let most = match walk {
            _ if alone => 1,
            // Packs that wait for no memory share constants.
            _ if heavy && blind => 4,
            _ if heavy => 2,
            // The lanes of a scan store side by side only if each takes one pack.
            Walk::Rows if scan && width > 1 => 1,
            _ => (32 / width).clamp(1, 4),
        };
        let ahead_of_memory = (in_flight / read_bytes.max(1)).clamp(1, most).next_power_of_two().min(most);
        let unroll = if interleaved { INTERLEAVED } else { ahead_of_memory };
        let located = Located::of(kernel, legal);
        let lanes = match walk {
            Walk::Map => 1,
            _ if !commutative => 1,
            // Values without their positions leave the registers to what is loaded.
            Walk::Rows if located.is_some() => 2.min(unroll * width),
            Walk::Rows => floor_power_of_two((16 / words).clamp(1, unroll * width)),
            Walk::Columns => floor_power_of_two((32 / (words * width)).clamp(1, unroll)),
        };
        // Many accumulators, or elements of few bytes, leave few registers for what is loaded.
        let held = lanes * accumulator_bytes.div_ceil(4);
        let weight: usize = sections.iter().flatten().map(|block| weight(block)).sum();
        let (resident, ahead) = match held {
            _ if interleaved => (INTERLEAVED_BLOCKS, unroll),
            65.. => (1, unroll / 2),
            33.. => (2, unroll / 2),
            _ if weight > 64 => (2, unroll),
            // A thread keeps a value and a round for each of its columns.
            _ if located.is_some() && walk == Walk::Columns => (3, unroll),
            _ if located.is_some() => (4, unroll),
            _ => (4, unroll.min(16 / width)),
        };
        let own_lanes = match &kernel.body {
            Body::Rows(rows) => {
                rows.folds[0].identity.results.iter().map(|&value| kernel.dtype(value).lanes()).collect()
            }
            _ => vec![],
        };
        let mut shape = Shape {
            walk,
            scan,
            outer,
            inner,
            width,
            vector,
            unroll,
            ahead: ahead.max(1),
            lanes,
            commutative,
            pure,
            blind: blind || interleaved,
            interleaved,
            narrow: specialization.narrow(),
            resident,
            warp: warp as usize,
            accumulator_bytes,
            touches,
            rows: None,
            ranges: Ranges::of(&legal.body, count),
            located,
            own_lanes,
        };
        if let Body::Rows(rows) = &legal.body {
            shape.rows = Some(RowsShape::of(kernel, legal, rows, &shape, &inner_access));
        }
        shape
    }

    /// How many machine values the accumulators are of one of the folds that a kernel groups its elements like.
    pub fn own_parts(&self, grouping: Grouping) -> usize {
        self.own_lanes.iter().take(grouping.accumulators).sum()
    }

    /// Packs that a thread of a tile takes in a scan of long rows.
    pub fn rounds(&self) -> usize {
        match (self.width, self.accumulator_bytes) {
            (_, 9..) => 4,
            (1, _) => 8,
            _ => 6,
        }
    }

    /// Dimensions in all.
    pub fn dims(&self) -> usize {
        self.outer + self.inner
    }
}

/// The accumulators' types after legalisation.
pub(crate) fn accumulator_types(legal: &Kernel) -> Vec<DType> {
    match &legal.body {
        Body::Map(_) | Body::Rows(_) => vec![],
        Body::Reduce(fold) | Body::Scan(fold) | Body::Segments(Segments { fold, .. }) => {
            fold.finish.params.iter().map(|&v| legal.dtype(v)).collect()
        }
    }
}

pub(crate) fn touch_of(kernel: &Kernel, block: &Block, operand: usize) -> Touch {
    let declared = kernel.operands[operand];
    let mut plain_load = false;
    let mut other = false;
    let mut stored_lanes = 0u8;
    let all_lanes = (1u8 << declared.dtype.lanes()) - 1;
    walk(block, &mut |statement, nested| match statement {
        Stmt::Let(_, Op::Load { operand: k, offset, .. }) if *k as usize == operand => {
            if offset.is_none() && declared.mode == Mode::Read {
                plain_load = true;
            } else {
                other = true;
            }
        }
        Stmt::Store { operand: k, offset, lane, .. } if *k as usize == operand => {
            if offset.is_none() && !nested && declared.mode == Mode::Write {
                stored_lanes |= 1 << lane;
            } else {
                other = true;
            }
        }
        Stmt::Atomic { operand: k, .. } if *k as usize == operand => other = true,
        _ => {}
    });
    let whole = stored_lanes == all_lanes && !other;
    Touch { buffered_read: plain_load, buffered_write: whole, direct: other || (stored_lanes != 0 && !whole) }
}

fn is_pure(block: &Block) -> bool {
    let mut pure = true;
    walk(block, &mut |statement, _| {
        pure &= !matches!(statement, Stmt::While { .. } | Stmt::Require(..) | Stmt::Atomic { .. } | Stmt::Call { .. });
    });
    pure
}

fn has_loop(block: &Block) -> bool {
    let mut found = false;
    walk(block, &mut |statement, _| found |= matches!(statement, Stmt::While { .. }));
    found
}

fn has_branch(block: &Block) -> bool {
    let mut found = false;
    walk(block, &mut |statement, _| {
        found |= matches!(statement, Stmt::If { .. } | Stmt::While { .. } | Stmt::Call { .. });
    });
    found
}

/// Whether every result of `combine` is a commutative operator of just the two accumulators of its place. Anything else
/// (an arg-maximum, a mean with its count) is combined in order.
fn is_commutative(fold: &Fold) -> bool {
    let Lambda { params, body, results } = &fold.combine;
    let binding = |value: Value| {
        body.iter().find_map(|statement| match statement {
            Stmt::Let(bound, op) if *bound == value => Some(*op),
            _ => None,
        })
    };
    let half = results.len();
    results.iter().enumerate().all(|(at, &result)| match binding(result) {
        Some(Op::Binary(op, a, b)) => {
            let commutes = matches!(
                op,
                Binary::Add | Binary::Mul | Binary::Min | Binary::Max | Binary::And | Binary::Or | Binary::Xor
            );
            let pair = (params[at], params[half + at]);
            commutes && (pair == (a, b) || pair == (b, a))
        }
        _ => false,
    })
}

/// Whether a value is read again rather than kept: it is the same for all points of a row.
fn is_uniform(op: &Op, along: &dyn Fn(usize) -> Access) -> bool {
    match *op {
        Op::Const(_) | Op::Scalar { .. } => true,
        Op::Load { operand, offset: None, .. } => along(operand.into()) == Access::Broadcast,
        _ => false,
    }
}

impl RowsShape {
    pub fn of(
        kernel: &Kernel,
        legal: &Kernel,
        rows: &Rows,
        shape: &Shape,
        along: &dyn Fn(usize) -> Access,
    ) -> RowsShape {
        let lists = rows.held(legal, &|op| is_uniform(op, along));
        let held: Vec<Held> = lists.into_iter().map(|values| Held::of(legal, values)).collect();
        let largest = held.iter().flat_map(|held| &held.values).map(|&value| legal.dtype(value).size()).max();
        let points: usize = held.iter().map(|held| held.bytes).max().unwrap_or(0);
        let slot = (points * shape.width).next_multiple_of((largest.unwrap_or(1) * shape.width).min(16));
        let lanes = rows.folds.iter().map(|fold| {
            let types: Vec<DType> = fold.finish.params.iter().map(|&value| legal.dtype(value)).collect();
            let own = kernel.grouped_as.map_or(types.len(), |grouping| shape.own_parts(grouping).min(types.len()));
            let words = struct_bytes(&types[..own]).div_ceil(4).max(1);
            floor_power_of_two((16 / words).clamp(1, shape.unroll * shape.width))
        });
        RowsShape { lanes: lanes.collect(), held, slot }
    }
}

impl Held {
    /// Larger values first, so that each is aligned.
    fn of(legal: &Kernel, mut values: Vec<Value>) -> Held {
        values.sort_by_key(|&value| std::cmp::Reverse(legal.dtype(value).size()));
        let mut held = Held { values, ..Held::default() };
        for &value in &held.values {
            held.offsets.push(held.bytes);
            held.bytes += legal.dtype(value).size();
        }
        held
    }
}
