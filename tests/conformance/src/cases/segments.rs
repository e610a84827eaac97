//! Folds of ranges: short and long ones, empty ones, ranges beyond the ends, with gathers and with several columns.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode, Segments, Var};

use crate::case::{Case, bytes, contiguous};
use crate::interpreter::Number;
use crate::samples::{self, Random};
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        let wide = wide(dtype);
        for (number, lengths) in lengths().into_iter().enumerate() {
            let offsets = if number % 2 == 0 { DType::I32 } else { DType::I64 };
            cases.push(sums(&format!("sum_{dtype}_{number}"), dtype, wide, offsets, &lengths));
        }
        cases.push(sums(&format!("sum_{dtype}"), dtype, wide, DType::I64, &lengths()[1]).unaligned());
    }
    for dtype in [DType::F64, DType::F32, DType::C64, DType::I64] {
        cases.extend([product(dtype), dense_product(dtype, 5), dense_product(dtype, 33), columns(dtype, 300, 20)]);
    }
    cases.extend([columns(DType::F64, 2000, 200), giant(), extremes(), last_element(), anywhere(), batches()]);
    cases
}

/// The type in which sums of small numbers of a type are exact.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
        DType::U8 | DType::U16 | DType::U32 => DType::U64,
        DType::F16 | DType::BF16 | DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// Lengths of segments: some empty, short ones, some that are cut into parts, a few among many.
fn lengths() -> Vec<Vec<usize>> {
    let mut random = Random::new(7);
    let mut many: Vec<usize> = (0..900).map(|_| random.below(9)).collect();
    many[400] = 6000;
    many[401] = 65;
    many[899] = 64;
    vec![vec![0], vec![0, 3, 1, 0, 17, 64, 65, 257, 1000, 0], many, vec![5000, 4096, 9001], vec![1; 300]]
}

fn offsets(lengths: &[usize]) -> Vec<usize> {
    let mut all = vec![0];
    lengths.iter().for_each(|length| all.push(all[all.len() - 1] + length));
    all
}

fn integers(values: &[usize]) -> Vec<Number> {
    values.iter().map(|&value| Number::Int(value as i128)).collect()
}

fn add<'b>(b: &'b Builder, dtype: DType, map: impl FnOnce() -> Var<'b>, store: impl FnOnce(Var<'b>)) -> Fold {
    Fold {
        identity: b.lambda(&[], |_| vec![b.integer(dtype, 0)]),
        map: b.lambda(&[], |_| vec![map()]),
        combine: b.lambda(&[dtype, dtype], |v| vec![v[0].binary(Binary::Add, v[1])]),
        finish: b.lambda(&[dtype], |v| {
            store(v[0]);
            vec![]
        }),
    }
}

/// The operands of offsets: both bounds of a segment are read from one buffer.
fn with_offsets(case: Case, dtype: DType, values: &[Number], strides: &[isize]) -> Case {
    let content = bytes(dtype, values);
    case.operand(content.clone(), 0, strides).operand(content, dtype.size(), strides)
}

/// The sum of each segment, times the number of its elements.
fn sums(name: &str, dtype: DType, wide: DType, offset: DType, lengths: &[usize]) -> Case {
    let b = Builder::new(name.to_owned());
    let bounds = [0; 2].map(|_| b.operand(offset, Mode::Read));
    let (input, output) = (b.operand(dtype, Mode::Read), b.operand(wide, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound).cast(DType::I64)).to_vec());
    let fold = add(&b, wide, || b.load(input).cast(wide), |_| ());
    let fold = Fold {
        finish: b.lambda(&[wide], |v| {
            let count = b.var(range.results[1]) - b.var(range.results[0]);
            b.store(output, v[0] * count.cast(wide));
            vec![]
        }),
        ..fold
    };
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let total: usize = lengths.iter().sum();
    let stride = [offset.size() as isize];
    let case = Case::new(name, kernel, Tolerance::EXACT_VALUE).outer(&[lengths.len()]).inner(&[total]);
    with_offsets(case, offset, &integers(&offsets(lengths)), &stride)
        .operand(bytes(dtype, &samples::small(dtype, total)), 0, &[0, dtype.size() as isize])
        .operand(vec![0; lengths.len() * wide.size()], 0, &[wide.size() as isize])
}

/// A sparse matrix in rows, as it is multiplied with vectors.
fn matrix() -> (Vec<usize>, Vec<Number>, usize) {
    let lengths: Vec<usize> = lengths().swap_remove(2).into_iter().take(500).collect();
    let total: usize = lengths.iter().sum();
    let mut random = Random::new(11);
    (lengths, (0..total).map(|_| Number::Int(random.below(70) as i128)).collect(), total)
}

/// A sparse matrix times a vector, whose elements are gathered.
fn product(dtype: DType) -> Case {
    let name = format!("product_{dtype}");
    let (lengths, places, total) = matrix();
    let kernel = product_kernel(&name, dtype);
    let case = Case::new(name, kernel, Tolerance::EXACT_VALUE).outer(&[lengths.len()]).inner(&[total]);
    let size = dtype.size() as isize;
    with_offsets(case, DType::I32, &integers(&offsets(&lengths)), &[4])
        .operand(bytes(DType::I32, &places), 0, &[0, 4])
        .operand(bytes(dtype, &samples::small(dtype, total)), 0, &[0, size])
        .operand(bytes(dtype, &samples::small(dtype, 70)), 0, &[0, 0])
        .operand(vec![0; lengths.len() * wide(dtype).size()], 0, &[wide(dtype).size() as isize])
        .scalars(&[cuproxide_hal::Scalar::i64(dtype.size() as i64)])
}

fn product_kernel(name: &str, dtype: DType) -> Kernel {
    let b = Builder::new(name.to_owned());
    let wide = wide(dtype);
    let bounds = [0; 2].map(|_| b.operand(DType::I32, Mode::Read));
    let place = b.operand(DType::I32, Mode::Read);
    let (data, vector, output) =
        (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read), b.operand(wide, Mode::Write));
    b.block(|| _ = b.scalar(DType::I64));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound).cast(DType::I64)).to_vec());
    let map = || {
        let offset = b.load(place).cast(DType::I64) * b.scalar_ref(0);
        b.load(data).cast(wide) * b.load_at(vector, offset).cast(wide)
    };
    let fold = add(&b, wide, map, |sum| b.store(output, sum));
    b.finish(Body::Segments(Segments { range, fold }))
}

/// A sparse matrix times a dense one: neighbours share a range.
fn dense_product(dtype: DType, width: usize) -> Case {
    let name = format!("product_{dtype}_{width}");
    let (lengths, places, total) = matrix();
    let kernel = product_kernel(&name, dtype);
    let (size, wide) = (dtype.size() as isize, wide(dtype));
    let case = Case::new(name, kernel, Tolerance::EXACT_VALUE).outer(&[lengths.len(), width]).inner(&[total]);
    with_offsets(case, DType::I32, &integers(&offsets(&lengths)), &[4, 0])
        .operand(bytes(DType::I32, &places), 0, &[0, 0, 4])
        .operand(bytes(dtype, &samples::small(dtype, total)), 0, &[0, 0, size])
        .operand(bytes(dtype, &samples::small(dtype, 70 * width)), 0, &[0, size, 0])
        .operand(vec![0; lengths.len() * width * wide.size()], 0, &contiguous(wide, &[lengths.len(), width])[..2])
        .scalars(&[cuproxide_hal::Scalar::i64((dtype.size() * width) as i64)])
}

/// Segments of rows of a matrix, summed for each column.
fn columns(dtype: DType, rows: usize, width: usize) -> Case {
    let name = format!("columns_{dtype}_{width}");
    let b = Builder::new(name.clone());
    let wide = wide(dtype);
    let bounds = [0; 2].map(|_| b.operand(DType::I64, Mode::Read));
    let (input, output) = (b.operand(dtype, Mode::Read), b.operand(wide, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound)).to_vec());
    let fold = add(&b, wide, || b.load(input).cast(wide), |sum| b.store(output, sum));
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let mut lengths = vec![0, 1, 0, 7, 30];
    lengths.push(rows - lengths.iter().sum::<usize>());
    let size = dtype.size() as isize;
    let case = Case::new(name, kernel, Tolerance::EXACT_VALUE).outer(&[lengths.len(), width]).inner(&[rows]);
    with_offsets(case, DType::I64, &integers(&offsets(&lengths)), &[8, 0])
        .operand(bytes(dtype, &samples::small(dtype, rows * width)), 0, &[0, size, size * width as isize])
        .operand(vec![0; lengths.len() * width * wide.size()], 0, &contiguous(wide, &[lengths.len(), width])[..2])
}

/// One segment that several tasks share, between short ones.
fn giant() -> Case {
    sums("giant", DType::I32, DType::I64, DType::I32, &[3, 300_001, 2, 0])
}

/// Two accumulators, which depend on each other and on the position: the extremes and where the largest is within its
/// segment; several results.
fn extremes() -> Case {
    let b = Builder::new("extremes");
    let bounds = [0; 2].map(|_| b.operand(DType::I64, Mode::Read));
    let input = b.operand(DType::I32, Mode::Read);
    let outputs = [DType::I32, DType::I64, DType::I32].map(|dtype| b.operand(dtype, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound)).to_vec());
    let types = [DType::I32, DType::I64, DType::I32];
    let fold = Fold {
        identity: b.lambda(&[], |_| {
            let least = i128::from(i32::MIN);
            vec![b.integer(DType::I32, least), b.integer(DType::I64, -1), b.integer(DType::I32, -1 - least)]
        }),
        map: b.lambda(&[], |_| {
            let x = b.load(input);
            vec![x, b.index() - b.var(range.results[0]), x]
        }),
        combine: b.lambda(&[types, types].concat(), |v| {
            let none = v[1].lt(v[1].like_integer(0));
            let later = v[4].ge(v[4].like_integer(0)) & (none | v[3].gt(v[0]));
            vec![v[3].when(later, v[0]), v[4].when(later, v[1]), v[2].min(v[5])]
        }),
        finish: b.lambda(&types, |v| {
            outputs.iter().zip(v).for_each(|(&output, &value)| b.store(output, value));
            vec![]
        }),
    };
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let lengths = lengths().swap_remove(2);
    let total: usize = lengths.iter().sum();
    let case = Case::new("extremes", kernel, Tolerance::EXACT).outer(&[lengths.len()]).inner(&[total]);
    let count = lengths.len();
    with_offsets(case, DType::I64, &integers(&offsets(&lengths)), &[8])
        .operand(bytes(DType::I32, &samples::small(DType::I32, total)), 0, &[0, 4])
        .operand(vec![0; count * 4], 0, &[4])
        .operand(vec![0; count * 8], 0, &[8])
        .operand(vec![0; count * 4], 0, &[4])
}

/// A fold that depends on the order: the last element, of segments with a branch in their map.
fn last_element() -> Case {
    let b = Builder::new("last_element");
    let bounds = [0; 2].map(|_| b.operand(DType::I32, Mode::Read));
    let (input, output) = (b.operand(DType::I16, Mode::Read), b.operand(DType::I16, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound).cast(DType::I64)).to_vec());
    let types = [DType::I16, DType::Bool];
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(DType::I16, -7), b.boolean(false)]),
        map: b.lambda(&[], |_| {
            let x = b.load(input);
            let found = b.local(b.boolean(true));
            b.branch((x & x.like_integer(3)).eq(x.like_integer(3)), || found.set(b.boolean(false)), || ());
            vec![x, found.get()]
        }),
        combine: b.lambda(&[types, types].concat(), |v| vec![v[2].when(v[3], v[0]), v[1] | v[3]]),
        finish: b.lambda(&types, |v| {
            b.store(output, v[0]);
            vec![]
        }),
    };
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let lengths = lengths().swap_remove(1);
    let total: usize = lengths.iter().sum();
    let case = Case::new("last_element", kernel, Tolerance::EXACT).outer(&[lengths.len()]).inner(&[total]);
    with_offsets(case, DType::I32, &integers(&offsets(&lengths)), &[4])
        .operand(bytes(DType::I16, &samples::small(DType::I16, total)), 0, &[0, 2])
        .operand(vec![0; lengths.len() * 2], 0, &[2])
}

/// Ranges that overlap, go backwards or leave the inner space, read at computed places and from the position.
fn anywhere() -> Case {
    let b = Builder::new("anywhere");
    let bounds = b.operand(DType::I64, Mode::Read);
    let (input, output) = (b.operand(DType::I64, Mode::Read), b.operand(DType::I64, Mode::Write));
    let count = b.operand(DType::I64, Mode::Write);
    let range = b.lambda(&[], |_| {
        let end = b.load_at(bounds, b.integer(DType::I64, 8));
        vec![b.load(bounds), end + b.outer_index()]
    });
    let fold = add(&b, DType::I64, || b.load(input) + b.index(), |_| ());
    let fold = Fold {
        finish: b.lambda(&[DType::I64], |v| {
            b.store(output, v[0]);
            b.store(count, b.var(range.results[1]) - b.var(range.results[0]));
            vec![]
        }),
        ..fold
    };
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let bounds = [5, 3, 90, -4, 2, 10_000, 40, i64::MIN, 30, i64::MAX - 50, 99, 0, 100, 100, 17];
    let numbers: Vec<Number> = bounds.iter().map(|&bound| Number::Int(bound.into())).collect();
    let count = numbers.len() - 1;
    Case::new("anywhere", kernel, Tolerance::EXACT)
        .outer(&[count])
        .inner(&[100])
        .operand(bytes(DType::I64, &numbers), 0, &[8])
        .operand(bytes(DType::I64, &samples::small(DType::I64, 100)), 0, &[0, 8])
        .operand(vec![0; count * 8], 0, &[8])
        .operand(vec![0; count * 8], 0, &[8])
}

/// A batch of matrices whose rows are cut alike: ranges that repeat along the slowest dimension.
fn batches() -> Case {
    let b = Builder::new("batches");
    let bounds = [0; 2].map(|_| b.operand(DType::I32, Mode::Read));
    let (input, output) = (b.operand(DType::F32, Mode::Read), b.operand(DType::F32, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound).cast(DType::I64)).to_vec());
    let fold = add(&b, DType::F64, || b.load(input).cast(DType::F64), |sum| b.store(output, sum.cast(DType::F32)));
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let lengths = [0, 3, 100, 20, 1];
    let total: usize = lengths.iter().sum();
    let case = Case::new("batches", kernel, Tolerance::EXACT_VALUE).outer(&[7, 5]).inner(&[total]);
    with_offsets(case, DType::I32, &integers(&offsets(&lengths)), &[0, 4])
        .operand(bytes(DType::F32, &samples::small(DType::F32, 7 * total)), 0, &[4 * total as isize, 0, 4])
        .operand(vec![0; 35 * 4], 0, &[20, 4])
}
