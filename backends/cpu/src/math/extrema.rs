//! The smaller and the larger of two numbers, where -0 is smaller than 0, and the first NaN if either is.
//!
//! A processor's instruction gives its second operand where both are equal or one is NaN. So equal operands, which differ in
//! the signs of zeros only, are put together bit by bit, and a NaN that is the first operand is put in its place.
//!
//! Of a NaN and a number, `smaller_number` and `larger_number` give the number.

macro_rules! extrema {
    ($smaller:ident, $larger:ident, $smaller_number:ident, $larger_number:ident, $type:ty) => {
        #[inline(always)]
        pub fn $smaller(x: $type, y: $type) -> $type {
            let tied = <$type>::from_bits(x.to_bits() | y.to_bits());
            let ordered = if x < y { x } else { y };
            let found = if x == y { tied } else { ordered };
            if x.is_nan() { x } else { found }
        }

        #[inline(always)]
        pub fn $larger(x: $type, y: $type) -> $type {
            let tied = <$type>::from_bits(x.to_bits() & y.to_bits());
            let ordered = if x > y { x } else { y };
            let found = if x == y { tied } else { ordered };
            if x.is_nan() { x } else { found }
        }

        #[inline(always)]
        pub fn $smaller_number(x: $type, y: $type) -> $type {
            let number = if y.is_nan() { x } else { $smaller(x, y) };
            if x.is_nan() { y } else { number }
        }

        #[inline(always)]
        pub fn $larger_number(x: $type, y: $type) -> $type {
            let number = if y.is_nan() { x } else { $larger(x, y) };
            if x.is_nan() { y } else { number }
        }
    };
}

extrema!(smaller_single, larger_single, smaller_number_single, larger_number_single, f32);
extrema!(smaller_double, larger_double, smaller_number_double, larger_number_double, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_nans_keep_their_rules() {
        let payload = f64::from_bits(f64::NAN.to_bits() | 77 << 32);
        let numbers = [0.0, -0.0, 1.5, -1.9, f64::INFINITY, f64::NEG_INFINITY, 5e-324, f64::NAN, -f64::NAN, payload];
        for x in numbers {
            for y in numbers {
                let (small, large) = (smaller_double(x, y), larger_double(x, y));
                let ordered = x < y || (x == y && x.is_sign_negative());
                let (least, most) = match (x.is_nan(), y.is_nan()) {
                    (true, _) => (x, x),
                    (false, true) => (y, y),
                    _ if ordered => (x, y),
                    _ => (y, x),
                };
                assert_eq!((small.to_bits(), large.to_bits()), (least.to_bits(), most.to_bits()), "{x} and {y}");
                let (x, y) = (x as f32, y as f32);
                assert_eq!(smaller_single(x, y).to_bits(), (least as f32).to_bits());
                assert_eq!(larger_single(x, y).to_bits(), (most as f32).to_bits());
            }
        }
    }
}
