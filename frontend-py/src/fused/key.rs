//! The kind of a call: all that a function's Python code can tell of its arguments, and of what it captures, but for the
//! elements of arrays.

use cuproxide_core::replay::{self, Input};
use cuproxide_core::{Context, fusion, ops};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyEllipsis, PyFloat, PyInt, PyList, PyModule, PySlice, PyString, PyTuple,
    PyType,
};
use smallvec::SmallVec;
use std::sync::Arc;

use crate::dtypes::Numpy;
use crate::ndarray::NdArray;
use crate::settings;

/// Most words of a key: what a function captures may be large, and every call compares it.
const MAX_WORDS: usize = 4096;
/// How deep containers may be nested.
const MAX_DEPTH: usize = 8;

/// Why a call cannot be told from others: a clause, after "because".
pub type Unfit = String;

/// A key: words, and objects that words cannot stand for.
pub struct Key {
    words: Box<[u64]>,
    /// Compared with `==`, and by type.
    equal: Box<[Py<PyAny>]>,
    /// Compared by their addresses, which are among the words; kept so that nothing else gets these.
    _identical: Box<[Py<PyAny>]>,
}

/// Where a function finds something that is no argument.
pub struct Source {
    /// A dictionary of global names, or an object with attributes.
    place: Py<PyAny>,
    /// For a dictionary of global names: where a name is looked up that it does not have.
    builtins: Option<Py<PyDict>>,
    name: Py<PyString>,
    /// Attributes from there on.
    chain: Vec<Py<PyString>>,
    /// Whether identity decides that it is the same: what it can do is among the sources, too.
    is_opaque: bool,
    /// What was there first, if identity decides: while it stays, keys need no word for it.
    usual: Option<Py<PyAny>>,
}

/// Reads the arguments of one call.
pub struct Reader<'py> {
    words: SmallVec<[u64; 96]>,
    equal: SmallVec<[Bound<'py, PyAny>; 8]>,
    identical: SmallVec<[Bound<'py, PyAny>; 8]>,
    /// Whether a key may be made of it, which keeps the objects that are compared by their addresses.
    keeps: bool,
    /// The array objects, in order; one that is met again is there once.
    pub arrays: SmallVec<[Bound<'py, NdArray>; 16]>,
    /// Their memory.
    pub inputs: SmallVec<[Input; 16]>,
    pub context: Option<Arc<Context>>,
    /// Arguments that are floats: where each stands, its word, and whether that is left open.
    pub floats: SmallVec<[Float; 4]>,
    /// Addresses of the lists and dictionaries, in order.
    pub containers: SmallVec<[usize; 4]>,
    /// Modules among arguments and captured values.
    pub modules: SmallVec<[Bound<'py, PyAny>; 1]>,
    /// Static arguments.
    pub fixed: SmallVec<[Bound<'py, PyAny>; 2]>,
}

/// An argument that is a float.
#[derive(Clone, Debug)]
pub struct Float {
    /// Where it stands.
    pub slot: Slot,
    /// Its value.
    pub value: f64,
    /// Whether calls with other values are of the same kind.
    pub varies: bool,
    word: usize,
}

/// Where an argument stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// At a position.
    Position(usize),
    /// After its name.
    Name(String),
}

#[repr(u64)]
enum Tag {
    Array = 1,
    Again,
    None,
    Bool,
    Int,
    Float,
    Complex,
    Equal,
    Identical,
    Unusual,
    Tuple,
    List,
    Dict,
    Slice,
    Missing,
    Static,
    Rest,
}

impl Source {
    /// Reads a source as Python describes it: `(builtins, place, name, chain, is_opaque)`.
    pub fn parse(row: &Bound<'_, PyAny>) -> PyResult<Source> {
        type Row<'py> = (Option<Py<PyDict>>, Bound<'py, PyAny>, Bound<'py, PyString>, Vec<Py<PyString>>, bool);
        let (builtins, place, name, chain, is_opaque): Row<'_> = row.extract()?;
        let py = place.py();
        let mut source = Source { place: place.unbind(), builtins, name: name.unbind(), chain, is_opaque, usual: None };
        if is_opaque {
            source.usual = source.find(py)?.map(Bound::unbind);
        }
        Ok(source)
    }

    /// Whether two sources name the same place.
    pub fn is(&self, py: Python<'_>, other: &Source) -> bool {
        let same = |a: &Py<PyString>, b: &Py<PyString>| a.bind(py).as_any().eq(b.bind(py)).unwrap_or(false);
        self.place.is(&other.place)
            && same(&self.name, &other.name)
            && self.chain.len() == other.chain.len()
            && self.chain.iter().zip(&other.chain).all(|(a, b)| same(a, b))
            && (self.is_opaque, self.builtins.is_some()) == (other.is_opaque, other.builtins.is_some())
    }

    /// What is there, if it is compared by its value.
    pub fn value<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        if self.is_opaque { None } else { self.find(py).ok().flatten() }
    }

    fn find<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let place = self.place.bind(py);
        let first = if let Some(builtins) = &self.builtins {
            match place.cast::<PyDict>()?.get_item(self.name.bind(py))? {
                None => builtins.bind(py).get_item(self.name.bind(py))?,
                found => found,
            }
        } else {
            place.getattr_opt(self.name.bind(py)).or_else(|error| match error {
                // An empty cell.
                error if error.is_instance_of::<pyo3::exceptions::PyValueError>(py) => Ok(None),
                error => Err(error),
            })?
        };
        let Some(mut found) = first else { return Ok(None) };
        for name in &self.chain {
            match found.getattr_opt(name.bind(py))? {
                Some(next) => found = next,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }
}

impl<'py> Reader<'py> {
    /// Reads the arguments of a call, of which a key can be made only if it `keeps` objects; those that `is_static` says, by position or name, are compared with `==`.
    pub fn read(
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
        is_static: impl Fn(usize, Option<&Bound<'py, PyAny>>) -> bool,
        varying: &[Slot],
        keeps: bool,
    ) -> Result<Reader<'py>, Unfit> {
        let mut reader = Reader {
            words: SmallVec::new(),
            equal: SmallVec::new(),
            identical: SmallVec::new(),
            keeps,
            arrays: SmallVec::new(),
            inputs: SmallVec::new(),
            context: None,
            floats: SmallVec::new(),
            containers: SmallVec::new(),
            modules: SmallVec::new(),
            fixed: SmallVec::new(),
        };
        reader.push(Tag::Rest, args.len() as u64);
        for (position, argument) in args.iter().enumerate() {
            if is_static(position, None) {
                reader.fixed(argument)?;
            } else {
                reader.argument(&argument, || Slot::Position(position), varying)?;
            }
        }
        for (name, argument) in named.into_iter().flatten() {
            let is_static = is_static(usize::MAX, Some(&name));
            reader.equal(name.clone());
            if is_static {
                reader.fixed(argument)?;
            } else {
                reader.argument(&argument, || Slot::Name(name.to_string()), varying)?;
            }
        }
        Ok(reader)
    }

    /// Adds what the function finds elsewhere, and what else it depends on.
    pub fn surroundings(&mut self, py: Python<'py>, sources: &[Source]) -> Result<(), Unfit> {
        for (number, source) in sources.iter().enumerate() {
            let found = source.find(py).map_err(|error| format!("what it captures cannot be read: {error}"))?;
            match found {
                Some(found) if source.usual.as_ref().is_some_and(|usual| usual.is(&found)) => {}
                None => self.push(Tag::Missing, number as u64),
                Some(found) if source.is_opaque => {
                    self.push(Tag::Unusual, number as u64);
                    self.identical(found);
                }
                Some(found) => self.value(&found, 0).map_err(|reason| {
                    let name = source.chain.last().unwrap_or(&source.name).bind(py).to_string();
                    format!("it captures {name}: {reason}")
                })?,
            }
        }
        let current = Context::current().map_err(|error| error.to_string())?;
        self.words.push(Arc::as_ptr(&current) as u64);
        let flags =
            [ops::gather::is_deterministic(), ops::gather::is_wrapping(), settings::follows_cupy(), fusion::is_eager()];
        self.words.push(flags.iter().fold(0, |bits, &flag| bits << 1 | u64::from(flag)));
        Ok(())
    }

    /// An argument; the value of one that varies is no part of the kind.
    fn argument(
        &mut self,
        object: &Bound<'py, PyAny>,
        slot: impl FnOnce() -> Slot,
        varying: &[Slot],
    ) -> Result<(), Unfit> {
        let Ok(number) = object.cast_exact::<PyFloat>() else { return self.value(object, 0) };
        let (slot, value) = (slot(), number.value());
        let varies = varying.contains(&slot);
        self.push(Tag::Float, u64::from(varies));
        self.floats.push(Float { slot, value, varies, word: self.words.len() });
        self.words.push(if varies { 0 } else { value.to_bits() });
        Ok(())
    }

    /// The values of the floats that vary.
    pub fn numbers(&self) -> SmallVec<[f64; 4]> {
        self.floats.iter().filter(|float| float.varies).map(|float| float.value).collect()
    }

    /// If the call differs from a known kind in the values of floats alone: where these stand.
    pub fn differing(&self, key: &Key) -> Option<Vec<Slot>> {
        let words = self.words.len();
        if words != key.words.len() || !self.is_equal(key) {
            return None;
        }
        let differing: Vec<usize> = (0..words).filter(|&word| self.words[word] != key.words[word]).collect();
        let float = |word: &usize| self.floats.iter().find(|float| float.word == *word).map(|float| float.slot.clone());
        differing.iter().map(float).collect()
    }

    fn push(&mut self, tag: Tag, detail: u64) {
        self.words.push(tag as u64 | detail << 8);
    }

    fn equal(&mut self, object: Bound<'py, PyAny>) {
        self.push(Tag::Equal, 0);
        self.equal.push(object);
    }

    fn identical(&mut self, object: Bound<'py, PyAny>) {
        self.push(Tag::Identical, 0);
        self.words.push(object.as_ptr() as u64);
        if self.keeps {
            self.identical.push(object);
        }
    }

    /// An argument that the program has declared to be one of few.
    fn fixed(&mut self, object: Bound<'py, PyAny>) -> Result<(), Unfit> {
        if object.is_instance_of::<NdArray>() {
            return Err("an argument that is named as static is an array".to_owned());
        }
        if let Err(error) = object.hash() {
            return Err(format!("a static argument cannot be hashed: {error}"));
        }
        self.push(Tag::Static, 0);
        self.fixed.push(object.clone());
        self.equal(object);
        Ok(())
    }

    fn value(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> Result<(), Unfit> {
        if self.words.len() > MAX_WORDS || depth > MAX_DEPTH {
            return Err("it has too many arguments and captured values to compare them at every call".to_owned());
        }
        if let Ok(array) = object.cast_exact::<NdArray>() {
            return self.array(array);
        }
        if let Ok(number) = object.cast_exact::<PyFloat>() {
            self.push(Tag::Float, 0);
            self.words.push(number.value().to_bits());
        } else if object.is_none() {
            self.push(Tag::None, 0);
        } else if let Ok(flag) = object.cast_exact::<PyBool>() {
            self.push(Tag::Bool, u64::from(flag.is_true()));
        } else if object.is_exact_instance_of::<PyInt>() {
            match object.extract::<i64>() {
                Ok(number) => {
                    self.push(Tag::Int, 0);
                    self.words.push(number as u64);
                }
                Err(_) => self.equal(object.clone()),
            }
        } else if let Ok(number) = object.cast_exact::<PyComplex>() {
            self.push(Tag::Complex, 0);
            self.words.extend([number.real().to_bits(), number.imag().to_bits()]);
        } else if object.is_exact_instance_of::<PyString>() || object.is_exact_instance_of::<PyBytes>() {
            self.equal(object.clone());
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.push(Tag::Tuple, tuple.len() as u64);
            tuple.iter().try_for_each(|part| self.value(&part, depth + 1))?;
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            self.push(Tag::List, list.len() as u64);
            self.containers.push(object.as_ptr() as usize);
            list.iter().try_for_each(|part| self.value(&part, depth + 1))?;
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.push(Tag::Dict, dict.len() as u64);
            self.containers.push(object.as_ptr() as usize);
            for (key, part) in dict {
                self.value(&key, depth + 1)?;
                self.value(&part, depth + 1)?;
            }
        } else if object.is_exact_instance_of::<PySlice>() {
            self.push(Tag::Slice, 0);
            for name in [intern!(object.py(), "start"), intern!(object.py(), "stop"), intern!(object.py(), "step")] {
                let part = object.getattr(name).map_err(|error| error.to_string())?;
                self.value(&part, depth + 1)?;
            }
        } else {
            self.other(object)?;
        }
        Ok(())
    }

    #[cold]
    fn other(&mut self, object: &Bound<'py, PyAny>) -> Result<(), Unfit> {
        let class = object.get_type();
        let numpy = Numpy::get(object.py()).map_err(|error| error.to_string())?;
        if numpy.is_array(object).unwrap_or(true) {
            return Err("one of its arguments or captured objects is a NumPy array".to_owned());
        }
        if numpy.is_scalar(object) || numpy.is_dtype(object) {
            self.scalar(object, numpy.is_dtype(object)).map_err(|error| error.to_string())?;
        } else if object.is_instance_of::<PyModule>() {
            self.modules.push(object.clone());
            self.identical(object.clone());
        } else if object.is_exact_instance_of::<PyEllipsis>()
            || (object.is_instance_of::<PyType>() && crate::dtypes::is_scalar_class(object))
        {
            self.identical(object.clone());
        } else {
            return Err(format!(
                "one of its arguments or captured objects is of type {class}, which tracing does not support"
            ));
        }
        Ok(())
    }

    /// A NumPy scalar or a dtype. Zeros with either sign are equal, and NaN to none: bytes tell them apart. So does the
    /// character tell dtypes apart that only have another name.
    fn scalar(&mut self, object: &Bound<'py, PyAny>, is_dtype: bool) -> PyResult<()> {
        let py = object.py();
        if is_dtype {
            self.equal(object.clone());
            self.equal(object.getattr(intern!(py, "char"))?);
        } else {
            self.identical(object.get_type().into_any());
            self.equal(object.getattr(intern!(py, "dtype"))?);
            self.equal(object.call_method0(intern!(py, "tobytes"))?);
        }
        Ok(())
    }

    fn array(&mut self, object: &Bound<'py, NdArray>) -> Result<(), Unfit> {
        if let Some(position) = self.arrays.iter().position(|known| known.is(object)) {
            self.push(Tag::Again, position as u64);
            return Ok(());
        }
        let array = object.get().read();
        match &self.context {
            None => self.context = Some(array.context().clone()),
            Some(context) if context == array.context() => {}
            Some(_) => return Err("its arrays are on several devices".to_owned()),
        }
        let class = replay::address_class(&array) << 24;
        let flags = u64::from(object.get().is_read_only()) << 1 | u64::from(object.get().owner().is_some());
        self.push(Tag::Array, array.dtype() as u64 | (array.ndim() as u64) << 8 | flags << 16 | class);
        self.words.extend(array.shape().iter().map(|&length| length as u64));
        self.words.extend(array.strides().iter().map(|&stride| stride as u64));
        let memory = self.inputs.iter().position(|input| Arc::ptr_eq(&input.storage, array.storage()));
        let distance = memory.map_or(0, |memory| array.offset().wrapping_sub(self.inputs[memory].offset));
        self.words.extend([memory.unwrap_or(self.inputs.len()) as u64, distance as u64]);
        if memory.is_none() {
            self.inputs.push(Input { storage: array.storage().clone(), offset: array.offset() });
        }
        drop(array);
        self.arrays.push(object.clone());
        Ok(())
    }

    /// A number that calls of one kind have in common.
    pub fn hash(&self) -> u64 {
        let mix = |hash: u64, word: &u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.words.iter().fold(self.equal.len() as u64, mix)
    }

    /// Whether the arguments are the same objects as before a function ran, as far as it may exchange them.
    pub fn has_objects_of(&self, before: &Reader<'py>) -> bool {
        self.containers == before.containers
            && self.arrays.len() == before.arrays.len()
            && self.arrays.iter().zip(&before.arrays).all(|(now, then)| now.is(then))
    }

    /// Whether the call is of a kind.
    pub fn is(&self, key: &Key) -> bool {
        self.words[..] == *key.words && self.is_equal(key)
    }

    fn is_equal(&self, key: &Key) -> bool {
        let same = |(mine, theirs): (&Bound<'py, PyAny>, &Py<PyAny>)| {
            let theirs = theirs.bind(mine.py());
            mine.is(theirs) || (mine.get_type().is(theirs.get_type()) && mine.eq(theirs).unwrap_or(false))
        };
        self.equal.len() == key.equal.len() && self.equal.iter().zip(&key.equal).all(same)
    }

    /// The kind of the call.
    pub fn key(&self) -> Key {
        debug_assert!(self.keeps);
        let kept = |objects: &[Bound<'py, PyAny>]| objects.iter().map(|object| object.clone().unbind()).collect();
        Key { words: Box::from(&self.words[..]), equal: kept(&self.equal), _identical: kept(&self.identical) }
    }
}
