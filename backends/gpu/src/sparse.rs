//! Sparse products and triangular systems by the vendors' libraries.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::libraries::{
    Scratch, Sparse, SparseMatrix, SparseProduct, SparseSubstitution, SparseWork, Spmm, Triangle,
};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};

use crate::api::driver::Driver;
use crate::api::sparse::{Descriptor, SparseTable};
use crate::context::Primary;
use crate::own_handle::{OwnHandle, Turn};

const PLAIN: i32 = 0;
const DEFAULT: i32 = 0;
const ROW_MAJOR: i32 = 2;
const WITH_VALUES: i32 = 1;
/// The algorithm of transpositions that keeps the order of elements.
const STABLE: i32 = 1;
const FILL_MODE: i32 = 0;
const DIAGONAL: i32 = 1;

/// A vendor's library for one device. The stream is a state of its handle, so calls take turns.
pub struct GpuSparse {
    shared: Arc<Shared>,
    faster: &'static [SparseWork],
}

struct Shared {
    table: SparseTable,
    primary: Primary,
    handle: OwnHandle,
}

impl GpuSparse {
    /// Makes a handle; `faster` is what the library was measured to do faster than our kernels.
    ///
    /// # Errors
    /// The library's refusal.
    pub fn new(
        table: SparseTable,
        driver: &'static Driver,
        primary: Primary,
        faster: &'static [SparseWork],
    ) -> Result<GpuSparse> {
        // SAFETY: the context is current; the library writes one handle.
        let handle = OwnHandle::new(driver, primary, |made| unsafe { table.create(made) })?;
        Ok(GpuSparse { shared: Arc::new(Shared { table, primary, handle }), faster })
    }
}

impl Shared {
    /// The handle, for calls that go to a stream.
    fn on(&self, stream: &dyn Stream) -> Result<Turn<'_>> {
        // SAFETY: the handle lives; the stream is one of this device.
        self.handle.take_turn(|handle| unsafe { self.table.set_stream(handle, stream.raw()) })
    }

    fn not_captured(&self, stream: &dyn Stream, what: &str) -> Result<()> {
        if stream.capture()?.is_none() {
            return Ok(());
        }
        Err(Error::capture(self.primary.backend, format!("{what} of the vendor's library waits for the device")))
    }

    fn value_type(&self, dtype: DType) -> Result<i32> {
        Ok(match dtype {
            DType::F32 => 0,
            DType::F64 => 1,
            DType::C64 => 4,
            DType::C128 => 5,
            other => return Err(Error::unsupported(self.primary.backend, format!("sparse matrices of {other}"))),
        })
    }

    fn index_type(&self, dtype: DType) -> Result<i32> {
        match dtype {
            DType::I32 => Ok(2),
            DType::I64 => Ok(3),
            other => Err(Error::unsupported(self.primary.backend, format!("sparse matrices with indices of {other}"))),
        }
    }

    fn matrix(self: &Arc<Self>, a: &SparseMatrix) -> Result<Owned> {
        let (index, value) = (self.index_type(a.index_dtype)?, self.value_type(a.dtype)?);
        let (rows, columns, stored) = (a.rows as i64, a.columns as i64, a.stored as i64);
        let make = |made: &mut Descriptor| {
            // SAFETY: the library writes one descriptor, and keeps the addresses.
            unsafe {
                self.table
                    .create_csr(made, rows, columns, stored, a.offsets, a.indices, a.values, index, index, 0, value)
            }
        };
        self.own(Kind::Matrix, make)
    }

    fn vector(self: &Arc<Self>, size: usize, values: u64, dtype: DType) -> Result<Owned> {
        let value = self.value_type(dtype)?;
        // SAFETY: as above.
        self.own(Kind::Vector, |made| unsafe { self.table.create_vector(made, size as i64, values, value) })
    }

    fn dense(self: &Arc<Self>, rows: usize, columns: usize, values: u64, dtype: DType) -> Result<Owned> {
        let value = self.value_type(dtype)?;
        let (rows, columns) = (rows as i64, columns as i64);
        // SAFETY: as above.
        let make = |made: &mut Descriptor| unsafe {
            self.table.create_dense(made, rows, columns, columns, values, value, ROW_MAJOR)
        };
        self.own(Kind::Dense, make)
    }

    fn own(self: &Arc<Self>, kind: Kind, make: impl FnOnce(&mut Descriptor) -> Result<()>) -> Result<Owned> {
        let mut descriptor = null_mut();
        make(&mut descriptor)?;
        Ok(Owned { shared: self.clone(), kind, descriptor })
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Matrix,
    Vector,
    Dense,
    Product,
    Substitution,
}

/// A descriptor that is destroyed when nobody needs it.
struct Owned {
    shared: Arc<Shared>,
    kind: Kind,
    descriptor: Descriptor,
}

// SAFETY: descriptors are the library's plain data; they are used under the lock of the handle.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        let table = &self.shared.table;
        // SAFETY: nobody else has the descriptor.
        let _ = unsafe {
            match self.kind {
                Kind::Matrix => table.destroy_matrix(self.descriptor),
                Kind::Vector => table.destroy_vector(self.descriptor),
                Kind::Dense => table.destroy_dense(self.descriptor),
                Kind::Product => table.destroy_product(self.descriptor),
                Kind::Substitution => table.destroy_substitution(self.descriptor),
            }
        };
    }
}

fn factor(scalar: &Scalar) -> *const c_void {
    scalar.bytes.as_ptr().cast()
}

/// Descriptors of a product with a dense operand.
struct Operands {
    a: Owned,
    b: Owned,
    c: Owned,
    factors: [Scalar; 2],
    value: i32,
}

impl GpuSparse {
    fn operands(&self, product: &Spmm) -> Result<Operands> {
        let Spmm { a, n, b, c, .. } = product;
        let shared = &self.shared;
        let convert = |scalar: Scalar| {
            let (re, im) = scalar.to_complex();
            Scalar::complex(a.dtype, re, im)
        };
        let [b, c] = if *n == 1 {
            [shared.vector(a.columns, *b, a.dtype)?, shared.vector(a.rows, *c, a.dtype)?]
        } else {
            [shared.dense(a.columns, *n, *b, a.dtype)?, shared.dense(a.rows, *n, *c, a.dtype)?]
        };
        let factors = [convert(product.alpha), convert(product.beta)];
        Ok(Operands { a: shared.matrix(a)?, b, c, factors, value: shared.value_type(a.dtype)? })
    }
}

impl Sparse for GpuSparse {
    fn is_faster(&self, work: SparseWork) -> bool {
        self.faster.contains(&work)
    }

    fn spmm_scratch_bytes(&self, product: &Spmm) -> Result<usize> {
        if product.a.rows == 0 || product.n == 0 {
            return Ok(0);
        }
        let Operands { a, b, c, factors: [alpha, beta], value } = self.operands(product)?;
        let (table, mut bytes) = (&self.shared.table, 0);
        let handle = self.shared.handle.take_turn(|_| Ok(()))?;
        let [a, b, c] = [a.descriptor, b.descriptor, c.descriptor];
        let [alpha, beta] = [factor(&alpha), factor(&beta)];
        // SAFETY: descriptors and factors live; the library writes one number.
        unsafe {
            if product.n == 1 {
                table.vector_size(handle.raw(), PLAIN, alpha, a, b, beta, c, value, DEFAULT, &mut bytes)?;
            } else {
                table.dense_size(handle.raw(), PLAIN, PLAIN, alpha, a, b, beta, c, value, DEFAULT, &mut bytes)?;
            }
        }
        Ok(bytes)
    }

    unsafe fn spmm(&self, stream: &dyn Stream, product: &Spmm, scratch: u64) -> Result<()> {
        if product.a.rows == 0 || product.n == 0 {
            return Ok(());
        }
        let Operands { a, b, c, factors: [alpha, beta], value } = self.operands(product)?;
        let table = &self.shared.table;
        let handle = self.shared.on(stream)?;
        let [a, b, c] = [a.descriptor, b.descriptor, c.descriptor];
        let [alpha, beta] = [factor(&alpha), factor(&beta)];
        // SAFETY: the caller's promise; the library reads the factors at once.
        unsafe {
            if product.n == 1 {
                table.times_vector(handle.raw(), PLAIN, alpha, a, b, beta, c, value, DEFAULT, scratch)
            } else {
                table.times_dense(handle.raw(), PLAIN, PLAIN, alpha, a, b, beta, c, value, DEFAULT, scratch)
            }
        }
    }

    unsafe fn multiply(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        b: &SparseMatrix,
        offsets: u64,
        scratch: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseProduct>> {
        let shared = &self.shared;
        shared.not_captured(stream, "the product of two sparse matrices")?;
        let table = &shared.table;
        let value = shared.value_type(a.dtype)?;
        let empty = SparseMatrix { columns: b.columns, stored: 0, offsets, indices: 0, values: 0, ..*a };
        let made = Product {
            a: shared.matrix(a)?,
            b: shared.matrix(b)?,
            c: shared.matrix(&empty)?,
            // SAFETY: the library writes one descriptor.
            product: shared.own(Kind::Product, |made| unsafe { table.create_product(made) })?,
            factors: [Scalar::real(a.dtype, 1.0), Scalar::real(a.dtype, 0.0)],
            value,
            stored: 0,
            offsets,
        };
        let [a, b, c] = [made.a.descriptor, made.b.descriptor, made.c.descriptor];
        let (product, [alpha, beta]) = (made.product.descriptor, [factor(&made.factors[0]), factor(&made.factors[1])]);
        // Each phase says how much memory it wants, and runs with it.
        for phase in [SparseTable::estimate_product, SparseTable::compute_product] {
            let (mut bytes, mut buffer) = (0, 0);
            for number in 0..2 {
                if number == 1 {
                    buffer = scratch(bytes.max(1))?;
                }
                let handle = shared.on(stream)?;
                // SAFETY: the caller's promise; the library writes one number and fills the buffer, if there is one.
                unsafe {
                    phase(
                        table,
                        handle.raw(),
                        PLAIN,
                        PLAIN,
                        alpha,
                        a,
                        b,
                        beta,
                        c,
                        value,
                        DEFAULT,
                        product,
                        &mut bytes,
                        buffer,
                    )?;
                }
            }
        }
        let (mut rows, mut columns, mut stored) = (0, 0, 0);
        // SAFETY: the library writes three numbers.
        unsafe { table.matrix_size(c, &mut rows, &mut columns, &mut stored)? };
        Ok(Box::new(Product { stored: stored as usize, ..made }))
    }

    unsafe fn transpose(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        to: &SparseMatrix,
        scratch: &mut Scratch<'_>,
    ) -> Result<()> {
        let shared = &self.shared;
        let table = &shared.table;
        let fits = [a.rows, a.columns, a.stored].map(i32::try_from);
        let [Ok(rows), Ok(columns), Ok(stored)] = fits else {
            return Err(Error::unsupported(shared.primary.backend, "transposition of a matrix of this size"));
        };
        if a.index_dtype != DType::I32 {
            return Err(Error::unsupported(shared.primary.backend, "transposition with wide indices"));
        }
        let value = shared.value_type(a.dtype)?;
        let mut bytes = 0;
        // SAFETY: the caller's promise; the library writes one number, then what the addresses say.
        unsafe {
            table.transposition_size(
                shared.on(stream)?.raw(),
                rows,
                columns,
                stored,
                a.values,
                a.offsets,
                a.indices,
                to.values,
                to.offsets,
                to.indices,
                value,
                WITH_VALUES,
                0,
                STABLE,
                &mut bytes,
            )?;
            let buffer = scratch(bytes.max(1))?;
            table.transpose(
                shared.on(stream)?.raw(),
                rows,
                columns,
                stored,
                a.values,
                a.offsets,
                a.indices,
                to.values,
                to.offsets,
                to.indices,
                value,
                WITH_VALUES,
                0,
                STABLE,
                buffer,
            )
        }
    }

    unsafe fn analyse(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        triangle: Triangle,
        unit: bool,
        scratch: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseSubstitution>> {
        let shared = &self.shared;
        shared.not_captured(stream, "the analysis of a triangle")?;
        let table = &shared.table;
        let matrix = shared.matrix(a)?;
        let attributes = [(FILL_MODE, i32::from(triangle == Triangle::Upper)), (DIAGONAL, i32::from(unit))];
        for (attribute, value) in attributes {
            // SAFETY: the library reads one integer.
            unsafe { table.set_attribute(matrix.descriptor, attribute, (&raw const value).cast(), size_of::<i32>())? };
        }
        let made = Substitution {
            matrix,
            // SAFETY: the library writes one descriptor.
            analysis: shared.own(Kind::Substitution, |made| unsafe { table.create_substitution(made) })?,
            order: a.rows,
            dtype: a.dtype,
        };
        let value = shared.value_type(a.dtype)?;
        let one = Scalar::real(a.dtype, 1.0);
        // Only the pattern is looked at, but a vector has to lie somewhere.
        let place = scratch(a.rows.max(1) * a.dtype.size())?;
        let vectors = [shared.vector(a.rows, place, a.dtype)?, shared.vector(a.rows, place, a.dtype)?];
        let (matrix, analysis) = (made.matrix.descriptor, made.analysis.descriptor);
        let [b, x] = [vectors[0].descriptor, vectors[1].descriptor];
        let mut bytes = 0;
        // SAFETY: the caller's promise; descriptors and the factor live.
        unsafe {
            table.substitution_size(
                shared.on(stream)?.raw(),
                PLAIN,
                factor(&one),
                matrix,
                b,
                x,
                value,
                DEFAULT,
                analysis,
                &mut bytes,
            )?;
            let buffer = scratch(bytes.max(1))?;
            table.analyse_substitution(
                shared.on(stream)?.raw(),
                PLAIN,
                factor(&one),
                matrix,
                b,
                x,
                value,
                DEFAULT,
                analysis,
                buffer,
            )?;
        }
        Ok(Box::new(made))
    }
}

struct Product {
    a: Owned,
    b: Owned,
    c: Owned,
    product: Owned,
    factors: [Scalar; 2],
    value: i32,
    stored: usize,
    offsets: u64,
}

impl SparseProduct for Product {
    fn stored(&self) -> usize {
        self.stored
    }

    unsafe fn write(&self, stream: &dyn Stream, indices: u64, values: u64) -> Result<()> {
        let shared = &self.c.shared;
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|owned| owned.descriptor);
        let [alpha, beta] = [factor(&self.factors[0]), factor(&self.factors[1])];
        let (product, table) = (self.product.descriptor, &shared.table);
        // SAFETY: the caller's promise.
        unsafe {
            table.set_pointers(c, self.offsets, indices, values)?;
            let handle = shared.on(stream)?;
            table.copy_product(handle.raw(), PLAIN, PLAIN, alpha, a, b, beta, c, self.value, DEFAULT, product)
        }
    }
}

struct Substitution {
    matrix: Owned,
    analysis: Owned,
    order: usize,
    dtype: DType,
}

impl SparseSubstitution for Substitution {
    unsafe fn solve(&self, stream: &dyn Stream, b: u64, x: u64) -> Result<()> {
        let shared = &self.matrix.shared;
        let value = shared.value_type(self.dtype)?;
        let one = Scalar::real(self.dtype, 1.0);
        let vectors = [shared.vector(self.order, b, self.dtype)?, shared.vector(self.order, x, self.dtype)?];
        let [b, x] = [vectors[0].descriptor, vectors[1].descriptor];
        let handle = shared.on(stream)?;
        let (matrix, analysis) = (self.matrix.descriptor, self.analysis.descriptor);
        // SAFETY: the caller's promise.
        unsafe { shared.table.substitute(handle.raw(), PLAIN, factor(&one), matrix, b, x, value, DEFAULT, analysis) }
    }
}
