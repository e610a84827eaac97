//! Cuts a range of C-order positions into rectangles over the two fastest dimensions.

use cuproxide_hal::MAX_DIMS;

/// A rectangle: `rows` times `length` points from a corner.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    /// Coordinates of the corner.
    pub corner: [usize; MAX_DIMS],
    /// C-order position of the corner.
    pub position: usize,
    /// Points along the fastest dimension.
    pub length: usize,
    /// Points along the second one.
    pub rows: usize,
}

/// Coordinates of a C-order position.
pub fn coordinates(dims: &[usize], mut position: usize) -> [usize; MAX_DIMS] {
    let mut corner = [0; MAX_DIMS];
    for axis in (1..dims.len()).rev() {
        corner[axis] = position % dims[axis];
        position /= dims[axis];
    }
    if !dims.is_empty() {
        corner[0] = position;
    }
    corner
}

/// Calls `visit` on the rectangles that make up positions `start..end` of the space `dims`, in order.
pub fn rectangles(dims: &[usize], start: usize, end: usize, mut visit: impl FnMut(Rectangle)) {
    if dims.len() <= 1 && start < end {
        let mut corner = [0; MAX_DIMS];
        corner[0] = start;
        return visit(Rectangle { corner, position: start, length: end - start, rows: 1 });
    }
    let fast = dims.last().copied().unwrap_or(1);
    let slow = if dims.len() > 1 { dims[dims.len() - 2] } else { 1 };
    let mut position = start;
    while position < end {
        let corner = coordinates(dims, position);
        let column = position % fast;
        let left = end - position;
        let (length, rows) = if column != 0 || left < fast {
            (left.min(fast - column), 1)
        } else {
            let row = if dims.len() > 1 { corner[dims.len() - 2] } else { 0 };
            (fast, (slow - row).min(left / fast))
        };
        visit(Rectangle { corner, position, length, rows });
        position += length * rows;
    }
}
