//! Matrix products as the vendors' libraries take them: column by column.

use cuproxide_hal::libraries::{Gemm, Matrix};
use cuproxide_hal::{DType, Scalar};

/// A matrix as a library sees it: contiguous columns, or the transpose of such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Address of the first element.
    pub ptr: u64,
    /// Whether the library has to transpose what lies there.
    pub transposed: bool,
    /// Elements from one column to the next.
    pub leading: i64,
    /// Elements from one matrix of the stack to the next.
    pub step: i64,
}

/// A product in the library's order of arguments: `m` x `k` times `k` x `n`, all by columns.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Rows of the result.
    pub m: i64,
    /// Columns of the result.
    pub n: i64,
    /// What is summed over, at least 1.
    pub k: i64,
    /// Number of products.
    pub batch: i64,
    /// Left operand.
    pub a: View,
    /// Right operand.
    pub b: View,
    /// Result, never transposed.
    pub c: View,
    /// Factor of the product.
    pub alpha: Scalar,
    /// Factor of the old result.
    pub beta: Scalar,
}

/// Whether and how far apart rows are contiguous: column-major libraries then see the transpose. `true` where columns are.
fn view(matrix: &Matrix, rows: usize, columns: usize) -> (bool, i64) {
    let by_rows = (matrix.column_stride == 1 || columns == 1) && (rows == 1 || matrix.row_stride >= columns as isize);
    if by_rows {
        let leading = if rows == 1 { columns as i64 } else { matrix.row_stride as i64 };
        (false, leading.max(1))
    } else {
        let leading = if columns == 1 { rows as i64 } else { matrix.column_stride as i64 };
        (true, leading.max(1))
    }
}

fn transposed(matrix: Matrix) -> Matrix {
    Matrix { row_stride: matrix.column_stride, column_stride: matrix.row_stride, ..matrix }
}

impl Product {
    /// A product as a library takes it, with factors of the given type; `None` if there is nothing to compute.
    pub fn of(gemm: &Gemm, factor: DType) -> Option<Product> {
        let Gemm { mut m, mut n, k, batch, mut a, mut b, mut c, .. } = *gemm;
        if m == 0 || n == 0 || batch == 0 {
            return None;
        }
        let convert = |scalar: Scalar| {
            let (re, im) = scalar.to_complex();
            Scalar::complex(factor, re, im)
        };
        let (mut alpha, beta) = (convert(gemm.alpha), convert(gemm.beta));
        // Libraries write column-major results: c is one as it stands, or its transpose is.
        if view(&c, m, n).0 {
            (a, b, c) = (transposed(b), transposed(a), transposed(c));
            (m, n) = (n, m);
        }
        let mut depth = k;
        if k == 0 {
            // A product that is scaled by zero is not read, so any address does.
            depth = 1;
            alpha = Scalar::complex(factor, 0.0, 0.0);
            a = Matrix { ptr: c.ptr, row_stride: 1, column_stride: m as isize, batch_stride: 0 };
            b = Matrix { ptr: c.ptr, row_stride: n as isize, column_stride: 1, batch_stride: 0 };
        }
        let seen = |matrix: Matrix, rows, columns| {
            let (transposed, leading) = view(&matrix, rows, columns);
            View { ptr: matrix.ptr, transposed, leading, step: matrix.batch_stride as i64 }
        };
        // By columns the transpose of the product is computed, so the operands change places.
        Some(Product {
            m: n as i64,
            n: m as i64,
            k: depth as i64,
            batch: batch as i64,
            a: seen(b, depth, n),
            b: seen(a, m, depth),
            c: seen(c, m, n),
            alpha,
            beta,
        })
    }
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::libraries::ComputeType;

    use super::*;

    /// What a library that counts by columns reads at a place of an operand.
    fn at(data: &[f64], view: View, row: i64, column: i64) -> f64 {
        let (row, column) = if view.transposed { (column, row) } else { (row, column) };
        data[(view.ptr as i64 + row + column * view.leading) as usize]
    }

    #[test]
    fn every_layout_is_the_product_it_stands_for() {
        let (m, n) = (5usize, 7usize);
        for k in [0usize, 1, 4] {
            for layout in 0..8 {
                let matrix = |ptr: u64, rows: usize, columns: usize, by_columns: bool| Matrix {
                    ptr,
                    row_stride: if by_columns { 1 } else { columns.max(1) as isize },
                    column_stride: if by_columns { rows.max(1) as isize } else { 1 },
                    batch_stride: 0,
                };
                let a = matrix(0, m, k, layout & 1 > 0);
                let b = matrix(100, k, n, layout & 2 > 0);
                let c = matrix(200, m, n, layout & 4 > 0);
                let mut data: Vec<f64> = (0..300).map(|i| f64::from(i * 7 % 11) - 5.0).collect();
                let before = data.clone();
                let (alpha, beta) = (Scalar::real(DType::F64, 2.0), Scalar::real(DType::F64, -1.0));
                let (dtype, compute, batch) = (DType::F64, ComputeType::Default, 1);
                let gemm = Gemm { dtype, compute, m, n, k, batch, a, b, c, alpha, beta };
                let product = Product::of(&gemm, DType::F64).expect("something to compute");
                assert!(!product.c.transposed, "libraries write by columns only");
                let factors = (product.alpha.to_complex().0, product.beta.to_complex().0);
                for (row, column) in (0..product.m).flat_map(|row| (0..product.n).map(move |column| (row, column))) {
                    let sum: f64 = (0..product.k)
                        .map(|l| at(&before, product.a, row, l) * at(&before, product.b, l, column))
                        .sum();
                    let place = (product.c.ptr as i64 + row + column * product.c.leading) as usize;
                    data[place] = factors.0 * sum + factors.1 * before[place];
                }
                let place = |matrix: &Matrix, row: usize, column: usize| {
                    matrix.ptr as usize + row * matrix.row_stride as usize + column * matrix.column_stride as usize
                };
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let sum: f64 = (0..k).map(|l| before[place(&a, i, l)] * before[place(&b, l, j)]).sum();
                    let wanted = 2.0 * sum - before[place(&c, i, j)];
                    assert_eq!(data[place(&c, i, j)], wanted, "k {k} layout {layout} at {i} {j}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_nothing() {
        let matrix = Matrix { ptr: 0, row_stride: 1, column_stride: 1, batch_stride: 0 };
        let one = Scalar::real(DType::F32, 1.0);
        let (dtype, compute) = (DType::F32, ComputeType::Default);
        for (m, n, batch) in [(0, 3, 1), (3, 0, 1), (3, 3, 0)] {
            let (a, b, c) = (matrix, matrix, matrix);
            let gemm = Gemm { dtype, compute, m, n, k: 2, batch, a, b, c, alpha: one, beta: one };
            assert!(Product::of(&gemm, DType::F32).is_none());
        }
    }
}
