//! Legalised kernels keep the contract of legalisation and compute what the original ones do.

use cuproxide_conformance::cases;
use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, Kernel, LegalizeOptions, Var, legalize};

#[test]
fn legalised_kernels_compute_the_same() {
    let mut failures = vec![];
    for case in cases::groups().into_iter().flat_map(|(_, cases)| cases) {
        case.kernel.validate().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let (expected, fault) = case.interpret(&case.kernel, false);
        for native_half in [false, true] {
            let legal = legalize(&case.kernel, LegalizeOptions { native_half, ..LegalizeOptions::default() });
            if let Err(error) = legal.validate_legalized() {
                failures.push(format!("{}: {error}", case.name));
                continue;
            }
            let (found, legal_fault) = case.interpret(&legal, true);
            if let Err(difference) = case.compare(&expected, &found) {
                failures.push(format!("{} (native_half: {native_half}): {difference}", case.name));
            }
            assert_eq!(fault, legal_fault, "{}", case.name);
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The legalised form of a map that applies `write` to one input and stores the result.
fn legalised_map(dtype: DType, write: impl for<'b> Fn(Var<'b>) -> Var<'b>) -> Kernel {
    let builder = Builder::new("lean");
    let result = write(builder.input(dtype));
    builder.output(result.dtype(), result);
    legalize(&builder.finish_map(), LegalizeOptions::default())
}

#[test]
fn known_operands_need_no_guards() {
    let lean = |write: for<'b> fn(Var<'b>) -> Var<'b>| legalised_map(DType::I32, write).values.len();
    assert_eq!(lean(|x| x / x.like_integer(3)), 3);
    assert_eq!(lean(|x| x % x.like_integer(10)), 3);
    assert_eq!(lean(|x| x << x.like_integer(4)), 3);
    assert_eq!(lean(|x| x >> x.like_integer(31)), 3);
    assert!(lean(|x| x / x) > 3);
}

#[test]
fn moving_narrow_floats_converts_nothing() {
    for dtype in [DType::F16, DType::BF16] {
        assert_eq!(legalised_map(dtype, |x| x).values, [DType::U16]);
        assert_eq!(legalised_map(dtype, |x| x.bitcast(DType::I16).bitcast(x.dtype())).values.len(), 3);
    }
}

#[test]
fn equal_computations_are_shared() {
    let legal = legalised_map(DType::C64, |z| z * z + z * z);
    // Two loads, three products (re * im once), a difference, a sum, and both doubled.
    assert_eq!(legal.values.len(), 9);
}
