//! Writes IR as C++ statements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cuproxide_hal::ir::{
    Array, ArrayDecl, Atomic, Binary, Block, Callee, Compare, Function, Kernel, Lambda, Literal, Local, Op, Stmt,
    Unary, Value,
};
use cuproxide_hal::{DType, Kind};

use crate::halves::Widening;
use crate::shape::Touch;

/// The C++ name of a machine type.
pub(crate) fn type_name(dtype: DType) -> &'static str {
    dtype.info().machine_name
}

/// The C++ name of what memory holds for an element of `dtype`, once a lane.
pub(crate) fn storage_name(dtype: DType) -> &'static str {
    type_name(dtype.storage())
}

/// One section of a kernel on its way to text.
pub(crate) struct Emitter<'k> {
    kernel: &'k Kernel,
    /// How this section touches each operand; none for sections without a place.
    touches: Vec<Touch>,
    /// Floats that are the value of half bits.
    widened: BTreeMap<Value, Value>,
    /// Those floats of which nobody sees a NaN's bits.
    plain: BTreeMap<Value, Widening>,
    /// Values that are float64 constants other than 0 and NaN.
    numbers: BTreeSet<Value>,
    constants: Constants,
    out: String,
}

/// Fewest constants that are worth a table.
const TABLE: usize = 8;

/// The kernel's float64 constants that no instruction holds: the compiler builds each by two instructions wherever it is
/// used, but reads one from constant memory by a single one.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Their bits, and their places in the table.
    places: BTreeMap<u64, usize>,
}

impl Constants {
    /// Those of a kernel, if they are many.
    pub fn of(kernel: &Kernel) -> Constants {
        let mut places = BTreeMap::new();
        kernel.visit_all(&mut |statement| {
            if let Stmt::Let(_, Op::Const(literal)) = statement
                && let Some(bits) = long_bits(*literal)
            {
                let next = places.len();
                places.entry(bits).or_insert(next);
            }
        });
        if places.len() < TABLE { Constants::default() } else { Constants { places } }
    }

    /// The table's declaration.
    pub fn declaration(&self) -> Option<String> {
        let mut values = vec![0.0; self.places.len()];
        for (&bits, &place) in &self.places {
            values[place] = f64::from_bits(bits);
        }
        let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let length = values.len();
        (length > 0).then(|| format!("CONSTANT f64 constants[{length}] = {{{}}};\n", values.join(", ")))
    }

    fn text(&self, literal: Literal) -> String {
        match long_bits(literal).and_then(|bits| self.places.get(&bits)) {
            Some(place) => format!("constants[{place}]"),
            None => constant(literal),
        }
    }
}

/// The values that are float64 constants, but for zeros, whose signs order them, and NaN.
fn numbers(kernel: &Kernel) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    kernel.visit_all(&mut |statement| {
        if let Stmt::Let(value, Op::Const(literal)) = statement
            && literal.dtype == DType::F64
        {
            let number = f64::from_le_bytes(literal.bytes[..8].try_into().expect("eight bytes"));
            if number != 0.0 && !number.is_nan() {
                found.insert(*value);
            }
        }
    });
    found
}

/// The bits of a finite float64 number whose low half, which instructions have no room for, is not zero.
fn long_bits(literal: Literal) -> Option<u64> {
    let bits = u64::from_le_bytes(literal.bytes[..8].try_into().expect("eight bytes"));
    (literal.dtype == DType::F64 && bits as u32 != 0 && f64::from_bits(bits).is_finite()).then_some(bits)
}

impl<'k> Emitter<'k> {
    pub fn new(kernel: &'k Kernel, touches: Vec<Touch>) -> Emitter<'k> {
        let (widened, plain) = (BTreeMap::new(), BTreeMap::new());
        let (constants, numbers) = (Constants::of(kernel), numbers(kernel));
        Emitter { kernel, touches, widened, plain, numbers, constants, out: String::new() }
    }

    /// Widens these halves so; see [`plain_halves`](crate::halves::plain_halves).
    pub fn plain(self, plain: BTreeMap<Value, Widening>) -> Emitter<'k> {
        Emitter { plain, ..self }
    }

    /// The statements of `lambda`, after which its results are assigned to the fields of `result` and returned.
    pub fn lambda(mut self, lambda: &Lambda, returns: bool) -> String {
        self.locals(&lambda.body);
        self.block(&lambda.body, 1);
        if returns {
            self.out.push_str("    Accumulator result;\n");
            for (at, value) in lambda.results.iter().enumerate() {
                let _ = writeln!(self.out, "    result.part{at} = v{};", value.0);
            }
            self.out.push_str("    return result;\n");
        }
        self.out
    }

    /// The statements of a block.
    pub fn body(mut self, block: &Block) -> String {
        self.locals(block);
        self.block(block, 1);
        self.out
    }

    /// Declares the local variables and arrays of a block.
    fn locals(&mut self, block: &Block) {
        let mut locals = vec![false; self.kernel.locals.len()];
        let mut arrays = vec![false; self.kernel.arrays.len()];
        mark_locals(block, &mut locals, &mut arrays);
        for (local, _) in locals.iter().enumerate().filter(|(_, used)| **used) {
            let _ = writeln!(self.out, "    {} l{local} = 0;", type_name(self.kernel.locals[local]));
        }
        for (array, _) in arrays.iter().enumerate().filter(|(_, used)| **used) {
            let ArrayDecl { dtype, length } = self.kernel.arrays[array];
            let _ = writeln!(self.out, "    {} x{array}[{length}];", type_name(dtype));
        }
    }

    /// An element of a local array; an index outside means the nearest one.
    fn element(&self, array: Array, index: Value) -> String {
        let last = self.kernel.arrays[array.0 as usize].length - 1;
        let (array, index) = (array.0, index.0);
        format!("x{array}[v{index} < 0 ? 0 : v{index} > {last} ? {last} : (i32)v{index}]")
    }

    fn call(&mut self, pad: &str, callee: Callee, arguments: &[Value], results: &[Value]) {
        let arguments: Vec<String> = arguments.iter().map(|argument| format!("v{}", argument.0)).collect();
        let call = format!("{}({})", function_name(self.kernel, callee), arguments.join(", "));
        let kernel = self.kernel;
        let name = |value: &Value| type_name(kernel.dtype(*value));
        if let [one] = results {
            let _ = writeln!(self.out, "{pad}const {} v{} = {call};", name(one), one.0);
            return;
        }
        // Named after its first result, which no other call has.
        let all = results[0].0;
        let _ = writeln!(self.out, "{pad}const {} all{all} = {call};", returned_type(self.kernel, callee));
        for (at, result) in results.iter().enumerate() {
            let _ = writeln!(self.out, "{pad}const {} v{} = all{all}.part{at};", name(result), result.0);
        }
    }

    /// The text of one of the kernel's own functions, and of what it returns.
    pub fn function(mut self, callee: Callee) -> String {
        let Function { lambda, .. } = &self.kernel.functions[usize::from(callee.0)];
        let kernel = self.kernel;
        let name = |value: &Value| type_name(kernel.dtype(*value));
        let (returned, several) = (returned_type(kernel, callee), lambda.results.len() > 1);
        if several {
            let _ = writeln!(self.out, "struct {returned} {{");
            for (at, result) in lambda.results.iter().enumerate() {
                let _ = writeln!(self.out, "    {} part{at};", name(result));
            }
            self.out.push_str("};\n");
        }
        let parameters: Vec<String> =
            lambda.params.iter().map(|param| format!("const {} v{}", name(param), param.0)).collect();
        let head = function_name(kernel, callee);
        let _ = writeln!(self.out, "FUNCTION {returned} {head}({}) {{", parameters.join(", "));
        self.locals(&lambda.body);
        self.block(&lambda.body, 1);
        let results: Vec<String> = lambda.results.iter().map(|result| format!("v{}", result.0)).collect();
        let results = results.join(", ");
        let _ = if several {
            writeln!(self.out, "    const {returned} result = {{{results}}};\n    return result;\n}}")
        } else {
            writeln!(self.out, "    return {results};\n}}")
        };
        self.out
    }

    fn block(&mut self, block: &Block, depth: usize) {
        let pad = "    ".repeat(depth);
        for statement in block {
            match statement {
                Stmt::Let(value, op) => {
                    let dtype = self.kernel.dtype(*value);
                    let text = match (op, self.plain.get(value)) {
                        (Op::Unary(_, bits), Some(widening)) => format!("{}(v{})", widening.function(), bits.0),
                        _ => self.op(dtype, op),
                    };
                    if let Op::Unary(Unary::HalfToFloat, bits) = op {
                        self.widened.insert(*value, *bits);
                    }
                    let _ = writeln!(self.out, "{pad}const {} v{} = {text};", type_name(dtype), value.0);
                }
                Stmt::Set(Local(local), value) => {
                    let _ = writeln!(self.out, "{pad}l{local} = v{};", value.0);
                }
                Stmt::Fill(array, value) => {
                    let length = self.kernel.arrays[array.0 as usize].length;
                    let _ =
                        writeln!(self.out, "{pad}for (i32 i = 0; i < {length}; ++i) x{}[i] = v{};", array.0, value.0);
                }
                Stmt::Put { array, index, value } => {
                    let element = self.element(*array, *index);
                    let _ = writeln!(self.out, "{pad}{element} = v{};", value.0);
                }
                Stmt::Call { callee, arguments, results } => self.call(&pad, *callee, arguments, results),
                Stmt::Store { operand, offset, lane, value } => {
                    let _ = if self.touches[*operand as usize].buffered_write {
                        writeln!(self.out, "{pad}e.w{operand}_{lane} = v{};", value.0)
                    } else {
                        let place = self.place(*operand, *offset, *lane);
                        let storage = storage_name(self.kernel.operands[*operand as usize].dtype);
                        writeln!(self.out, "{pad}store<{storage}>({place}, v{});", value.0)
                    };
                }
                Stmt::Atomic { operand, offset, lane, op, value } => {
                    let place = self.place(*operand, *offset, *lane);
                    let dtype = self.kernel.operands[*operand as usize].dtype;
                    let name = match op {
                        Atomic::Add | Atomic::Max if dtype == DType::Bool => "or",
                        Atomic::Min if dtype == DType::Bool => "and",
                        Atomic::Add => "add",
                        Atomic::Min => "min",
                        Atomic::Max => "max",
                    };
                    let kind = if dtype == DType::Bool { "bool" } else { dtype.info().narrow_name };
                    let call = format!("atomic_{name}{}{kind}", if kind.is_empty() { "" } else { "_" });
                    let _ = writeln!(self.out, "{pad}{call}({place}, v{});", value.0);
                }
                Stmt::If { cond, then, otherwise } => {
                    let _ = writeln!(self.out, "{pad}if (v{}) {{", cond.0);
                    self.block(then, depth + 1);
                    if !otherwise.is_empty() {
                        let _ = writeln!(self.out, "{pad}}} else {{");
                        self.block(otherwise, depth + 1);
                    }
                    let _ = writeln!(self.out, "{pad}}}");
                }
                Stmt::While { head, cond, body } => {
                    let _ = writeln!(self.out, "{pad}for (;;) {{");
                    self.block(head, depth + 1);
                    let _ = writeln!(self.out, "{pad}    if (!v{}) break;", cond.0);
                    self.block(body, depth + 1);
                    let _ = writeln!(self.out, "{pad}}}");
                }
                Stmt::Require(cond, fault) => {
                    let _ = writeln!(self.out, "{pad}if (!v{}) record_fault(a.fault, {}u);", cond.0, *fault as u32);
                }
            }
        }
    }

    /// The address of a lane of an element.
    fn place(&self, operand: u16, offset: Option<Value>, lane: u8) -> String {
        let mut text = format!("a.operand[{operand}] + p.at[{operand}]");
        if let Some(offset) = offset {
            let _ = write!(text, " + v{}", offset.0);
        }
        if lane > 0 {
            let size = self.kernel.operands[operand as usize].dtype.storage().size();
            let _ = write!(text, " + {}", size * lane as usize);
        }
        text
    }

    fn op(&self, result: DType, op: &Op) -> String {
        let name = type_name(result);
        match *op {
            Op::Const(literal) => self.constants.text(literal),
            Op::Scalar { index, lane } => {
                let declared = self.kernel.scalars[index as usize];
                let storage = declared.storage();
                // Two narrow lanes share a word, two wide ones have one each.
                let (word, shift) = match storage.size() * lane as usize {
                    0 => (0, 0),
                    4 => (0, 32),
                    _ => (1, 0),
                };
                let word = format!("a.scalar[{index}][{word}]");
                let word = if shift > 0 { format!("({word} >> {shift})") } else { word };
                match storage {
                    DType::F32 => format!("bitcast<f32>((u32){word})"),
                    DType::F64 => format!("bitcast<f64>({word})"),
                    _ => format!("({}){word}", type_name(storage)),
                }
            }
            Op::Index => "index".to_owned(),
            Op::OuterIndex => "outer".to_owned(),
            Op::Load { operand, offset: None, lane } if self.touches[operand as usize].buffered_read => {
                format!("e.r{operand}_{lane}")
            }
            Op::Load { operand, offset, lane } => {
                let storage = storage_name(self.kernel.operands[operand as usize].dtype);
                format!("load<{storage}>({})", self.place(operand, offset, lane))
            }
            Op::Unary(op, a) => self.unary(result, op, a),
            Op::Binary(op, a, b) => self.binary(op, a, b),
            Op::Compare(op, a, b) => {
                let sign = match op {
                    Compare::Eq => "==",
                    Compare::Ne => "!=",
                    Compare::Lt => "<",
                    Compare::Le => "<=",
                    Compare::Gt => ">",
                    Compare::Ge => ">=",
                };
                format!("v{} {sign} v{}", a.0, b.0)
            }
            Op::Select(cond, yes, no) => format!("v{} ? v{} : v{}", cond.0, yes.0, no.0),
            Op::Fma(a, b, c) => {
                let call = if result == DType::F32 { "fmaf" } else { "fma" };
                format!("{call}(v{}, v{}, v{})", a.0, b.0, c.0)
            }
            Op::Cast(a) if result == DType::Bool => format!("v{} != 0", a.0),
            Op::Cast(a) => format!("({name})v{}", a.0),
            Op::Bitcast(a) => format!("bitcast<{name}>(v{})", a.0),
            // Legalisation leaves none; a stand-in keeps the generator total.
            Op::Complex(re, _) => format!("v{}", re.0),
            Op::Get(Local(local)) => format!("l{local}"),
            Op::Element(array, index) => self.element(array, index),
        }
    }

    fn unary(&self, result: DType, op: Unary, value: Value) -> String {
        let dtype = self.kernel.dtype(value);
        let (name, wide) = (type_name(dtype), wide_unsigned(dtype));
        let a = format!("v{}", value.0);
        let math = |call: &str| {
            let suffix = if result == DType::F32 { "f" } else { "" };
            format!("{call}{suffix}({a})")
        };
        match op {
            Unary::Neg if dtype.is_integer() => format!("({name})(({wide})0 - ({wide}){a})"),
            Unary::Neg => format!("-{a}"),
            Unary::Abs if dtype.is_float() => math("fabs"),
            Unary::Abs if dtype.is_signed() => format!("({name})({a} < 0 ? ({wide})0 - ({wide}){a} : ({wide}){a})"),
            Unary::Abs | Unary::Conj | Unary::Real | Unary::Imag => a,
            Unary::Not if dtype == DType::Bool => format!("!{a}"),
            Unary::Not => format!("({name})~{a}"),
            Unary::Popcount => format!("({name})popcount(({wide}){a})"),
            Unary::HalfToFloat => format!("half_to_float({a})"),
            Unary::FloatToHalf => match self.widened.get(&value) {
                // The float came from these very bits.
                Some(bits) => format!("v{}", bits.0),
                None => format!("float_to_half({a})"),
            },
            Unary::Sqrt if dtype == DType::F32 => format!("exact_root({a})"),
            Unary::SqrtNormal if dtype == DType::F32 => format!("normal_root({a})"),
            Unary::Sqrt | Unary::SqrtNormal => math("sqrt"),
            Unary::Cbrt => math("cbrt"),
            Unary::Exp => math("exp"),
            Unary::Exp2 => math("exp2"),
            Unary::Expm1 => math("expm1"),
            Unary::Log => math("log"),
            Unary::Log2 => math("log2"),
            Unary::Log10 => math("log10"),
            Unary::Log1p if result == DType::F64 => math("logarithm_1p"),
            Unary::Log1p => math("log1p"),
            Unary::Sin => math("sin"),
            Unary::Cos => math("cos"),
            Unary::Tan => math("tan"),
            Unary::Asin => math("asin"),
            Unary::Acos => math("acos"),
            Unary::Atan => math("atan"),
            Unary::Sinh => math("sinh"),
            Unary::Cosh => math("cosh"),
            Unary::Tanh => math("tanh"),
            Unary::Asinh => math("asinh"),
            Unary::Acosh => math("acosh"),
            Unary::Atanh => math("atanh"),
            Unary::Floor => math("floor"),
            Unary::Ceil => math("ceil"),
            Unary::Trunc => math("trunc"),
            Unary::Rint => math("rint"),
        }
    }

    fn binary(&self, op: Binary, a: Value, b: Value) -> String {
        let dtype = self.kernel.dtype(a);
        let (name, wide) = (type_name(dtype), wide_unsigned(dtype));
        let bound = [(b, a), (a, b)].into_iter().find(|(bound, _)| self.numbers.contains(bound));
        let (a, b) = (format!("v{}", a.0), format!("v{}", b.0));
        let integer = dtype.is_integer();
        // Signed overflow is undefined in C++, so integers wrap as unsigned ones.
        let arithmetic = |sign: &str| match dtype.kind() {
            Kind::Signed | Kind::Unsigned => format!("({name})(({wide}){a} {sign} ({wide}){b})"),
            _ => format!("{a} {sign} {b}"),
        };
        let bits = |sign: &str| format!("({name})({a} {sign} {b})");
        let math = |call: &str| {
            let suffix = if dtype == DType::F32 { "f" } else { "" };
            format!("{call}{suffix}({a}, {b})")
        };
        match op {
            Binary::Add if dtype == DType::Bool => bits("|"),
            Binary::Mul if dtype == DType::Bool => bits("&"),
            Binary::Add => arithmetic("+"),
            Binary::Sub => arithmetic("-"),
            Binary::Mul => arithmetic("*"),
            Binary::Div if integer => bits("/"),
            Binary::Div => format!("{a} / {b}"),
            Binary::Rem if integer => bits("%"),
            Binary::Rem => math("fmod"),
            Binary::Pow => math("pow"),
            Binary::Atan2 => math("atan2"),
            Binary::Hypot => format!("hypotenuse({a}, {b})"),
            Binary::Copysign => math("copysign"),
            Binary::Nextafter => math("nextafter"),
            Binary::Min | Binary::Max if bound.is_some() => {
                // Of a bound that is no zero a NaN, and nothing else, needs no care: it compares false.
                let (sign, (bound, other)) = (if op == Binary::Min { ">=" } else { "<=" }, bound.expect("checked"));
                format!("v{0} {sign} v{1} ? v{1} : v{0}", other.0, bound.0)
            }
            Binary::Min if dtype.is_float() => format!("minimum({a}, {b})"),
            Binary::Max if dtype.is_float() => format!("maximum({a}, {b})"),
            Binary::Min => format!("{a} < {b} ? {a} : {b}"),
            Binary::Max => format!("{a} > {b} ? {a} : {b}"),
            Binary::And => bits("&"),
            Binary::Or => bits("|"),
            Binary::Xor => bits("^"),
            Binary::Shl => format!("({name})(({wide}){a} << {b})"),
            Binary::Shr => bits(">>"),
            Binary::MulHigh => format!("multiply_high({a}, {b})"),
        }
    }
}

fn mark_locals(block: &Block, locals: &mut [bool], arrays: &mut [bool]) {
    for statement in block {
        match statement {
            Stmt::Set(local, _) | Stmt::Let(_, Op::Get(local)) => locals[local.0 as usize] = true,
            Stmt::Fill(array, _) => arrays[array.0 as usize] = true,
            Stmt::If { then: first, otherwise: second, .. } | Stmt::While { head: first, body: second, .. } => {
                mark_locals(first, locals, arrays);
                mark_locals(second, locals, arrays);
            }
            _ => {}
        }
    }
}

fn function_name(kernel: &Kernel, callee: Callee) -> String {
    format!("function{}_{}", callee.0, kernel.functions[usize::from(callee.0)].name)
}

/// The type that a function returns: that of its result, or a struct of several.
fn returned_type(kernel: &Kernel, callee: Callee) -> String {
    match kernel.functions[usize::from(callee.0)].lambda.results[..] {
        [one] => type_name(kernel.dtype(one)).to_owned(),
        _ => format!("Results{}", callee.0),
    }
}

/// The unsigned type of at least 32 bits that holds `dtype`.
fn wide_unsigned(dtype: DType) -> &'static str {
    if dtype.size() == 8 { "u64" } else { "u32" }
}

fn constant(literal: Literal) -> String {
    let scalar = literal.scalar();
    let dtype = literal.dtype;
    match dtype {
        DType::Bool => (scalar.to_integer() != 0).to_string(),
        DType::F32 => {
            let value = scalar.to_complex().0 as f32;
            let bits = u32::from_le_bytes(literal.bytes[..4].try_into().expect("four bytes"));
            if value.is_finite() { format!("{value:?}f") } else { format!("bitcast<f32>(0x{bits:08x}u)") }
        }
        DType::F64 => {
            let value = scalar.to_complex().0;
            let bits = u64::from_le_bytes(literal.bytes[..8].try_into().expect("eight bytes"));
            if value.is_finite() { format!("{value:?}") } else { format!("bitcast<f64>(0x{bits:016x}ull)") }
        }
        DType::I64 if scalar.to_integer() == i64::MIN.into() => "(-9223372036854775807ll - 1)".to_owned(),
        DType::I32 if scalar.to_integer() == i32::MIN.into() => "(-2147483647 - 1)".to_owned(),
        DType::I64 => format!("{}ll", scalar.to_integer()),
        DType::U64 => format!("{}ull", scalar.to_integer()),
        DType::U32 => format!("{}u", scalar.to_integer()),
        _ => format!("({}){}", type_name(dtype), scalar.to_integer()),
    }
}
