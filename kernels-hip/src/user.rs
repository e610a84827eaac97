//! Texts of the user's that were written for CUDA.

use std::borrow::Cow;

use cuproxide_cpp::headers::{Header, OWN, SUBSTITUTES};

const WARPS: &str = include_str!("user.h");
const FLOAT16: &str = include_str!("cuda_fp16.h");

/// What only CUDA's warps of 32 threads have. A mask of 64 bits is HIP's own form of the same functions.
const OF_CUDA: [&str; 4] = ["_sync(", "__syncwarp(", "__activemask(", "_sync ("];
const OF_HIP: [&str; 4] = ["0xffffffffffffffff", "~0ull", "-1ull", "hip/hip_"];

/// The headers that texts may include.
pub fn headers() -> impl Iterator<Item = Header> {
    let substitutes = SUBSTITUTES.into_iter();
    OWN.into_iter().chain(substitutes.map(|(name, text)| (name, if name == "cuda_fp16.h" { FLOAT16 } else { text })))
}

/// The text with what it takes to compile as CUDA would; lines keep their numbers. The text itself where it takes nothing.
pub fn translated(text: &str) -> Cow<'_, str> {
    if !speaks_of_masked_warps(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{WARPS}#line 1\n{text}"))
}

/// What may surprise whoever wrote a text for CUDA, where `warp` threads run in step.
pub fn warnings(text: &str, warp: u32) -> Vec<&'static str> {
    let mut warnings = vec![];
    if warp == 64 {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let masked = speaks_of_masked_warps(text);
        let counts = ["%32", "&31", "/32", ">>5", "<32", "&0x1f"].iter().any(|pattern| compact.contains(pattern));
        let shuffles = ["__shfl", "__ballot(", "__any(", "__all("].iter().any(|name| compact.contains(name));
        if masked {
            warnings.push("64 threads run in step here; functions with masks take each half of them as a warp of 32");
        } else if counts && (shuffles || compact.contains("volatile__shared__")) {
            warnings.push("64 threads run in step here, but the text seems to count on 32; warpSize says how many");
        }
    }
    if text.contains("asm(") || text.contains("asm volatile") {
        warnings.push("assembly of another vendor does not compile here");
    }
    warnings
}

fn speaks_of_masked_warps(text: &str) -> bool {
    OF_CUDA.iter().any(|name| text.contains(name)) && !OF_HIP.iter().any(|name| text.to_lowercase().contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_masks_stay_as_they_are() {
        let plain = "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] *= 2; }";
        assert!(matches!(translated(plain), Cow::Borrowed(text) if text == plain));
        let own = "int f(int v) { return __shfl_down_sync(0xFFFFFFFFFFFFFFFF, v, 1); }";
        assert!(matches!(translated(own), Cow::Borrowed(text) if text == own));
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "first\n__syncwarp();";
        let translated = translated(text);
        assert!(translated.ends_with("#line 1\nfirst\n__syncwarp();"), "{translated}");
    }

    #[test]
    fn assumptions_about_warps_are_named() {
        let masked = "v += __shfl_down_sync(0xffffffff, v, 16);";
        assert_eq!(warnings(masked, 64).len(), 1);
        assert!(warnings(masked, 32).is_empty());
        let counting = "int lane = threadIdx.x % 32; v += __shfl_down(v, 16);";
        assert!(warnings(counting, 64)[0].contains("warpSize"));
        assert!(warnings("int tile = threadIdx.x % 32;", 64).is_empty());
        assert!(warnings("asm(\"mov\");", 32)[0].contains("assembly"));
    }
}
