//! Comparisons of floats by their bits in registers of AVX-512. None is NaN, a negative zero or subnormal: subnormal ones a
//! processor may take for zero, and would then lose.

use std::arch::x86_64::*;
use std::cmp::Ordering;

macro_rules! floats {
    (
        $bits:ty, $float:ty, $mask:ty, $cast:ident, $back:ident, $less:ident as $compare:ident, $least:ident as $min:ident,
        $greatest:ident as $max:ident, $greatest_some:ident as $max_some:ident, $order:ident
    ) => {
        pub fn $order(x: &$bits, y: &$bits) -> Ordering {
            <$float>::from_bits(x.cast_unsigned()).total_cmp(&<$float>::from_bits(y.cast_unsigned()))
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        pub fn $less(x: __m512i, y: __m512i) -> $mask {
            $compare::<_CMP_LT_OQ>($cast(x), $cast(y))
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        pub fn $least(x: __m512i, y: __m512i) -> __m512i {
            $back($min($cast(x), $cast(y)))
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        pub fn $greatest(x: __m512i, y: __m512i) -> __m512i {
            $back($max($cast(x), $cast(y)))
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        pub fn $greatest_some(other: __m512i, chosen: $mask, x: __m512i, y: __m512i) -> __m512i {
            $back($max_some($cast(other), chosen, $cast(x), $cast(y)))
        }
    };
}

floats!(
    i32,
    f32,
    __mmask16,
    _mm512_castsi512_ps,
    _mm512_castps_si512,
    less32 as _mm512_cmp_ps_mask,
    min32 as _mm512_min_ps,
    max32 as _mm512_max_ps,
    max_some32 as _mm512_mask_max_ps,
    order32
);
floats!(
    i64,
    f64,
    __mmask8,
    _mm512_castsi512_pd,
    _mm512_castpd_si512,
    less64 as _mm512_cmp_pd_mask,
    min64 as _mm512_min_pd,
    max64 as _mm512_max_pd,
    max_some64 as _mm512_mask_max_pd,
    order64
);
