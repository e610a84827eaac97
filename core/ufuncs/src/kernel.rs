//! Builds the map kernel of a loop, and counts its work.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Builder, Kernel, Mode, Op, OperandVar, Stmt, Unary, Var};
use smallvec::SmallVec;

use crate::row::{Cost, Ufunc};

/// Where an input of a kernel comes from, and its type there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An operand in memory.
    Memory(DType),
    /// A launch scalar.
    Scalar(DType),
}

impl Source {
    /// The type it has before it is cast to the type of the loop.
    #[inline]
    pub const fn dtype(self) -> DType {
        match self {
            Source::Memory(dtype) | Source::Scalar(dtype) => dtype,
        }
    }
}

/// The kernel that runs loop `index` of `ufunc` at every point.
///
/// Its operands are the inputs in memory, then the outputs, then, if `masked`, a bool operand: where it is false,
/// nothing is computed or stored. Its scalars are the scalar inputs. Inputs are cast to the types of the loop, its
/// results to `outputs`.
pub fn kernel(ufunc: &Ufunc, index: usize, inputs: &[Source], outputs: &[DType], masked: bool) -> Kernel {
    let builder = Builder::new(name(ufunc, inputs, &ufunc.loops[index].outputs, outputs, masked));
    write(&builder, ufunc, index, inputs, outputs, masked);
    builder.finish_map()
}

impl Ufunc {
    /// The work of a loop for one element, in additions, roughly.
    #[inline]
    pub fn cost(&self, index: usize) -> u8 {
        self.costs()[index].work
    }

    /// Whether a loop computes all elements by the same operations, without branches, rounds and calls.
    #[inline]
    pub fn is_straight(&self, index: usize) -> bool {
        self.costs()[index].straight
    }

    #[inline]
    fn costs(&self) -> &[Cost] {
        self.costs.get_or_init(|| (0..self.loops.len()).map(|index| cost(self, index)).collect())
    }
}

/// The cost of a loop, counted.
fn cost(ufunc: &Ufunc, index: usize) -> Cost {
    let types = &ufunc.loops[index];
    let sources: SmallVec<[Source; 4]> = types.inputs.iter().map(|&dtype| Source::Memory(dtype)).collect();
    let (mut work, mut straight) = (0u32, true);
    // With the functions that it calls.
    kernel(ufunc, index, &sources, &types.outputs, false).visit_all(&mut |statement| {
        straight &= !matches!(statement, Stmt::If { .. } | Stmt::While { .. } | Stmt::Call { .. });
        work += match statement {
            Stmt::Let(_, Op::Load { .. } | Op::Const(_) | Op::Scalar { .. } | Op::Get(_)) => 0,
            Stmt::Let(_, Op::Unary(op, _)) => match op {
                Unary::Neg | Unary::Abs | Unary::Not | Unary::Conj | Unary::Real | Unary::Imag => 1,
                Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Rint | Unary::Popcount => 1,
                Unary::Sqrt => 6,
                _ => 24,
            },
            Stmt::Let(_, Op::Binary(op, ..)) => match op {
                Binary::Div | Binary::Rem => 6,
                Binary::Pow | Binary::Atan2 | Binary::Hypot => 48,
                _ => 1,
            },
            Stmt::Let(..) => 1,
            Stmt::While { .. } => 32,
            _ => 0,
        };
    });
    Cost { work: work.min(u8::MAX.into()) as u8, straight }
}

enum Input<'b> {
    Operand(OperandVar),
    Value(Var<'b>),
}

fn write(builder: &Builder, ufunc: &Ufunc, index: usize, inputs: &[Source], outputs: &[DType], masked: bool) {
    let declare = |source: &Source| match *source {
        Source::Memory(dtype) => Input::Operand(builder.operand(dtype, Mode::Read)),
        Source::Scalar(dtype) => Input::Value(builder.scalar(dtype)),
    };
    let declared: Vec<Input<'_>> = inputs.iter().map(declare).collect();
    let targets: Vec<OperandVar> = outputs.iter().map(|&dtype| builder.operand(dtype, Mode::Write)).collect();
    let compute = || {
        let types = &ufunc.loops[index].inputs;
        let mut values: SmallVec<[Var<'_>; 4]> = SmallVec::new();
        for (input, &dtype) in declared.iter().zip(types) {
            let value = match *input {
                Input::Operand(operand) => builder.load(operand),
                Input::Value(value) => value,
            };
            values.push(value.cast(dtype));
        }
        for (&target, value) in targets.iter().zip(ufunc.apply(index, &values)) {
            builder.store(target, value.cast(target.dtype()));
        }
    };
    if masked {
        builder.branch(builder.input(DType::Bool), compute, || ());
    } else {
        compute();
    }
}

/// `add_float32_float32`; a scalar input adds `s`, cast results add their types, a mask `where`.
fn name(ufunc: &Ufunc, inputs: &[Source], natural: &[DType], outputs: &[DType], masked: bool) -> String {
    let mut name = ufunc.name.to_owned();
    for input in inputs {
        name.push('_');
        name.push_str(input.dtype().name());
        if matches!(input, Source::Scalar(_)) {
            name.push('s');
        }
    }
    if natural != outputs {
        name.push_str("_to");
        for output in outputs {
            name.push('_');
            name.push_str(output.name());
        }
    }
    if masked {
        name.push_str("_where");
    }
    name
}
