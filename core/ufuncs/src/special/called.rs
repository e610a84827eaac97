//! Parts of special functions that stand in a kernel once and are called where they are used.
//!
//! Compilers take longer than in proportion to a kernel's length. NVRTC 12.9 for sm_90, seconds of processor time:
//!
//! | | parts at each use | called |
//! | --- | --- | --- |
//! | `betaincinv` | 14.2 | 1.3 |
//! | `eval_jacobi` | 13.9 | 1.1 |
//! | `fdtri` | 24.6 | 1.3 |
//! | `nctdtridf` | 54.6 | 1.6 |
//!
//! On the CPU a first call takes a half to a fifth of the time, and points take from 0.4 to 1.04 times theirs.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// What a part of a function gives: a number or several.
pub(crate) trait Results<'b>: Sized {
    /// As the list that a function of a kernel returns.
    fn into_list(self) -> Vec<Var<'b>>;
    /// From that list.
    fn from_list(list: &[Var<'b>]) -> Self;
}

impl<'b> Results<'b> for Var<'b> {
    fn into_list(self) -> Vec<Var<'b>> {
        vec![self]
    }

    fn from_list(list: &[Var<'b>]) -> Var<'b> {
        list[0]
    }
}

impl<'b> Results<'b> for (Var<'b>, Var<'b>) {
    fn into_list(self) -> Vec<Var<'b>> {
        vec![self.0, self.1]
    }

    fn from_list(list: &[Var<'b>]) -> (Var<'b>, Var<'b>) {
        (list[0], list[1])
    }
}

impl<'b> Results<'b> for (Var<'b>, Var<'b>, Var<'b>) {
    fn into_list(self) -> Vec<Var<'b>> {
        vec![self.0, self.1, self.2]
    }

    fn from_list(list: &[Var<'b>]) -> (Var<'b>, Var<'b>, Var<'b>) {
        (list[0], list[1], list[2])
    }
}

impl<'b, const N: usize> Results<'b> for [Var<'b>; N] {
    fn into_list(self) -> Vec<Var<'b>> {
        self.to_vec()
    }

    fn from_list(list: &[Var<'b>]) -> [Var<'b>; N] {
        std::array::from_fn(|at| list[at])
    }
}

/// Calls `write` by its path in this crate, of which the last two parts name the kernel's function.
pub(crate) fn call_once<'b, R: Results<'b>>(path: &str, inputs: &[Var<'b>], write: impl FnOnce(&[Var<'b>]) -> R) -> R {
    let mut parts = path.rsplit("::");
    let (function, module) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let types: Vec<_> = inputs.iter().map(|input| input.dtype()).collect();
    let builder = inputs[0].builder();
    let digits = builder.rounds_to().map_or("", DType::name);
    let made =
        builder.function_once(&format!("{module}_{function}{digits}"), &types, |inputs| write(inputs).into_list());
    R::from_list(&made.call(inputs))
}

/// `called!(f(a, b))` is `f(a, b)` for a function of variables alone, with its statements once in a kernel.
macro_rules! called {
    ($($function:ident)::+ ($($input:expr),+ $(,)?)) => {
        $crate::special::called::call_once(
            std::any::type_name_of_val(&$($function)::+),
            &[$($input),+],
            |inputs| {
                let mut inputs = inputs.iter().copied();
                $($function)::+($({
                    let _ = stringify!($input);
                    inputs.next().expect("an input for each parameter")
                }),+)
            },
        )
    };
}
pub(crate) use called;
