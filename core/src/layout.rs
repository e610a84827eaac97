//! Shapes, strides and how elements lie in memory.

use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use crate::error::{Error, Result, value_error};

/// A list of lengths or axes, on the stack up to four dimensions.
pub type Dims = SmallVec<[usize; 4]>;
/// A list of strides in bytes, on the stack up to four dimensions.
pub type Strides = SmallVec<[isize; 4]>;

/// Most dimensions an array may have, as in NumPy 2.
pub const MAX_NDIM: usize = 64;

/// Order of elements in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Last axis fastest.
    C,
    /// First axis fastest.
    F,
    /// F if all inputs are F- and not C-contiguous, else C.
    A,
    /// As close to the inputs' order as possible.
    #[default]
    K,
}

impl Order {
    /// Parses NumPy's one-letter names, in either case.
    pub fn parse(text: &str) -> Result<Order> {
        match text {
            "C" | "c" => Ok(Order::C),
            "F" | "f" => Ok(Order::F),
            "A" | "a" => Ok(Order::A),
            "K" | "k" => Ok(Order::K),
            other => value_error(format!("order must be one of 'C', 'F', 'A', or 'K' (got '{other}')")),
        }
    }

    /// The order of new results for which nothing else was asked: K, or C by [`set_c_results`].
    pub fn of_results() -> Order {
        if C_RESULTS.load(Ordering::Relaxed) { Order::C } else { Order::K }
    }
}

/// Whether new results lie in C order whatever the order of their inputs.
static C_RESULTS: AtomicBool = AtomicBool::new(false);

/// Lets new results lie in C order throughout the process, or as NumPy's do; returns what held before. For programs
/// written for libraries that do so: they pass results to kernels that count on it.
pub fn set_c_results(enabled: bool) -> bool {
    C_RESULTS.swap(enabled, Ordering::Relaxed)
}

/// Shape and strides of an array, with its contiguity worked out.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Lengths of the axes.
    pub shape: Dims,
    /// Distances between neighbours along each axis, in bytes.
    pub strides: Strides,
    /// Whether elements lie one after another in C order.
    pub c_contiguous: bool,
    /// Whether elements lie one after another in Fortran order.
    pub f_contiguous: bool,
}

impl Clone for Layout {
    #[inline]
    fn clone(&self) -> Layout {
        Layout {
            shape: short(&self.shape),
            strides: short(&self.strides),
            c_contiguous: self.c_contiguous,
            f_contiguous: self.f_contiguous,
        }
    }
}

/// A list as a new one. Lists of up to four elements, as most are, take a few moves and no call of the system's copy.
#[inline]
pub(crate) fn short<T: Copy + Default>(list: &[T]) -> SmallVec<[T; 4]> {
    let zero = T::default();
    match *list {
        [] => SmallVec::new(),
        [a] => SmallVec::from_buf_and_len([a, zero, zero, zero], 1),
        [a, b] => SmallVec::from_buf_and_len([a, b, zero, zero], 2),
        [a, b, c] => SmallVec::from_buf_and_len([a, b, c, zero], 3),
        [a, b, c, d] => SmallVec::from_buf_and_len([a, b, c, d], 4),
        _ => SmallVec::from_slice(list),
    }
}

/// Whether two shapes, or lists of strides, are the same. They are short: a loop is done before a call of the system's
/// comparison has begun.
#[inline]
pub fn same_shape<T: Copy + PartialEq>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Number of elements of a shape, or an error if it exceeds what memory can address.
pub fn checked_size(shape: &[usize], itemsize: usize) -> Result<usize> {
    // As NumPy: zero lengths do not excuse an overflow of the other ones.
    let bytes = shape.iter().filter(|&&n| n != 0).try_fold(itemsize.max(1), |total, &n| total.checked_mul(n));
    match bytes {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(shape.iter().product()),
        _ => value_error("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."),
    }
}

impl Layout {
    /// A layout with given strides.
    pub fn new(shape: Dims, strides: Strides, itemsize: usize) -> Layout {
        let (c_contiguous, f_contiguous) = contiguity(&shape, &strides, itemsize);
        Layout { shape, strides, c_contiguous, f_contiguous }
    }

    /// Elements one after another; C order unless `fortran`.
    pub fn contiguous(shape: &[usize], itemsize: usize, fortran: bool) -> Layout {
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        let (mut step, mut long, mut empty) = (itemsize as isize, 0, false);
        let mut place = |(stride, &length): (&mut isize, &usize)| {
            *stride = step;
            step = step.wrapping_mul(length as isize);
            long += usize::from(length != 1);
            empty |= length == 0;
        };
        if fortran {
            strides.iter_mut().zip(shape).for_each(&mut place);
        } else {
            strides.iter_mut().zip(shape).rev().for_each(&mut place);
        }
        if empty {
            // Nothing to step over, as NumPy has it.
            strides.fill(0);
        }
        let one_dimensional = long <= 1 || empty;
        Layout {
            shape: short(shape),
            strides,
            c_contiguous: !fortran || one_dimensional,
            f_contiguous: fortran || one_dimensional,
        }
    }

    /// Whether this is the layout of a new array in C order, down to the strides of axes of length 1. Not for empty ones.
    #[inline]
    pub(crate) fn is_new(&self, itemsize: usize) -> bool {
        let mut step = itemsize as isize;
        self.shape.iter().zip(&self.strides).rev().all(|(&length, &stride)| {
            let expected = step;
            step = step.wrapping_mul(length as isize);
            stride == expected
        })
    }

    /// Number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Lowest and one-past-highest byte that the elements touch, relative to the origin; `(0, 0)` when empty.
    pub fn extent(&self, itemsize: usize) -> (isize, isize) {
        if self.shape.contains(&0) {
            return (0, 0);
        }
        let (mut low, mut high) = (0, itemsize as isize);
        for (&length, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (length as isize - 1) * stride;
            if reach < 0 { low += reach } else { high += reach }
        }
        (low, high)
    }

    /// Strides of this layout stretched to `shape`, by NumPy's broadcasting rules.
    pub fn broadcast_strides(&self, shape: &[usize]) -> Option<Strides> {
        if same_shape(&self.shape, shape) && !shape.contains(&1) {
            return Some(short(&self.strides));
        }
        let missing = shape.len().checked_sub(self.ndim())?;
        let mut strides: Strides = SmallVec::from_elem(0, missing);
        for ((&own, &stride), &target) in self.shape.iter().zip(&self.strides).zip(&shape[missing..]) {
            match own {
                1 => strides.push(0),
                n if n == target => strides.push(stride),
                _ => return None,
            }
        }
        // A length-1 axis that stays 1 keeps its stride out of the way too: nothing reads it.
        Some(strides)
    }
}

fn contiguity(shape: &[usize], strides: &[isize], itemsize: usize) -> (bool, bool) {
    if shape.contains(&0) {
        return (true, true);
    }
    let axes = || shape.iter().zip(strides);
    (are_packed(axes().rev(), itemsize), are_packed(axes(), itemsize))
}

/// Whether axes, the fastest first, lie in memory without gaps; those of length 1 lie anywhere.
#[inline]
fn are_packed<'a>(axes: impl Iterator<Item = (&'a usize, &'a isize)>, itemsize: usize) -> bool {
    let mut expected = itemsize as isize;
    for (&length, &stride) in axes {
        if length != 1 {
            if stride != expected {
                return false;
            }
            expected *= length as isize;
        }
    }
    true
}

/// A shape as NumPy prints it in messages: `(2,3)`, `(4,)`, `()`.
pub fn show_shape(shape: &[usize]) -> String {
    let inner = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    if shape.len() == 1 { format!("({inner},)") } else { format!("({inner})") }
}

/// The common shape of several, by NumPy's broadcasting rules.
///
/// # Errors
/// `ValueError` naming all shapes.
pub fn broadcast_shapes<'a>(shapes: impl Iterator<Item = &'a [usize]> + Clone) -> Result<Dims> {
    let ndim = shapes.clone().map(<[usize]>::len).max().unwrap_or(0);
    let mut out: Dims = SmallVec::from_elem(1, ndim);
    for shape in shapes.clone() {
        let skip = ndim - shape.len();
        for (axis, &length) in shape.iter().enumerate() {
            let target = &mut out[skip + axis];
            if *target == 1 {
                *target = length;
            } else if length != 1 && length != *target {
                let list = shapes.map(show_shape).collect::<Vec<_>>().join(" ");
                return value_error(format!("operands could not be broadcast together with shapes {list}"));
            }
        }
    }
    Ok(out)
}

/// An axis counted from the front, from one that may be negative.
pub fn normalize_axis(axis: isize, ndim: usize) -> Result<usize> {
    let wrapped = if axis < 0 { axis + ndim as isize } else { axis };
    if (0..ndim as isize).contains(&wrapped) { Ok(wrapped as usize) } else { Err(Error::Axis { axis, ndim }) }
}

/// Several distinct axes, normalised, in the order given.
pub fn normalize_axes(axes: &[isize], ndim: usize) -> Result<Dims> {
    let mut out = Dims::new();
    for &axis in axes {
        let axis = normalize_axis(axis, ndim)?;
        if out.contains(&axis) {
            return value_error("duplicate value in 'axis'");
        }
        out.push(axis);
    }
    Ok(out)
}

/// Axes from fastest to slowest as NumPy's iterator orders them for the given operands (C order wins conflicts).
pub fn memory_order<'a>(ndim: usize, operands: impl Iterator<Item = &'a [isize]> + Clone) -> Dims {
    let mut order: Dims = (0..ndim).rev().collect();
    for position in 1..ndim {
        let mut target = position;
        for candidate in (0..position).rev() {
            let (mut ambiguous, mut swap) = (true, false);
            for strides in operands.clone() {
                let (mine, other) = (strides[order[position]], strides[order[candidate]]);
                if mine != 0 && other != 0 {
                    if other.abs() <= mine.abs() {
                        swap = false;
                    } else if ambiguous {
                        swap = true;
                    }
                    ambiguous = false;
                }
            }
            if !ambiguous {
                if !swap {
                    break;
                }
                target = candidate;
            }
        }
        let axis = order.remove(position);
        order.insert(target, axis);
    }
    order
}

/// The dense layout of an array of this shape that is like one with these strides: its axes keep their order in memory,
/// broadcast ones last, as in NumPy's copy in order `K`.
pub fn like_layout(shape: &[usize], itemsize: usize, strides: &[isize]) -> Layout {
    let mut order: Dims = (0..shape.len()).rev().collect();
    order.sort_by_key(|&axis| strides[axis].unsigned_abs());
    in_order(shape, itemsize, &order)
}

/// The dense layout whose axes lie in memory in this order, the fastest first.
pub(crate) fn in_order(shape: &[usize], itemsize: usize, order: &[usize]) -> Layout {
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    let mut step = itemsize as isize;
    for &axis in order.iter().filter(|_| !shape.contains(&0)) {
        strides[axis] = step;
        step *= shape[axis] as isize;
    }
    Layout::new(Dims::from_slice(shape), strides, itemsize)
}

/// The layout of a new result: `order` applied to the broadcast strides of the inputs.
pub fn result_layout<'a>(
    shape: &[usize],
    itemsize: usize,
    order: Order,
    inputs: impl Iterator<Item = (&'a Layout, &'a [isize])> + Clone,
) -> Layout {
    let fortran = |layout: &Layout| layout.f_contiguous && !layout.c_contiguous;
    match order {
        Order::C => Layout::contiguous(shape, itemsize, false),
        Order::F => Layout::contiguous(shape, itemsize, true),
        Order::A => {
            let all = inputs.clone().next().is_some() && inputs.clone().all(|(l, _)| l.f_contiguous);
            let any = inputs.clone().any(|(l, _)| fortran(l));
            Layout::contiguous(shape, itemsize, all && any)
        }
        Order::K => {
            if shape.len() <= 1 || inputs.clone().all(|(l, _)| l.c_contiguous) {
                return Layout::contiguous(shape, itemsize, false);
            }
            in_order(shape, itemsize, &memory_order(shape.len(), inputs.map(|(_, strides)| strides)))
        }
    }
}

/// Strides that give `layout`'s elements, read in C order, the shape `shape` without a copy, if there are any.
pub fn reshape_strides(layout: &Layout, shape: &[usize], fortran: bool) -> Option<Strides> {
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    // Work on reversed axes for Fortran order: the problem is symmetric.
    let view = |axis: usize, ndim: usize| if fortran { ndim - 1 - axis } else { axis };
    let old: SmallVec<[(usize, isize); 8]> = (0..layout.ndim())
        .map(|axis| view(axis, layout.ndim()))
        .filter(|&axis| layout.shape[axis] != 1)
        .map(|axis| (layout.shape[axis], layout.strides[axis]))
        .collect();
    let new = |axis: usize| shape[view(axis, shape.len())];
    let (mut o, mut n) = (0, 0);
    while o < old.len() && n < shape.len() {
        let (mut old_end, mut new_end) = (o + 1, n + 1);
        let (mut old_size, mut new_size) = (old[o].0, new(n));
        while old_size != new_size {
            if new_size < old_size {
                new_size *= new(new_end);
                new_end += 1;
            } else {
                old_size *= old[old_end].0;
                old_end += 1;
            }
        }
        for pair in old[o..old_end].windows(2) {
            if pair[0].1 != pair[1].1 * pair[1].0 as isize {
                return None;
            }
        }
        let mut step = old[old_end - 1].1;
        for axis in (n..new_end).rev() {
            strides[view(axis, shape.len())] = step;
            step *= new(axis) as isize;
        }
        (o, n) = (old_end, new_end);
    }
    // What is left are axes of length 1.
    let mut step = if n > 0 { strides[view(n - 1, shape.len())] } else { old.last().map_or(1, |last| last.1) };
    for axis in n..shape.len() {
        strides[view(axis, shape.len())] = step;
        step *= new(axis) as isize;
    }
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn broadcasting_follows_numpy() {
        let shapes: [&[usize]; 3] = [&[3, 1], &[1, 4], &[4]];
        assert_eq!(broadcast_shapes(shapes.into_iter()).unwrap().as_slice(), [3, 4]);
        let bad: [&[usize]; 2] = [&[3], &[4]];
        let message = broadcast_shapes(bad.into_iter()).unwrap_err().to_string();
        assert_eq!(message, "operands could not be broadcast together with shapes (3,) (4,)");
        let zero: [&[usize]; 2] = [&[0], &[1]];
        assert_eq!(broadcast_shapes(zero.into_iter()).unwrap().as_slice(), [0]);
    }

    #[test]
    fn reshape_without_copy_where_numpy_can() {
        let layout = Layout::contiguous(&[2, 3, 4], 8, false);
        assert_eq!(reshape_strides(&layout, &[6, 4], false).unwrap().as_slice(), [32, 8]);
        assert_eq!(reshape_strides(&layout, &[2, 1, 12], false).unwrap()[2], 8);
        let transposed = Layout::new(smallvec![3, 2], smallvec![8, 24], 8);
        assert!(reshape_strides(&transposed, &[6], false).is_none());
        assert_eq!(reshape_strides(&transposed, &[6], true).unwrap().as_slice(), [8]);
    }

    #[test]
    fn the_layout_of_a_new_array_has_no_other_strides() {
        assert!(Layout::contiguous(&[2, 1, 5], 8, false).is_new(8));
        assert!(!Layout::contiguous(&[2, 5], 8, true).is_new(8));
        let row = Layout::new(smallvec![1, 5], smallvec![80, 8], 8);
        assert!(row.c_contiguous && !row.is_new(8));
        assert!(!Layout::contiguous(&[5], 4, false).is_new(8));
    }

    #[test]
    fn results_keep_the_order_of_their_inputs() {
        let fortran = Layout::contiguous(&[2, 3], 8, true);
        let inputs = [(&fortran, fortran.strides.as_slice())];
        let kept = result_layout(&[2, 3], 4, Order::K, inputs.into_iter());
        assert_eq!(kept.strides.as_slice(), [4, 8]);
        assert!(kept.f_contiguous && !kept.c_contiguous);
    }

    #[test]
    fn sizes_that_overflow_are_errors() {
        assert!(checked_size(&[1 << 40, 1 << 40], 8).is_err());
        assert!(checked_size(&[0, 1 << 40, 1 << 40], 8).is_err());
        assert_eq!(checked_size(&[3, 0], 8).unwrap(), 0);
    }
}
