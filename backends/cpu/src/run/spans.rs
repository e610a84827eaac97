//! Spans of launches.

use cuproxide_hal::Launch;

use crate::lower::{OPERANDS, Span};

/// A span for a launch whose pointers, strides and counts are still to be set.
pub(super) fn span(launch: &Launch<'_>) -> Span {
    Span {
        counts: [1; 3],
        scalars: launch.scalars.as_ptr(),
        index: 0,
        index_step: 0,
        outer_index: 0,
        scratch: std::ptr::null_mut(),
        accumulators: std::ptr::null_mut(),
        others: std::ptr::null(),
        bounds: std::ptr::null_mut(),
        capacity: 0,
        pointers: [0; OPERANDS],
        strides: [[0; OPERANDS]; 3],
    }
}

/// Sets the strides of one level to those along `axis`, or to zero.
pub(super) fn set_strides(span: &mut Span, launch: &Launch<'_>, level: usize, axis: Option<usize>) {
    for (position, operand) in launch.operands.iter().enumerate() {
        span.strides[level][position] = axis.map_or(0, |axis| operand.strides[axis]);
    }
}
