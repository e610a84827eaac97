//! Each boundary mode names the element that stands at any position, as its definition written out says.

use cuproxide_conformance::case::{Case, bytes};
use cuproxide_conformance::interpreter::Number;
use cuproxide_conformance::tolerance::Tolerance;
use cuproxide_core::window::boundary::Boundary;
use cuproxide_hal::ir::Builder;
use cuproxide_hal::{DType, Scalar};

/// The axis, written out to both sides; walks outwards one position at a time.
fn element(boundary: Boundary, position: i64, length: i64) -> Option<i64> {
    let last = length - 1;
    let (mut place, mut step) = (if position < 0 { 0 } else { position.min(last) }, position.signum());
    for _ in 0..(if position < 0 { -position } else { position - place }) {
        let next = place + step;
        place = match boundary {
            Boundary::Constant => return None,
            Boundary::Nearest => place,
            Boundary::Wrap => next.rem_euclid(length),
            _ if (0..length).contains(&next) => next,
            Boundary::Reflect => {
                step = -step;
                place
            }
            Boundary::Mirror => {
                step = -step;
                (place + step).clamp(0, last)
            }
        };
    }
    Some(place)
}

#[test]
fn boundaries_name_the_elements_of_their_definitions() {
    use Boundary::{Constant, Mirror, Nearest, Reflect, Wrap};
    let positions: Vec<i64> = (-23..30).collect();
    for boundary in [Constant, Nearest, Reflect, Mirror, Wrap] {
        for length in [1, 2, 3, 7] {
            let b = Builder::new("boundary");
            let (position, length_value) = (b.input(DType::I64), b.scalar(DType::I64));
            let found = boundary.function(&b).call(&[position, length_value]);
            b.output(DType::I64, found[0]);
            b.output(DType::Bool, found[1]);
            let numbers: Vec<Number> = positions.iter().map(|&position| Number::Int(position.into())).collect();
            let case = Case::new("boundary", b.finish_map(), Tolerance::EXACT);
            let case = case.scalars(&[Scalar::i64(length)]).flat(&[&numbers]);
            case.kernel.validate().expect("a valid kernel");
            let (buffers, fault) = case.interpret(&case.kernel, false);
            assert_eq!(fault, None);
            let wanted: Vec<Option<i64>> =
                positions.iter().map(|&position| element(boundary, position, length)).collect();
            let inside: Vec<Number> = wanted.iter().map(|place| Number::Int(place.is_some().into())).collect();
            assert_eq!(buffers[2], bytes(DType::Bool, &inside), "{boundary:?} {length}");
            for (at, place) in wanted.iter().enumerate() {
                let found = i64::from_le_bytes(buffers[1][8 * at..8 * at + 8].try_into().expect("eight bytes"));
                assert!((0..length).contains(&found), "{boundary:?} {length}: {found}");
                assert!(place.is_none_or(|place| place == found), "{boundary:?} {length} at {}", positions[at]);
            }
        }
    }
}
