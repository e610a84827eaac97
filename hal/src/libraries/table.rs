//! The table of what a device has of libraries: one line an interface.

use std::fmt;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::{
    Binning, Blas, Collectives, Compaction, DirectSolver, Distinct, Dnn, Fft, Joining, Pairs, Ranking, Rng, Searching,
    Solver, Sorting, Sparse, SparseSolver, Structured, Tensors,
};
use crate::{Device, Error, Result};

/// Asked each time before a library is given out.
pub type Gate = Arc<dyn Fn() -> Result<()> + Send + Sync>;

type Open<T> = dyn Fn() -> Result<Arc<T>> + Send + Sync;

/// One library of a device, opened when it is first asked for. An attempt that failed is made again the next time.
pub struct Library<T: ?Sized> {
    open: Option<Box<Open<T>>>,
    opened: OnceCell<Arc<T>>,
    gate: Option<Gate>,
}

impl<T: ?Sized + 'static> Library<T> {
    /// A library that the device does not have.
    pub const fn none() -> Library<T> {
        Library { open: None, opened: OnceCell::new(), gate: None }
    }

    /// A library that `open` opens.
    pub fn new(open: impl Fn() -> Result<Arc<T>> + Send + Sync + 'static) -> Library<T> {
        Library { open: Some(Box::new(open)), ..Library::none() }
    }

    /// A library that needs no opening.
    pub fn ready(library: Arc<T>) -> Library<T>
    where
        T: Send + Sync,
    {
        Library::new(move || Ok(library.clone()))
    }

    /// The library behind another of the same interface, where there is one.
    pub fn map(self, wrap: impl Fn(Arc<T>) -> Arc<T> + Send + Sync + 'static) -> Library<T> {
        let Library { open, gate, .. } = self;
        let open = open.map(|open| -> Box<Open<T>> { Box::new(move || open().map(&wrap)) });
        Library { open, gate, opened: OnceCell::new() }
    }

    /// Whether the device has such a library, though perhaps it cannot be opened.
    pub fn is_there(&self) -> bool {
        self.open.is_some()
    }

    /// The library; `None` if the device has none.
    ///
    /// # Errors
    /// Those of opening it, such as [`Error::MissingLibrary`].
    pub fn find(&self) -> Result<Option<&T>> {
        Ok(self.shared()?.map(Arc::as_ref))
    }

    fn shared(&self) -> Result<Option<&Arc<T>>> {
        let Some(open) = &self.open else { return Ok(None) };
        if let Some(gate) = &self.gate {
            gate()?;
        }
        self.opened.get_or_try_init(open).map(Some)
    }
}

impl<T: ?Sized> fmt::Debug for Library<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (&self.open, self.opened.get()) {
            (None, _) => "none",
            (Some(_), None) => "not opened",
            (Some(_), Some(_)) => "opened",
        })
    }
}

/// Declares the table: field and method, interface, and what a device without it does not support.
macro_rules! libraries {
    ($($(#[$doc:meta])* $name:ident: $interface:ident, $what:literal;)*) => {
        /// What a device has of libraries. A field is the library, if there is one; the method of its name gives it out.
        ///
        /// A backend names those that it has: `Libraries { blas: Library::new(open), ..Libraries::none("cpu") }`.
        #[derive(Debug)]
        pub struct Libraries {
            /// Name of the backend, for messages.
            pub backend: &'static str,
            $($(#[$doc])* pub $name: Library<dyn $interface>,)*
        }

        impl Libraries {
            /// The names of all interfaces.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The table of a device that has none.
            pub const fn none(backend: &'static str) -> Libraries {
                Libraries { backend, $($name: Library::none(),)* }
            }

            /// The table of a device in front of `inner`: the same libraries, given out while `gate` lets them pass.
            pub fn behind(gate: &Gate, inner: &Arc<dyn Device>) -> Libraries {
                let there = inner.libraries();
                Libraries {
                    backend: there.backend,
                    $($name: if there.$name.is_there() {
                        let inner = inner.clone();
                        let open = move || -> Result<Arc<dyn $interface>> {
                            Ok(inner.libraries().$name.shared()?.expect("it was there").clone())
                        };
                        Library { gate: Some(gate.clone()), ..Library::new(open) }
                    } else {
                        Library::none()
                    },)*
                }
            }

            /// The names of the interfaces that the device has.
            pub fn names(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($name), self.$name.is_there())),*].into_iter().filter_map(|(name, there)| there.then_some(name))
            }

            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// [`Error::Unsupported`] where the device has none, and those of opening it.
                pub fn $name(&self) -> Result<&dyn $interface> {
                    self.$name.find()?.ok_or_else(|| Error::unsupported(self.backend, $what))
                }
            )*
        }
    };
}

libraries! {
    /// Matrix products.
    blas: Blas, "matrix products";
    /// Dense factorisations and eigenvalues.
    solver: Solver, "dense solvers";
    /// Fourier transforms.
    fft: Fft, "Fourier transforms";
    /// Random words.
    rng: Rng, "random words";
    /// Sparse matrix products.
    sparse: Sparse, "sparse matrices";
    /// Sparse factorisations in host memory.
    sparse_solver: SparseSolver, "sparse solvers";
    /// Sparse factorisations in device memory.
    direct_solver: DirectSolver, "sparse solvers in device memory";
    /// Communication between devices.
    collectives: Collectives, "collective communication";
    /// Operations on tensors with labels.
    tensors: Tensors, "operations on tensors with labels";
    /// Products of matrices with structured sparsity.
    structured: Structured, "products of matrices with structured sparsity";
    /// Layers of neural networks.
    dnn: Dnn, "layers of neural networks";
    /// Sorting.
    sorting: Sorting, "sorting";
    /// Selecting by flags.
    compaction: Compaction, "selecting by flags";
    /// Counting by bins.
    binning: Binning, "counting by bins";
    /// Joining of pieces.
    joining: Joining, "joining of pieces";
    /// Searching sorted arrays.
    searching: Searching, "searching sorted arrays";
    /// Distances of pairs of rows.
    pairs: Pairs, "distances of pairs of rows";
    /// Selecting the distinct ones of sorted elements.
    distinct: Distinct, "selecting distinct elements";
    /// Elements of a rank in windows.
    ranking: Ranking, "ranks in windows";
}
