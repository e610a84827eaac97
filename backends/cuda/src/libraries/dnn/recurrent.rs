//! Recurrent networks by cuDNN.

use std::ffi::c_int;

use cuproxide_hal::libraries::dnn::{Cell, Choice, Network, Sizes, Tensor};
use cuproxide_hal::{Error, Result};

use super::descriptors::{self, Descriptor};
use crate::api::cudnn::{CudnnTable, Raw};

const INFERENCE: c_int = 0;
const TRAINING: c_int = 1;
const ADD: c_int = 0;

fn mode(network: &Network) -> c_int {
    if network.training { TRAINING } else { INFERENCE }
}

fn bytes(tensor: &Tensor) -> usize {
    tensor.shape.iter().product::<usize>() * tensor.dtype.size()
}

/// A network with what it refers to.
struct Described<'t> {
    network: Descriptor<'t>,
    _dropout: Descriptor<'t>,
}

fn describe<'t>(
    table: &'t CudnnTable,
    handle: Raw,
    network: &Network,
    states: Option<&Tensor>,
) -> Result<Described<'t>> {
    let dropout = descriptors::dropout(table, handle, network.dropout, states)?;
    Ok(Described { network: descriptors::network(table, network, &dropout)?, _dropout: dropout })
}

/// Bytes of weights, of the reserve and of scratch memory.
pub(super) fn sizes(table: &CudnnTable, handle: Raw, network: &Network) -> Result<(Sizes, usize)> {
    let described = describe(table, handle, network, None)?;
    let x = descriptors::sequences(table, network, network.inputs)?;
    let (mut states, mut scratch, mut reserve) = (0, 0, 0);
    // SAFETY: the descriptors live; the library writes numbers.
    unsafe {
        table.network_weights(handle, described.network.raw, &mut states)?;
        table.network_memory(handle, described.network.raw, mode(network), x.raw, &mut scratch, &mut reserve)?;
    }
    Ok((Sizes { states, reserve }, scratch))
}

/// Where weights lie, in elements.
pub(super) fn places(table: &CudnnTable, handle: Raw, network: &Network) -> Result<Vec<(usize, usize)>> {
    let described = describe(table, handle, network, None)?;
    let (size, mut places) = (network.dtype.size() as u64, vec![]);
    // Any address that is aligned: the library only adds to it.
    let base = 1 << 20;
    let mut weights = 0;
    // SAFETY: the descriptors live; the library writes addresses and fills descriptors, and reads no weights.
    unsafe {
        table.network_weights(handle, described.network.raw, &mut weights)?;
        for layer in 0..network.layers * network.directions {
            for number in 0..2 * network.cell.gates() {
                let (matrix, bias) = (descriptors::blank(table)?, descriptors::blank(table)?);
                let (mut matrix_at, mut bias_at) = (0, 0);
                table.network_place(
                    handle,
                    described.network.raw,
                    layer as i32,
                    weights,
                    base,
                    number as i32,
                    matrix.raw,
                    &mut matrix_at,
                    bias.raw,
                    &mut bias_at,
                )?;
                let place = |at: u64| at.checked_sub(base).map(|offset| (offset / size) as usize);
                let (Some(matrix), Some(bias)) = (place(matrix_at), place(bias_at)) else {
                    return Err(Error::unsupported("cuda", "a network with fewer weights"));
                };
                places.push((matrix, bias));
            }
        }
    }
    Ok(places)
}

/// The forward pass.
pub(super) unsafe fn forward(
    table: &CudnnTable,
    handle: Raw,
    network: &Network,
    tensors: &[Tensor],
    choice: Choice,
    scratch: u64,
) -> Result<()> {
    let [xs, hx, cx, w, states, ys, hy, cy, reserve] = tensors else { unreachable!("nine tensors") };
    let described = describe(table, handle, network, Some(states))?;
    let x = descriptors::sequences(table, network, network.inputs)?;
    let y = descriptors::sequences(table, network, network.units * network.directions)?;
    let h = descriptors::states(table, network)?;
    let cells = |ptr: u64| if network.cell == Cell::Lstm { ptr } else { 0 };
    let (reserve_bytes, reserve) = if network.training { (bytes(reserve), reserve.ptr) } else { (0, 0) };
    // SAFETY: the caller's promise.
    unsafe {
        table.network_forward(
            handle,
            described.network.raw,
            mode(network),
            0,
            x.raw,
            xs.ptr,
            y.raw,
            ys.ptr,
            h.raw,
            hx.ptr,
            hy.ptr,
            h.raw,
            cells(cx.ptr),
            cells(cy.ptr),
            bytes(w),
            w.ptr,
            choice.scratch,
            scratch,
            reserve_bytes,
            reserve,
        )
    }
}

/// The gradients for inputs and states.
pub(super) unsafe fn data(
    table: &CudnnTable,
    handle: Raw,
    network: &Network,
    tensors: &[Tensor],
    choice: Choice,
    scratch: u64,
) -> Result<()> {
    let [hx, cx, w, ys, dys, dhy, dcy, states, dxs, dhx, dcx, reserve] = tensors else {
        unreachable!("twelve tensors")
    };
    let described = describe(table, handle, network, Some(states))?;
    let x = descriptors::sequences(table, network, network.inputs)?;
    let y = descriptors::sequences(table, network, network.units * network.directions)?;
    let h = descriptors::states(table, network)?;
    let cells = |ptr: u64| if network.cell == Cell::Lstm { ptr } else { 0 };
    // SAFETY: the caller's promise.
    unsafe {
        table.network_data(
            handle,
            described.network.raw,
            0,
            y.raw,
            ys.ptr,
            dys.ptr,
            x.raw,
            dxs.ptr,
            h.raw,
            hx.ptr,
            dhy.ptr,
            dhx.ptr,
            h.raw,
            cells(cx.ptr),
            cells(dcy.ptr),
            cells(dcx.ptr),
            bytes(w),
            w.ptr,
            choice.scratch,
            scratch,
            bytes(reserve),
            reserve.ptr,
        )
    }
}

/// The gradient for the weights.
pub(super) unsafe fn weights(
    table: &CudnnTable,
    handle: Raw,
    network: &Network,
    tensors: &[Tensor],
    choice: Choice,
    scratch: u64,
) -> Result<()> {
    let [xs, hx, ys, states, dw, reserve] = tensors else { unreachable!("six tensors") };
    let described = describe(table, handle, network, Some(states))?;
    let x = descriptors::sequences(table, network, network.inputs)?;
    let y = descriptors::sequences(table, network, network.units * network.directions)?;
    let h = descriptors::states(table, network)?;
    // SAFETY: the caller's promise.
    unsafe {
        table.network_gradient(
            handle,
            described.network.raw,
            ADD,
            0,
            x.raw,
            xs.ptr,
            h.raw,
            hx.ptr,
            y.raw,
            ys.ptr,
            bytes(dw),
            dw.ptr,
            choice.scratch,
            scratch,
            bytes(reserve),
            reserve.ptr,
        )
    }
}
