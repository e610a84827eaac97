//! Convolutions by cuDNN: which algorithm, and the call.

use std::ffi::c_int;

use cuproxide_hal::libraries::dnn::{Choice, Convolution, Pass, Tensor};
use cuproxide_hal::{DType, Error, Result};

use super::descriptors::{self, Descriptor, FULL_MATH, TENSOR_MATH};
use super::factors::Factors;
use crate::api::cudnn::{CudnnTable, Performance, Raw};

/// More than there are of any kind.
const MOST: usize = 16;

/// The descriptors of the three tensors in their order, and of the convolution.
struct Described<'t> {
    tensors: [Descriptor<'t>; 3],
    convolution: Descriptor<'t>,
}

fn describe<'t>(
    table: &'t CudnnTable,
    pass: Pass,
    convolution: &Convolution,
    tensors: &[Tensor],
    math: c_int,
) -> Result<Described<'t>> {
    let filter = match pass {
        Pass::Forward => 1,
        Pass::Data => 0,
        Pass::Filter => 2,
    };
    let make = |number: usize| {
        let tensor = &tensors[number];
        if number == filter { descriptors::filter(table, tensor) } else { descriptors::tensor(table, tensor) }
    };
    Ok(Described {
        tensors: [make(0)?, make(1)?, make(2)?],
        convolution: descriptors::convolution(table, convolution, tensors[0].dtype, math)?,
    })
}

/// How products are rounded before an algorithm is chosen: float32 is not shortened unless the program wants it.
fn math(convolution: &Convolution, dtype: DType) -> c_int {
    match dtype {
        DType::F64 => 0,
        _ if convolution.tensor_cores => TENSOR_MATH,
        _ => FULL_MATH,
    }
}

/// An algorithm within the limit; `search` is memory to measure algorithms in.
pub(super) unsafe fn choose(
    table: &CudnnTable,
    handle: Raw,
    pass: Pass,
    convolution: &Convolution,
    tensors: &[Tensor],
    search: Option<(u64, usize)>,
) -> Result<Choice> {
    let wanted = math(convolution, tensors[0].dtype);
    let described = describe(table, pass, convolution, tensors, wanted)?;
    let [a, b, out] = &described.tensors;
    let (a_at, b_at, out_at) = (tensors[0].ptr, tensors[1].ptr, tensors[2].ptr);
    let convolution_raw = described.convolution.raw;
    let (mut count, mut found) = (0, [Performance::default(); MOST]);
    let (most, list) = (MOST as c_int, found.as_mut_ptr());
    macro_rules! ask {
        ($get:ident, $find:ident) => {
            match search {
                Some((memory, bytes)) => table.$find(
                    handle,
                    a.raw,
                    a_at,
                    b.raw,
                    b_at,
                    convolution_raw,
                    out.raw,
                    out_at,
                    most,
                    &mut count,
                    list,
                    memory,
                    bytes,
                ),
                None => table.$get(handle, a.raw, b.raw, convolution_raw, out.raw, most, &mut count, list),
            }
        };
    }
    // SAFETY: the descriptors live, the list has `MOST` elements; memory is the caller's promise.
    unsafe {
        match pass {
            Pass::Forward => ask!(convolution_forward_get, convolution_forward_find),
            Pass::Data => ask!(convolution_data_get, convolution_data_find),
            Pass::Filter => ask!(convolution_filter_get, convolution_filter_find),
        }?;
    }
    let fits = |one: &&Performance| {
        one.status == 0
            && one.memory <= convolution.limit
            && (!convolution.deterministic || one.determinism == 1)
            // An algorithm that rounds more than the program wants is none. The library may say 0, its default, where it
            // means the full precision that was asked for.
            && (wanted != FULL_MATH || one.math != TENSOR_MATH)
    };
    let chosen = found[..count as usize].iter().find(fits).ok_or_else(|| {
        let what = format!("a convolution of these arguments in {} bytes of workspace", convolution.limit);
        Error::unsupported("cuda", what)
    })?;
    let math = if wanted == FULL_MATH { wanted } else { chosen.math };
    Ok(Choice { algorithm: chosen.algorithm, math, scratch: chosen.memory })
}

/// Queues a convolution.
pub(super) unsafe fn run(
    table: &CudnnTable,
    handle: Raw,
    pass: Pass,
    convolution: &Convolution,
    tensors: &[Tensor],
    choice: Choice,
    scratch: u64,
) -> Result<()> {
    let described = describe(table, pass, convolution, tensors, choice.math)?;
    let [a, b, out] = &described.tensors;
    let factors = Factors::of(tensors[0].dtype);
    macro_rules! queue {
        ($function:ident) => {
            table.$function(
                handle,
                factors.one(),
                a.raw,
                tensors[0].ptr,
                b.raw,
                tensors[1].ptr,
                described.convolution.raw,
                choice.algorithm,
                scratch,
                choice.scratch,
                factors.zero(),
                out.raw,
                tensors[2].ptr,
            )
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match pass {
            Pass::Forward => queue!(convolution_forward),
            Pass::Data => queue!(convolution_data),
            Pass::Filter => queue!(convolution_filter),
        }
    }
}
