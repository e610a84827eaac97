//! Products of two sparse matrices, row after row (Gustavson): each part of the rows appends to memory of its own, and the
//! parts are joined when the product is written.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::libraries::{Scratch, SparseMatrix, SparseProduct};
use cuproxide_hal::{Error, Result, Stream};

use super::matrix::{Index, Number, Rows, Target, elements, parts};
use crate::pool;

/// Up to how many columns each has a place, however few products there are.
const DIRECT: usize = 1 << 16;

/// Where the columns of a row have been stored.
trait Places {
    /// The place of a column: 0 at first, and left from rows before.
    fn of(&mut self, column: usize) -> &mut usize;

    /// Begins a row of at most so many columns; returns how many columns have room.
    fn clear(&mut self, columns: impl FnOnce() -> usize) -> usize;
}

/// A place for each column.
struct Direct(Vec<usize>);

impl Places for Direct {
    #[inline(always)]
    fn of(&mut self, column: usize) -> &mut usize {
        &mut self.0[column]
    }

    #[inline(always)]
    fn clear(&mut self, _: impl FnOnce() -> usize) -> usize {
        self.0.len()
    }
}

/// A hash table, where columns are too many for a place each: keys are a column and 1, 0 is nobody's.
#[derive(Default)]
struct Hashed {
    slots: Vec<(usize, usize)>,
    mask: usize,
}

impl Places for Hashed {
    #[inline(always)]
    fn of(&mut self, column: usize) -> &mut usize {
        // Neighbouring columns go to neighbouring slots.
        let mut slot = column & self.mask;
        loop {
            let key = self.slots[slot].0;
            if key == column + 1 || key == 0 {
                self.slots[slot].0 = column + 1;
                return &mut self.slots[slot].1;
            }
            slot = (slot + 1) & self.mask;
        }
    }

    fn clear(&mut self, columns: impl FnOnce() -> usize) -> usize {
        let most = columns();
        let size = (2 * most).next_power_of_two();
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        self.mask = size - 1;
        most
    }
}

/// Parts of the rows of a product, one behind the other with gaps between them.
struct Product<I, T> {
    indices: u64,
    values: u64,
    /// Where parts begin in that memory, and how many elements they have.
    parts: Vec<(usize, usize)>,
    types: PhantomData<(I, T)>,
}

/// What rows of a product are made of.
struct Work<'a, I: Index, T> {
    a: Rows<'a, I, T>,
    b: Rows<'a, I, T>,
    columns: usize,
    indices: Target<I>,
    values: Target<T>,
    offsets: Target<I>,
}

impl<I: Index, T: Number> Work<'_, I, T> {
    /// How many products a row adds up.
    fn products(&self, row: usize) -> usize {
        self.a.indices[self.a.row(row)].iter().map(|source| self.b.row(self.a.column(source)).len()).sum()
    }

    /// Makes rows from `begin` on, and returns how many elements they have. Writes each row's own number to the offsets. What
    /// has no room in front of `limit`, since indices have changed after they were counted, is left out.
    unsafe fn rows(&self, first: usize, last: usize, begin: usize, limit: usize, places: &mut impl Places) -> usize {
        let mut end = begin;
        for row in first..last {
            let start = end;
            let room = limit.min(start + places.clear(|| self.products(row).min(self.columns)));
            'row: for at in self.a.row(row) {
                let factor = self.a.values[at];
                let elements = self.b.row(self.a.column(&self.a.indices[at]));
                for (index, &value) in self.b.indices[elements.clone()].iter().zip(&self.b.values[elements]) {
                    let column = self.b.column(index);
                    let (product, place) = (factor * value, places.of(column));
                    // SAFETY: there is room in front of `room`, and nobody else writes here.
                    unsafe {
                        if *place > start {
                            let sum = &mut *self.values.0.add(*place - 1);
                            *sum = *sum + product;
                        } else if end < room {
                            self.indices.write(end, I::of(column));
                            self.values.write(end, product);
                            end += 1;
                            *place = end;
                        } else {
                            break 'row;
                        }
                    }
                }
            }
            // SAFETY: the row is this part's.
            unsafe { self.offsets.write(row + 1, I::of(end - start)) };
        }
        end - begin
    }

    /// Makes the parts that nobody else has taken. They come with rising numbers, so that places of earlier ones are old.
    ///
    /// # Safety
    /// A part has the room from the place where it begins to that of the next one.
    unsafe fn parts(
        &self,
        next: &AtomicUsize,
        bounds: &[usize],
        begins: &[usize],
        stored: Target<usize>,
        places: &mut impl Places,
    ) {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let Some(&[begin, limit]) = begins.get(part..).and_then(|rest| rest.first_chunk()) else { return };
            // SAFETY: each part has rows, memory and a number of its own.
            unsafe { stored.write(part, self.rows(bounds[part], bounds[part + 1], begin, limit, places)) };
        }
    }
}

/// # Safety
/// As for `Sparse::multiply`.
pub unsafe fn multiply<I: Index, T: Number>(
    a: &SparseMatrix,
    b: &SparseMatrix,
    offsets: u64,
    scratch: &mut Scratch<'_>,
) -> Result<Box<dyn SparseProduct>> {
    // SAFETY: the caller's promise.
    let (left, right) = unsafe { (Rows::<I, T>::new(a), Rows::<I, T>::new(b)) };
    let nowhere = (Target::new(0), Target::new(0));
    let mut work = Work {
        a: left,
        b: right,
        columns: b.columns,
        indices: nowhere.0,
        values: nowhere.1,
        offsets: Target::new(offsets),
    };

    // Rows are cut by the elements of the first matrix; how many products they add up says where each part begins.
    let count = parts(a.stored + a.rows);
    let bounds = work.a.bounds(count);
    let mut products = vec![0; count];
    let counted = Target(products.as_mut_ptr());
    pool::run(count, |part| {
        let sum = (bounds[part]..bounds[part + 1]).map(|row| work.products(row)).sum();
        // SAFETY: each part has a number of its own.
        unsafe { counted.write(part, sum) };
    });
    let mut begins = vec![0; count + 1];
    for (part, &products) in products.iter().enumerate() {
        begins[part + 1] = begins[part] + products;
    }
    let total = begins[count];
    let (indices, values) = (scratch(total * size_of::<I>())?, scratch(total * size_of::<T>())?);
    (work.indices, work.values) = (Target::new(indices), Target::new(values));

    let direct = b.columns <= 4 * (total / count) + DIRECT;
    let mut found = vec![0; count];
    let (stored, next) = (Target(found.as_mut_ptr()), AtomicUsize::new(0));
    pool::run(count.min(pool::threads()), |_| {
        if direct {
            // SAFETY: as `work` says.
            unsafe { work.parts(&next, &bounds, &begins, stored, &mut Direct(vec![0; b.columns])) };
        } else {
            // SAFETY: as above.
            unsafe { work.parts(&next, &bounds, &begins, stored, &mut Hashed::default()) };
        }
    });
    let all: usize = found.iter().sum();
    if size_of::<I>() == 4 && all > i32::MAX as usize {
        return Err(Error::unsupported("cpu", "a product of more than 2147483647 elements with indices of int32"));
    }
    // SAFETY: the caller's promise: there are `rows + 1` offsets.
    let offsets = unsafe { work.offsets.part(0..a.rows + 1) };
    offsets[0] = I::of(0);
    for row in 0..a.rows {
        offsets[row + 1] = I::of(offsets[row].to() + offsets[row + 1].to());
    }
    let parts = begins.into_iter().zip(found).collect();
    Ok(Box::new(Product::<I, T> { indices, values, parts, types: PhantomData }))
}

impl<I: Index, T: Number> SparseProduct for Product<I, T> {
    fn stored(&self) -> usize {
        self.parts.iter().map(|&(_, count)| count).sum()
    }

    unsafe fn write(&self, _: &dyn Stream, indices: u64, values: u64) -> Result<()> {
        let mut end = 0;
        let mut places = Vec::with_capacity(self.parts.len());
        for &(_, count) in &self.parts {
            places.push(end);
            end += count;
        }
        let (to_indices, to_values) = (Target::<I>::new(indices), Target::<T>::new(values));
        pool::run(self.parts.len(), |part| {
            let (begin, count) = self.parts[part];
            if count == 0 {
                return;
            }
            let to = places[part]..places[part] + count;
            // SAFETY: the caller's promise: scratch memory lives, and there is room for all parts.
            unsafe {
                to_indices
                    .part(to.clone())
                    .copy_from_slice(elements(self.indices + (begin * size_of::<I>()) as u64, count));
                to_values.part(to).copy_from_slice(elements(self.values + (begin * size_of::<T>()) as u64, count));
            }
        });
        Ok(())
    }
}
