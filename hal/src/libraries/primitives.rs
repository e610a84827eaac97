//! Device algorithms that are not a map, a reduction or a scan. All but sorting are optional: `core` has ways around them.
//!
//! Bools are keys, values and flags by their truth, as the contract of the crate says: any byte but 0 is true. Sorted keys and
//! distinct elements of bools are written as 0 and 1; elements that are selected or carried along keep their bytes.

use crate::{DType, Error, Result, Stream};

/// A sort of the rows of a contiguous matrix.
///
/// Order is NumPy's: NaN last, complex numbers lexicographically with NaN rules of `numpy.sort`, -0.0 equal to 0.0.
/// The sort is stable.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    /// Element type of the keys.
    pub dtype: DType,
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub length: usize,
    /// The positions of a row that have to be right, from the first to the one after the last, at least one. What lies
    /// before them is not greater, what lies after not less. A device may sort the others too.
    pub wanted: (usize, usize),
    /// How many low bits of integer keys say their order, since those above are zero in every key: all bits of the type if
    /// nothing is known. A device may sort by more.
    pub bits: usize,
    /// Address of the keys, rows x length, contiguous; not changed.
    pub keys: u64,
    /// Where the sorted keys go, or 0 if only the indices are wanted.
    pub sorted: u64,
    /// Where the int64 indices within the row go, or 0 if only the keys are wanted.
    pub indices: u64,
    /// Scratch memory of [`Sorting::scratch_bytes`] bytes, aligned to 256.
    pub scratch: u64,
}

/// Elements that move with the keys of a sort.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Address of the elements, one for each key, contiguous; not changed.
    pub from: u64,
    /// Where they go, in the order of the sorted keys.
    pub to: u64,
    /// Bytes of an element: 1, 2, 4, 8 or 16, to which both addresses are aligned.
    pub size: usize,
}

/// Sorting, which every device has.
pub trait Sorting: Send + Sync {
    /// Scratch bytes that `sort` needs.
    fn scratch_bytes(&self, sort: &Sort) -> usize;

    /// Queues a sort.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Sort`] and do not overlap.
    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()>;

    /// Scratch bytes of [`Sorting::sort_carrying`], or `None` where a device does not move such elements with such keys.
    fn carrying_scratch_bytes(&self, _sort: &Sort, _carried: &[Carried; 2]) -> Option<usize> {
        None
    }

    /// Queues a sort that moves elements along with the keys, rather than to say where each comes from: nothing is read
    /// in random order. `indices` is 0.
    ///
    /// # Safety
    /// As for [`Sorting::sort`], with the scratch memory of [`Sorting::carrying_scratch_bytes`], which was not `None`.
    unsafe fn sort_carrying(&self, _stream: &dyn Stream, _sort: &Sort, _carried: &[Carried; 2]) -> Result<()> {
        Err(Error::unsupported("this device", "sorting with elements that are carried along".to_owned()))
    }
}

/// A selection of those of some items whose flag is set, in their order. A flag is set unless its byte is 0.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    /// Address of one bool for each item, aligned to 16; any byte but 0 is set.
    pub flags: u64,
    /// Number of items.
    pub count: usize,
    /// Address of the items, contiguous, or 0 to select their numbers, as int64.
    pub items: u64,
    /// Bytes of an item: 1, 2, 4, 8 or 16, to which `items` and `out` are aligned. 8 for numbers.
    pub size: usize,
    /// Where the selected ones go.
    pub out: u64,
    /// The scratch memory that was given to [`Compaction::count`] for the same flags.
    pub scratch: u64,
}

/// Selecting by flags, in two steps between which the caller makes room.
pub trait Compaction: Send + Sync {
    /// Scratch bytes for so many flags.
    fn scratch_bytes(&self, count: usize) -> usize;

    /// Queues counting the flags that are set, as a uint64 at `total`.
    ///
    /// # Safety
    /// `flags` is device memory of `count` bools, aligned to 16, `scratch` of [`Compaction::scratch_bytes`] bytes,
    /// aligned to 256.
    unsafe fn count(&self, stream: &dyn Stream, flags: u64, count: usize, scratch: u64, total: u64) -> Result<()>;

    /// Queues the selection. As many items are written as were counted, whatever happened to the flags meanwhile: what decides
    /// whether one is set is the same here and there, and the scratch memory bounds the rest.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Select`], `out` has room for what was counted, and the
    /// scratch memory is as [`Compaction::count`] leaves it.
    unsafe fn write(&self, stream: &dyn Stream, select: &Select) -> Result<()>;
}

/// The edges of bins.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    /// Their type, in which values are compared with them: float32, float64, int64 or uint64.
    pub dtype: DType,
    /// Address of the edges, ascending, one more than there are bins.
    pub ptr: u64,
    /// Whether they are floating and equally far apart, up to rounding. Changes the way, not the result.
    pub uniform: bool,
}

/// How many values fall into each bin. A value that is in none counts for none.
#[derive(Clone, Copy, Debug)]
pub struct Histogram {
    /// Element type of the values: real, and an integer (or bool) without edges.
    pub dtype: DType,
    /// Address of the values, contiguous.
    pub values: u64,
    /// Number of values.
    pub count: usize,
    /// Number of bins, at least 1.
    pub bins: usize,
    /// The edges: a bin contains its lower edge, the last one its upper edge too. Without them a value is the number
    /// of its bin.
    pub edges: Option<Edges>,
    /// Address of an int64 for each bin, which the numbers are added to.
    pub counts: u64,
}

/// Counting by bins.
pub trait Binning: Send + Sync {
    /// Queues the counting.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Histogram`]; `counts` overlaps nothing else.
    unsafe fn histogram(&self, stream: &dyn Stream, histogram: &Histogram) -> Result<()>;
}

/// Rows of truth values, a byte each, and the same as bits of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    /// Number of rows.
    pub rows: usize,
    /// Truth values of a row.
    pub length: usize,
    /// Bytes of a row of bits. Bits beyond the truth values are written as 0, and so are truth values beyond the bits.
    pub width: usize,
    /// Whether the first of eight truth values is the highest bit of its byte, or else the lowest.
    pub big: bool,
    /// Address of the truth values, contiguous: any byte but 0 is true.
    pub truths: u64,
    /// Address of the bits, contiguous.
    pub bytes: u64,
}

/// Packing truth values into bits.
pub trait Packing: Send + Sync {
    /// Queues packing truth values into bits; `width` is as many bytes as they need.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Bits`] and do not overlap.
    unsafe fn pack(&self, stream: &dyn Stream, bits: &Bits) -> Result<()>;

    /// Queues writing bits as bytes of 0 and 1.
    ///
    /// # Safety
    /// As for [`Packing::pack`], where `width` may be any.
    unsafe fn unpack(&self, stream: &dyn Stream, bits: &Bits) -> Result<()>;
}

/// A contiguous matrix that is joined with others side by side.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its address.
    pub ptr: u64,
    /// Bytes of a row.
    pub width: usize,
}

/// Joining many pieces at once.
pub trait Joining: Send + Sync {
    /// Bytes of scratch memory that joining so many pieces needs.
    fn scratch_bytes(&self, pieces: usize) -> usize;

    /// Queues writing matrices of `rows` rows side by side into the contiguous matrix at `out`.
    ///
    /// # Safety
    /// The pieces are device memory of `rows` x their widths, `out` of `rows` x the sum of the widths, `scratch` of
    /// [`Joining::scratch_bytes`], aligned to 8 bytes; `out` and `scratch` overlap nothing else.
    unsafe fn join(&self, stream: &dyn Stream, out: u64, rows: usize, pieces: &[Piece], scratch: u64) -> Result<()>;
}

/// Where values belong in a sorted array: how many of its elements are less, NaN being greatest.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Element type of both: real.
    pub dtype: DType,
    /// Address of the array, contiguous and sorted as [`Sort`] sorts.
    pub sorted: u64,
    /// Number of its elements, at least 1.
    pub length: usize,
    /// Address of the values, contiguous.
    pub values: u64,
    /// Number of values.
    pub count: usize,
    /// Whether equal elements count too.
    pub right: bool,
    /// Where the answers go, an int64 for each value, aligned to 16.
    pub out: u64,
}

/// Searching sorted arrays.
pub trait Searching: Send + Sync {
    /// Queues the search.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Search`]; `out` overlaps nothing else.
    unsafe fn search(&self, stream: &dyn Stream, search: &Search) -> Result<()>;
}

/// Sorted elements, of which the first ones of equal ones are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Sorted {
    /// Element type: real.
    pub dtype: DType,
    /// Address of the elements, contiguous and aligned to 16.
    pub ptr: u64,
    /// Number of elements, at least 1.
    pub count: usize,
    /// Whether NaN equals NaN.
    pub equal_nan: bool,
    /// Scratch memory of [`Distinct::scratch_bytes`] bytes, aligned to 256.
    pub scratch: u64,
}

/// Selecting the distinct ones, in two steps between which the caller makes room.
pub trait Distinct: Send + Sync {
    /// Scratch bytes for so many elements.
    fn scratch_bytes(&self, sorted: &Sorted) -> usize;

    /// Queues counting the distinct ones, as a uint64 at `total`.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Sorted`].
    unsafe fn count(&self, stream: &dyn Stream, sorted: &Sorted, total: u64) -> Result<()>;

    /// Queues writing the distinct ones.
    ///
    /// # Safety
    /// As for [`Distinct::count`], whose scratch memory this is; `out` has room for what was counted.
    unsafe fn write(&self, stream: &dyn Stream, sorted: &Sorted, out: u64) -> Result<()>;
}

/// The element of a rank in each rectangle of some planes.
#[derive(Clone, Copy, Debug)]
pub struct Ranks {
    /// Element type.
    pub dtype: DType,
    /// Address of the planes, contiguous; each has one element less than a window more than the result along both axes.
    pub wide: u64,
    /// Planes, rows and columns of the result, each at least 1.
    pub shape: [usize; 3],
    /// Rows and columns of a window, each at least 1.
    pub window: [usize; 2],
    /// The rank, from 0 for the least element, less than the number of elements of a window.
    pub rank: usize,
    /// Where the result goes, contiguous.
    pub out: u64,
}

/// Elements of a rank in windows.
pub trait Ranking: Send + Sync {
    /// Whether the device has a way for elements and windows of this kind; addresses do not matter.
    fn takes(&self, ranks: &Ranks) -> bool;

    /// Queues finding them.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Ranks`]; `out` overlaps nothing else.
    unsafe fn ranks(&self, stream: &dyn Stream, ranks: &Ranks) -> Result<()>;
}
