//! One row for each distribution.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::philox::{Lanes, Stream};
use super::{continuous, discrete};

/// Writes the value of an element, from its parameters.
type Write = for<'b> fn(&Stream<'b>, &[Var<'b>]) -> Var<'b>;

/// A distribution as a kernel.
pub struct Distribution {
    /// Its name, which the front end calls it by.
    pub name: &'static str,
    /// Number of parameters.
    pub parameters: usize,
    /// Type of the parameters.
    pub parameter_type: DType,
    /// How elements share blocks.
    pub lanes: Lanes,
    write: Write,
}

impl Distribution {
    /// Writes the value of the element whose stream is given.
    pub fn value<'b>(&self, stream: &Stream<'b>, parameters: &[Var<'b>]) -> Var<'b> {
        (self.write)(stream, parameters)
    }
}

const fn real(name: &'static str, parameters: usize, write: Write) -> Distribution {
    Distribution { name, parameters, parameter_type: DType::F64, lanes: Lanes::One, write }
}

/// As [`real`], where an attempt takes half a block.
const fn paired(name: &'static str, parameters: usize, write: Write) -> Distribution {
    Distribution { name, parameters, parameter_type: DType::F64, lanes: Lanes::Two, write }
}

const fn shared(name: &'static str, lanes: Lanes, write: Write) -> Distribution {
    Distribution { name, parameters: 0, parameter_type: DType::F64, lanes, write }
}

const fn bounded(name: &'static str, lanes: Lanes, write: Write) -> Distribution {
    Distribution { name, parameters: 2, parameter_type: DType::U64, lanes, write }
}

/// All distributions. The results of those that are named by a width have that width.
pub static DISTRIBUTIONS: [Distribution; 36] = [
    shared("bits32", Lanes::Four, |stream, _| stream.word()),
    shared("bits64", Lanes::Two, |stream, _| stream.wide()),
    shared("uniform32", Lanes::Four, continuous::uniform32),
    shared("uniform64", Lanes::Two, continuous::uniform64),
    shared("normal32", Lanes::Four, continuous::normal32),
    shared("normal64", Lanes::Two, continuous::normal64),
    shared("exponential32", Lanes::Four, continuous::exponential32),
    shared("exponential64", Lanes::Two, continuous::exponential64),
    bounded("integers32", Lanes::Four, discrete::integers32),
    bounded("integers32_wide", Lanes::Two, discrete::integers32_wide),
    bounded("integers64", Lanes::Two, discrete::integers64),
    bounded("permutation", Lanes::One, discrete::permutation),
    paired("gamma", 1, continuous::gamma),
    paired("log_gamma", 1, continuous::log_gamma),
    real("beta", 2, continuous::beta),
    paired("chisquare", 1, continuous::chisquare),
    real("noncentral_chisquare", 2, continuous::noncentral_chisquare),
    real("f", 2, continuous::f),
    real("t", 1, continuous::t),
    real("cauchy", 0, continuous::cauchy),
    real("laplace", 0, continuous::laplace),
    real("logistic", 0, continuous::logistic),
    real("gumbel", 0, continuous::gumbel),
    real("lognormal", 2, continuous::lognormal),
    real("pareto", 1, continuous::pareto),
    real("power", 1, continuous::power),
    real("weibull", 1, continuous::weibull),
    real("wald", 2, continuous::wald),
    real("vonmises", 2, continuous::vonmises),
    real("triangular", 3, continuous::triangular),
    real("geometric", 1, discrete::geometric),
    paired("poisson", 1, discrete::poisson),
    real("binomial", 2, discrete::binomial),
    real("logseries", 1, discrete::logseries),
    real("zipf", 1, discrete::zipf),
    real("hypergeometric", 3, discrete::hypergeometric),
];

/// The number of a distribution in [`DISTRIBUTIONS`].
pub fn find(name: &str) -> Option<usize> {
    DISTRIBUTIONS.iter().position(|distribution| distribution.name == name)
}
