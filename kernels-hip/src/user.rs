//! Texts of the user's that were written for CUDA.

use std::borrow::Cow;

use cuproxide_cpp::headers::{Header, OWN, SUBSTITUTES};

const WARPS: &str = include_str!("user.h");
const IMAGES: &str = include_str!("images.h");
const FLOAT16: &str = include_str!("cuda_fp16.h");

/// What only CUDA's warps of 32 threads have. A mask of 64 bits is HIP's own form of the same functions.
const OF_CUDA: [&str; 4] = ["_sync(", "__syncwarp(", "__activemask(", "_sync ("];
/// What textures and surfaces are called there.
const OF_IMAGES: [&str; 2] = ["cudaTextureObject_t", "cudaSurfaceObject_t"];
const OF_HIP: [&str; 4] = ["0xffffffffffffffff", "~0ull", "-1ull", "hip/hip_"];

/// The headers that texts may include.
pub fn headers() -> impl Iterator<Item = Header> {
    let substitutes = SUBSTITUTES.into_iter();
    OWN.into_iter().chain(substitutes.map(|(name, text)| (name, if name == "cuda_fp16.h" { FLOAT16 } else { text })))
}

/// The text with what it takes to compile as CUDA would; lines keep their numbers. The text itself where it takes nothing.
pub fn translated(text: &str) -> Cow<'_, str> {
    let images = OF_IMAGES.iter().any(|name| text.contains(name));
    let parts = [(speaks_of_masked_warps(text), WARPS), (images, IMAGES)];
    let before: String = parts.iter().filter(|(wanted, _)| *wanted).map(|(_, part)| *part).collect();
    if before.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{before}#line 1\n{text}")) }
}

/// What may surprise whoever wrote a text for CUDA, where `warp` threads run in step.
pub fn warnings(text: &str, warp: u32) -> Vec<&'static str> {
    let mut warnings = vec![];
    if warp == 64 {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if speaks_of_masked_warps(text) {
            warnings.push("64 threads run in step here; functions with masks take each half of them as a warp of 32");
        } else {
            if counts_on_32(&compact) {
                warnings.push("64 threads run in step here, but the text seems to count on 32; warpSize says how many");
            }
            if votes_in_32_bits(&compact) {
                warnings.push("__ballot has 64 bits here, one for each thread in step, and the text keeps 32 of them");
            }
        }
    }
    if ["asm(", "asm volatile", "__asm__"].iter().any(|word| text.contains(word)) {
        warnings.push("assembly of another vendor does not compile here");
    }
    warnings
}

/// Whether a text without spaces divides threads by 32, or makes memory for 32 warps, and moves values between threads in
/// step.
fn counts_on_32(compact: &str) -> bool {
    const COUNTS: [&str; 11] =
        ["%32", "&31", "/32", ">>5", "<32", "&0x1f", "&0x1F", "[32]", "WARP_SIZE32", "WARP_SIZE=32", "warp_size=32"];
    const TOGETHER: [&str; 5] = ["__shfl", "__ballot(", "__any(", "__all(", "volatile__shared__"];
    let has = |patterns: &[&str]| patterns.iter().any(|pattern| compact.contains(pattern));
    has(&COUNTS) && has(&TOGETHER)
}

/// Whether the votes of threads go into a variable of 32 bits.
fn votes_in_32_bits(compact: &str) -> bool {
    compact.match_indices("=__ballot(").any(|(at, _)| {
        let declared = compact[..at].rsplit([';', '{', '}', ')']).next().unwrap_or_default();
        let declared = declared.trim_start_matches("const");
        let narrow = ["int", "unsigned", "uint32_t"].iter().any(|name| declared.starts_with(name));
        narrow && !["long", "64"].iter().any(|wide| declared.contains(wide))
    })
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
        let of_warps = "#define WARP_SIZE 32\n__shared__ float part[8]; x = __shfl_xor(x, 1);";
        assert!(warnings(of_warps, 64)[0].contains("warpSize"));
        assert!(warnings("unsigned votes = __ballot(x > 0);", 64)[0].contains("64 bits"));
        assert!(warnings("const unsigned long long votes = __ballot(x > 0);", 64).is_empty());
        assert!(warnings("uint64_t votes = __ballot(x > 0);", 64).is_empty());
        assert!(warnings("asm(\"mov\");", 32)[0].contains("assembly"));
    }

    #[test]
    fn images_get_their_names() {
        let text = "__global__ void f(cudaTextureObject_t t) {}";
        let translated = translated(text);
        assert!(translated.contains("#define cudaTextureObject_t hipTextureObject_t") && translated.ends_with(text));
        assert!(!translated.contains("warpSize"), "{translated}");
    }
}
