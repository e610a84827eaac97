//! Products with structured sparsity, as plain calls for the Python module that gives them their names.

use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::ops::library::{library, queue};
use cuproxide_hal::libraries::{
    Libraries, Multiplication, SharedPart, SparseSide, StructuredCompute, StructuredHandle as Below, StructuredMatrix,
    StructuredProduct,
};
use pyo3::prelude::*;

use crate::errors::{Result, value_error};
use crate::wait;

/// Something that the library made; it gives its resources back with its last user.
#[pyclass(frozen, module = "cuproxide._cuproxide")]
pub struct StructuredPart(SharedPart);

#[pymethods]
impl StructuredPart {
    /// Address of the library's data, in memory of the host.
    #[getter]
    fn ptr(&self) -> u64 {
        self.0.address()
    }
}

/// A handle of the library of the device that was current when it was made.
#[pyclass(frozen, module = "cuproxide._cuproxide")]
pub struct StructuredHandle {
    context: Arc<Context>,
    below: Arc<dyn Below>,
}

fn side(part: &Bound<'_, StructuredPart>, matrix: Option<(bool, i32)>) -> SparseSide {
    let part = part.get().0.clone();
    match matrix {
        None => SparseSide::Of(part),
        Some((is_left, operation)) => SparseSide::Matrix { matrix: part, is_left, operation },
    }
}

#[pymethods]
impl StructuredHandle {
    #[new]
    fn __new__(py: Python<'_>) -> Result<StructuredHandle> {
        let context = Context::current()?;
        let below = wait::long(py, || Ok(library(&context, Libraries::structured)?.handle()?))?;
        Ok(StructuredHandle { context, below })
    }

    /// Address of the library's data, in memory of the host.
    #[getter]
    fn ptr(&self) -> u64 {
        self.below.address()
    }

    /// Version of the library.
    #[getter]
    fn version(&self) -> Result<i32> {
        Ok(self.below.version()?)
    }

    /// Describes a matrix; the sparse one if it has a `sparsity`.
    #[pyo3(signature = (rows, columns, leading, alignment, dtype, row_major, sparsity=None))]
    #[allow(clippy::too_many_arguments, reason = "the form of the vendors' call")]
    fn matrix(
        &self,
        rows: i64,
        columns: i64,
        leading: i64,
        alignment: u32,
        dtype: i32,
        row_major: bool,
        sparsity: Option<i32>,
    ) -> Result<StructuredPart> {
        let matrix = StructuredMatrix { rows, columns, leading, alignment, dtype, row_major, sparsity };
        Ok(StructuredPart(self.below.matrix(&matrix)?))
    }

    /// Describes a product of four matrices; `compute` is "int32", "float16" or "float32".
    fn product(
        &self,
        operations: [i32; 2],
        matrices: [Bound<'_, StructuredPart>; 4],
        compute: &str,
    ) -> Result<StructuredPart> {
        let compute = match compute {
            "int32" => StructuredCompute::I32,
            "float16" => StructuredCompute::F16,
            "float32" => StructuredCompute::F32,
            other => return Err(value_error(format!("no arithmetic {other:?} of products"))),
        };
        let matrices = matrices.map(|matrix| matrix.get().0.clone());
        Ok(StructuredPart(self.below.product(&StructuredProduct { operations, matrices, compute })?))
    }

    /// Selects an algorithm.
    fn selection(&self, product: &Bound<'_, StructuredPart>, algorithm: i32) -> Result<StructuredPart> {
        Ok(StructuredPart(self.below.selection(&product.get().0, algorithm)?))
    }

    /// Prepares a product.
    fn plan(
        &self,
        py: Python<'_>,
        product: &Bound<'_, StructuredPart>,
        selection: &Bound<'_, StructuredPart>,
    ) -> Result<StructuredPart> {
        let (product, selection) = (&product.get().0, &selection.get().0);
        Ok(StructuredPart(wait::long(py, || Ok(self.below.plan(product, selection)?))?))
    }

    /// Sets (or reads, without `write`) an attribute of a part: `bytes` at an address of the host.
    fn attribute(
        &self,
        part: &Bound<'_, StructuredPart>,
        attribute: i32,
        data: u64,
        bytes: usize,
        write: bool,
    ) -> Result<()> {
        if data == 0 {
            return Err(value_error("data is the address 0"));
        }
        let part = &part.get().0;
        // SAFETY: the program vouches for its address, here and below.
        unsafe {
            if write {
                self.below.set_attribute(part, attribute, data, bytes)?;
            } else {
                self.below.attribute(part, attribute, data, bytes)?;
            }
        }
        Ok(())
    }

    /// Scratch bytes of a plan.
    fn workspace_bytes(&self, plan: &Bound<'_, StructuredPart>) -> Result<usize> {
        Ok(self.below.workspace_bytes(&plan.get().0)?)
    }

    /// Queues a multiplication at addresses: alpha, A, B, beta, C, D, workspace. With `search` the plan becomes the best one.
    fn multiply(&self, plan: &Bound<'_, StructuredPart>, addresses: [u64; 7], search: bool) -> Result<()> {
        let [alpha, a, b, beta, c, d, workspace] = addresses;
        let addresses = Multiplication { alpha, a, b, beta, c, d, workspace };
        let (py, plan) = (plan.py(), &plan.get().0);
        let name = if search { "search of a structured product" } else { "structured product" };
        wait::long(py, || {
            // SAFETY: as above.
            queue(&self.context, name, |stream| unsafe { self.below.multiply(stream, plan, &addresses, search) })
        })
    }

    /// Queues pruning. `part` is a product, or a matrix with whether it stands on the left and its operation.
    #[pyo3(signature = (part, src, dst, algorithm, matrix=None))]
    fn prune(
        &self,
        part: &Bound<'_, StructuredPart>,
        src: u64,
        dst: u64,
        algorithm: i32,
        matrix: Option<(bool, i32)>,
    ) -> Result<()> {
        let side = side(part, matrix);
        wait::long(part.py(), || {
            // SAFETY: the program vouches for its addresses.
            queue(&self.context, "pruning", |stream| unsafe { self.below.prune(stream, &side, src, dst, algorithm) })
        })
    }

    /// Queues a look at whether a matrix is pruned.
    #[pyo3(signature = (part, src, valid, matrix=None))]
    fn check(&self, part: &Bound<'_, StructuredPart>, src: u64, valid: u64, matrix: Option<(bool, i32)>) -> Result<()> {
        let side = side(part, matrix);
        wait::long(part.py(), || {
            // SAFETY: the program vouches for its addresses.
            queue(&self.context, "check of pruning", |stream| unsafe { self.below.check(stream, &side, src, valid) })
        })
    }

    /// Bytes of a compressed matrix and of the scratch memory for compressing. `part` is a plan, or a matrix.
    fn compressed_bytes(&self, part: &Bound<'_, StructuredPart>, is_matrix: bool) -> Result<(usize, usize)> {
        Ok(self.below.compressed_bytes(&side(part, is_matrix.then_some((true, 0))))?)
    }

    /// Queues compressing. `part` is a plan, or a matrix with whether it stands on the left and its operation.
    #[pyo3(signature = (part, dense, compressed, scratch, matrix=None))]
    fn compress(
        &self,
        part: &Bound<'_, StructuredPart>,
        dense: u64,
        compressed: u64,
        scratch: u64,
        matrix: Option<(bool, i32)>,
    ) -> Result<()> {
        let side = side(part, matrix);
        wait::long(part.py(), || {
            // SAFETY: the program vouches for its addresses.
            queue(&self.context, "compressing", |stream| unsafe {
                self.below.compress(stream, &side, dense, compressed, scratch)
            })
        })
    }
}

/// The library's name and words for a status.
#[pyfunction]
pub fn structured_status_text(status: i32) -> Result<(String, String)> {
    Ok(library(&*Context::current()?, Libraries::structured)?.status_text(status))
}

/// Whether the current device has such a library, and it can be opened.
#[pyfunction]
pub fn structured_is_there() -> Result<bool> {
    Ok(library(&*Context::current()?, Libraries::structured).is_ok())
}
