//! Conversions of floats to integers: the lower bits of an int64, which is the least one for numbers beyond it and NaN.

/// A conversion of a strip: `fn(input, output, count)`.
pub type Cast = unsafe extern "C" fn(*const u8, *mut u8, usize);

/// Elements that the compiler makes vectors of.
const BLOCK: usize = 64;

/// A float of which an int64 can be made.
pub trait Float: Copy + Default {
    fn integer(self) -> i64;
}

macro_rules! float {
    ($type:ty) => {
        impl Float for $type {
            #[inline(always)]
            fn integer(self) -> i64 {
                const LEAST: $type = i64::MIN as $type;
                let inside = if self.abs() < -LEAST { self } else { LEAST };
                // SAFETY: the number is in range.
                unsafe { inside.to_int_unchecked() }
            }
        }
    };
}

float!(f32);
float!(f64);

/// Converts a strip.
///
/// # Safety
/// `input` is readable and `output` is writable for `count` elements, at any address. They are apart, or the same memory
/// of elements of one size.
#[inline(always)]
pub unsafe fn convert<F: Float, I: Copy + Default>(
    input: *const u8,
    output: *mut u8,
    count: usize,
    narrow: impl Fn(i64) -> I,
) {
    let (input, output) = (input.cast::<F>(), output.cast::<I>());
    let mut done = 0;
    while count - done >= BLOCK {
        // SAFETY: the caller's promise.
        unsafe {
            let from = input.add(done).cast::<[F; BLOCK]>().read_unaligned();
            let mut to = [I::default(); BLOCK];
            for (to, from) in to.iter_mut().zip(from) {
                *to = narrow(from.integer());
            }
            output.add(done).cast::<[I; BLOCK]>().write_unaligned(to);
        }
        done += BLOCK;
    }
    for at in done..count {
        // SAFETY: the caller's promise.
        unsafe { output.add(at).write_unaligned(narrow(input.add(at).read_unaligned().integer())) };
    }
}
