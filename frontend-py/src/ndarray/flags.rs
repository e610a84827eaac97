//! The flags of an array's memory.

use pyo3::prelude::*;

use super::NdArray;
use crate::errors::{Result, attribute_error, key_error, value_error};

/// Memory layout of an array, and whether it can be written to. The flags follow the array.
#[pyclass(name = "flagsobj", module = "cuproxide", frozen)]
pub struct Flags {
    array: Py<NdArray>,
}

/// All of NumPy's names of flags.
fn canonical(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "c_contiguous" | "c" | "contiguous" => "C_CONTIGUOUS",
        "f_contiguous" | "f" | "fortran" => "F_CONTIGUOUS",
        "owndata" | "o" => "OWNDATA",
        "writeable" | "w" => "WRITEABLE",
        "aligned" | "a" => "ALIGNED",
        "writebackifcopy" | "x" => "WRITEBACKIFCOPY",
        "behaved" | "b" => "BEHAVED",
        "forc" => "FORC",
        "fnc" => "FNC",
        "carray" | "ca" => "CARRAY",
        "farray" | "fa" => "FARRAY",
        _ => return None,
    })
}

impl Flags {
    /// The flags of an array.
    pub fn of(array: &Bound<'_, NdArray>) -> Flags {
        Flags { array: array.clone().unbind() }
    }

    fn value(&self, flag: &'static str) -> bool {
        let array = self.array.get();
        let (c, f, aligned) = {
            let own = array.read();
            (own.layout().c_contiguous, own.layout().f_contiguous, own.is_aligned())
        };
        let writeable = !array.is_read_only();
        match flag {
            "C_CONTIGUOUS" => c,
            "F_CONTIGUOUS" => f,
            "OWNDATA" => array.base.is_none(),
            "WRITEABLE" => writeable,
            "BEHAVED" => aligned && writeable,
            "ALIGNED" => aligned,
            "FORC" => c || f,
            "FNC" => f && !c,
            // NumPy's FARRAY does not require that the array is writeable.
            "FARRAY" => aligned && f && !c,
            "CARRAY" => c && aligned && writeable,
            _ => false,
        }
    }

    fn find(&self, name: &str) -> Option<bool> {
        canonical(name).map(|flag| self.value(flag))
    }
}

#[pymethods]
impl Flags {
    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Flags>().is_ok_and(|other| other.get().num() == self.num())
    }

    fn __getitem__(&self, name: &str) -> Result<bool> {
        self.find(name).ok_or_else(unknown_flag)
    }

    fn __setitem__(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        match canonical(name) {
            Some("WRITEABLE") => set(self.array.bind(py), Some(value), None, None),
            Some("ALIGNED") => set(self.array.bind(py), None, Some(value), None),
            Some("WRITEBACKIFCOPY") => set(self.array.bind(py), None, None, Some(value)),
            _ => Err(unknown_flag()),
        }
    }

    fn __getattr__(&self, name: &str) -> Result<bool> {
        let unknown = || attribute_error(format!("'flagsobj' object has no attribute '{name}'"));
        if name.len() < 3 {
            return Err(unknown());
        }
        self.find(name).ok_or_else(unknown)
    }

    fn __setattr__(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        match name {
            "writeable" | "aligned" | "writebackifcopy" => self.__setitem__(py, name, value),
            _ => Err(attribute_error(format!("attribute '{name}' of 'flagsobj' objects is not writable"))),
        }
    }

    // Flags that libraries read of every array: Python calls `__getattr__` only after a failed lookup, which takes longer.
    #[getter]
    fn c_contiguous(&self) -> bool {
        self.array.get().read().layout().c_contiguous
    }

    #[getter]
    fn f_contiguous(&self) -> bool {
        self.array.get().read().layout().f_contiguous
    }

    #[getter]
    fn writeable(&self) -> bool {
        !self.array.get().is_read_only()
    }

    /// NumPy's bits of the flags.
    #[getter]
    fn num(&self) -> u32 {
        const BITS: [(&str, u32); 5] =
            [("C_CONTIGUOUS", 1), ("F_CONTIGUOUS", 2), ("OWNDATA", 4), ("ALIGNED", 0x100), ("WRITEABLE", 0x400)];
        BITS.iter().filter(|(flag, _)| self.value(flag)).map(|(_, bit)| bit).sum()
    }

    fn __repr__(&self) -> String {
        ["C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY"]
            .iter()
            .map(|flag| format!("  {flag} : {}\n", if self.value(flag) { "True" } else { "False" }))
            .collect()
    }
}

fn unknown_flag() -> crate::errors::Failure {
    key_error("Unknown flag")
}

fn truth(value: Option<&Bound<'_, PyAny>>) -> Result<Option<bool>> {
    match value.filter(|value| !value.is_none()) {
        Some(value) => Ok(Some(value.is_truthy()?)),
        None => Ok(None),
    }
}

/// Sets the flags that can be set; `None` leaves a flag unchanged.
fn set(
    array: &Bound<'_, NdArray>,
    write: Option<&Bound<'_, PyAny>>,
    align: Option<&Bound<'_, PyAny>>,
    copy: Option<&Bound<'_, PyAny>>,
) -> Result<()> {
    match truth(align)? {
        Some(true) if !array.get().read().is_aligned() => {
            return Err(value_error("cannot set aligned flag of mis-aligned array to True"));
        }
        Some(false) => return Err(value_error("cannot set aligned flag to False: it follows the array's memory")),
        _ => {}
    }
    if truth(copy)? == Some(true) {
        return Err(value_error("cannot set WRITEBACKIFCOPY flag to True"));
    }
    let Some(write) = truth(write)? else { return Ok(()) };
    let own = array.get();
    // A view can be writeable only if the owner of its memory is.
    let owner = own.base.as_ref().and_then(|base| base.bind(array.py()).cast::<NdArray>().ok());
    if write && own.is_read_only() && owner.is_some_and(|owner| owner.get().is_read_only()) {
        return Err(value_error("cannot set WRITEABLE flag to True of this array"));
    }
    own.set_read_only(!write);
    Ok(())
}

#[pymethods]
impl NdArray {
    /// Forbids or allows writing to the array through this object and views made from it.
    ///
    /// Whether an array is aligned follows from its memory and it is never a copy that is written back, so `align` and
    /// `uic` take only what holds.
    ///
    /// Parameters
    /// ----------
    /// write : bool, optional
    ///     Whether the array may be written.
    /// align, uic : bool, optional
    ///     Accepted for compatibility.
    #[pyo3(signature = (write=None, align=None, uic=None))]
    fn setflags(
        slf: &Bound<'_, Self>,
        write: Option<&Bound<'_, PyAny>>,
        align: Option<&Bound<'_, PyAny>>,
        uic: Option<&Bound<'_, PyAny>>,
    ) -> Result<()> {
        set(slf, write, align, uic)
    }
}
