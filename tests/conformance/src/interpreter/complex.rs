//! Complex arithmetic and functions as NumPy defines them, written with branches.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Compare, Unary};
use num_complex::Complex64;

use super::libm;
use super::number::{round, round_complex};

/// Applies a unary operator that gives a complex number.
pub fn unary(op: Unary, dtype: DType, z: Complex64) -> Complex64 {
    let result = match op {
        Unary::Neg => -z,
        Unary::Conj => z.conj(),
        Unary::Sqrt => libm::csqrt(z),
        Unary::Exp => libm::cexp(z),
        Unary::Exp2 => exp2(dtype, z),
        Unary::Expm1 => expm1(z),
        Unary::Log => libm::clog(z),
        Unary::Log2 => libm::clog(z) * std::f64::consts::LOG2_E,
        Unary::Log10 => libm::clog(z) * std::f64::consts::LOG10_E,
        Unary::Log1p => log1p(z),
        Unary::Sin => libm::csin(z),
        Unary::Cos => libm::ccos(z),
        Unary::Tan => libm::ctan(z),
        Unary::Asin => libm::casin(z),
        Unary::Acos => libm::cacos(z),
        Unary::Atan => libm::catan(z),
        Unary::Sinh => libm::csinh(z),
        Unary::Cosh => libm::ccosh(z),
        Unary::Tanh => libm::ctanh(z),
        Unary::Asinh => libm::casinh(z),
        Unary::Acosh => libm::cacosh(z),
        Unary::Atanh => libm::catanh(z),
        _ => unreachable!("{op:?} of a complex number"),
    };
    round_complex(dtype, result)
}

/// The angle is rounded before its sine and cosine are taken, as NumPy does.
fn exp2(dtype: DType, z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return Complex64::new(z.re.exp2(), z.im);
    }
    let part = dtype.real();
    let angle = round(part, z.im * round(part, std::f64::consts::LN_2));
    if z.re.is_infinite() || z.re.is_nan() {
        return libm::cexp(Complex64::new(z.re, angle));
    }
    // In two steps, so that neither overflows before the product does.
    let half = (z.re / 2.0).exp2();
    Complex64::new(half * angle.cos() * half, half * angle.sin() * half)
}

fn expm1(z: Complex64) -> Complex64 {
    // The angle without full turns.
    let angle = if z.im.abs() < 1.0 { z.im } else { z.im.sin().atan2(z.im.cos()) };
    let near = Complex64::new(z.re, angle);
    if near.norm() < 0.5 {
        // The series: the term of order 20 is below 1e-24.
        let (mut term, mut sum) = (Complex64::new(1.0, 0.0), Complex64::new(0.0, 0.0));
        let mut terms = Vec::new();
        for order in 1..=20 {
            term = term * near / f64::from(order);
            terms.push(term);
        }
        for term in terms.into_iter().rev() {
            sum += term;
        }
        if z.im == 0.0 {
            sum.im = z.im;
        }
        return sum;
    }
    let exp = libm::cexp(z);
    Complex64::new(exp.re - 1.0, exp.im)
}

fn log1p(z: Complex64) -> Complex64 {
    let shifted = Complex64::new(1.0 + z.re, z.im);
    if z.norm() < 0.25 {
        let re = 0.5 * (z.re * (2.0 + z.re) + z.im * z.im).ln_1p();
        return Complex64::new(re, z.im.atan2(shifted.re));
    }
    libm::clog(shifted)
}

/// Applies a binary operator; every step rounds to the type of the parts, as the formulas of NumPy do.
pub fn binary(op: Binary, dtype: DType, a: Complex64, b: Complex64) -> Complex64 {
    let r = |x: f64| round(dtype.real(), x);
    match op {
        Binary::Add => round_complex(dtype, a + b),
        Binary::Sub => round_complex(dtype, a - b),
        Binary::Mul => multiply(dtype, a, b),
        Binary::Div => divide(r, a, b),
        Binary::Pow => power(dtype, a, b),
        Binary::Min => {
            if a.is_nan() || compare(Compare::Le, a, b) {
                a
            } else {
                b
            }
        }
        Binary::Max => {
            if a.is_nan() || compare(Compare::Ge, a, b) {
                a
            } else {
                b
            }
        }
        _ => unreachable!("{op:?} of complex numbers"),
    }
}

fn multiply(dtype: DType, a: Complex64, b: Complex64) -> Complex64 {
    let r = |x: f64| round(dtype.real(), x);
    Complex64::new(r(r(a.re * b.re) - r(a.im * b.im)), r(r(a.re * b.im) + r(a.im * b.re)))
}

fn divide(r: impl Fn(f64) -> f64, a: Complex64, b: Complex64) -> Complex64 {
    if b.re.abs() >= b.im.abs() {
        if b.re == 0.0 && b.im == 0.0 {
            return Complex64::new(r(a.re / b.re.abs()), r(a.im / b.re.abs()));
        }
        let ratio = r(b.im / b.re);
        let scale = r(1.0 / r(b.re + r(b.im * ratio)));
        Complex64::new(r(r(a.re + r(a.im * ratio)) * scale), r(r(a.im - r(a.re * ratio)) * scale))
    } else {
        let ratio = r(b.re / b.im);
        let scale = r(1.0 / r(b.im + r(b.re * ratio)));
        Complex64::new(r(r(r(a.re * ratio) + a.im) * scale), r(r(r(a.im * ratio) - a.re) * scale))
    }
}

fn power(dtype: DType, a: Complex64, b: Complex64) -> Complex64 {
    let zero = Complex64::new(0.0, 0.0);
    if b == zero {
        return Complex64::new(1.0, 0.0);
    }
    if a == zero {
        return if b.re > 0.0 { zero } else { Complex64::new(f64::NAN, f64::NAN) };
    }
    if b.im == 0.0 && b.re.abs() < 100.0 && b.re.fract() == 0.0 {
        let mut left = b.re.abs() as u32;
        let (mut base, mut product) = (a, None);
        while left > 0 {
            if left % 2 == 1 {
                product = Some(product.map_or(base, |product| multiply(dtype, product, base)));
            }
            base = multiply(dtype, base, base);
            left /= 2;
        }
        let product = product.unwrap_or(a);
        if b.re > 0.0 {
            return product;
        }
        return divide(|x| round(dtype.real(), x), Complex64::new(1.0, 0.0), product);
    }
    round_complex(dtype, libm::cpow(a, b))
}

/// Compares as NumPy orders complex numbers.
pub fn compare(op: Compare, a: Complex64, b: Complex64) -> bool {
    let ordered = !a.im.is_nan() && !b.im.is_nan();
    match op {
        Compare::Eq => a.re == b.re && a.im == b.im,
        Compare::Ne => a.re != b.re || a.im != b.im,
        Compare::Lt => (a.re < b.re && ordered) || (a.re == b.re && a.im < b.im),
        Compare::Le => (a.re < b.re && ordered) || (a.re == b.re && a.im <= b.im),
        Compare::Gt => (a.re > b.re && ordered) || (a.re == b.re && a.im > b.im),
        Compare::Ge => (a.re > b.re && ordered) || (a.re == b.re && a.im >= b.im),
    }
}
