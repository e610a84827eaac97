//! Kernels that Python writes: statements as Python records them become a kernel of the IR.
//!
//! A block is a list of tuples; the first entry names the statement, values and locals are numbers. Types were worked out
//! while recording: what a ufunc computes, and in which types, is asked of its row by [`kernel_loop`].

use cuproxide_core::ops::authored::Authored;
use cuproxide_core::promotion::{Casting, Operand};
use cuproxide_core::ufunc::{self, Signature};
use std::cell::RefCell;

use cuproxide_core::fold::{self, Element, Options, Plan};
use cuproxide_hal::ir::{
    ArrayDecl, ArrayVar, Atomic, Binary, Body, Builder, LocalVar, Mode, OperandVar, Segments, Stmt, Var,
};
use cuproxide_hal::{DType, Fault};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use smallvec::SmallVec;

use crate::errors::{Result, value_error};
use crate::scalars::Number;

/// A kernel that Python wrote, with what its launches have to know.
#[pyclass(module = "cuproxide._cuproxide", frozen)]
pub struct KernelProgram {
    /// The kernel.
    pub authored: Authored,
    /// Types of the results, which follow the parameters among the operands.
    pub outputs: SmallVec<[DType; 2]>,
    /// Whether the lengths of the launch's axes are its last scalars.
    pub uses_shape: bool,
    /// Whether each point folds a range of positions, whose ends are the first two operands.
    pub is_segmented: bool,
    text: String,
}

/// What a kernel folds at the positions of a range: a reduction and the number of a value for each result.
type Folds = Vec<(String, usize)>;

#[pymethods]
impl KernelProgram {
    #[new]
    #[pyo3(signature = (name, operands, scalars, locals, arrays, block, outputs, uses_shape=false, ordered=false, folds=None))]
    fn __new__(
        name: String,
        operands: Vec<(String, bool)>,
        scalars: Vec<String>,
        locals: Vec<String>,
        arrays: Vec<(String, usize)>,
        block: &Bound<'_, PyList>,
        outputs: Vec<String>,
        uses_shape: bool,
        ordered: bool,
        folds: Option<Folds>,
    ) -> Result<KernelProgram> {
        let builder = Builder::new(name);
        builder.set_ordered(ordered);
        let mut declared = vec![];
        for (name, writes) in &operands {
            declared.push(builder.operand(dtype(name)?, if *writes { Mode::Update } else { Mode::Read }));
        }
        let outputs: SmallVec<[DType; 2]> = outputs.iter().map(|name| dtype(name)).collect::<Result<_>>()?;
        let results: Vec<OperandVar> = outputs.iter().map(|&dtype| builder.operand(dtype, Mode::Write)).collect();
        let types: Vec<DType> = scalars.iter().map(|name| dtype(name)).collect::<Result<_>>()?;
        let scalars: Vec<Var<'_>> = types.iter().map(|&dtype| builder.scalar(dtype)).collect();
        let types: Vec<DType> = locals.iter().map(|name| dtype(name)).collect::<Result<_>>()?;
        let locals = types.iter().map(|&dtype| builder.declare_local(dtype)).collect();
        let mut own = vec![];
        for (name, length) in &arrays {
            own.push(builder.declare_array(ArrayDecl { dtype: dtype(name)?, length: *length }));
        }
        let all = declared.iter().chain(&results).copied().collect();
        let mut assembler =
            Assembler { builder: &builder, operands: all, scalars, locals, arrays: own, values: vec![] };
        let is_segmented = folds.is_some();
        let kernel = match folds {
            None => {
                assembler.block(block)?;
                builder.finish_map()
            }
            Some(folds) => {
                let segments = segments(&mut assembler, block, &folds, &declared, &results)?;
                builder.finish(Body::Segments(segments))
            }
        };
        let text = kernel.to_string();
        Ok(KernelProgram { authored: Authored::new(kernel)?, outputs, uses_shape, is_segmented, text })
    }

    /// The kernel in the IR's own notation.
    fn __str__(&self) -> &str {
        &self.text
    }
}

fn dtype(name: &str) -> Result<DType> {
    DType::from_name(name).ok_or_else(|| value_error(format!("there is no element type {name}")))
}

/// A fold of what `block` computes at the positions of each point's range.
fn segments<'b>(
    assembler: &mut Assembler<'b>,
    block: &Bound<'_, PyList>,
    folds: &Folds,
    operands: &[OperandVar],
    results: &[OperandVar],
) -> Result<Segments> {
    let builder = assembler.builder;
    let &[begin, end, ..] = operands else { return Err(value_error("a fold of ranges needs their ends")) };
    let mut plans = vec![];
    for ((name, _), output) in folds.iter().zip(results) {
        let row = fold::get(name).ok_or_else(|| value_error(format!("there is no reduction {name}")))?;
        let dtype = output.dtype();
        plans.push(row.plan(dtype, Some(dtype)).map_err(cuproxide_core::Error::from)?);
    }
    let plans: Vec<(&Plan, Options)> = plans.into_iter().map(|plan| (plan, Options::default())).collect();
    let range = builder.lambda(&[], |_| [begin, end].map(|bound| builder.load(bound).cast(DType::I64)).to_vec());
    // What was bound before the fold is not visible in it.
    let (count, failure) = (assembler.scalars.len(), RefCell::new(None));
    let assembler = RefCell::new(assembler);
    let load = || {
        let mut assembler = assembler.borrow_mut();
        assembler.scalars = (0..count).map(|number| builder.scalar_ref(number as u16)).collect();
        let mut write = || -> Result<Vec<Element<'b>>> {
            assembler.block(block)?;
            let value = |(_, number): &(String, usize)| Ok(Element { value: assembler.value(*number)?, mask: None });
            folds.iter().map(value).collect()
        };
        write().unwrap_or_else(|error| {
            failure.replace(Some(error));
            plans.iter().map(|(plan, _)| Element { value: builder.integer(plan.input, 0), mask: None }).collect()
        })
    };
    let fold = fold::folds(
        builder,
        &plans,
        false,
        load,
        |_, _, dtype| builder.scalar(dtype),
        |all| {
            for (&target, values) in results.iter().zip(all) {
                builder.store(target, values[0].cast(target.dtype()));
            }
            vec![]
        },
    );
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(Segments { range, fold }),
    }
}

/// The loop that a ufunc runs for operands: its number, and the types that it takes and gives. An operand is the name of
/// an element type, or "int", "float" or "complex" for one that takes the type of the others.
#[pyfunction]
pub fn kernel_loop(name: &str, operands: Vec<String>) -> Result<(usize, Vec<&'static str>, Vec<&'static str>)> {
    let row = ufunc::get(name).ok_or_else(|| value_error(format!("there is no ufunc {name}")))?;
    if operands.len() != row.nin {
        return Err(value_error(format!("{name} takes {} operands, not {}", row.nin, operands.len())));
    }
    let mut kinds: SmallVec<[Operand; 4]> = SmallVec::new();
    for operand in &operands {
        kinds.push(match operand.as_str() {
            "int" => Operand::WeakInt,
            "float" => Operand::WeakFloat,
            "complex" => Operand::WeakComplex,
            name => Operand::Strong(dtype(name)?),
        });
    }
    let found = ufunc::resolve(row, &kinds, Signature::None, Casting::SameKind).map_err(cuproxide_core::Error::from)?;
    let names = |types: &[DType]| types.iter().map(|dtype| dtype.name()).collect();
    Ok((found.index, names(&found.types.inputs), names(&found.types.outputs)))
}

struct Assembler<'b> {
    builder: &'b Builder,
    operands: Vec<OperandVar>,
    scalars: Vec<Var<'b>>,
    locals: Vec<LocalVar<'b>>,
    arrays: Vec<ArrayVar<'b>>,
    /// By the numbers that Python gave them.
    values: Vec<Option<Var<'b>>>,
}

/// The entries of a statement after its name.
struct Entries<'a, 'py>(&'a Bound<'py, PyTuple>);

impl<'py> Entries<'_, 'py> {
    fn any(&self, position: usize) -> Result<Bound<'py, PyAny>> {
        Ok(self.0.get_item(position + 1)?)
    }

    fn number(&self, position: usize) -> Result<usize> {
        Ok(self.any(position)?.extract()?)
    }

    fn numbers(&self, position: usize) -> Result<SmallVec<[usize; 4]>> {
        let all: Vec<usize> = self.any(position)?.extract()?;
        Ok(all.into())
    }

    fn text(&self, position: usize) -> Result<String> {
        Ok(self.any(position)?.cast_into::<PyString>()?.to_str()?.to_owned())
    }

    fn block(&self, position: usize) -> Result<Bound<'py, PyList>> {
        Ok(self.any(position)?.cast_into::<PyList>()?)
    }
}

impl<'b> Assembler<'b> {
    fn block(&mut self, statements: &Bound<'_, PyList>) -> Result<()> {
        for statement in statements {
            let statement = statement.cast_into::<PyTuple>()?;
            let kind = statement.get_item(0)?.cast_into::<PyString>()?;
            self.statement(kind.to_str()?, &Entries(&statement))?;
        }
        Ok(())
    }

    fn nested(&mut self, statements: &Bound<'_, PyList>) -> Result<Vec<Stmt>> {
        let builder = self.builder;
        let (block, written) = builder.block(|| self.block(statements));
        written.map(|()| block)
    }

    fn value(&self, number: usize) -> Result<Var<'b>> {
        let found = self.values.get(number).copied().flatten();
        found.ok_or_else(|| value_error(format!("value {number} is used before it is bound")))
    }

    fn at(&self, entries: &Entries<'_, '_>, position: usize) -> Result<Var<'b>> {
        self.value(entries.number(position)?)
    }

    fn offset(&self, entries: &Entries<'_, '_>, position: usize) -> Result<Option<Var<'b>>> {
        let number: Option<usize> = entries.any(position)?.extract()?;
        number.map(|number| self.value(number)).transpose()
    }

    fn bind(&mut self, number: usize, value: Var<'b>) {
        if self.values.len() <= number {
            self.values.resize(number + 1, None);
        }
        self.values[number] = Some(value);
    }

    fn local(&self, number: usize) -> Result<LocalVar<'b>> {
        self.locals.get(number).copied().ok_or_else(|| value_error(format!("there is no local {number}")))
    }

    fn array(&self, number: usize) -> Result<ArrayVar<'b>> {
        self.arrays.get(number).copied().ok_or_else(|| value_error(format!("there is no local array {number}")))
    }

    fn operand(&self, number: usize) -> Result<OperandVar> {
        self.operands.get(number).copied().ok_or_else(|| value_error(format!("there is no operand {number}")))
    }

    fn statement(&mut self, kind: &str, entries: &Entries<'_, '_>) -> Result<()> {
        let builder = self.builder;
        match kind {
            "set" => self.local(entries.number(0)?)?.set(self.at(entries, 1)?),
            "fill" => self.array(entries.number(0)?)?.fill(self.at(entries, 1)?),
            "put" => self.array(entries.number(0)?)?.set(self.at(entries, 1)?, self.at(entries, 2)?),
            "store" => {
                let (operand, value) = (self.operand(entries.number(0)?)?, self.at(entries, 2)?);
                match self.offset(entries, 1)? {
                    Some(offset) => builder.store_at(operand, offset, value),
                    None => builder.store(operand, value),
                }
            }
            "atomic" => {
                let op = match entries.text(2)?.as_str() {
                    "add" => Atomic::Add,
                    "min" => Atomic::Min,
                    "max" => Atomic::Max,
                    other => return Err(value_error(format!("there is no atomic {other}"))),
                };
                let (operand, offset) = (self.operand(entries.number(0)?)?, self.offset(entries, 1)?);
                builder.atomic(operand, offset, op, self.at(entries, 3)?);
            }
            "require" => {
                let fault = match entries.text(1)?.as_str() {
                    "index" => Fault::IndexOutOfBounds,
                    other => return Err(value_error(format!("there is no fault {other}"))),
                };
                builder.require(self.at(entries, 0)?, fault);
            }
            "if" => {
                let cond = self.at(entries, 0)?.id();
                let then = self.nested(&entries.block(1)?)?;
                let otherwise = self.nested(&entries.block(2)?)?;
                builder.push(Stmt::If { cond, then, otherwise });
            }
            "while" => {
                let head = self.nested(&entries.block(0)?)?;
                let cond = self.at(entries, 1)?.id();
                let body = self.nested(&entries.block(2)?)?;
                builder.push(Stmt::While { head, cond, body });
            }
            "ufunc" => {
                let row = ufunc::get(&entries.text(1)?).ok_or_else(|| value_error("there is no such ufunc"))?;
                let inputs = entries.numbers(3)?.into_iter().map(|number| self.value(number));
                let inputs: SmallVec<[Var<'b>; 4]> = inputs.collect::<Result<_>>()?;
                let results = row.apply(entries.number(2)?, &inputs);
                for (number, value) in entries.numbers(0)?.into_iter().zip(results) {
                    self.bind(number, value);
                }
            }
            _ => {
                let value = self.expression(kind, entries)?;
                self.bind(entries.number(0)?, value);
            }
        }
        Ok(())
    }

    /// What binds one value, whose number is the first entry.
    fn expression(&self, kind: &str, entries: &Entries<'_, '_>) -> Result<Var<'b>> {
        let builder = self.builder;
        Ok(match kind {
            "const" => {
                let dtype = dtype(&entries.text(1)?)?;
                let number = Number::parse(&entries.any(2)?)?.ok_or_else(|| value_error("a constant is a number"))?;
                builder.literal(number.element(dtype)?.into())
            }
            "scalar" => {
                let found = self.scalars.get(entries.number(1)?).copied();
                found.ok_or_else(|| value_error("there is no such scalar"))?
            }
            "index" => builder.index(),
            "outer_index" => builder.outer_index(),
            "take" => self.array(entries.number(1)?)?.get(self.at(entries, 2)?),
            "load" => {
                let operand = self.operand(entries.number(1)?)?;
                match self.offset(entries, 2)? {
                    Some(offset) => builder.load_at(operand, offset),
                    None => builder.load(operand),
                }
            }
            "get" => self.local(entries.number(1)?)?.get(),
            "cast" => self.at(entries, 1)?.cast(dtype(&entries.text(2)?)?),
            "bitcast" => self.at(entries, 1)?.bitcast(dtype(&entries.text(2)?)?),
            "fma" => builder.fma(self.at(entries, 1)?, self.at(entries, 2)?, self.at(entries, 3)?),
            "complex" => builder.complex(self.at(entries, 1)?, self.at(entries, 2)?),
            "mul_high" => self.at(entries, 1)?.binary(Binary::MulHigh, self.at(entries, 2)?),
            other => return Err(value_error(format!("there is no statement {other}"))),
        })
    }
}
