//! Powers: repeated multiplication for small integer exponents, as NumPy, and exp(w log z) otherwise.

use crate::DType;
use crate::ir::{Literal, Unary, Var};

use super::Complex;

/// Integer exponents below this are worked out by multiplication.
const INTEGER_LIMIT: f64 = 100.0;

impl<'b> Complex<'b> {
    fn constant(self, re: f64) -> Complex<'b> {
        Complex { re: self.re.like(re), im: self.re.like(0.0) }
    }

    /// `self` to the power `exponent`; `constant` is the exponent where it is known.
    pub(super) fn pow(self, exponent: Complex<'b>, constant: Option<Literal>) -> Complex<'b> {
        let builder = self.re.builder();
        let power = match constant.map(|literal| literal.scalar().to_complex()) {
            Some((0.0, 0.0)) => return self.constant(1.0),
            Some((re, 0.0)) if re.abs() < INTEGER_LIMIT && re.fract() == 0.0 => self.unrolled(re as i32),
            Some(_) => self.general(exponent),
            None => {
                let real = exponent.im.eq(exponent.im.like(0.0));
                let small = exponent.re.abs().lt(exponent.re.like(INTEGER_LIMIT));
                let whole = exponent.re.trunc().eq(exponent.re);
                let (re, im) = (builder.local(self.re), builder.local(self.im));
                let assign = |z: Complex<'b>| {
                    re.set(z.re);
                    im.set(z.im);
                };
                builder.branch(
                    real & small & whole,
                    || assign(self.repeated(exponent.re)),
                    || assign(self.general(exponent)),
                );
                Complex { re: re.get(), im: im.get() }
            }
        };
        let positive = exponent.re.gt(exponent.re.like(0.0));
        let part = exponent.re.like(0.0).when(positive, exponent.re.like(f64::NAN));
        let zero_base = Complex { re: part, im: part };
        self.constant(1.0).when(exponent.is_zero(), zero_base.when(self.is_zero(), power))
    }

    fn general(self, exponent: Complex<'b>) -> Complex<'b> {
        exponent.multiply(self.log(Unary::Log)).exp()
    }

    fn invert(self) -> Complex<'b> {
        self.constant(1.0).divide(self)
    }

    /// A power with a known exponent that is not zero, by squaring.
    fn unrolled(self, exponent: i32) -> Complex<'b> {
        let mut left = exponent.unsigned_abs();
        let (mut base, mut product) = (self, None);
        loop {
            if left & 1 == 1 {
                product = Some(product.map_or(base, |product: Complex<'b>| product.multiply(base)));
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            base = base.multiply(base);
        }
        let product = product.unwrap_or(self);
        if exponent < 0 { product.invert() } else { product }
    }

    /// The same with a whole exponent that is known when the kernel runs.
    fn repeated(self, exponent: Var<'b>) -> Complex<'b> {
        let builder = self.re.builder();
        let (zero, one) = (builder.integer(DType::I32, 0), builder.integer(DType::I32, 1));
        let left = builder.local(exponent.abs().cast(DType::I32));
        let unit = self.constant(1.0);
        let (re, im) = (builder.local(unit.re), builder.local(unit.im));
        let (base_re, base_im) = (builder.local(self.re), builder.local(self.im));
        let started = builder.local(builder.boolean(false));
        builder.repeat(
            || left.get().gt(zero),
            || {
                let base = Complex { re: base_re.get(), im: base_im.get() };
                let product = Complex { re: re.get(), im: im.get() };
                let odd = (left.get() & one).eq(one);
                // The first factor is taken as it is: 1 * z would not keep infinities and signed zeros.
                let next = product.multiply(base).when(started.get(), base).when(odd, product);
                re.set(next.re);
                im.set(next.im);
                started.set(started.get() | odd);
                let square = base.multiply(base);
                base_re.set(square.re);
                base_im.set(square.im);
                left.set(left.get() >> one);
            },
        );
        let product = Complex { re: re.get(), im: im.get() };
        product.invert().when(exponent.lt(exponent.like(0.0)), product)
    }
}
