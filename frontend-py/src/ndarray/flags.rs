//! The flags of an array's memory.

use cuproxide_core::Array;
use pyo3::prelude::*;

use crate::errors::Result;

/// Memory layout of an array.
#[pyclass(name = "flagsobj", module = "cuproxide", frozen, eq)]
#[derive(PartialEq, Eq)]
pub struct Flags {
    c_contiguous: bool,
    f_contiguous: bool,
    owndata: bool,
}

impl Flags {
    /// The flags of an array, which owns its memory or does not.
    pub fn of(array: &Array, owndata: bool) -> Flags {
        let layout = array.layout();
        Flags { c_contiguous: layout.c_contiguous, f_contiguous: layout.f_contiguous, owndata }
    }

    fn find(&self, name: &str) -> Option<bool> {
        let (c, f) = (self.c_contiguous, self.f_contiguous);
        Some(match name.to_ascii_lowercase().as_str() {
            "c_contiguous" | "c" | "contiguous" => c,
            "f_contiguous" | "f" | "fortran" => f,
            "owndata" | "o" => self.owndata,
            "writeable" | "w" | "aligned" | "a" | "behaved" | "b" => true,
            "writebackifcopy" | "x" => false,
            "forc" => c || f,
            "fnc" => f && !c,
            "carray" | "ca" => c,
            "farray" | "fa" => f && !c,
            _ => return None,
        })
    }
}

#[pymethods]
impl Flags {
    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    fn __getitem__(&self, name: &str) -> Result<bool> {
        self.find(name).ok_or_else(|| pyo3::exceptions::PyKeyError::new_err("Unknown flag").into())
    }

    fn __getattr__(&self, name: &str) -> Result<bool> {
        let unknown = || crate::errors::attribute_error(format!("'flagsobj' object has no attribute '{name}'"));
        if name.len() < 3 {
            return Err(unknown());
        }
        self.find(name).ok_or_else(unknown)
    }

    /// NumPy's bits of the flags.
    #[getter]
    fn num(&self) -> u32 {
        const ALIGNED: u32 = 0x100;
        const WRITEABLE: u32 = 0x400;
        u32::from(self.c_contiguous)
            | u32::from(self.f_contiguous) << 1
            | u32::from(self.owndata) << 2
            | ALIGNED
            | WRITEABLE
    }

    fn __repr__(&self) -> String {
        let word = |truth: bool| if truth { "True" } else { "False" };
        format!(
            "  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  OWNDATA : {}\n  WRITEABLE : True\n  ALIGNED : True\n  WRITEBACKIFCOPY : False\n",
            word(self.c_contiguous),
            word(self.f_contiguous),
            word(self.owndata)
        )
    }
}
