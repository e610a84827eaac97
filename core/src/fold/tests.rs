//! Every row of the table, for every input.

use cuproxide_hal::DType;

use super::*;
use crate::ufunc;

const OPTIONS: [Options; 4] = [
    Options { masked: false, initial: false },
    Options { masked: true, initial: false },
    Options { masked: false, initial: true },
    Options { masked: true, initial: true },
];

#[test]
fn every_plan_builds_valid_kernels() {
    let mut plans = 0;
    for row in table() {
        for input in DType::ALL {
            for dtype in [None].into_iter().chain(DType::ALL.map(Some)) {
                let Ok(plan) = row.plan(input, dtype) else { continue };
                plans += 1;
                for options in OPTIONS.into_iter().filter(|options| !options.initial || row.accepts_initial()) {
                    let mut kernels = vec![];
                    if row.is_reorderable() {
                        kernels.push((reduce_kernel(plan, &plan.outputs, options), plan.arguments(options).len()));
                        kernels.push((scan_kernel(plan, &plan.outputs, options), plan.arguments(options).len()));
                    }
                    if row.rule == Rule::Ufunc {
                        for accumulate in [false, true] {
                            let scalars = plan.ordered_arguments(accumulate, options).len();
                            kernels.push((ordered_kernel(plan, input, accumulate, options), scalars));
                        }
                    }
                    for (kernel, scalars) in kernels {
                        kernel.validate().unwrap_or_else(|error| panic!("{error}\n{kernel}"));
                        assert_eq!(kernel.operands.len(), 1 + plan.outputs.len() + usize::from(options.masked));
                        assert_eq!(kernel.scalars.len(), scalars);
                    }
                }
            }
        }
    }
    assert!(plans > 3000, "{plans} plans");
}

fn types_of(name: &str, input: DType, dtype: Option<DType>) -> (DType, DType) {
    let plan = get(name).unwrap().plan(input, dtype).unwrap();
    (plan.accumulator, plan.outputs[0])
}

#[test]
fn types_follow_numpy() {
    use DType::*;
    for (name, input, dtype, expected) in [
        ("sum", Bool, None, (I64, I64)),
        ("sum", I8, None, (I64, I64)),
        ("sum", U32, None, (U64, U64)),
        ("sum", F16, None, (F32, F16)),
        ("sum", BF16, None, (F32, BF16)),
        ("sum", F32, None, (F64, F32)),
        ("sum", C64, None, (C128, C64)),
        ("sum", I8, Some(F32), (F64, F32)),
        ("sum", F64, Some(I8), (I8, I8)),
        ("max", I8, None, (I8, I8)),
        ("max", F16, None, (F32, F16)),
        ("nanmin", BF16, None, (F32, BF16)),
        ("any", C64, None, (Bool, Bool)),
        ("count_nonzero", F32, None, (I64, I64)),
        ("argmax", F32, None, (F32, I64)),
        ("argmax", F16, None, (F32, I64)),
        ("mean", I8, None, (F64, F64)),
        ("mean", F16, None, (F32, F16)),
        ("var", C64, None, (F64, F32)),
        ("std", I32, None, (F64, F64)),
        ("norm", C128, None, (F64, F64)),
        ("bitwise_and", I16, None, (I16, I16)),
        ("divide", I8, None, (F64, F64)),
        ("logaddexp", I8, None, (F16, F16)),
        ("logical_xor", F32, None, (Bool, Bool)),
        ("equal", Bool, None, (Bool, Bool)),
    ] {
        assert_eq!(types_of(name, input, dtype), expected, "{name} {input} {dtype:?}");
    }
    for (name, input, dtype) in [
        ("less", I8, None),
        ("divide", I8, Some(I32)),
        ("subtract", Bool, None),
        ("ldexp", F32, None),
        ("logical_and", I8, Some(I8)),
        ("bitwise_or", F32, None),
    ] {
        assert!(get(name).unwrap().plan(input, dtype).is_err(), "{name} {input} {dtype:?}");
    }
}

#[test]
fn identities_follow_numpy() {
    for (name, has_identity, reorderable) in [
        ("sum", true, true),
        ("max", false, true),
        ("all", true, true),
        ("argmin", false, true),
        ("var", true, true),
        ("logaddexp", true, true),
        ("subtract", false, false),
        ("lcm", false, false),
    ] {
        let row = get(name).unwrap();
        assert_eq!((row.has_identity, row.is_reorderable()), (has_identity, reorderable), "{name}");
    }
}

#[test]
fn ufuncs_find_their_folds() {
    let row = of_ufunc(ufunc::get("add").unwrap().id).unwrap();
    assert_eq!(row.name, "add");
    assert!(of_ufunc(ufunc::get("sin").unwrap().id).is_none());
    assert!(of_ufunc(ufunc::get("divmod").unwrap().id).is_none());
    assert!(dump().contains("sum true Ufunc bool->int64"));
}
