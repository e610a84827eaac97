//! Every row of the table, in every loop.

use cuproxide_hal::{DType, Fault, Scalar};

use super::*;
use crate::promotion::{Casting, Operand};

#[test]
fn every_loop_builds_a_valid_kernel() {
    let mut loops = 0;
    for row in table() {
        assert!(row.loops.len() < 64, "{}", row.name);
        for (index, types) in row.loops.iter().enumerate() {
            assert_eq!((types.inputs.len(), types.outputs.len()), (row.nin, row.nout), "{}", row.name);
            let memory: Vec<Source> = types.inputs.iter().map(|&dtype| Source::Memory(dtype)).collect();
            let scalars: Vec<Source> = types.inputs.iter().map(|&dtype| Source::Scalar(dtype)).collect();
            for (inputs, masked) in [(&memory, false), (&memory, true), (&scalars, false)] {
                let kernel = kernel(row, index, inputs, &types.outputs, masked);
                kernel.validate().unwrap_or_else(|error| panic!("{} {types}: {error}\n{kernel}", row.name));
            }
            loops += 1;
        }
    }
    assert_eq!(loops, 1568);
}

/// Compilers for GPUs take tens of seconds for kernels of many thousand statements. The longest is `eval_gegenbauer` of complex
/// arguments.
#[test]
fn kernels_are_short() {
    for row in table() {
        for (index, types) in row.loops.iter().enumerate() {
            let inputs: Vec<Source> = types.inputs.iter().map(|&dtype| Source::Memory(dtype)).collect();
            let mut statements = 0;
            kernel(row, index, &inputs, &types.outputs, false).visit_all(&mut |_| statements += 1);
            assert!(statements <= 5000, "{} {types} has {statements} statements", row.name);
        }
    }
}

#[test]
fn loops_are_numpys_and_those_of_bfloat16() {
    // What `sum(len(set(ufunc.types)))` counts over NumPy's ufuncs, without long double, object and time types.
    let mut loops = 0;
    for row in table().iter().filter(|row| row.home == Home::NumPy && row.name != "rsqrt") {
        let with = |letter| row.loops.iter().filter(|types| types.to_string().contains(letter)).count();
        assert_eq!(with('e'), with('E'), "{}", row.name);
        loops += row.loops.len() - with('E');
    }
    assert_eq!(loops, 735);
    assert_eq!(get("frexp").unwrap().loops.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), FREXP);
    assert_eq!(get("less").unwrap().loops[9].to_string(), "lL->?");
}

const FREXP: &str = "e->ei E->Ei f->fi d->di";

#[test]
fn kernels_cast_between_memory_and_loop() {
    let add = get("add").unwrap();
    let (index, _) = add.loops.iter().enumerate().find(|(_, types)| types.to_string() == "ff->f").unwrap();
    for dtype in DType::ALL {
        let inputs = [Source::Memory(dtype), Source::Scalar(dtype)];
        let kernel = kernel(add, index, &inputs, &[dtype], true);
        kernel.validate().unwrap();
        assert_eq!(kernel.operands.len(), 3);
        assert_eq!(kernel.scalars, [dtype]);
    }
    let plain = kernel(add, index, &[Source::Memory(DType::F32); 2], &[DType::F32], false);
    assert_eq!(plain.name, "add_float32_float32");
}

#[test]
fn names_and_numbers_agree() {
    for row in table() {
        assert_eq!(find(row.home, row.name).unwrap().id, row.id);
        assert!(std::ptr::eq(row.id.get(), row));
        for alias in row.aliases {
            assert_eq!(find(row.home, alias).unwrap().id, row.id, "{alias}");
        }
    }
    assert!(get("matmul").is_none());
}

#[test]
fn homes_domains_and_sources() {
    let mut names = std::collections::HashSet::new();
    for row in table() {
        assert!(row.domains.is_empty() || row.domains.len() == row.nin, "{}", row.name);
        assert!(row.domains.iter().all(|domain| domain.low < domain.high), "{}", row.name);
        for name in row.aliases.iter().chain([&row.name]) {
            assert!(names.insert((row.home, *name)), "{name} twice in {:?}", row.home);
            assert_eq!(find(row.home, name).unwrap().id, row.id);
        }
    }
    assert_eq!(find(Home::NumPy, "i0").map(|row| row.name), None);
    let (special, internal) = (find(Home::Special, "i0").unwrap(), find(Home::Internal, "i0").unwrap());
    assert!(special.id != internal.id && get("i0").unwrap().id == internal.id);
    // SciPy's promotion: only float32 itself computes in float32.
    let types = |operands: &[Operand]| {
        resolve(special, operands, Signature::None, Casting::SameKind).unwrap().types.to_string()
    };
    for (operand, expected) in [
        (Operand::Strong(DType::F32), "f->f"),
        (Operand::Strong(DType::F64), "d->d"),
        (Operand::Strong(DType::I8), "d->d"),
        (Operand::Strong(DType::F16), "d->d"),
        (Operand::WeakFloat, "d->d"),
        (Operand::WeakInt, "d->d"),
    ] {
        assert_eq!(types(&[operand]), expected, "{operand:?}");
    }
}

#[test]
fn negative_powers_are_refused_by_the_row() {
    let power = get("pow").unwrap();
    let minus = Scalar::integer(DType::I64, -1);
    assert_eq!(power.scalar_fault(1, DType::I64, &minus), Some(Fault::NegativeIntegerPower));
    assert_eq!(power.scalar_fault(0, DType::I64, &minus), None);
    assert_eq!(power.scalar_fault(1, DType::U8, &minus), None);
    assert_eq!(get("float_power").unwrap().scalar_fault(1, DType::I64, &minus), None);
    let faulty: Vec<&str> =
        table().iter().filter(|row| (0..row.loops.len()).any(|i| row.may_fault(i))).map(|row| row.name).collect();
    assert_eq!(faulty, ["power"]);
    let of = |dtype| power.may_fault(power.loop_of(dtype).unwrap());
    assert!(of(DType::I32) && !of(DType::F32) && !of(DType::C128));
}

fn types_of(name: &str, operands: &[Operand]) -> String {
    let ufunc = get(name).unwrap();
    match resolve(ufunc, operands, Signature::None, Casting::SameKind) {
        Ok(resolved) => resolved.types.to_string(),
        Err(error) => error.to_string(),
    }
}

fn requested(name: &str, operands: &[Operand], dtype: DType) -> String {
    let ufunc = get(name).unwrap();
    match resolve(ufunc, operands, Signature::Output(dtype), Casting::SameKind) {
        Ok(resolved) => resolved.types.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn resolution_follows_numpy() {
    use DType::*;
    use Operand::*;
    let strong = |a, b| [Strong(a), Strong(b)];
    assert_eq!(types_of("add", &strong(Bool, Bool)), "??->?");
    assert_eq!(types_of("add", &strong(I64, U64)), "dd->d");
    assert_eq!(types_of("add", &strong(F16, BF16)), "ff->f");
    assert_eq!(types_of("add", &[Strong(U8), WeakInt]), "BB->B");
    assert_eq!(types_of("add", &[Strong(I8), WeakFloat]), "dd->d");
    assert_eq!(types_of("add", &[Strong(BF16), WeakFloat]), "EE->E");
    assert_eq!(types_of("divide", &strong(I8, I8)), "dd->d");
    assert_eq!(types_of("divide", &strong(I8, F16)), "ee->e");
    assert_eq!(types_of("less", &strong(I64, U64)), "lL->?");
    assert_eq!(types_of("logical_and", &strong(I64, F32)), "??->?");
    assert_eq!(types_of("sin", &[Strong(I8)]), "e->e");
    assert_eq!(types_of("sin", &[Strong(U16)]), "f->f");
    assert_eq!(types_of("sin", &[Strong(I32)]), "d->d");
    assert_eq!(types_of("ldexp", &[Strong(F32), WeakInt]), "fi->f");
    assert_eq!(types_of("ldexp", &strong(I16, I64)), "fl->f");
    assert_eq!(types_of("frexp", &[Strong(BF16)]), "E->Ei");
    assert_eq!(types_of("absolute", &[Strong(C64)]), "F->f");
    assert_eq!(types_of("clip", &[Strong(U8), WeakInt, WeakInt]), "BBB->B");
    assert!(types_of("subtract", &strong(Bool, Bool)).starts_with("numpy boolean subtract"));
    assert!(types_of("bitwise_and", &strong(I64, U64)).starts_with("ufunc 'bitwise_and' not supported"));
    assert!(types_of("gcd", &strong(I64, U64)).contains("did not contain a loop"));
}

#[test]
fn requested_types() {
    use DType::*;
    use Operand::Strong;
    assert_eq!(requested("add", &[Strong(F64), Strong(I8)], F32), "ff->f");
    assert_eq!(requested("absolute", &[Strong(C64)], F64), "D->d");
    assert_eq!(requested("less", &[Strong(I64), Strong(U64)], Bool), "lL->?");
    assert_eq!(requested("divide", &[Strong(I8), Strong(I8)], F32), "ff->f");
    assert_eq!(
        requested("add", &[Strong(F64), Strong(I8)], I32),
        "Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int32') with casting rule 'same_kind'"
    );
    assert_eq!(
        requested("sin", &[Strong(I8)], I32),
        "No loop matching the specified signature and casting was found for ufunc sin"
    );
    let sin = get("sin").unwrap();
    let resolved = resolve(sin, &[Strong(F64)], Signature::None, Casting::SameKind).unwrap();
    assert!(check_output(sin, resolved, 0, F16, Casting::SameKind).is_ok());
    assert_eq!(
        check_output(sin, resolved, 0, I64, Casting::SameKind).unwrap_err().to_string(),
        "Cannot cast ufunc 'sin' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'"
    );
    let pair = [Some(F32), None, None];
    let resolved = resolve(get("add").unwrap(), &[Strong(I8); 2], Signature::Full(&pair), Casting::SameKind).unwrap();
    assert_eq!(resolved.types.to_string(), "ff->f");
}

#[test]
fn comparisons_out_of_range_are_constant() {
    let less = get("less").unwrap();
    assert_eq!(less.out_of_range_comparison(1, true), Some(true));
    assert_eq!(less.out_of_range_comparison(1, false), Some(false));
    assert_eq!(less.out_of_range_comparison(0, true), Some(false));
    assert_eq!(get("not_equal").unwrap().out_of_range_comparison(0, true), Some(true));
    assert_eq!(get("add").unwrap().out_of_range_comparison(0, true), None);
}
