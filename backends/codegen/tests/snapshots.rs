//! The generated text of a handful of kernels, compared with files under `tests/snapshots`. The hand-written parts are
//! left out. `CUPROXIDE_UPDATE_SNAPSHOTS=1 cargo test` rewrites the files.

use std::path::PathBuf;

use cuproxide_codegen::samples::{normalised, segments};
use cuproxide_codegen::{CHOICE, Dialect, LIBRARY, Program};
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Grouping, Kernel, Mode, Var};
use cuproxide_hal::{DType, Launch, Operand, Scalar, Specialization};
use cuproxide_kernels_cuda::DIALECT;

const WRITTEN_BY_HAND: [(&str, &str); 21] = [
    ("prelude", DIALECT.prelude),
    ("atomics", DIALECT.atomics),
    ("logarithm", DIALECT.logarithm),
    ("common.h", include_str!("../src/skeletons/common.h")),
    ("map.h", include_str!("../src/skeletons/map.h")),
    ("shuffle.h", include_str!("../src/skeletons/shuffle.h")),
    ("teams.h", include_str!("../src/skeletons/teams.h")),
    ("fold.h", include_str!("../src/skeletons/fold.h")),
    ("fold_row.h", include_str!("../src/skeletons/fold_row.h")),
    ("fold_columns.h", include_str!("../src/skeletons/fold_columns.h")),
    ("places.h", include_str!("../src/skeletons/places.h")),
    ("place_row.h", include_str!("../src/skeletons/place_row.h")),
    ("place_columns.h", include_str!("../src/skeletons/place_columns.h")),
    ("segments.h", include_str!("../src/skeletons/segments.h")),
    ("reduce_rows.h", include_str!("../src/skeletons/reduce_rows.h")),
    ("reduce_columns.h", include_str!("../src/skeletons/reduce_columns.h")),
    ("rows.h", include_str!("../src/skeletons/rows.h")),
    ("combine.h", include_str!("../src/skeletons/combine.h")),
    ("scan_rows.h", include_str!("../src/skeletons/scan_rows.h")),
    ("scan_columns.h", include_str!("../src/skeletons/scan_columns.h")),
    ("scan_offsets.h", include_str!("../src/skeletons/scan_offsets.h")),
];

/// An array for the specialisation: an aligned address and strides in elements.
struct Array(DType, &'static [isize]);

fn program(kernel: &Kernel, outer: &[usize], inner: &[usize], arrays: &[Array]) -> Program {
    program_at(4096, kernel, outer, inner, arrays)
}

/// The program for arrays of which the first one begins at an address.
fn program_at(first: u64, kernel: &Kernel, outer: &[usize], inner: &[usize], arrays: &[Array]) -> Program {
    kernel.validate().expect("a valid kernel");
    let operands: Vec<Operand> = arrays
        .iter()
        .enumerate()
        .map(|(position, Array(dtype, strides))| {
            let mut operand = Operand { ptr: if position == 0 { first } else { 4096 }, strides: [0; 8] };
            for (to, stride) in operand.strides.iter_mut().zip(*strides) {
                *to = stride * dtype.size() as isize;
            }
            operand
        })
        .collect();
    let scalars: Vec<Scalar> = kernel.scalars.iter().map(|&dtype| Scalar::real(dtype, 1.0)).collect();
    let launch = Launch { outer, inner, operands: &operands, scalars: &scalars, scratch: 0 };
    let dialect: Dialect = DIALECT;
    Program::new(kernel, Specialization::of(kernel, &launch), &dialect).expect("a program")
}

fn check(name: &str, program: &Program) {
    let mut text = program.text().to_owned();
    for (part, source) in WRITTEN_BY_HAND {
        text = text.replace(source, &format!("// <{part}>\n"));
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.cu"));
    if cuproxide_hal::settings::UPDATE_SNAPSHOTS.is_on() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of the snapshots");
        std::fs::write(&path, &text).expect("a writable snapshot");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, wanted, "{} differs; set CUPROXIDE_UPDATE_SNAPSHOTS=1 to accept", path.display());
}

fn add(dtype: DType) -> Kernel {
    let b = Builder::new(format!("add_{dtype}"));
    let (x, y) = (b.input(dtype), b.input(dtype));
    b.output(dtype, x + y);
    b.finish_map()
}

fn sum(dtype: DType) -> Kernel {
    let b = Builder::new(format!("sum_{dtype}"));
    let input = b.operand(dtype, Mode::Read);
    let output = b.operand(dtype, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, 0.0)]),
        map: b.lambda(&[], |_| vec![b.load(input)]),
        combine: b.lambda(&[dtype, dtype], |p| vec![p[0] + p[1]]),
        finish: b.lambda(&[dtype], |p| {
            b.store(output, p[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

#[test]
fn contiguous_add() {
    use DType::F32;
    check(
        "add_float32_contiguous",
        &program(&add(F32), &[1000], &[], &[Array(F32, &[1]), Array(F32, &[1]), Array(F32, &[1])]),
    );
}

#[test]
fn add_at_any_address() {
    use DType::F32;
    let mut operand = Operand { ptr: 4097, strides: [0; 8] };
    operand.strides[0] = 4;
    let kernel = add(F32);
    let launch = Launch { outer: &[1000], inner: &[], operands: &[operand; 3], scalars: &[], scratch: 0 };
    let version = Specialization::of(&kernel, &launch);
    assert!(version.unaligned() && !version.aligned());
    check("add_float32_unaligned", &Program::new(&kernel, version, &DIALECT).expect("a program"));
}

#[test]
fn broadcast_add_of_complex() {
    use DType::C64;
    let arrays = [Array(C64, &[16, 1]), Array(C64, &[1, 0]), Array(C64, &[16, 1])];
    check("add_complex64_broadcast", &program(&add(C64), &[10, 16], &[], &arrays));
}

#[test]
fn transposed_add_of_half() {
    use DType::F16;
    let arrays = [Array(F16, &[1, 30]), Array(F16, &[20, 1]), Array(F16, &[20, 1])];
    check("add_float16_transposed", &program(&add(F16), &[30, 20], &[], &arrays));
}

/// Elements of a table summed up to a length, where a mask says so.
fn sums_of_a_table() -> Kernel {
    use DType::{Bool, F32, I64};
    let b = Builder::new("sums_of_a_table");
    let mask = b.input(Bool);
    let table = b.operand(F32, Mode::Read);
    let (length, sum, at) = (b.scalar(I64), b.local(b.real(F32, 0.0)), b.local(b.integer(I64, 0)));
    b.repeat(
        || mask & at.get().lt(length),
        || {
            sum.set(sum.get() + b.load_at(table, at.get()));
            at.set(at.get() + b.integer(I64, 1));
        },
    );
    b.output(F32, sum.get());
    b.finish_map()
}

#[test]
fn a_loop_that_gathers_takes_one_point_a_thread() {
    use DType::{Bool, F32};
    let has = |program: &Program, line: &str| program.text().lines().any(|other| other == line);
    let arrays = [Array(Bool, &[1]), Array(F32, &[0]), Array(F32, &[1])];
    let alone = program(&sums_of_a_table(), &[1000], &[], &arrays);
    assert!(has(&alone, "#define WIDTH 1") && has(&alone, "#define UNROLL 1"), "{}", alone.text());
    let straight = program(&add(F32), &[1000], &[], &[Array(F32, &[1]), Array(F32, &[1]), Array(F32, &[1])]);
    assert!(has(&straight, "#define WIDTH 4"), "{}", straight.text());
    assert!(has(&alone, CHOICE) && has(&straight, CHOICE));
}

#[test]
fn scaled_integer_arithmetic() {
    use DType::I8;
    let b = Builder::new("wrap");
    let x = b.input(I8);
    let s = b.scalar(I8);
    b.output(I8, (x * s - x).binary(Binary::Shr, b.integer(I8, 2)));
    let kernel = b.finish_map();
    check("wrap_int8", &program(&kernel, &[4096], &[], &[Array(I8, &[1]), Array(I8, &[1])]));
}

#[test]
fn sum_of_rows_and_columns() {
    use DType::F32;
    let rows = program(&sum(F32), &[100], &[1024], &[Array(F32, &[1024, 1]), Array(F32, &[1, 0])]);
    check("sum_float32_rows", &rows);
    let columns = program(&sum(F32), &[1024], &[100], &[Array(F32, &[1, 1024]), Array(F32, &[1, 0])]);
    check("sum_float32_columns", &columns);
}

/// The lines of a program that decide how a fold groups its elements.
fn grouping(program: &Program) -> Vec<String> {
    let decides = |line: &&str| {
        ["WIDTH", "VECTOR", "UNROLL", "LANES"].iter().any(|name| line.contains(&format!("#define {name} ")))
    };
    program.text().lines().filter(decides).map(str::to_owned).collect()
}

/// A fold that computes its elements must start as many partial results as one of stored elements, or a product of
/// complex numbers, which is not the same after another factor of 1, differs.
#[test]
fn computed_elements_are_grouped_like_stored_ones() {
    use DType::C64;
    let stored = sum(C64);
    let computed = Kernel { grouped_as: Some(Grouping { element: C64, accumulators: 1 }), ..stored.clone() };
    let cut = |kernel: &Kernel, outer: &[usize], inner: &[usize], strides: &'static [isize]| -> Vec<String> {
        let kept = if outer.is_empty() { &[0, 0][..] } else { &[1, 0] };
        grouping(&program(kernel, outer, inner, &[Array(C64, strides), Array(C64, kept)]))
    };
    let spaces: [(&[usize], &[usize], &[isize]); 5] = [
        (&[], &[1], &[0]),
        (&[7], &[1], &[1, 0]),
        (&[], &[1000], &[1]),
        (&[7], &[100], &[100, 1]),
        (&[100], &[7], &[1, 100]),
    ];
    for (outer, inner, strides) in spaces {
        let lines = cut(&stored, outer, inner, strides);
        assert_eq!(lines.len(), 4);
        assert_eq!(cut(&computed, outer, inner, strides), lines, "{outer:?} {inner:?}");
    }
}

/// The sum of elements that a mask selects; its operands are those that are read, the result and the mask.
fn masked_sum(dtype: DType, sources: usize) -> Kernel {
    let b = Builder::new(format!("masked_sum_{dtype}"));
    let read: Vec<_> = (0..sources).map(|_| b.operand(dtype, Mode::Read)).collect();
    let (target, mask) = (b.operand(dtype, Mode::Write), b.operand(DType::Bool, Mode::Read));
    if sources > 1 {
        b.group_as(Grouping { element: dtype, accumulators: 1 });
    }
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(dtype, 0)]),
        map: b.lambda(&[], |_| {
            let value = read.iter().map(|&operand| b.load(operand)).reduce(|x, y| x * y).expect("an operand");
            vec![b.select(b.load(mask), value, b.integer(dtype, 0))]
        }),
        combine: b.lambda(&[dtype, dtype], |v| vec![v[0] + v[1]]),
        finish: b.lambda(&[dtype], |v| {
            b.store(target, v[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

/// A mask is read beside elements: packs are as wide as both allow, whether elements are stored or computed.
#[test]
fn masked_elements_are_grouped_alike() {
    use DType::Bool;
    for dtype in [DType::F32, DType::F64] {
        let (stored, computed) = (masked_sum(dtype, 1), masked_sum(dtype, 2));
        let spaces: [(&[usize], &[usize], [&'static [isize]; 2]); 4] = [
            (&[], &[1000], [&[1], &[1]]),
            (&[7], &[96], [&[96, 1], &[99, 1]]),
            (&[7], &[101], [&[101, 1], &[104, 1]]),
            (&[96], &[7], [&[1, 96], &[1, 100]]),
        ];
        for (outer, inner, [dense, part]) in spaces {
            let kept: &'static [isize] = if outer.is_empty() { &[0] } else { &[1, 0] };
            for mask in [dense, &[0, 0][..dense.len()]] {
                let beside = || [Array(dtype, kept), Array(Bool, mask)];
                let one: Vec<Array> = [Array(dtype, dense)].into_iter().chain(beside()).collect();
                let two: Vec<Array> = [Array(dtype, part), Array(dtype, dense)].into_iter().chain(beside()).collect();
                let wanted = grouping(&program(&stored, outer, inner, &one));
                let shifted = 4096 + dtype.size() as u64;
                let found = grouping(&program_at(shifted, &computed, outer, inner, &two));
                assert_eq!(found, wanted, "{dtype} {outer:?} {inner:?}");
            }
        }
    }
}

/// What a fold is computed from may begin at any element, and its lines, too: the shape says how stored elements would lie.
#[test]
fn shifted_elements_are_grouped_like_stored_ones() {
    use DType::F32;
    let stored = sum(F32);
    let computed = Kernel { grouped_as: Some(Grouping { element: F32, accumulators: 1 }), ..stored.clone() };
    // Stored elements, and parts of larger arrays.
    let spaces: [(&[usize], &[usize], [&'static [isize]; 2]); 5] = [
        (&[], &[1000], [&[1], &[1]]),
        (&[7], &[100], [&[100, 1], &[103, 1]]),
        (&[7], &[101], [&[101, 1], &[104, 1]]),
        (&[100], &[7], [&[1, 100], &[1, 102]]),
        (&[99], &[7], [&[1, 99], &[1, 100]]),
    ];
    for (outer, inner, [dense, part]) in spaces {
        let kept = if outer.is_empty() { &[0, 0][..] } else { &[1, 0] };
        let wanted = grouping(&program(&stored, outer, inner, &[Array(F32, dense), Array(F32, kept)]));
        for first in [4096, 4100, 4108] {
            let program = program_at(first, &computed, outer, inner, &[Array(F32, part), Array(F32, kept)]);
            assert_eq!(grouping(&program), wanted, "{outer:?} {inner:?} {first}");
        }
    }
    let shifted = program_at(4100, &computed, &[], &[1000], &[Array(F32, &[1]), Array(F32, &[0])]);
    assert!(shifted.text().contains("pack.at[v] = ((f32 const*)"), "{}", shifted.text());
}

#[test]
fn position_of_the_maximum() {
    use DType::{F64, I64};
    let b = Builder::new("argmax_float64");
    let input = b.operand(F64, Mode::Read);
    let output = b.operand(I64, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(F64, f64::NEG_INFINITY), b.integer(I64, 0)]),
        map: b.lambda(&[], |_| vec![b.load(input), b.index()]),
        combine: b.lambda(&[F64, I64, F64, I64], |p| {
            let later = p[2].gt(p[0]);
            vec![p[2].when(later, p[0]), p[3].when(later, p[1])]
        }),
        finish: b.lambda(&[F64, I64], |p| {
            b.store(output, p[1]);
            vec![]
        }),
    };
    let kernel = b.finish(Body::Reduce(fold));
    check("argmax_float64", &program(&kernel, &[], &[100_000], &[Array(F64, &[1]), Array(I64, &[0])]));
}

/// The loop over all elements widens halves as the hardware does and compares values alone.
#[test]
fn position_of_the_first_maximum_of_halves() {
    use DType::{F16, F32, I64};
    let b = Builder::new("first_argmax_float16");
    let input = b.operand(F16, Mode::Read);
    let output = b.operand(I64, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(F32, f64::NEG_INFINITY), b.integer(I64, i64::MAX.into())]),
        map: b.lambda(&[], |_| vec![b.load(input).cast(F32), b.index()]),
        combine: b.lambda(&[F32, I64, F32, I64], |p| {
            let later = p[2].gt(p[0]) | (p[2].eq(p[0]) & p[3].lt(p[1]));
            vec![p[2].when(later, p[0]), p[3].when(later, p[1])]
        }),
        finish: b.lambda(&[F32, I64], |p| {
            b.store(output, p[1]);
            vec![]
        }),
    };
    b.allow_any_order();
    b.find_position();
    let kernel = b.finish(Body::Reduce(fold));
    let rows = program(&kernel, &[], &[100_000], &[Array(F16, &[1]), Array(I64, &[0])]);
    check("first_argmax_float16_rows", &rows);
    let columns = program(&kernel, &[1024], &[100], &[Array(F16, &[1, 1024]), Array(I64, &[1, 0])]);
    check("first_argmax_float16_columns", &columns);
}

/// A NaN keeps its bits where the fold shows them.
#[test]
fn halves_of_folds_are_widened_for_what_uses_them() {
    use DType::{F16, F32};
    let fold = |combine: Binary| {
        let b = Builder::new("fold_float16");
        let (input, output) = (b.operand(F16, Mode::Read), b.operand(F16, Mode::Write));
        let fold = Fold {
            identity: b.lambda(&[], |_| vec![b.real(F32, 0.0)]),
            map: b.lambda(&[], |_| vec![b.load(input).cast(F32)]),
            combine: b.lambda(&[F32, F32], |p| vec![p[0].binary(combine, p[1])]),
            finish: b.lambda(&[F32], |p| {
                b.store(output, p[0].cast(F16));
                vec![]
            }),
        };
        let kernel = b.finish(Body::Reduce(fold));
        program(&kernel, &[], &[100_000], &[Array(F16, &[1]), Array(F16, &[0])]).text().to_owned()
    };
    let generated = |text: &str| text.split("Accumulator map").nth(1).expect("a map").to_owned();
    assert!(generated(&fold(Binary::Add)).contains("= widen_half("));
    assert!(generated(&fold(Binary::Max)).contains("= widen_for_extrema("));
    assert!(generated(&fold(Binary::Copysign)).contains("= half_to_float("));
}

#[test]
fn running_sum() {
    use DType::I64;
    let mut kernel = sum(I64);
    kernel.name = kernel.name.replace("sum", "cumsum");
    if let Body::Reduce(fold) = kernel.body {
        kernel.body = Body::Scan(fold);
    }
    check("cumsum_int64", &program(&kernel, &[10], &[4096], &[Array(I64, &[4096, 1]), Array(I64, &[4096, 1])]));
}

#[test]
fn scatter_with_atomics() {
    use DType::{F32, I64};
    let b = Builder::new("scatter_add");
    let (at, value) = (b.input(I64), b.input(F32));
    let length = b.scalar(I64);
    let target = b.operand(F32, Mode::Update);
    let inside = at.ge(at.like_integer(0)) & at.lt(length);
    b.require(inside, cuproxide_hal::Fault::IndexOutOfBounds);
    let offset = at.when(inside, at.like_integer(0)) * b.integer(I64, 4);
    b.atomic(target, Some(offset), cuproxide_hal::ir::Atomic::Add, value);
    let kernel = b.finish_map();
    check("scatter_add", &program(&kernel, &[1000], &[], &[Array(I64, &[1]), Array(F32, &[1]), Array(F32, &[0])]));
}

#[test]
fn text_is_deterministic() {
    use DType::F32;
    let make = || program(&sum(F32), &[100], &[1024], &[Array(F32, &[1024, 1]), Array(F32, &[1, 0])]);
    assert_eq!(make().text(), make().text());
}

#[test]
fn texts_say_whether_they_call_the_mathematical_library() {
    use DType::F64;
    let unary = |write: fn(Var<'_>) -> Var<'_>| {
        let b = Builder::new("unary");
        let x = b.input(F64);
        b.output(F64, write(x));
        let kernel = b.finish_map();
        program(&kernel, &[1000], &[], &[Array(F64, &[1]), Array(F64, &[1])]).text().contains(LIBRARY)
    };
    assert!(unary(|x| -x.exp()) && unary(|x| x.like(2.0).pow(x)) && unary(|x| x.sin() + x));
    assert!(!unary(|x| x.sqrt() + x) && !unary(|x| -x.floor() / x));
}

#[test]
fn softmax_of_rows() {
    use DType::{F16, F32};
    let rows = [Array(F32, &[1024, 1]), Array(F32, &[1024, 1])];
    check("rows_float32", &program(&normalised(F32), &[100], &[1024], &rows));
    let odd = [Array(F16, &[1001, 1]), Array(F16, &[1001, 1])];
    check("rows_float16_unaligned", &program(&normalised(F16), &[100], &[1001], &odd));
}

/// What yields its operand, as the absolute value of unsigned integers does, makes one value two results.
#[test]
fn a_result_of_rows_may_be_yielded_twice() {
    let rows = [Array(DType::F32, &[1024, 1]), Array(DType::F32, &[1024, 1])];
    let text = |kernel: &Kernel| program(kernel, &[100], &[1024], &rows).text().to_owned();
    let once = normalised(DType::F32);
    let mut twice = once.clone();
    let Body::Rows(parts) = &mut twice.body else { unreachable!("a kernel of rows") };
    let results = &mut parts.folds[0].finish.results;
    results.push(results[0]);
    assert_eq!(text(&once), text(&twice));
}

#[test]
fn sums_of_ranges() {
    use DType::{F32, I32, I64};
    let arrays = [Array(I32, &[1]), Array(I32, &[1]), Array(F32, &[0, 1]), Array(F32, &[1]), Array(I64, &[1])];
    check("segments_float32", &program(&segments(F32), &[100], &[100_000], &arrays));
}

/// A function with several results, branches and an array; a second one that calls it.
#[test]
fn functions_and_arrays() {
    use DType::{C64, F32, I32};
    let b = Builder::new("called");
    let (x, z) = (b.input(F32), b.input(C64));
    let pick = b.function("pick", &[F32, I32], |v| {
        let array = b.array(100, v[0]);
        array.set(v[1], v[0] * v[0]);
        let chosen = b.local(array.at(3));
        b.branch(v[0].gt(v[0].like(1.0)), || chosen.set(array.get(v[1] + v[1])), || ());
        // Long enough to be called.
        let sum = (0..24).fold(chosen.get(), |sum, _| sum + v[0]);
        vec![sum, v[0].ge(v[0].like(0.0))]
    });
    let scaled = b.function("scaled", &[C64, F32], |v| {
        let picked = pick.call(&[v[1], v[1].cast(I32)]);
        let scale = (0..24).fold(picked[0].when(picked[1], v[1]), |scale, _| scale * v[1]);
        vec![v[0] * scale.cast(C64)]
    });
    b.output(C64, scaled.call(&[z, x])[0]);
    b.output(F32, pick.call(&[x, b.integer(I32, 7)])[0]);
    let kernel = b.finish_map();
    let arrays = [Array(F32, &[1]), Array(C64, &[1]), Array(C64, &[1]), Array(F32, &[1])];
    check("functions", &program(&kernel, &[4096], &[], &arrays));
}

/// A polynomial by Horner's rule.
fn polynomial(dtype: DType, terms: usize) -> Program {
    let b = Builder::new("polynomial");
    let x = b.input(dtype);
    let mut sum = b.scalar(dtype);
    for _ in 0..terms {
        sum = sum * x + b.scalar(dtype);
    }
    b.output(dtype, sum);
    program(&b.finish_map(), &[1000], &[], &[Array(dtype, &[1]), Array(dtype, &[1])])
}

#[test]
fn long_chains_in_double_precision_are_interleaved() {
    let has = |program: &Program, line: &str| program.text().lines().any(|found| found == line);
    let long = polynomial(DType::F64, 160);
    assert!(["#define UNROLL 2", "#define BLIND 1", "#define RESIDENT 3"].iter().all(|line| has(&long, line)));
    for other in [polynomial(DType::F64, 140), polynomial(DType::F32, 160)] {
        assert!(has(&other, "#define BLIND 0") && !has(&other, "#define RESIDENT 3"));
    }
}

/// What only one side of a selection needs lies in its branch, within that the same again; what both sides need, and short
/// sides, are computed before.
#[test]
fn long_sides_of_selections() {
    let b = Builder::new("sides");
    let x = b.input(DType::F64);
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let shared = x.exp();
    let tail = (shared.log() * x.sin()).when(x.gt(one), shared.log1p());
    let (near, short) = (shared.max(one) + x, x * x);
    b.output(DType::F64, tail.when(x.gt(zero), near) + one.when(x.lt(one), short));
    check(
        "sides_float64",
        &program(&b.finish_map(), &[1000], &[], &[Array(DType::F64, &[1]), Array(DType::F64, &[1])]),
    );
}
