//! Legalised kernels keep the contract of legalisation and compute what the original ones do.

use cuproxide_conformance::cases;
use cuproxide_hal::ir::{LegalizeOptions, legalize};

#[test]
fn legalised_kernels_compute_the_same() {
    let mut failures = vec![];
    for case in cases::groups().into_iter().flat_map(|(_, cases)| cases) {
        case.kernel.validate().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let (expected, fault) = case.interpret(&case.kernel, false);
        for native_half in [false, true] {
            let legal = legalize(&case.kernel, LegalizeOptions { native_half });
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
