//! Sparse direct solvers on the host, for every device.
//!
//! Factors for solving are those of faer, with supernodes. Factors that a program looks at, and incomplete ones, are
//! computed column by column here ([`explicit`]), since the library does not give its own out.
#![deny(missing_docs)]

mod explicit;
mod matrices;
mod ordering;
mod substitution;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cuproxide_hal::libraries::{
    ExplicitLu, LuParts, SparseFactor, SparseForm, SparseMethod, SparseOrdering, SparsePattern, SparseSolver,
    SparseSymbolic, SparseValues,
};
use cuproxide_hal::{Error, Result, interrupt};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::traits::ComplexField;
use faer::{Conj, MatMut, Par, Side, c64};
use matrices::{complex, failed, view};
use substitution::Substitution;

/// The solver.
pub fn solver() -> Arc<dyn SparseSolver> {
    Arc::new(HostSolver)
}

struct HostSolver;

/// Elements from which on the factorisation is shared out over threads.
const SHARED: usize = 200_000;

/// What the library panics about is a bug of ours or of its; the program goes on. Ctrl-C ends it between columns.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let work = || interrupt::caught(work);
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(failed("the factorisation stopped")))
}

impl SparseSolver for HostSolver {
    fn analyse(&self, pattern: &SparsePattern<'_>, method: SparseMethod) -> Result<Arc<dyn SparseSymbolic>> {
        guarded(|| {
            let parallel = if pattern.rows.len() < SHARED { Par::Seq } else { Par::rayon(0) };
            let method = match method {
                SparseMethod::Cholesky => Method::Cholesky(
                    factorize_symbolic_cholesky(view(pattern), Side::Lower, SymmetricOrdering::Amd, Default::default())
                        .map_err(|error| failed(error.to_string()))?,
                ),
                SparseMethod::Lu => Method::Lu(
                    factorize_symbolic_lu(view(pattern), Default::default())
                        .map_err(|error| failed(error.to_string()))?,
                ),
            };
            Ok(Arc::new(Symbolic { method, parallel }) as Arc<dyn SparseSymbolic>)
        })
    }

    fn explicit(
        &self,
        pattern: &SparsePattern<'_>,
        values: SparseValues<'_>,
        options: &ExplicitLu,
    ) -> Result<Option<LuParts>> {
        guarded(|| {
            let columns = ordering::columns(pattern, options.ordering)?;
            Ok(match values {
                SparseValues::Real(values) => explicit::factor(pattern, values, columns, options),
                SparseValues::Complex(pairs) => explicit::factor(pattern, &complex(pairs), columns, options),
            })
        })
    }
}

enum Method {
    Cholesky(SymbolicCholesky<usize>),
    Lu(SymbolicLu<usize>),
}

struct Symbolic {
    method: Method,
    parallel: Par,
}

/// Numeric factors in one type of numbers.
enum Numeric<T> {
    Cholesky(Vec<T>),
    Lu(Box<NumericLu<usize, T>>),
}

impl Symbolic {
    fn numeric<T: ComplexField>(&self, pattern: &SparsePattern<'_>, values: &[T]) -> Result<Option<Numeric<T>>> {
        let matrix = SparseColMatRef::new(view(pattern), values);
        let memory = |request| MemBuffer::try_new(request).map_err(|_| failed("there is not enough memory"));
        match &self.method {
            Method::Cholesky(symbolic) => {
                let mut numeric = vec![faer::traits::math_utils::zero::<T>(); symbolic.len_val()];
                let request = symbolic.factorize_numeric_llt_scratch::<T>(self.parallel, Default::default());
                let done = symbolic.factorize_numeric_llt(
                    &mut numeric,
                    matrix,
                    Side::Lower,
                    LltRegularization::default(),
                    self.parallel,
                    MemStack::new(&mut memory(request)?),
                    Default::default(),
                );
                Ok(done.is_ok().then_some(Numeric::Cholesky(numeric)))
            }
            Method::Lu(symbolic) => {
                let mut numeric = NumericLu::new();
                let request = symbolic.factorize_numeric_lu_scratch::<T>(self.parallel, Default::default());
                let done = symbolic.factorize_numeric_lu(
                    &mut numeric,
                    matrix,
                    self.parallel,
                    MemStack::new(&mut memory(request)?),
                    Default::default(),
                );
                Ok(done.is_ok().then_some(Numeric::Lu(Box::new(numeric))))
            }
        }
    }

    fn solve<T: ComplexField>(
        &self,
        numeric: &Numeric<T>,
        form: SparseForm,
        right: &mut [T],
        order: usize,
    ) -> Result<()> {
        if order == 0 || right.is_empty() {
            return Ok(());
        }
        let columns = right.len() / order;
        let right = MatMut::from_column_major_slice_mut(right, order, columns);
        let memory = |request| MemBuffer::try_new(request).map_err(|_| failed("there is not enough memory"));
        match (&self.method, numeric) {
            (Method::Cholesky(symbolic), Numeric::Cholesky(values)) => {
                // The transpose of a Hermitian matrix is its conjugate.
                let conjugated = if form == SparseForm::Transposed { Conj::Yes } else { Conj::No };
                let mut memory = memory(symbolic.solve_in_place_scratch::<T>(columns, Par::Seq))?;
                LltRef::new(symbolic, values).solve_in_place_with_conj(
                    conjugated,
                    right,
                    Par::Seq,
                    MemStack::new(&mut memory),
                );
            }
            (Method::Lu(symbolic), Numeric::Lu(numeric)) => {
                let factors = LuRef::new_unchecked(symbolic, numeric);
                if form == SparseForm::Plain {
                    let mut memory = memory(symbolic.solve_in_place_scratch::<T>(columns, Par::Seq))?;
                    factors.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut memory));
                } else {
                    let conjugated = if form == SparseForm::Adjoint { Conj::Yes } else { Conj::No };
                    let mut memory = memory(symbolic.solve_transpose_in_place_scratch::<T>(columns, Par::Seq))?;
                    factors.solve_transpose_in_place_with_conj(conjugated, right, Par::Seq, MemStack::new(&mut memory));
                }
            }
            _ => unreachable!("the numeric phase of a method belongs to its symbolic one"),
        }
        Ok(())
    }
}

impl SparseSymbolic for Symbolic {
    fn factor(
        self: Arc<Self>,
        pattern: &SparsePattern<'_>,
        values: SparseValues<'_>,
    ) -> Result<Option<Arc<dyn SparseFactor>>> {
        let order = pattern.order;
        let definite = matches!(self.method, Method::Cholesky(_));
        let numeric = guarded(|| {
            Ok(match values {
                SparseValues::Real(values) => self.numeric(pattern, values)?.map(Kind::Real),
                SparseValues::Complex(pairs) => self.numeric(pattern, &complex(pairs))?.map(Kind::Complex),
            })
        });
        if let Err(Error::Interrupted) = numeric {
            return Err(Error::Interrupted);
        }
        if let Ok(Some(numeric)) = numeric {
            let factor = Factor { symbolic: self, numeric, order };
            // A pivot that is zero makes every solution infinite or NaN: the library does not say so.
            let mut probe = vec![1.0; order * factor.parts()];
            if factor.solve(SparseForm::Plain, &mut probe).is_ok() && probe.iter().all(|x| x.is_finite()) {
                return Ok(Some(Arc::new(factor)));
            }
        }
        if definite {
            return Ok(None);
        }
        // Solutions may also overflow. Pivots that can be looked at tell whether the matrix is singular.
        let options = ExplicitLu { ordering: SparseOrdering::Columns, threshold: 1.0, drop: 0.0, fill: f64::INFINITY };
        let parts = HostSolver.explicit(pattern, values, &options)?;
        let complex = matches!(values, SparseValues::Complex(_));
        Ok(parts.map(|parts| Arc::new(Substitution::new(parts, complex)) as Arc<dyn SparseFactor>))
    }
}

enum Kind {
    Real(Numeric<f64>),
    Complex(Numeric<c64>),
}

struct Factor {
    symbolic: Arc<Symbolic>,
    numeric: Kind,
    order: usize,
}

impl Factor {
    /// Numbers of an element.
    fn parts(&self) -> usize {
        if matches!(self.numeric, Kind::Complex(_)) { 2 } else { 1 }
    }
}

impl SparseFactor for Factor {
    fn solve(&self, form: SparseForm, right: &mut [f64]) -> Result<()> {
        guarded(|| match &self.numeric {
            Kind::Real(numeric) => self.symbolic.solve(numeric, form, right, self.order),
            Kind::Complex(numeric) => {
                let mut elements = complex(right);
                self.symbolic.solve(numeric, form, &mut elements, self.order)?;
                for (pair, element) in right.chunks_exact_mut(2).zip(elements) {
                    pair.copy_from_slice(&[element.re, element.im]);
                }
                Ok(())
            }
        })
    }
}
