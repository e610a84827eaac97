//! Products of a vector with a matrix of contiguous lines. They take as long as reading the matrix does, so several lines
//! are read at a time.

use std::slice;

use num_complex::Complex;
use pulp::{Arch, Simd, WithSimd};

/// Lines that are read at a time.
const LINES: usize = 4;

/// Lines of a matrix, `stride` elements apart from each other.
#[derive(Clone, Copy)]
pub struct Lines<T> {
    /// The first element of the first line.
    pub first: *const T,
    /// Elements from a line to the next.
    pub stride: isize,
}

impl<T> Lines<T> {
    /// Those from number `at` on.
    ///
    /// # Safety
    /// The lines are of `length` elements that may be read.
    #[inline(always)]
    unsafe fn group<'a, const COUNT: usize>(self, at: usize, length: usize) -> [&'a [T]; COUNT] {
        std::array::from_fn(|line| {
            let first = self.first.wrapping_offset((at + line) as isize * self.stride);
            // SAFETY: the caller's promise.
            unsafe { slice::from_raw_parts(first, length) }
        })
    }
}

/// Elements that are multiplied here.
pub trait Factor: Copy {
    /// The sum of products of `x` with a line of its length, for each of `sums` one line.
    ///
    /// # Safety
    /// The lines may be read.
    unsafe fn dots(x: &[Self], lines: Lines<Self>, sums: &mut [Self]);

    /// Adds to `sums` a line of its length for each element of `x`, times that.
    ///
    /// # Safety
    /// The lines may be read.
    unsafe fn combine(x: &[Self], lines: Lines<Self>, sums: &mut [Self]);
}

struct Dots<'a, T> {
    x: &'a [T],
    lines: Lines<T>,
    sums: &'a mut [T],
}

struct Combine<'a, T> {
    x: &'a [T],
    lines: Lines<T>,
    sums: &'a mut [T],
}

macro_rules! factors {
    ($($type:ty: $zero:expr, $vectors:ident, $vectors_mut:ident, $splat:ident, $fold:ident, $add:ident, $sum:ident;)*) => {
        $(impl Factor for $type {
            unsafe fn dots(x: &[$type], lines: Lines<$type>, sums: &mut [$type]) {
                Arch::new().dispatch(Dots { x, lines, sums });
            }

            unsafe fn combine(x: &[$type], lines: Lines<$type>, sums: &mut [$type]) {
                Arch::new().dispatch(Combine { x, lines, sums });
            }
        }

        impl Dots<'_, $type> {
            /// Products with `COUNT` lines, of which each adds up in `APART` vectors.
            #[inline(always)]
            fn products<S: Simd, const COUNT: usize, const APART: usize>(&self, simd: S, at: usize) -> [$type; COUNT] {
                // SAFETY: the lines are as long as the vector.
                let lines = unsafe { self.lines.group::<COUNT>(at, self.x.len()) };
                let (x, rest) = S::$vectors(self.x);
                let lines = lines.map(S::$vectors);
                let mut sums = [[simd.$splat($zero); APART]; COUNT];
                let mut place = 0;
                while place + APART <= x.len() {
                    for (sums, line) in sums.iter_mut().zip(&lines) {
                        for (apart, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: the place was compared with the length, which the lines share.
                            let (x, y) = unsafe { (x.get_unchecked(place + apart), line.0.get_unchecked(place + apart)) };
                            *sum = simd.$fold(*x, *y, *sum);
                        }
                    }
                    place += APART;
                }
                for (x, place) in x[place..].iter().zip(place..) {
                    for (sums, line) in sums.iter_mut().zip(&lines) {
                        sums[0] = simd.$fold(*x, line.0[place], sums[0]);
                    }
                }
                // Loops, since closures would not be compiled for the wider vectors.
                let mut totals = [$zero; COUNT];
                for ((total, sums), line) in totals.iter_mut().zip(&sums).zip(&lines) {
                    let mut sum = sums[0];
                    for &other in &sums[1..] {
                        sum = simd.$add(sum, other);
                    }
                    *total = simd.$sum(sum);
                    for (&x, &y) in rest.iter().zip(line.1) {
                        *total += x * y;
                    }
                }
                totals
            }
        }

        impl WithSimd for Dots<'_, $type> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let mut at = 0;
                while at + LINES <= self.sums.len() {
                    let found = self.products::<S, LINES, 2>(simd, at);
                    self.sums[at..at + LINES].copy_from_slice(&found);
                    at += LINES;
                }
                while at < self.sums.len() {
                    [self.sums[at]] = self.products::<S, 1, 8>(simd, at);
                    at += 1;
                }
            }
        }

        impl Combine<'_, $type> {
            /// Adds `COUNT` lines.
            #[inline(always)]
            fn add<S: Simd, const COUNT: usize>(&mut self, simd: S, at: usize) {
                // SAFETY: the lines are as long as the sums.
                let lines = unsafe { self.lines.group::<COUNT>(at, self.sums.len()) };
                let (sums, rest) = S::$vectors_mut(self.sums);
                let factors: [$type; COUNT] = std::array::from_fn(|line| self.x[at + line]);
                let lines = lines.map(S::$vectors);
                for (place, sum) in rest.iter_mut().enumerate() {
                    for (line, &factor) in lines.iter().zip(&factors) {
                        *sum += factor * line.1[place];
                    }
                }
                let mut splat = [simd.$splat($zero); COUNT];
                for (vector, &factor) in splat.iter_mut().zip(&factors) {
                    *vector = simd.$splat(factor);
                }
                for (place, target) in sums.iter_mut().enumerate() {
                    let mut sum = *target;
                    for (line, &factor) in lines.iter().zip(&splat) {
                        // SAFETY: the lines have as many vectors as the sums.
                        sum = simd.$fold(factor, unsafe { *line.0.get_unchecked(place) }, sum);
                    }
                    *target = sum;
                }
            }
        }

        impl WithSimd for Combine<'_, $type> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(mut self, simd: S) {
                let mut at = 0;
                while at + LINES <= self.x.len() {
                    self.add::<S, LINES>(simd, at);
                    at += LINES;
                }
                while at < self.x.len() {
                    self.add::<S, 1>(simd, at);
                    at += 1;
                }
            }
        })*
    };
}

factors! {
    f32: 0.0, as_simd_f32s, as_mut_simd_f32s, splat_f32s, mul_add_e_f32s, add_f32s, reduce_sum_f32s;
    f64: 0.0, as_simd_f64s, as_mut_simd_f64s, splat_f64s, mul_add_e_f64s, add_f64s, reduce_sum_f64s;
    Complex<f32>: Complex::ZERO, as_simd_c32s, as_mut_simd_c32s, splat_c32s, mul_add_e_c32s, add_c32s, reduce_sum_c32s;
    Complex<f64>: Complex::ZERO, as_simd_c64s, as_mut_simd_c64s, splat_c64s, mul_add_e_c64s, add_c64s, reduce_sum_c64s;
}
