//! The shape of a lowered kernel: everything that the generator and the launch plan have to agree on.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Value;

/// The walk over the iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Points alone.
    Map,
    /// Neighbouring threads along the folded dimensions.
    Rows,
    /// Neighbouring threads along the kept dimensions.
    Columns,
}

/// How one section (the map, or the finish of a fold) touches an operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Read ahead into registers.
    pub buffered_read: bool,
    /// Collected in registers and written after the section.
    pub buffered_write: bool,
    /// Accessed in memory by the section itself.
    pub direct: bool,
}

/// Everything that the generator and the launch plan have to agree on.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub walk: Walk,
    pub scan: bool,
    pub outer: usize,
    pub inner: usize,
    /// Points that a thread takes side by side.
    pub width: usize,
    /// The dimension they lie along, if operands move by whole packs.
    pub vector: Option<usize>,
    /// Packs of `width` points that a thread loads before it computes.
    pub unroll: usize,
    /// Those of them that a fold of a row has in registers at a time.
    pub ahead: usize,
    /// Independent accumulators of a thread.
    pub lanes: usize,
    /// The fold's parts may be combined in any order.
    pub commutative: bool,
    /// The map section only computes, so it may run for points outside the space.
    pub pure: bool,
    /// Such a map does run for points outside the space: it reads no memory, or is [`Shape::interleaved`].
    pub blind: bool,
    /// The points of a thread are computed side by side, without branches between them.
    pub interleaved: bool,
    pub narrow: bool,
    /// Blocks of an interleaved map or of a kernel with folds that a processor should be able to run at a time.
    pub resident: usize,
    /// Threads that run in lock step.
    pub warp: usize,
    /// Bytes of the accumulators as a C++ struct.
    pub accumulator_bytes: usize,
    /// Touch of the map section, then of the finish section, for each operand. All maps of rows are one section.
    pub touches: Vec<[Touch; 2]>,
    /// Of a kernel of segments.
    pub ranges: Option<Ranges>,
    /// More about a kernel of rows.
    pub rows: Option<RowsShape>,
    /// Of a reduction that finds the position of an element.
    pub located: Option<Located>,
    /// Machine types of each accumulator as the kernel has them.
    pub(crate) own_lanes: Vec<usize>,
}

/// How a reduction finds the position of an element, where it may compute elements a second time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    /// The accumulator that is the position.
    pub part: usize,
    /// Whether all elements take part.
    pub whole: bool,
}

/// What the ranges of segments depend on.
#[derive(Clone, Debug)]
pub(crate) struct Ranges {
    /// Whether they are computed from the position.
    pub positions: bool,
    /// For each operand, whether they are read from it.
    pub operands: Vec<bool>,
}

pub(crate) fn floor_power_of_two(n: usize) -> usize {
    1 << n.ilog2()
}

pub(crate) fn struct_bytes(fields: &[DType]) -> usize {
    let align = fields.iter().map(|d| d.size()).max().unwrap_or(1);
    let end = fields.iter().fold(0usize, |at, d| at.next_multiple_of(d.size()) + d.size());
    end.next_multiple_of(align)
}

/// What is kept of a point before a map, and where in the point's slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    pub values: Vec<Value>,
    /// Bytes of a slot before each value, for one point.
    pub(crate) offsets: Vec<usize>,
    pub(crate) bytes: usize,
}

/// What a kernel of rows needs besides its [`Shape`].
#[derive(Clone, Debug)]
pub(crate) struct RowsShape {
    /// For each map, the last included.
    pub(crate) held: Vec<Held>,
    /// Bytes of a slot: what is kept of [`Shape::width`] neighbours.
    pub slot: usize,
    /// Independent accumulators of a thread, for each fold.
    pub(crate) lanes: Vec<usize>,
}
