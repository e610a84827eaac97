//! Texts of the user's that were written for CUDA.

use std::borrow::Cow;

use cuproxide_codegen::headers::{Header, OWN, SUBSTITUTES};

const FLOAT16: &str = include_str!("cuda_fp16.h");
const ASSERT: &str = include_str!("assert.h");
const WARPS: &str = include_str!("user.h");

/// What only CUDA's warps of 32 threads have, beside functions whose names end in `_sync`.
const OF_CUDA: [&str; 2] = ["__syncwarp", "__activemask"];
/// What is read before texts that have one of some words, unless they have one of others.
struct Part {
    words: &'static [&'static str],
    unless: &'static [&'static str],
    text: &'static str,
}

const PARTS: [Part; 6] = [
    // Who asks for AMD's compiler too does not mean CUDA's.
    Part { words: &["__CUDACC", "__CUDA_ARCH__"], unless: &["__HIP"], text: include_str!("guards.h") },
    Part { words: &["cudaTextureObject_t", "cudaSurfaceObject_t"], unless: &[], text: include_str!("images.h") },
    Part { words: &["assert(", "assert ("], unless: &[], text: ASSERT },
    // Operators of the program's own take the place of these.
    Part { words: &["new ", "delete"], unless: &["operator new(", "operator new ("], text: include_str!("heap.h") },
    Part { words: &["_rz(", "_ru(", "_rd("], unless: &[], text: include_str!("rounding.h") },
    Part {
        words: &[
            "__grid_constant__",
            "__managed__",
            "__trap",
            "__prof_trigger",
            "__nanosleep",
            "__dp4a",
            "atomicCAS",
            "__ldc",
            "__ldlu",
            "__st",
            "_block(",
        ],
        unless: &[],
        text: include_str!("names.h"),
    },
];
/// How masks of 64 threads are written.
const WIDE: [&str; 3] = ["0xffffffffffffffff", "~0ull", "-1ull"];
/// Headers whose contents hiprtc knows without being told.
const BUILT_IN: [Header; 4] = [
    ("cooperative_groups.h", NOTHING),
    ("hip/hip_cooperative_groups.h", NOTHING),
    ("assert.h", ASSERT),
    ("cassert", ASSERT),
];
/// A header without text is refused.
const NOTHING: &str = "\n";

/// The headers that texts may include.
pub fn headers() -> impl Iterator<Item = Header> {
    let substitutes = SUBSTITUTES.into_iter();
    let own = substitutes.map(|(name, text)| (name, if name == "cuda_fp16.h" { FLOAT16 } else { text }));
    OWN.into_iter().chain(BUILT_IN).chain(own)
}

/// The text, which includes others, with what it takes to compile as CUDA would; lines keep their numbers. The text itself
/// where it takes nothing.
pub fn translated<'t>(text: &'t str, included: &[String]) -> Cow<'t, str> {
    let texts = || std::iter::once(text).chain(included.iter().map(String::as_str));
    let has = |names: &[&str]| texts().any(|text| names.iter().any(|name| text.contains(name)));
    let masked = texts().any(has_masks) && !texts().any(|text| names_64_threads(&text.to_lowercase()));
    let parts = PARTS.iter().filter(|part| has(part.words) && !has(part.unless)).map(|part| part.text);
    let before: String = masked.then_some(WARPS).into_iter().chain(parts).collect();
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
    warnings
}

/// What may help whoever wrote a text that does not compile.
pub fn advice(text: &str) -> Option<&'static str> {
    let assembly = ["asm(", "asm (", "asm volatile", "__asm"].iter().any(|word| text.contains(word));
    assembly.then_some("the text has assembly, which is that of one vendor's processors; PTX does not compile here")
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
    has_masks(text) && !names_64_threads(&text.to_lowercase())
}

/// Whether a text calls functions with masks, by their names or by what a macro makes of them. A mask of 64 bits is HIP's own
/// form of the same functions.
fn has_masks(text: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_function = |(at, word): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let begins = before.trim_end_matches(in_word);
        let called = after.trim_start_matches(|c: char| c.is_whitespace() || c == '\\').starts_with('(');
        let defined = line.trim_start().starts_with('#');
        !after.starts_with(in_word)
            && (begins.ends_with('#') || before[begins.len()..].starts_with("__") && (called || defined))
    };
    OF_CUDA.iter().any(|name| text.contains(name)) || text.match_indices("_sync").any(is_function)
}

/// Whether a mask in lower case has 64 bits, where it stands or in the line that gives it its name.
fn names_64_threads(text: &str) -> bool {
    let wide = |part: &str| WIDE.iter().any(|mask| part.contains(mask));
    let is_name = |mask: &str| mask.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let named = |mask: &str| is_name(mask) && text.lines().any(|line| value_of(mask, line).is_some_and(wide));
    let mut masks = text.match_indices("_sync").filter_map(|(at, word)| {
        let arguments = text[at + word.len()..].trim_start().strip_prefix('(')?;
        arguments.split([',', ')']).next().map(str::trim)
    });
    masks.any(|mask| wide(mask) || named(mask))
}

/// What a line gives a name: by assignment, or as a macro.
fn value_of<'l>(name: &str, line: &'l str) -> Option<&'l str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).find_map(|(at, _)| {
        let rest = &line[at + name.len()..];
        if line[..at].ends_with(in_word) || rest.starts_with(in_word) {
            return None;
        }
        if line[..at].trim_start().strip_prefix('#').is_some_and(|word| word.trim() == "define") {
            return Some(rest);
        }
        let value = rest.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='))?;
        value.split([';', ',']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_masks_stay_as_they_are() {
        let plain = "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] *= 2; }";
        assert!(matches!(translated(plain, &[]), Cow::Borrowed(text) if text == plain));
        let own = "int f(int v) { return __shfl_down_sync(0xFFFFFFFFFFFFFFFF, v, 1); }";
        assert!(matches!(translated(own, &[]), Cow::Borrowed(text) if text == own));
        let named = "#define ALL ~0ULL\nint f(int v) { return __shfl_down_sync (ALL, v, 1); }";
        assert!(matches!(translated(named, &[]), Cow::Borrowed(text) if text == named));
    }

    #[test]
    fn numbers_of_64_bits_are_no_masks() {
        let text = "int f(int v) { return __popcll(v & ~0ull) + __shfl_down_sync(0xffffffff, v, 1); }";
        assert!(matches!(translated(text, &[]), Cow::Owned(_)));
        let other = "unsigned m = __activemask(); unsigned long long minimum = ~0ull; v = __shfl_xor_sync(m, v, 1);";
        assert!(matches!(translated(other, &[]), Cow::Owned(_)));
        let own = "unsigned long long all = ~0ull; v = __shfl_xor_sync(all, v, 1);";
        assert!(matches!(translated(own, &[]), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "first\n__syncwarp();";
        let translated = translated(text, &[]);
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
    }

    #[test]
    fn masks_are_seen_however_they_are_written() {
        let masked = |text: &str| matches!(translated(text, &[]), Cow::Owned(_));
        assert!(masked("v = __ballot_sync\n  (0xffffffff, v > 0);"));
        assert!(masked("#define SHUFFLE(f) __shfl_##f##_sync\nv = SHUFFLE(down)(m, v, 1);"));
        assert!(masked("#define SHUFFLE __shfl_down_sync\nv = SHUFFLE(m, v, 1);"));
        assert!(!masked("// unlike __shfl_down_sync, this takes no mask\nv = __shfl_down(v, 1);"));
        assert!(!masked("void wait_for_sync(int); wait_for_sync(1); int __shfl_synchronous();"));
    }

    #[test]
    fn masks_in_included_files_count() {
        let (text, plain) = ("#include \"reduce.h\"\n", "int f(int v);".to_owned());
        let file = "int f(int v) { return __shfl_down_sync(0xffffffff, v, 1); }".to_owned();
        assert!(
            matches!(translated(text, &[plain.clone(), file.clone()]), Cow::Owned(text) if text.contains("cpx_warp"))
        );
        assert!(matches!(translated(text, &[plain]), Cow::Borrowed(_)));
        let own = "int g(int v) { return __shfl_down_sync(~0ull, v, 1); }".to_owned();
        assert!(matches!(translated(text, &[own, file]), Cow::Borrowed(_)), "written for AMD, too");
    }

    #[test]
    fn texts_may_bring_their_own() {
        let heap = |text: &str| translated(text, &[]).contains("operator new[]");
        assert!(heap("int* x = new int;"));
        assert!(!heap("__device__ void* operator new(size_t n); int* x = new int;"));
        let guards = |text: &str| translated(text, &[]).contains("#define __CUDACC__");
        assert!(guards("#ifdef __CUDACC__\n#endif"));
        assert!(!guards("#if defined(__CUDACC__) || defined(__HIPCC__)\n#endif"));
    }

    #[test]
    fn assembly_is_a_reason() {
        assert!(advice("asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));").is_some());
        assert!(advice("int plasma = 1;").is_none());
    }

    #[test]
    fn images_get_their_names() {
        let text = "__global__ void f(cudaTextureObject_t t) {}";
        let translated = translated(text, &[]);
        assert!(translated.contains("#define cudaTextureObject_t hipTextureObject_t") && translated.ends_with(text));
        assert!(!translated.contains("warpSize"), "{translated}");
    }
}
