//! How rows are written: a row with NumPy's most common properties, and methods that set the others.

use std::sync::OnceLock;

use cuproxide_hal::ir::Var;
use cuproxide_hal::{DType, Fault};

use crate::row::{Body, Domain, Home, Identity, Neutral, NoNegative, Outputs, Promotion, Ufunc, UfuncId};
use crate::types::parse_loops;

/// A row with NumPy's most common properties; the methods below set the others.
fn row(name: &'static str, nin: usize, nout: usize, loops: &str, body: Body, doc: &'static str) -> Ufunc {
    Ufunc {
        id: UfuncId(0),
        name,
        aliases: &[],
        nin,
        nout,
        loops: parse_loops(loops),
        identity: None,
        neutral: None,
        promotion: Promotion::First,
        comparison: None,
        home: Home::NumPy,
        domains: &[],
        source: "",
        refuses: None,
        doc,
        body,
        narrow: false,
        doubled: &[],
        chosen: OnceLock::new(),
        costs: OnceLock::new(),
    }
}

pub(crate) fn unary(name: &'static str, loops: &str, doc: &'static str, body: for<'b> fn(Var<'b>) -> Var<'b>) -> Ufunc {
    row(name, 1, 1, loops, Body::Unary(body), doc)
}

pub(crate) fn binary(
    name: &'static str,
    loops: &str,
    doc: &'static str,
    body: for<'b> fn(Var<'b>, Var<'b>) -> Var<'b>,
) -> Ufunc {
    row(name, 2, 1, loops, Body::Binary(body), doc)
}

pub(crate) fn ternary(
    name: &'static str,
    loops: &str,
    doc: &'static str,
    body: for<'b> fn(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
) -> Ufunc {
    row(name, 3, 1, loops, Body::Ternary(body), doc)
}

pub(crate) fn general(
    name: &'static str,
    (nin, nout): (usize, usize),
    loops: &str,
    doc: &'static str,
    body: for<'b> fn(&[Var<'b>]) -> Outputs<'b>,
) -> Ufunc {
    row(name, nin, nout, loops, Body::General(body), doc)
}

impl Ufunc {
    pub(crate) fn aliases(self, aliases: &'static [&'static str]) -> Ufunc {
        Ufunc { aliases, ..self }
    }

    pub(crate) fn promotion(self, promotion: Promotion) -> Ufunc {
        Ufunc { promotion, ..self }
    }

    pub(crate) fn identity(self, identity: Identity) -> Ufunc {
        Ufunc { identity: Some(identity), ..self }
    }

    pub(crate) fn neutral(self, neutral: Neutral) -> Ufunc {
        Ufunc { neutral: Some(neutral), ..self }
    }

    pub(crate) fn narrow(self) -> Ufunc {
        Ufunc { narrow: true, ..self }
    }

    /// Loops of these types, of single precision, compute in double precision.
    pub(crate) fn in_double(self, doubled: &'static [DType]) -> Ufunc {
        Ufunc { doubled, ..self }
    }

    pub(crate) fn internal(self) -> Ufunc {
        Ufunc { home: Home::Internal, ..self }
    }

    /// One of SciPy's, which takes the loop of its arguments' own types, or the first one that they cast to: as a rule
    /// float64 for all but float32.
    pub(crate) fn special(self) -> Ufunc {
        Ufunc { home: Home::Special, promotion: Promotion::Exact, ..self }
    }

    pub(crate) fn domains(self, domains: &'static [Domain]) -> Ufunc {
        Ufunc { domains, ..self }
    }

    pub(crate) fn source(self, source: &'static str) -> Ufunc {
        Ufunc { source, ..self }
    }

    pub(crate) fn refuses(self, position: usize, fault: Fault) -> Ufunc {
        Ufunc { refuses: Some(NoNegative { position, fault }), ..self }
    }
}
