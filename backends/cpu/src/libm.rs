//! The C mathematical library.
#![allow(clippy::missing_safety_doc, reason = "the C mathematical library")]

macro_rules! libm {
    ($($double:ident $single:ident ($($argument:ident),*);)*) => {
        unsafe extern "C" {
            $(pub safe fn $double($($argument: f64),*) -> f64;
            pub safe fn $single($($argument: f32),*) -> f32;)*
        }
    };
}

libm! {
    cbrt cbrtf (x); exp expf (x); exp2 exp2f (x); expm1 expm1f (x);
    log logf (x); log2 log2f (x); log10 log10f (x); log1p log1pf (x);
    sin sinf (x); cos cosf (x); tan tanf (x); asin asinf (x); acos acosf (x); atan atanf (x);
    sinh sinhf (x); cosh coshf (x); tanh tanhf (x); asinh asinhf (x); acosh acoshf (x); atanh atanhf (x);
    fmod fmodf (x, y); pow powf (x, y); atan2 atan2f (x, y); hypot hypotf (x, y); nextafter nextafterf (x, y);
}
