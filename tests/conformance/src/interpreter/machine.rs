//! Runs kernels point by point over byte buffers.

use cuproxide_hal::ir::{Array, Atomic, Binary, Block, Body, Fold, Kernel, Lambda, Op, Rows, Segments, Stmt, Value};
use cuproxide_hal::{DType, Fault, MAX_DIMS, Scalar};
use num_complex::Complex64;

use super::number::{Number, decode, encode};
use super::operators;

/// An operand: a buffer, the byte in it where the origin lies, and strides in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Number of the buffer.
    pub buffer: usize,
    /// Byte of the element at the origin.
    pub origin: usize,
    /// Strides, outer dimensions first.
    pub strides: [isize; MAX_DIMS],
}

/// What a launch works on.
pub struct Memory<'a> {
    /// The buffers.
    pub buffers: &'a mut [Vec<u8>],
    /// The operands, in the kernel's order.
    pub operands: &'a [Placed],
    /// The scalars, in the kernel's order.
    pub scalars: &'a [Scalar],
}

/// Runs a kernel and returns the first fault. `legalized` says which form the kernel has.
pub fn interpret(
    kernel: &Kernel,
    legalized: bool,
    outer: &[usize],
    inner: &[usize],
    memory: Memory<'_>,
) -> Option<Fault> {
    let mut machine = Machine {
        kernel,
        legalized,
        memory,
        values: vec![Number::Int(0); kernel.values.len()],
        locals: vec![Number::Int(0); kernel.locals.len()],
        arrays: kernel.arrays.iter().map(|array| vec![Number::Int(0); array.length]).collect(),
        offsets: vec![0; kernel.operands.len()],
        index: 0,
        outer_index: 0,
        fault: None,
    };
    for (outer_index, at) in points(outer).into_iter().enumerate() {
        machine.outer_index = outer_index as i64;
        match &kernel.body {
            Body::Map(block) => {
                machine.index = outer_index as i64;
                machine.move_to(&at, &[], outer.len());
                machine.block(block);
            }
            Body::Reduce(fold) => machine.fold(fold, false, &at, inner, outer.len()),
            Body::Scan(fold) => machine.fold(fold, true, &at, inner, outer.len()),
            Body::Rows(rows) => machine.rows(rows, &at, inner, outer.len()),
            Body::Segments(segments) => machine.segment(segments, &at, inner, outer.len()),
        }
    }
    machine.fault
}

/// Every point of a space in C order.
pub fn points(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &length in shape {
        all = all.into_iter().flat_map(|point| (0..length).map(move |i| [&point[..], &[i]].concat())).collect();
    }
    all
}

struct Machine<'a> {
    kernel: &'a Kernel,
    legalized: bool,
    memory: Memory<'a>,
    values: Vec<Number>,
    locals: Vec<Number>,
    arrays: Vec<Vec<Number>>,
    offsets: Vec<isize>,
    index: i64,
    outer_index: i64,
    fault: Option<Fault>,
}

impl Machine<'_> {
    fn move_to(&mut self, outer: &[usize], inner: &[usize], outer_dims: usize) {
        for (offset, operand) in self.offsets.iter_mut().zip(self.memory.operands) {
            let along = |at: &[usize], strides: &[isize]| -> isize {
                at.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum()
            };
            *offset = along(outer, &operand.strides) + along(inner, &operand.strides[outer_dims..]);
        }
    }

    fn fold(&mut self, fold: &Fold, scan: bool, outer: &[usize], inner: &[usize], outer_dims: usize) {
        self.move_to(outer, &[], outer_dims);
        let mut accumulators = self.lambda(&fold.identity, &[]);
        for (index, at) in points(inner).into_iter().enumerate() {
            self.index = index as i64;
            self.move_to(outer, &at, outer_dims);
            let mapped = self.lambda(&fold.map, &[]);
            accumulators = self.lambda(&fold.combine, &[accumulators, mapped].concat());
            if scan {
                self.lambda(&fold.finish, &accumulators);
            }
        }
        if !scan {
            self.move_to(outer, &[], outer_dims);
            self.lambda(&fold.finish, &accumulators);
        }
    }

    fn segment(&mut self, segments: &Segments, outer: &[usize], inner: &[usize], outer_dims: usize) {
        let Segments { range, fold } = segments;
        self.index = 0;
        self.move_to(outer, &[], outer_dims);
        let length = inner.iter().product::<usize>() as i128;
        let bounds: Vec<i128> = self.lambda(range, &[]).into_iter().map(Number::int).collect();
        let begin = bounds[0].clamp(0, length);
        let end = bounds[1].clamp(begin, length);
        for (&bound, moved) in range.results.iter().zip([begin, end]) {
            self.values[bound.0 as usize] = Number::Int(moved);
        }
        let mut accumulators = self.lambda(&fold.identity, &[]);
        for position in begin..end {
            self.index = position as i64;
            self.move_to(outer, &[position as usize], outer_dims);
            let mapped = self.lambda(&fold.map, &[]);
            accumulators = self.lambda(&fold.combine, &[accumulators, mapped].concat());
        }
        self.move_to(outer, &[], outer_dims);
        self.lambda(&fold.finish, &accumulators);
    }

    /// What earlier maps bound at a point is computed again where a later one may use it.
    fn rows(&mut self, rows: &Rows, outer: &[usize], inner: &[usize], outer_dims: usize) {
        let before = |machine: &mut Self, number: usize| {
            rows.folds[..number].iter().for_each(|fold| machine.block(&fold.map.body));
        };
        for (number, fold) in rows.folds.iter().enumerate() {
            self.move_to(outer, &[], outer_dims);
            let mut accumulators = self.lambda(&fold.identity, &[]);
            for (index, at) in points(inner).into_iter().enumerate() {
                self.index = index as i64;
                self.move_to(outer, &at, outer_dims);
                before(self, number);
                let mapped = self.lambda(&fold.map, &[]);
                accumulators = self.lambda(&fold.combine, &[accumulators, mapped].concat());
            }
            self.move_to(outer, &[], outer_dims);
            self.lambda(&fold.finish, &accumulators);
        }
        for (index, at) in points(inner).into_iter().enumerate() {
            self.index = index as i64;
            self.move_to(outer, &at, outer_dims);
            before(self, rows.folds.len());
            self.block(&rows.map);
        }
    }

    fn lambda(&mut self, lambda: &Lambda, arguments: &[Number]) -> Vec<Number> {
        for (param, &argument) in lambda.params.iter().zip(arguments) {
            self.values[param.0 as usize] = argument;
        }
        self.block(&lambda.body);
        lambda.results.iter().map(|&result| self.get(result)).collect()
    }

    fn get(&self, value: Value) -> Number {
        self.values[value.0 as usize]
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match *statement {
            Stmt::Let(value, ref op) => {
                let number = self.op(self.kernel.dtype(value), op);
                self.values[value.0 as usize] = number;
            }
            Stmt::Set(local, value) => self.locals[local.0 as usize] = self.get(value),
            Stmt::Fill(array, value) => {
                let number = self.get(value);
                self.arrays[array.0 as usize].fill(number);
            }
            Stmt::Put { array, index, value } => {
                let (at, number) = (self.element(array, index), self.get(value));
                self.arrays[array.0 as usize][at] = number;
            }
            Stmt::Call { callee, ref arguments, ref results } => {
                let arguments: Vec<Number> = arguments.iter().map(|&argument| self.get(argument)).collect();
                let numbers = self.lambda(&self.kernel.functions[usize::from(callee.0)].lambda, &arguments);
                for (result, number) in results.iter().zip(numbers) {
                    self.values[result.0 as usize] = number;
                }
            }
            Stmt::Store { operand, offset, lane, value } => {
                let dtype = self.stored(self.kernel.operands[operand as usize].dtype);
                self.write(operand, offset, lane, dtype, self.get(value));
            }
            Stmt::Atomic { operand, offset, lane, op, value } => {
                self.atomic(operand, offset, lane, op, value);
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                self.block(if self.get(cond).truth() { then } else { otherwise });
            }
            Stmt::While { ref head, cond, ref body } => loop {
                self.block(head);
                if !self.get(cond).truth() {
                    break;
                }
                self.block(body);
            },
            Stmt::Require(cond, fault) => {
                if !self.get(cond).truth() {
                    self.fault.get_or_insert(fault);
                }
            }
        }
    }

    fn atomic(&mut self, operand: u16, offset: Option<Value>, lane: u8, op: Atomic, value: Value) {
        let declared = self.kernel.operands[operand as usize].dtype;
        // A legalised atomic still combines in the declared type, one lane at a time.
        let dtype = if self.legalized { declared.real() } else { declared };
        let old = decode(
            dtype,
            &self.memory.buffers[self.memory.operands[operand as usize].buffer][self.address(operand, offset, lane)..],
        );
        let value = self.get(value);
        let combined = match op {
            Atomic::Add => operators::binary(Binary::Add, dtype, old, value),
            Atomic::Min => operators::binary(Binary::Min, dtype, old, value),
            Atomic::Max => operators::binary(Binary::Max, dtype, old, value),
        };
        self.write(operand, offset, lane, dtype, combined);
    }

    fn stored(&self, dtype: DType) -> DType {
        if self.legalized { dtype.storage() } else { dtype }
    }

    fn address(&self, operand: u16, offset: Option<Value>, lane: u8) -> usize {
        let number = operand as usize;
        let moved = offset.map_or(0, |offset| self.get(offset).int() as isize);
        let lane = isize::from(lane) * self.kernel.operands[number].dtype.storage().size() as isize;
        let at = self.memory.operands[number].origin as isize + self.offsets[number] + moved + lane;
        usize::try_from(at).expect("an address within the buffer")
    }

    fn read(&self, operand: u16, offset: Option<Value>, lane: u8) -> Number {
        let dtype = self.stored(self.kernel.operands[operand as usize].dtype);
        let buffer = &self.memory.buffers[self.memory.operands[operand as usize].buffer];
        decode(dtype, &buffer[self.address(operand, offset, lane)..])
    }

    fn write(&mut self, operand: u16, offset: Option<Value>, lane: u8, dtype: DType, number: Number) {
        let at = self.address(operand, offset, lane);
        let buffer = &mut self.memory.buffers[self.memory.operands[operand as usize].buffer];
        buffer[at..at + dtype.size()].copy_from_slice(&encode(dtype, number));
    }

    fn element(&self, array: Array, index: Value) -> usize {
        let last = self.arrays[array.0 as usize].len() as i128 - 1;
        self.get(index).int().clamp(0, last) as usize
    }

    fn op(&self, dtype: DType, op: &Op) -> Number {
        match *op {
            Op::Const(literal) => decode(literal.dtype, &literal.bytes),
            Op::Scalar { index, lane } => {
                let scalar = self.memory.scalars[index as usize];
                let dtype = self.stored(scalar.dtype);
                decode(dtype, &scalar.bytes[usize::from(lane) * dtype.size()..])
            }
            Op::Index => Number::Int(self.index.into()),
            Op::OuterIndex => Number::Int(self.outer_index.into()),
            Op::Load { operand, offset, lane } => self.read(operand, offset, lane),
            Op::Unary(op, a) => operators::unary(op, self.kernel.dtype(a), self.get(a)),
            Op::Binary(op, a, b) => operators::binary(op, dtype, self.get(a), self.get(b)),
            Op::Compare(op, a, b) => Number::Int(operators::compare(op, self.get(a), self.get(b)).into()),
            Op::Select(cond, yes, no) => self.get(if self.get(cond).truth() { yes } else { no }),
            Op::Fma(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|value| self.get(value).real());
                Number::Real(operators::fma(dtype, a, b, c))
            }
            Op::Cast(a) => operators::cast(dtype, self.get(a)),
            Op::Bitcast(a) => decode(dtype, &encode(self.kernel.dtype(a), self.get(a))),
            Op::Complex(re, im) => Number::Complex(Complex64::new(self.get(re).real(), self.get(im).real())),
            Op::Get(local) => self.locals[local.0 as usize],
            Op::Element(array, index) => self.arrays[array.0 as usize][self.element(array, index)],
        }
    }
}
