//! How an axis goes on beyond its ends.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, FunctionVar, Var};

use crate::error::{Result, value_error};

/// What stands beyond the ends of an axis `a b c d`. Each is defined at every distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// A constant: `k k | a b c d | k k`.
    Constant,
    /// The nearest element: `a a | a b c d | d d`.
    Nearest,
    /// Reflected at the edge of the last element, which is repeated: `b a | a b c d | d c`.
    Reflect,
    /// Reflected at the centre of the last element: `c b | a b c d | c b`.
    Mirror,
    /// Repeated: `c d | a b c d | a b`.
    Wrap,
}

impl Boundary {
    /// Parses SciPy's names, of which some mean the same for positions on the grid.
    ///
    /// # Errors
    /// `ValueError` for other names.
    pub fn parse(name: &str) -> Result<Boundary> {
        Ok(match name {
            "constant" | "grid-constant" => Boundary::Constant,
            "nearest" => Boundary::Nearest,
            "reflect" | "grid-mirror" => Boundary::Reflect,
            "mirror" => Boundary::Mirror,
            "wrap" | "grid-wrap" => Boundary::Wrap,
            other => return value_error(format!("boundary mode not supported: {other:?}")),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Boundary::Constant => "constant",
            Boundary::Nearest => "nearest",
            Boundary::Reflect => "reflect",
            Boundary::Mirror => "mirror",
            Boundary::Wrap => "wrap",
        }
    }

    /// A function of a kernel: (position, length of the axis, at least 1), both int64, -> (the place on the axis whose
    /// element stands at the position, whether one does). Only of [`Boundary::Constant`] is the second ever false, and the
    /// place is then some place on the axis.
    pub fn function(self, b: &Builder) -> FunctionVar<'_> {
        b.function(format!("boundary_{}", self.name()), &[DType::I64; 2], |v| {
            let (place, inside) = self.place(v[0], v[1]);
            vec![place, inside]
        })
    }

    fn place<'b>(self, position: Var<'b>, length: Var<'b>) -> (Var<'b>, Var<'b>) {
        let b = position.builder();
        let (zero, one) = (position.like_integer(0), position.like_integer(1));
        let last = length - one;
        let modulo = |period: Var<'b>| {
            let rest = position % period;
            (rest + period).when(rest.lt(zero), rest)
        };
        let inside = b.boolean(true);
        match self {
            Boundary::Constant => (position.max(zero).min(last), position.ge(zero) & position.lt(length)),
            Boundary::Nearest => (position.max(zero).min(last), inside),
            Boundary::Reflect => {
                let place = modulo(length + length);
                (place.when(place.lt(length), length + last - place), inside)
            }
            Boundary::Mirror => {
                // An axis of one element repeats it.
                let period = (last + last).max(one);
                let place = modulo(period);
                (place.when(place.lt(length), period - place), inside)
            }
            Boundary::Wrap => (modulo(length), inside),
        }
    }
}
