//! Matrix products, sorts and random words that are only recorded.

use std::sync::Arc;

use cuproxide_hal::libraries::{Blas, Gemm, Libraries, Library, Matrix, Rng, Sort, Sorting};
use cuproxide_hal::{DType, Result, Stream};

use crate::core::Core;
use crate::name::NAME;
use crate::recorder::Call;

/// Scratch bytes that a sort asks for, so that callers prove that they pass scratch on.
const SORT_SCRATCH: usize = 256;

/// The library interfaces of a device.
pub(crate) struct Recorded {
    pub(crate) core: Arc<Core>,
}

/// The table of a device, whose optional primitives are missing: so the ways around them can be seen.
pub(crate) fn libraries(core: &Arc<Core>) -> Libraries {
    let recorded = Arc::new(Recorded { core: core.clone() });
    Libraries {
        blas: Library::ready(recorded.clone()),
        fft: Library::ready(recorded.clone()),
        rng: Library::ready(recorded.clone()),
        sorting: Library::ready(recorded),
        ..Libraries::none(NAME)
    }
}

impl Recorded {
    fn check_matrix(&self, matrix: &Matrix, rows: usize, columns: usize, batch: usize, dtype: DType) -> Result<()> {
        if rows == 0 || columns == 0 || batch == 0 {
            return Ok(());
        }
        let fits = |unit: isize, leading: isize, length: usize, lines: usize| {
            (unit == 1 || length == 1) && (leading >= length as isize || lines == 1)
        };
        let (row, column) = (matrix.row_stride, matrix.column_stride);
        if row < 0 || column < 0 || !(fits(column, row, columns, rows) || fits(row, column, rows, columns)) {
            return self.core.violation("gemm", format!("{rows} x {columns} matrix has strides {row} and {column}"));
        }
        let reach = (rows - 1) as isize * row + (columns - 1) as isize * column + 1;
        let last = (batch - 1) as isize * matrix.batch_stride;
        let size = dtype.size() as isize;
        let start = matrix.ptr.wrapping_add_signed((last.min(0) * size) as i64);
        self.core.check_range("gemm", start, ((reach + last.abs()) * size) as usize)
    }
}

impl Blas for Recorded {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        let stream = self.core.stream("gemm", stream)?;
        self.check_matrix(&gemm.a, gemm.m, gemm.k, gemm.batch, gemm.dtype)?;
        self.check_matrix(&gemm.b, gemm.k, gemm.n, gemm.batch, gemm.dtype)?;
        self.check_matrix(&gemm.c, gemm.m, gemm.n, gemm.batch, gemm.dtype)?;
        if gemm.alpha.dtype != gemm.dtype || gemm.beta.dtype != gemm.dtype {
            return self.core.violation("gemm", "alpha or beta is not of the operands' type".to_owned());
        }
        self.core.record(stream, Call::Gemm { dtype: gemm.dtype, shape: [gemm.m, gemm.n, gemm.k, gemm.batch] });
        Ok(())
    }
}

impl Sorting for Recorded {
    fn scratch_bytes(&self, _sort: &Sort) -> usize {
        SORT_SCRATCH
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        let stream = self.core.stream("sort", stream)?;
        let count = sort.rows * sort.length;
        self.core.check_range("sort", sort.keys, count * sort.dtype.size())?;
        for (ptr, size) in [(sort.sorted, sort.dtype.size()), (sort.indices, 8)] {
            if ptr != 0 {
                self.core.check_range("sort", ptr, count * size)?;
            }
        }
        self.core.check_range("sort", sort.scratch, SORT_SCRATCH)?;
        self.core.record(stream, Call::Sort { dtype: sort.dtype, shape: [sort.rows, sort.length] });
        Ok(())
    }
}

impl Rng for Recorded {
    unsafe fn philox(&self, stream: &dyn Stream, _key: [u32; 2], first: u64, count: usize, out: u64) -> Result<()> {
        let stream = self.core.stream("philox", stream)?;
        self.core.check_range("philox", out, count * 16)?;
        self.core.record(stream, Call::Words { first, blocks: count });
        Ok(())
    }
}
