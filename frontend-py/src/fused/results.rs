//! What a traced function returns, as a pattern from which the results of a replay are made.

use std::sync::Arc;

use cuproxide_core::Array;
use cuproxide_core::layout::{Dims, Strides};
use cuproxide_core::replay::{Home, Input};
use cuproxide_core::storage::Storage;
use cuproxide_hal::DType;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use smallvec::SmallVec;

use super::key::{Reader, Unfit};
use crate::dtypes::Numpy;
use crate::errors::Result;
use crate::ndarray::NdArray;

/// The shape of what a function returned.
enum Node {
    /// An array object that was an argument.
    Argument(usize),
    /// An array object that the function made.
    Made(usize),
    Tuple(Vec<Node>),
    List(Vec<Node>),
    Dict(Vec<(Py<PyAny>, Node)>),
    Constant(Py<PyAny>),
}

/// Who owns the memory of an array object that the function made.
enum Owner {
    Itself,
    Argument(usize),
    Made(usize),
}

/// The results of a function while they are read.
pub struct Results<'py> {
    made: Vec<(Bound<'py, NdArray>, Owner)>,
    /// Lists and dictionaries that were met: a replay makes each again.
    containers: Vec<usize>,
    root: Node,
}

/// An array object to be made.
struct Made {
    home: Home,
    dtype: DType,
    shape: Dims,
    strides: Strides,
    /// From the beginning of new memory, or of the first argument in the same memory.
    offset: isize,
    read_only: bool,
    owner: Owner,
}

/// The pattern of results.
pub struct Pattern {
    made: Vec<Made>,
    root: Node,
}

impl<'py> Results<'py> {
    pub fn read(result: &Bound<'py, PyAny>, call: &Reader<'py>) -> std::result::Result<Results<'py>, Unfit> {
        let mut results = Results { made: vec![], containers: vec![], root: Node::Tuple(vec![]) };
        results.root = results.node(result, call, 0)?;
        Ok(results)
    }

    /// The arrays that were made.
    pub fn arrays(&self) -> Vec<Array> {
        self.made.iter().map(|(object, _)| object.get().snapshot()).collect()
    }

    fn node(
        &mut self,
        object: &Bound<'py, PyAny>,
        call: &Reader<'py>,
        depth: usize,
    ) -> std::result::Result<Node, Unfit> {
        if depth > 16 {
            return Err("what it returns is nested too deeply".to_owned());
        }
        let list = |results: &mut Self, parts: &mut dyn Iterator<Item = Bound<'py, PyAny>>| {
            parts.map(|part| results.node(&part, call, depth + 1)).collect::<std::result::Result<Vec<Node>, Unfit>>()
        };
        if let Ok(array) = object.cast_exact::<NdArray>() {
            return Ok(match call.arrays.iter().position(|known| known.is(array)) {
                Some(argument) => Node::Argument(argument),
                None => Node::Made(self.array(array, call)?),
            });
        }
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            return Ok(Node::Tuple(list(self, &mut tuple.iter())?));
        }
        if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyDict>() {
            let address = object.as_ptr() as usize;
            if call.containers.contains(&address) || self.containers.contains(&address) {
                return Err(format!(
                    "it returns a {} that is also elsewhere",
                    object.get_type().name().map_err(|error| error.to_string())?
                ));
            }
            self.containers.push(address);
        }
        if let Ok(parts) = object.cast_exact::<PyList>() {
            return Ok(Node::List(list(self, &mut parts.iter())?));
        }
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            let mut parts = vec![];
            for (key, part) in dict {
                parts.push((key.unbind(), self.node(&part, call, depth + 1)?));
            }
            return Ok(Node::Dict(parts));
        }
        let plain = object.is_none()
            || object.is_exact_instance_of::<PyBool>()
            || object.is_exact_instance_of::<PyInt>()
            || object.is_exact_instance_of::<PyFloat>()
            || object.is_exact_instance_of::<PyComplex>()
            || object.is_exact_instance_of::<PyString>()
            || object.is_exact_instance_of::<PyBytes>();
        let numpy = Numpy::get(object.py()).map_err(|error| error.to_string())?;
        if plain || numpy.is_scalar(object) || numpy.is_dtype(object) {
            return Ok(Node::Constant(object.clone().unbind()));
        }
        Err(format!("it returns {}", object.get_type()))
    }

    fn array(&mut self, object: &Bound<'py, NdArray>, call: &Reader<'py>) -> std::result::Result<usize, Unfit> {
        if let Some(known) = self.made.iter().position(|(known, _)| known.is(object)) {
            return Ok(known);
        }
        let owner = match object.get().owner() {
            None => Owner::Itself,
            Some(owner) => {
                let owner = owner.bind(object.py());
                let Ok(owner) = owner.cast_exact::<NdArray>() else {
                    return Err("it returns a view of an object that is not an array".to_owned());
                };
                match call.arrays.iter().position(|known| known.is(owner)) {
                    Some(argument) => Owner::Argument(argument),
                    None => match self.owner_of_argument(owner, call) {
                        // A view of an argument that is a view itself: both have one owner.
                        Some(argument) => Owner::Argument(argument),
                        None => Owner::Made(self.array(owner, call)?),
                    },
                }
            }
        };
        self.made.push((object.clone(), owner));
        Ok(self.made.len() - 1)
    }

    fn owner_of_argument(&self, owner: &Bound<'py, NdArray>, call: &Reader<'py>) -> Option<usize> {
        call.arrays.iter().position(|known| known.get().owner().is_some_and(|other| other.is(owner)))
    }

    /// The pattern, once it is known where the arrays are.
    pub fn pattern(self, homes: &[Home], inputs: &[Input]) -> Pattern {
        let made = self.made.into_iter().zip(homes).map(|((object, owner), &home)| {
            let array = object.get().snapshot();
            let start = if let Home::Input(input) = home { inputs[input].offset as isize } else { 0 };
            Made {
                home,
                dtype: array.dtype(),
                shape: Dims::from_slice(array.shape()),
                strides: Strides::from_slice(array.strides()),
                offset: array.offset() as isize - start,
                read_only: object.get().is_read_only(),
                owner,
            }
        });
        Pattern { made: made.collect(), root: self.root }
    }
}

impl Pattern {
    /// Makes the results of a replay.
    pub fn build<'py>(
        &self,
        py: Python<'py>,
        call: &Reader<'py>,
        memory: &[Arc<Storage>],
    ) -> Result<Bound<'py, PyAny>> {
        let mut made: SmallVec<[Bound<'py, NdArray>; 8]> = SmallVec::new();
        for part in &self.made {
            let (storage, start) = match part.home {
                Home::Input(input) => (call.inputs[input].storage.clone(), call.inputs[input].offset as isize),
                Home::New(place) => (memory[place].clone(), 0),
            };
            let offset = (start + part.offset) as usize;
            let array = Array::from_storage(storage, part.dtype, part.shape.clone(), part.strides.clone(), offset);
            let owner = match part.owner {
                Owner::Itself => None,
                Owner::Made(owner) => Some(made[owner].clone().into_any().unbind()),
                Owner::Argument(argument) => {
                    let argument = &call.arrays[argument];
                    let above = argument.get().owner().map(|owner| owner.clone_ref(py));
                    Some(above.unwrap_or_else(|| argument.clone().into_any().unbind()))
                }
            };
            let object = match owner {
                None => NdArray::new(array),
                Some(owner) => NdArray::over_memory_of(owner, array, part.read_only),
            };
            object.set_read_only(part.read_only);
            made.push(Bound::new(py, object)?);
        }
        self.root.build(py, call, &made)
    }
}

impl Node {
    fn build<'py>(
        &self,
        py: Python<'py>,
        call: &Reader<'py>,
        made: &[Bound<'py, NdArray>],
    ) -> Result<Bound<'py, PyAny>> {
        let all = |parts: &[Node]| parts.iter().map(|part| part.build(py, call, made)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Node::Argument(argument) => call.arrays[*argument].clone().into_any(),
            Node::Made(number) => made[*number].clone().into_any(),
            Node::Tuple(parts) => PyTuple::new(py, all(parts)?)?.into_any(),
            Node::List(parts) => PyList::new(py, all(parts)?)?.into_any(),
            Node::Dict(parts) => {
                let dict = PyDict::new(py);
                for (key, part) in parts {
                    dict.set_item(key, part.build(py, call, made)?)?;
                }
                dict.into_any()
            }
            Node::Constant(object) => object.bind(py).clone(),
        })
    }
}
