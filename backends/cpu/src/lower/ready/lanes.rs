//! The lanes of folds along the fastest inner dimension, as compiled code has them: how many there are, how many values one takes, and
//! in which order they are joined.

/// Bytes of the lanes of an accumulator.
pub const LANES: usize = 128;
/// Values that a lane takes before it moves to a total: it bounds the rounding error.
pub const DEPTH: usize = 16;
/// Bytes of a register of compiled code; its lanes are joined last.
const REGISTER: usize = 16;

/// Extends the total in lanes by the elements of a row, and a single accumulator by those that fill no group. `term` extends a lane by
/// an element, `join` by another lane.
#[inline(always)]
pub(super) fn extend<E: Copy, T: Copy, const COUNT: usize>(
    row: &[E],
    neutral: T,
    (total, single): (&mut [T; COUNT], &mut T),
    term: impl Fn(T, E) -> T,
    join: impl Fn(T, T) -> T,
) {
    let with_group = |lanes: &mut [T; COUNT], group: &[E; COUNT]| {
        for (lane, &element) in lanes.iter_mut().zip(group) {
            *lane = term(*lane, element);
        }
    };
    let with_part = |total: &mut [T; COUNT], part: &[T; COUNT]| {
        for (total, &part) in total.iter_mut().zip(part) {
            *total = join(*total, part);
        }
    };
    let (groups, rest) = row.as_chunks::<COUNT>();
    let (pairs, left) = groups.as_chunks::<{ 2 * DEPTH }>();
    for pair in pairs {
        // Two parts at a time, which need not wait for each other.
        let (one, other) = pair.split_at(DEPTH);
        let mut parts = [[neutral; COUNT]; 2];
        for (one, other) in one.iter().zip(other) {
            with_group(&mut parts[0], one);
            with_group(&mut parts[1], other);
        }
        parts.iter().for_each(|part| with_part(total, part));
    }
    for groups in left.chunks(DEPTH) {
        let mut part = [neutral; COUNT];
        groups.iter().for_each(|group| with_group(&mut part, group));
        with_part(total, &part);
    }
    for &element in rest {
        *single = term(*single, element);
    }
}

/// All lanes in one: registers in pairs of neighbours, then the lanes of the last one.
#[inline(always)]
pub(super) fn joined<T: Copy, const COUNT: usize>(mut lanes: [T; COUNT], join: impl Fn(T, T) -> T) -> T {
    let per = REGISTER / size_of::<T>();
    let mut registers = COUNT / per;
    while registers > 1 {
        registers /= 2;
        for register in 0..registers {
            for lane in 0..per {
                let pair = 2 * register * per + lane;
                lanes[register * per + lane] = join(lanes[pair], lanes[pair + per]);
            }
        }
    }
    let mut left = per;
    while left > 1 {
        left /= 2;
        for lane in 0..left {
            lanes[lane] = join(lanes[2 * lane], lanes[2 * lane + 1]);
        }
    }
    lanes[0]
}
