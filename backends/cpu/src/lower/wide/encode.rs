//! x86-64 machine code: instructions on vectors and masks in the encodings VEX and EVEX, and the few on integers that a loop takes.

/// Which encoding vectors take, and how wide they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// AVX2: 16 registers of 256 bits, masks in vectors.
    Vex,
    /// AVX-512: 32 registers of 512 bits, masks in registers of their own.
    Evex,
}

/// An instruction on vectors: its number in both encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Table of opcodes: 1 for 0F, 2 for 0F38, 3 for 0F3A.
    pub map: u8,
    /// Implied prefix: 0 for none, 1 for 66, 2 for F3, 3 for F2.
    pub prefix: u8,
    /// The opcode.
    pub opcode: u8,
    /// The bit W of EVEX.
    pub wide: bool,
    /// The bit W of VEX.
    pub vex_wide: bool,
    /// Bytes of the elements that a memory operand may hold once for all lanes, or 0.
    pub broadcast: u8,
    /// Whether it reads one element only, which goes to all lanes.
    pub single: bool,
    /// Whether lanes that its mask leaves out become zero.
    pub zeroes: bool,
    /// Whether the result is the operand that may lie in memory.
    pub reversed: bool,
    /// Whether VEX encodes it in any case, as instructions on masks.
    pub vex: bool,
    /// Whether the immediate names the register of its mask.
    pub named_mask: bool,
}

impl Row {
    pub const fn new(map: u8, prefix: u8, opcode: u8, wide: bool) -> Row {
        Row {
            map,
            prefix,
            opcode,
            wide,
            vex_wide: false,
            broadcast: 0,
            single: false,
            zeroes: false,
            reversed: false,
            vex: false,
            named_mask: false,
        }
    }

    /// With elements of so many bytes that memory may hold once for all lanes.
    pub const fn broadcast(mut self, bytes: usize) -> Row {
        self.broadcast = if bytes >= 4 { bytes as u8 } else { 0 };
        self
    }

    /// With W in VEX too.
    pub const fn vex_wide(mut self) -> Row {
        self.vex_wide = self.wide;
        self
    }

    pub const fn single(mut self) -> Row {
        self.single = true;
        self.zeroing()
    }

    pub const fn zeroing(mut self) -> Row {
        self.zeroes = true;
        self
    }

    pub const fn reversed(mut self) -> Row {
        self.reversed = true;
        self
    }

    pub const fn named_mask(mut self) -> Row {
        self.named_mask = true;
        self
    }

    /// An instruction on masks.
    pub const fn masks(opcode: u8) -> Row {
        let mut row = Row::new(1, 0, opcode, true);
        (row.vex, row.vex_wide) = (true, true);
        row
    }
}

/// General registers that code keeps something in.
pub mod general {
    /// The point.
    pub const POINT: u8 = 0;
    /// The last point at which a round may begin.
    pub const LAST: u8 = 1;
    /// The scratch memory.
    pub const SCRATCH: u8 = 2;
    /// The call's description.
    pub const CALL: u8 = 7;
    /// The mask register with the points that are in memory.
    pub const POINTS: u8 = 7;
    /// What is needed for one instruction only.
    pub const BRIEF: u8 = 11;
    /// Rows that are left.
    pub const ROWS: u8 = 10;
    /// Addresses of operands.
    pub const OPERANDS: [u8; 9] = [6, 8, 9, 3, 5, 12, 13, 14, 15];
    /// How many of them the caller does not expect back.
    pub const FREE: usize = 3;
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The register with its beginning.
    pub base: u8,
    /// Bytes of an element, where the current point's is meant.
    pub scale: Option<u8>,
    /// Bytes from there.
    pub offset: i32,
}

/// An operand that may be a register or lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(u8),
    /// A place, the bytes there, and whether each lane takes the same element.
    Memory(Address, usize, bool),
}

/// An instruction whose registers are known.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub row: Row,
    /// The register operand of its own field.
    pub register: u8,
    /// The further source, or 0.
    pub source: u8,
    pub operand: Operand,
    /// The register with the lanes that the operand is for, or 0: the others are the source's, or become zero.
    pub mask: u8,
    pub immediate: Option<u8>,
    /// Bytes of the widest vector.
    pub bytes: usize,
}

/// Machine code under construction.
#[derive(Debug, Default)]
pub struct Assembler {
    pub code: Vec<u8>,
}

impl Assembler {
    fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// The byte ModRM and what follows for a place; `unit` is what EVEX counts short offsets in.
    fn place(&mut self, register: u8, address: Address, unit: i32) {
        let short = (address.offset % unit == 0).then(|| i8::try_from(address.offset / unit).ok()).flatten();
        // Without an offset the base registers 5 and 13 would mean none.
        let (mode, short) = match short {
            Some(0) if address.base & 7 != 5 => (0, None),
            Some(short) => (0x40, Some(short)),
            None => (0x80, None),
        };
        let register = (register & 7) << 3;
        match address.scale {
            Some(scale) => {
                let scale = (scale.trailing_zeros() as u8) << 6;
                self.bytes(&[mode | register | 4, scale | (general::POINT & 7) << 3 | address.base & 7]);
            }
            None if address.base & 7 == 4 => self.bytes(&[mode | register | 4, 4 << 3 | 4]),
            None => self.bytes(&[mode | register | address.base & 7]),
        }
        match (mode, short) {
            (0x40, Some(short)) => self.bytes(&[short as u8]),
            (0x80, _) => self.bytes(&address.offset.to_le_bytes()),
            _ => {}
        }
    }

    /// Writes an instruction on vectors or masks.
    pub fn vector(&mut self, form: Form, instruction: &Instruction) {
        let Instruction { row, register, source, operand, mask, immediate, bytes } = *instruction;
        let far = |register: u8, bit: u8| u8::from(register & bit == 0);
        // The operand's register, or the base of its address; a second bit in the place of an index.
        let (base, index) = match operand {
            Operand::Register(register) => (register, register >> 1),
            Operand::Memory(address, ..) => (address.base, 0),
        };
        let length = match bytes {
            // Masks are whole, and the bit tells how many there are.
            _ if row.vex => u8::from(!matches!(row.opcode, 0x44 | 0x90 | 0x91)),
            64.. => 2,
            32.. => 1,
            _ => 0,
        };
        let corner = far(register, 8) << 7 | far(index, 8) << 6 | far(base, 8) << 5;
        let spread = matches!(operand, Operand::Memory(.., true)) && !row.single;
        let is_vex = form == Form::Vex || row.vex;
        let (mask, immediate) = if row.named_mask { (0, Some(mask << 4)) } else { (mask, immediate) };
        if is_vex {
            debug_assert!(!spread && mask == 0 && register < 16 && source < 16 && length < 2 || row.vex);
            let third = u8::from(row.vex_wide) << 7 | (!source & 15) << 3 | length << 2 | row.prefix;
            self.bytes(&[0xc4, corner | row.map, third, row.opcode]);
        } else {
            let second = corner | far(register, 16) << 4 | row.map;
            let third = u8::from(row.wide) << 7 | (!source & 15) << 3 | 4 | row.prefix;
            let zeroing = u8::from(mask != 0 && row.zeroes) << 7;
            let fourth = zeroing | length << 5 | u8::from(spread) << 4 | far(source, 16) << 3 | mask;
            self.bytes(&[0x62, second, third, fourth, row.opcode]);
        }
        match operand {
            Operand::Register(operand) => self.bytes(&[0xc0 | (register & 7) << 3 | operand & 7]),
            Operand::Memory(address, size, _) => {
                let unit = match () {
                    () if is_vex => 1,
                    () if spread => i32::from(row.broadcast),
                    () => size as i32,
                };
                self.place(register, address, unit);
            }
        }
        self.code.extend(immediate);
    }

    /// `register = [base + offset]`.
    pub fn load(&mut self, register: u8, base: u8, offset: i32) {
        self.bytes(&[0x48 | (register >> 3) << 2 | base >> 3, 0x8b]);
        self.place(register, Address { base, scale: None, offset }, 1);
    }

    /// `register += [base + offset]`.
    pub fn add_from(&mut self, register: u8, base: u8, offset: i32) {
        self.bytes(&[0x48 | (register >> 3) << 2 | base >> 3, 0x03]);
        self.place(register, Address { base, scale: None, offset }, 1);
    }

    /// `[base + offset] += register`.
    pub fn add_into(&mut self, base: u8, offset: i32, register: u8) {
        self.bytes(&[0x48 | (register >> 3) << 2 | base >> 3, 0x01]);
        self.place(register, Address { base, scale: None, offset }, 1);
    }

    /// `register = register + point + offset`.
    pub fn add_point(&mut self, register: u8, offset: i32) {
        self.bytes(&[0x48 | (register >> 3) << 2 | register >> 3, 0x8d]);
        self.place(register, Address { base: register, scale: Some(1), offset }, 1);
    }

    /// `register += value`.
    pub fn add(&mut self, register: u8, value: i32) {
        self.bytes(&[0x48 | register >> 3, 0x81, 0xc0 | register & 7]);
        self.bytes(&value.to_le_bytes());
    }

    /// `register = from`.
    pub fn copy(&mut self, register: u8, from: u8) {
        self.bytes(&[0x48 | (register >> 3) << 2 | from >> 3, 0x8b, 0xc0 | (register & 7) << 3 | from & 7]);
    }

    /// `register = 0`.
    pub fn clear(&mut self, register: u8) {
        let far = register >> 3;
        self.bytes(&[0x48 | far << 2 | far, 0x31, 0xc0 | (register & 7) << 3 | register & 7]);
    }

    pub fn push(&mut self, register: u8) {
        self.bytes(&[0x40 | register >> 3, 0x50 | register & 7]);
    }

    pub fn pop(&mut self, register: u8) {
        self.bytes(&[0x40 | register >> 3, 0x58 | register & 7]);
    }

    /// Jumps if the point lies beyond the last one (`beyond`), or does not; the place of the distance, for [`Assembler::land`].
    pub fn jump(&mut self, beyond: bool) -> usize {
        // cmp POINT, LAST
        self.bytes(&[0x48, 0x39, 0xc0 | general::LAST << 3 | general::POINT]);
        self.bytes(&[0x0f, if beyond { 0x8f } else { 0x8e }, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Jumps in any case.
    pub fn jump_always(&mut self) -> usize {
        self.bytes(&[0xe9, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Jumps if a register is zero.
    pub fn jump_if_zero(&mut self, register: u8) -> usize {
        let far = register >> 3;
        self.bytes(&[0x48 | far << 2 | far, 0x85, 0xc0 | (register & 7) << 3 | register & 7]);
        self.bytes(&[0x0f, 0x84, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Jumps if a register is less than a number.
    pub fn jump_if_less(&mut self, register: u8, number: i32) -> usize {
        self.jump_compared(register, number, 0x8c)
    }

    /// Jumps if a register is more than a number.
    pub fn jump_if_more(&mut self, register: u8, number: i32) -> usize {
        self.jump_compared(register, number, 0x8f)
    }

    fn jump_compared(&mut self, register: u8, number: i32, condition: u8) -> usize {
        self.bytes(&[0x48 | register >> 3, 0x81, 0xf8 | register & 7]);
        self.bytes(&number.to_le_bytes());
        self.bytes(&[0x0f, condition, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Takes one from a register, and jumps if something is left.
    pub fn count_down(&mut self, register: u8) -> usize {
        self.bytes(&[0x48 | register >> 3, 0xff, 0xc8 | register & 7]);
        self.bytes(&[0x0f, 0x85, 0, 0, 0, 0]);
        self.code.len() - 4
    }

    /// Lets the jump with its distance at `at` lead to `target`.
    pub fn land(&mut self, at: usize, target: usize) {
        let distance = target as i32 - (at as i32 + 4);
        self.code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }

    /// Moves on to a multiple of `bytes` by instructions that do nothing.
    pub fn align(&mut self, bytes: usize) {
        const NOP: [u8; 9] = [0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0];
        while !self.code.len().is_multiple_of(bytes) {
            match bytes - self.code.len() % bytes {
                9.. => self.bytes(&NOP),
                _ => self.bytes(&[0x90]),
            }
        }
    }

    /// The end of a function: other code expects the upper halves of vectors to be clear.
    pub fn leave(&mut self) {
        self.bytes(&[0xc5, 0xf8, 0x77, 0xc3]);
    }
}
