//! Input values: the edges of every type and reproducible random numbers.

use cuproxide_hal::DType;
use num_complex::Complex64;

use crate::interpreter::number::{Number, round, wrap};

/// A small reproducible generator (SplitMix64).
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on `seed` only.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An integer below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// An ordinary or very large or small real number.
    pub fn real(&mut self) -> f64 {
        let x = self.unit() * 2.0 - 1.0;
        match self.bits() % 4 {
            0 => x,
            1 => x * 10.0,
            2 => x * 1000.0,
            _ => x * (self.unit() * 60.0 - 30.0).exp2(),
        }
    }

    /// A number of any type.
    pub fn number(&mut self, dtype: DType) -> Number {
        match dtype {
            DType::Bool => Number::Int((self.bits() & 1).into()),
            _ if dtype.is_integer() => {
                let bits = i128::from(self.bits());
                let shift = self.below(dtype.bits()) as u32;
                Number::Int(wrap(dtype, wrap(dtype, bits) >> shift))
            }
            _ if dtype.is_float() => Number::Real(round(dtype, self.real())),
            _ => {
                let part = dtype.real();
                Number::Complex(Complex64::new(round(part, self.real()), round(part, self.real())))
            }
        }
    }

    /// A complex number near the unit circle or one of its points on the axes, where logarithms and inverse functions
    /// lose digits if they are computed naively.
    pub fn near_unit(&mut self, dtype: DType) -> Number {
        let mut tiny = || (self.unit() - 0.5) * (-50.0 * self.unit()).exp2();
        let (first, second) = (tiny(), tiny());
        let (sine, cosine) = (self.unit() * std::f64::consts::TAU).sin_cos();
        let (re, im) = match self.bits() % 4 {
            0 => (1.0 + first, second),
            1 => (second, first - 1.0),
            2 => (first - 1.0, second),
            _ => ((1.0 + first) * cosine, (1.0 + first) * sine),
        };
        Number::Complex(Complex64::new(round(dtype.real(), re), round(dtype.real(), im)))
    }

    /// A whole number from -4 to 4 (0 to 4, or 0 to 1, where the type has no others): sums of many stay exact.
    pub fn small(&mut self, dtype: DType) -> Number {
        let mut whole = || self.below(9) as i64 - 4;
        match dtype {
            DType::Bool => Number::Int((whole() & 1).into()),
            _ if dtype.is_signed() => Number::Int(whole().into()),
            _ if dtype.is_integer() => Number::Int(whole().abs().into()),
            _ if dtype.is_float() => Number::Real(whole() as f64),
            _ => Number::Complex(Complex64::new(whole() as f64, whole() as f64)),
        }
    }
}

/// Real numbers where functions and conversions change their behaviour, to be rounded to a type.
const REAL_EDGES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.1,
    -0.3,
    10.0,
    31.0,
    -31.0,
    100.0,
    -100.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    -f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    1.175_494_350_822_287_5e-38,
    1e-45,
    -1e-40,
    6.2e-5,
    6e-8,
    -1e-7,
    1e-5,
    1e-10,
    -1e-20,
    1e-300,
    2.220_446_049_250_313e-16,
    0.999_999_999_999_999_9,
    1.000_000_000_000_000_2,
    0.999_999_94,
    1.000_000_2,
    0.9995,
    1.001,
    0.707,
    -0.707,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
    -std::f64::consts::PI,
    std::f64::consts::FRAC_PI_4,
    11.09,
    -17.3,
    65.0,
    88.7,
    89.5,
    -87.4,
    -103.9,
    127.5,
    -128.0,
    129.0,
    255.0,
    256.0,
    300.0,
    -200.0,
    709.7,
    710.4,
    -745.1,
    1023.9,
    2048.5,
    2049.5,
    32768.0,
    65504.0,
    65519.0,
    65520.0,
    -65536.0,
    1e5,
    2_147_483_647.0,
    2_147_483_648.0,
    -2_147_483_649.0,
    4_294_967_295.5,
    4_294_967_296.0,
    8_388_607.5,
    16_777_217.0,
    1e10,
    9_007_199_254_740_993.0,
    1e15,
    9.223_372_036_854_775e18,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    1.1e19,
    18_446_744_073_709_551_616.0,
    1e22,
    3.4e38,
    3.4028235e38,
    -1e38,
    1e160,
    1e308,
];

/// Parts that make up the complex edges.
const COMPLEX_PARTS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.0,
    0.6,
    -0.8,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-9,
    -1e-30,
    0.999,
    20.0,
    -90.0,
    1e10,
    -3e30,
    1e-42,
    -1e-310,
    3e38,
    -1.7e308,
];

/// The edges of a type.
pub fn edges(dtype: DType) -> Vec<Number> {
    match dtype {
        DType::Bool => vec![Number::Int(0), Number::Int(1)],
        _ if dtype.is_integer() => {
            let bits = dtype.bits() as i128;
            let (min, max) =
                if dtype.is_signed() { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
            let mut all = vec![0, 1, 2, 3, 7, 8, 10, 63, 100, 127, -1, -2, -3, -7, -128, bits - 1, bits, bits + 1];
            all.extend([min, min + 1, max, max - 1, max / 2, max / 3, min / 2, 1 << 24, (1 << 24) + 1, (1 << 53) + 1]);
            let mut all: Vec<i128> = all.into_iter().map(|x| wrap(dtype, x)).collect();
            all.sort_unstable();
            all.dedup();
            all.into_iter().map(Number::Int).collect()
        }
        _ if dtype.is_float() => {
            let own = match dtype {
                DType::F16 => vec![f64::from(half::f16::MIN_POSITIVE), f64::from(half::f16::MIN_POSITIVE_SUBNORMAL)],
                DType::BF16 => vec![f64::from(half::bf16::MAX), f64::from(half::bf16::MIN_POSITIVE_SUBNORMAL)],
                DType::F32 => vec![f32::MAX.into(), f32::from_bits(1).into()],
                _ => vec![],
            };
            REAL_EDGES.iter().chain(&own).map(|&x| Number::Real(round(dtype, x))).collect()
        }
        _ => {
            let parts: Vec<f64> = COMPLEX_PARTS.iter().map(|&x| round(dtype.real(), x)).collect();
            let pairs = parts.iter().flat_map(|&re| parts.iter().map(move |&im| Complex64::new(re, im)));
            pairs.map(Number::Complex).collect()
        }
    }
}

/// Edges and random numbers of a type.
pub fn values(dtype: DType, random: usize) -> Vec<Number> {
    let mut source = Random::new(dtype as u64 + 1);
    let mut all = edges(dtype);
    all.extend((0..random).map(|_| source.number(dtype)));
    if dtype.is_complex() {
        all.extend((0..random).map(|_| source.near_unit(dtype)));
    }
    all
}

/// Pairs of edges, thinned out where there are very many, and random pairs.
pub fn pairs(dtype: DType, random: usize) -> (Vec<Number>, Vec<Number>) {
    let edges = edges(dtype);
    let mut source = Random::new(dtype as u64 + 101);
    let every = (edges.len() * edges.len() / 4000).max(1);
    let mut all = vec![];
    for (i, &a) in edges.iter().enumerate() {
        for (j, &b) in edges.iter().enumerate() {
            if (i * 7 + j) % every == 0 {
                all.push((a, b));
            }
        }
    }
    all.extend((0..random).map(|_| (source.number(dtype), source.number(dtype))));
    all.into_iter().unzip()
}

/// Whole numbers whose sums are exact.
pub fn small(dtype: DType, count: usize) -> Vec<Number> {
    let mut source = Random::new(dtype as u64 + 201);
    (0..count).map(|_| source.small(dtype)).collect()
}
