//! Updates by a ufunc at positions that may repeat.

use cuproxide_hal::ir::{Builder, Kernel, Mode, Var};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, value_error};
use crate::layout::Strides;
use crate::ops::copy::dense;
use crate::promotion::{Casting, Operand};
use crate::ufunc::{self, Signature, Ufunc, UfuncId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    ufunc: UfuncId,
    /// Its loop.
    index: usize,
    element: DType,
    /// The type of the second operand, if there is one.
    value: Option<DType>,
}

static UPDATE: Family<Key> = Family::new(update_kernel);

/// A map over the places in their order: where a place differs from the one before, the ufunc is applied for it and for
/// all that are equal, one after the other.
fn update_kernel(key: &Key) -> Kernel {
    let ufunc = key.ufunc.get();
    let value_name = key.value.map_or("", DType::name);
    let b = Builder::new(format!("update_{}_{}_{value_name}", ufunc.name, key.element));
    let (order, places) = (b.operand(DType::I64, Mode::Read), b.operand(DType::I64, Mode::Read));
    let values = key.value.map(|dtype| b.operand(dtype, Mode::Read));
    let target = b.operand(key.element, Mode::Update);
    let count = b.scalar(DType::I64);
    let (zero, one) = (b.integer(DType::I64, 0), b.integer(DType::I64, 1));
    let bytes = |position: Var<'_>, dtype: DType| {
        let position = b.var(position.id());
        position * b.integer(DType::I64, dtype.size() as i128)
    };
    // The number of the update that is `position`th in the order; there is one for every position that is asked for.
    let number = |position: Var<'_>| b.load_at(order, bytes(position, DType::I64));
    let place_of = |number: Var<'_>| b.load_at(places, bytes(number, DType::I64));
    let start = b.index();
    let place = place_of(number(start));
    let before = place_of(number((start - one).max(zero)));
    let update = || {
        let at = bytes(place, key.element);
        let (content, position) = (b.local(b.load_at(target, at)), b.local(start));
        b.repeat(
            || {
                let current = position.get();
                let same = place_of(number(current.min(count - one))).eq(place);
                current.lt(count) & same
            },
            || {
                let current = position.get();
                let types = &ufunc.loops[key.index].inputs;
                let mut inputs: SmallVec<[Var<'_>; 2]> = SmallVec::new();
                inputs.push(content.get().cast(types[0]));
                if let Some(values) = values {
                    inputs.push(b.load_at(values, bytes(number(current), values.dtype())).cast(types[1]));
                }
                let result = ufunc.apply(key.index, &inputs)[0].cast(ufunc.loops[key.index].outputs[0]);
                content.set(result.cast(key.element));
                position.set(current + one);
            },
        );
        b.store_at(target, at, content.get());
    };
    b.branch(start.eq(zero) | before.ne(place), update, || ());
    b.finish_map()
}

/// Applies a ufunc to elements of `target` in place, once for each time that their number is among `places`: with
/// `values` of as many elements, to both. `order` sorts the places stably. One launch; updates of one element happen in
/// the order of `places`, so the result is the same on every run.
///
/// # Errors
/// Those of the ufunc's types; `ValueError` if the arrays are not one-dimensional, `target` not dense, or their lengths
/// differ.
pub fn update_at(
    ufunc: &'static Ufunc,
    target: &Array,
    places: &Array,
    order: &Array,
    values: Option<&Array>,
) -> Result<()> {
    common_context("at", [target, places, order].into_iter().chain(values))?;
    let fits = |array: &Array| array.ndim() == 1 && array.size() == places.size();
    let integers = places.dtype() == DType::I64 && order.dtype() == DType::I64;
    let lies = target.ndim() == 1 && target.layout().c_contiguous && target.is_aligned();
    if !fits(places) || !fits(order) || !values.is_none_or(fits) || !integers || !lies {
        return value_error("at: needs a dense array, and places, their order and values of one length");
    }
    let mut operands: SmallVec<[Operand; 2]> = SmallVec::from_elem(Operand::Strong(target.dtype()), 1);
    operands.extend(values.map(|values| Operand::Strong(values.dtype())));
    if operands.len() != ufunc.nin || ufunc.nout != 1 {
        return value_error("Only single output ufuncs supported at this time");
    }
    let resolved = ufunc::resolve(ufunc, &operands, Signature::None, Casting::SameKind)?;
    if places.size() == 0 {
        return Ok(());
    }
    let value = values.map(Array::dtype);
    let kernel = UPDATE.kernel(Key { ufunc: ufunc.id, index: resolved.index, element: target.dtype(), value })?;
    let values = values.map(|values| dense(values, false)).transpose()?;
    let (places, order) = (dense(places, false)?, dense(order, false)?);
    let mut all: SmallVec<[Place; 4]> = SmallVec::new();
    for array in [&order, &places].into_iter().chain(&values) {
        all.push(Place { ptr: array.read_ptr()?, strides: Strides::from_elem(0, 1) });
    }
    all.push(Place { ptr: target.ptr()?, strides: Strides::from_elem(0, 1) });
    let count = places.size();
    dispatch::launch_map(target.context(), kernel, &[count], &mut all, &[Scalar::i64(count as i64)])
}
