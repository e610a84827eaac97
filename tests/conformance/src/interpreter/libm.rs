//! The C library's mathematical functions: an oracle that shares nothing with the kernels under test.

use num_complex::Complex64;

macro_rules! real_functions {
    ($($name:ident;)*) => {
        mod real {
            unsafe extern "C" { $(pub safe fn $name(x: f64) -> f64;)* }
        }
        $(#[doc = concat!("C's `", stringify!($name), "`.")]
        pub fn $name(x: f64) -> f64 { real::$name(x) })*
    };
}

// The standard library computes these by formulas of its own, with less accuracy.
real_functions! { asinh; acosh; atanh; }

macro_rules! complex_functions {
    ($($name:ident;)*) => {
        mod complex {
            use num_complex::Complex64;
            // The C type `double complex` is passed like a structure of two doubles on the platforms that run the suite.
            #[allow(improper_ctypes, reason = "Complex64 is two doubles")]
            unsafe extern "C" { $(pub safe fn $name(z: Complex64) -> Complex64;)* }
        }
        $(#[doc = concat!("C's `", stringify!($name), "`.")]
        pub fn $name(z: Complex64) -> Complex64 { complex::$name(z) })*
    };
}

complex_functions! {
    csqrt; cexp; clog; csin; ccos; ctan; casin; cacos; catan; csinh; ccosh; ctanh; casinh; cacosh; catanh;
}

mod power {
    use num_complex::Complex64;
    #[allow(improper_ctypes, reason = "Complex64 is two doubles")]
    unsafe extern "C" {
        pub safe fn cpow(z: Complex64, w: Complex64) -> Complex64;
    }
}

/// C's `cpow`.
pub fn cpow(z: Complex64, w: Complex64) -> Complex64 {
    power::cpow(z, w)
}
