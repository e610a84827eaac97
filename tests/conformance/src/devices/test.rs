//! What a test is.

use crate::rig::{Check, Rig};

/// A named test.
pub type Test = (&'static str, fn(&Rig) -> Check);
