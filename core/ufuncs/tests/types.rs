//! The notation in which the table lists the loops of a ufunc.

use cuproxide_hal::DType;
use cuproxide_ufuncs::{from_letter, letter, parse_loops};

#[test]
fn notation_expands() {
    let text = |notation| parse_loops(notation).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(text("float: xx->x"), "ee->e EE->E ff->f dd->d");
    assert_eq!(text("lL->?, complex: x->r"), "lL->? F->f D->d");
    assert_eq!(parse_loops("any: x->x").len(), 15);
    for dtype in DType::ALL {
        assert_eq!(from_letter(letter(dtype)), Some(dtype));
    }
}
