//! The HIP dialect of the kernels: the texts are those of `cuproxide-kernels-cuda`; here is what AMD's compiler spells its
//! own way, once for processors whose threads run in step by 32 and once for those of 64.
#![deny(missing_docs)]

pub mod user;

use cuproxide_codegen::Dialect;
pub use cuproxide_kernels_cuda::{ATOMICS, DENSE, HISTOGRAM, JOIN, SCHUR, SELECT, SORT, WARP};

macro_rules! prelude {
    ($warp:literal) => {
        concat!(
            "enum { WARP = ",
            $warp,
            " };\n",
            include_str!("prelude.h"),
            "\n",
            include_str!("../../kernels-cuda/src/common.cuh")
        )
    };
}

/// The logarithm of 1 + x in float64.
const LOGARITHM: &str = concat!(include_str!("inverse.h"), "\n", include_str!("../../kernels-cuda/src/logarithm.cuh"));

/// For RDNA: gfx10, gfx11 and gfx12.
pub const WAVE32: Dialect =
    Dialect { name: "hip", prelude: prelude!(32), atomics: ATOMICS, logarithm: LOGARITHM, warp: 32 };

/// For GCN and CDNA: gfx9.
pub const WAVE64: Dialect =
    Dialect { name: "hip", prelude: prelude!(64), atomics: ATOMICS, logarithm: LOGARITHM, warp: 64 };

/// Options of every kernel: no contraction, since a fused multiply-add rounds once where NumPy rounds twice.
pub const OPTIONS: [&str; 3] = ["-std=c++17", "-O3", "-ffp-contract=off"];

/// The architectures that kernels are precompiled for.
pub const ARCHITECTURES: [&str; 8] =
    ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"];

/// The dialect of an architecture by the compiler's name for it, which may carry features: `gfx90a:sramecc+:xnack-`.
pub fn dialect(architecture: &str) -> &'static Dialect {
    // From gfx10 on.
    if architecture.starts_with("gfx1") { &WAVE32 } else { &WAVE64 }
}

#[cfg(test)]
mod tests {
    use super::{ARCHITECTURES, dialect};

    #[test]
    fn lanes_by_architecture() {
        let wide = ["gfx906", "gfx908:xnack-", "gfx90a:sramecc+:xnack-", "gfx942", "gfx950"];
        assert!(wide.iter().all(|name| dialect(name).warp == 64));
        let narrow = ["gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"];
        assert!(narrow.iter().all(|name| dialect(name).warp == 32));
        assert_eq!(ARCHITECTURES.iter().filter(|name| dialect(name).warp == 64).count(), 3);
    }
}
