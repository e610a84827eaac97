//! What kernels take by value: arrays with their shapes and strides, and iteration spaces.

use cuproxide_core::Array;
use cuproxide_core::layout::Dims;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyTuple};
use smallvec::SmallVec;

use crate::arguments;
use crate::dtypes::Numpy;
use crate::errors::{Result, overflow_error, runtime_error, value_error};
use crate::ndarray::NdArray;

/// A structure that kernels take by value: an array with its shape and strides, or an iteration space.
#[pyclass(module = "cuproxide._cuproxide", frozen)]
pub struct ByValue {
    words: SmallVec<[u64; 20]>,
    /// Keeps the memory.
    _array: Option<Array>,
}

impl ByValue {
    /// The structure's bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: any integers are bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast::<u8>(), size_of_val(self.words.as_slice())) }
    }

    /// An array as the `CArray` of `cupy/carray.cuh`: address, size, shape and strides. As a `line`, one without gaps in
    /// C order has one axis, whatever its shape.
    fn array(array: &Array, line: bool) -> Result<ByValue> {
        check_aligned(array)?;
        let mut words: SmallVec<[u64; 20]> = SmallVec::new();
        words.push(array.ptr()?);
        words.push(array.size() as u64);
        if line {
            words.extend([array.size() as u64, array.itemsize() as u64]);
        } else {
            words.extend(array.shape().iter().map(|&length| length as u64));
            words.extend(array.strides().iter().map(|&stride| stride as u64));
        }
        Ok(ByValue { words, _array: Some(array.clone()) })
    }

    /// An array as C++'s `mdspan` with `layout_stride` lies in memory: address, extents, and strides in elements, integers
    /// of 32 bits (`narrow`) or of 64. That layout knows no strides below 1 and `relaxed` asks for no check.
    pub fn span(array: &Array, narrow: bool, relaxed: bool) -> Result<ByValue> {
        check_aligned(array)?;
        let item = array.itemsize() as isize;
        for (axis, (&length, &stride)) in array.shape().iter().zip(array.strides()).enumerate() {
            if relaxed {
                break;
            }
            if length == 0 {
                return Err(runtime_error(format!("axis {axis} has length zero, which an mdspan cannot index")));
            }
            if stride < item || stride % item != 0 {
                let message =
                    format!("axis {axis} has a stride of {stride} bytes, an mdspan has positive ones in elements");
                return Err(runtime_error(message));
            }
        }
        let strides = array.strides().iter().map(|&stride| (stride / item.max(1)) as i64);
        let numbers: SmallVec<[i64; 20]> = array.shape().iter().map(|&length| length as i64).chain(strides).collect();
        let mut words: SmallVec<[u64; 20]> = SmallVec::new();
        // The program may launch kernels with the structure whenever it likes.
        words.push(array.expose()?);
        if narrow {
            let small = |number: i64| {
                i32::try_from(number).map(|number| u64::from(number as u32)).map_err(|_| {
                    overflow_error(format!("an extent or stride of {number} does not fit index_type int32"))
                })
            };
            for pair in numbers.chunks(2) {
                words.push(small(pair[0])? | small(pair.get(1).copied().unwrap_or(0))? << 32);
            }
        } else {
            words.extend(numbers.iter().map(|&number| number as u64));
        }
        Ok(ByValue { words, _array: Some(array.clone()) })
    }
}

/// The text of a kernel reads and writes whole elements.
fn check_aligned(array: &Array) -> Result<()> {
    if array.is_aligned() {
        return Ok(());
    }
    let dtype = array.dtype();
    Err(value_error(format!("elements of {dtype} are not aligned in memory, as kernels need them: pass a copy")))
}

/// An array as the `CArray` of `cupy/carray.cuh`: address, size, shape and strides. As a `line`, one without gaps in C
/// order has one axis, whatever its shape.
#[pyfunction]
#[pyo3(signature = (array, line=false))]
pub fn kernel_array(array: &Bound<'_, PyAny>, line: bool) -> Result<ByValue> {
    let array = arguments::array(array)?;
    ByValue::array(&array, line)
}

/// An iteration space as the `CIndexer` of `cupy/carray.cuh`: size, shape, and room for a position.
#[pyfunction]
pub fn kernel_indexer(shape: &Bound<'_, PyAny>) -> Result<ByValue> {
    let shape = arguments::shape(shape)?;
    let mut words: SmallVec<[u64; 20]> = SmallVec::new();
    words.push(shape.iter().product::<usize>() as u64);
    words.extend(shape.iter().map(|&length| length as u64));
    words.extend(shape.iter().map(|_| 0));
    Ok(ByValue { words, _array: None })
}

/// A call's kind, the shape of its arrays and its parameters.
type Line<'py> = (Bound<'py, PyBytes>, Bound<'py, PyTuple>, Bound<'py, PyList>);

/// A call of a kernel over elements in its most usual form: of arrays without gaps in C order and of one shape, which has
/// elements, and of numbers; arrays whose place is a bit of `raw` are as they are. `None` for a call of another form.
///
/// Calls of one kind differ in shape, addresses and values only, so that one kernel serves them. Numbers among the
/// parameters are those that were given.
#[pyfunction]
pub fn kernel_line<'py>(arguments: &Bound<'py, PyTuple>, raw: u64) -> Result<Option<Line<'py>>> {
    let py = arguments.py();
    let mut kind: SmallVec<[u8; 32]> = SmallVec::new();
    let mut shape: Option<Dims> = None;
    let parameters = PyList::empty(py);
    for (place, argument) in arguments.iter_borrowed().enumerate() {
        if let Ok(array) = argument.cast_exact::<NdArray>() {
            let array = array.get().read();
            let contiguous = array.layout().c_contiguous;
            let whole = raw >> place & 1 == 1;
            if !whole {
                let alike = shape.get_or_insert_with(|| Dims::from_slice(array.shape())).as_slice() == array.shape();
                if !alike || !contiguous || array.size() == 0 {
                    return Ok(None);
                }
            }
            let layout = if whole { 1 + 2 * array.ndim() as u8 + u8::from(contiguous) } else { 0 };
            kind.extend([array.dtype() as u8, layout]);
            parameters.append(ByValue::array(&array, !whole)?)?;
        } else if let Some(number) = kind_of_number(&argument)? {
            kind.extend([u8::MAX, number]);
            parameters.append(argument)?;
        } else {
            return Ok(None);
        }
    }
    let Some(shape) = shape else { return Ok(None) };
    Ok(Some((PyBytes::new(py, &kind), PyTuple::new(py, shape)?, parameters)))
}

/// A number for each type of numbers, Python's own and NumPy's.
fn kind_of_number(argument: &Bound<'_, PyAny>) -> Result<Option<u8>> {
    let class = argument.get_type();
    let dtype = Numpy::get(argument.py())?.of_scalar_type(&class);
    let own = [
        argument.is_exact_instance_of::<PyBool>(),
        argument.is_exact_instance_of::<PyInt>(),
        argument.is_exact_instance_of::<PyFloat>(),
        argument.is_exact_instance_of::<PyComplex>(),
    ];
    let python = own.iter().position(|&is| is).map(|position| position as u8);
    Ok(python.or(dtype.map(|dtype| own.len() as u8 + dtype as u8)))
}

/// The name of an element type in kernels, such as `long long`.
#[pyfunction]
pub fn kernel_type(dtype: &Bound<'_, PyAny>) -> Result<&'static str> {
    Ok(crate::dtypes::parse(dtype)?.info().kernel_name)
}
