//! What kernels can find wrong with an element.

/// A fault that a kernel recorded while it ran: the code given to [`ir::Stmt::Require`](crate::ir::Stmt::Require).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Fault {
    /// An index to read from lay outside its axis; the access was clamped.
    IndexOutOfBounds = 1,
    /// A negative integer was raised from an integer base.
    NegativeIntegerPower = 2,
    /// An index to assign to lay outside its axis; the access was clamped.
    AssignmentOutOfBounds = 3,
    /// An index to update lay outside its axis; the access was clamped.
    UpdateOutOfBounds = 4,
}

impl Fault {
    /// The fault with this code, if there is one.
    pub fn from_code(code: u32) -> Option<Fault> {
        match code {
            1 => Some(Fault::IndexOutOfBounds),
            2 => Some(Fault::NegativeIntegerPower),
            3 => Some(Fault::AssignmentOutOfBounds),
            4 => Some(Fault::UpdateOutOfBounds),
            _ => None,
        }
    }
}
