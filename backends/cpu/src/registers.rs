//! The upper halves of vector registers. Where a library leaves something in them, Intel's processors take some 70 cycles at each
//! change between instructions of the two encodings, which Cranelift mixes: a kernel took 180 times as long after a product of
//! `faer` (Sapphire Rapids), until somebody cleared them.

/// Clears them when it is dropped: held over calls of a library that does not.
pub(crate) struct Cleared;

impl Drop for Cleared {
    fn drop(&mut self) {
        clear();
    }
}

/// Clears them in the calling thread.
#[inline]
pub(crate) fn clear() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn zero() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if std::arch::is_x86_feature_detected!("avx") {
            // SAFETY: the processor has the instruction.
            unsafe { zero() };
        }
    }
}
