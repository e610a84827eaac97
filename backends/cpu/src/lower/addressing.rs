//! Element access: loads and stores of groups.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::DType;

use super::emit::Emitter;
use super::group::{Group, Regs, register_count, scalar_type, vector_type};
use super::host::POINTER;
use super::place::{Place, Stride};
use super::scalar::memory;
use super::simd::{recast, shuffle};

/// Bytes that pick the even (`lane` 0) or odd elements of `width` bytes out of two registers.
fn deinterleave(width: usize, lane: usize) -> [u8; 16] {
    std::array::from_fn(|byte| (2 * width * (byte / width) + width * lane + byte % width) as u8)
}

/// Bytes that alternate elements of the lower (`half` 0) or upper halves of two registers.
fn interleave(width: usize, half: usize) -> [u8; 16] {
    std::array::from_fn(|byte| {
        let element = byte / width;
        (8 * half + width * (element / 2) + 16 * (element % 2) + byte % width) as u8
    })
}

impl Emitter<'_, '_> {
    /// The address of lane `lane` of the group.
    fn lane_address(&mut self, place: Place, dtype: DType, lane: usize) -> (Value, i32) {
        match place {
            Place::Unit(base) => (base, (lane * dtype.size()) as i32),
            Place::Strided(base, _) if lane == 0 => (base, 0),
            Place::Strided(base, stride) => {
                let distance = self.b.ins().imul_imm_s(stride, lane as i64);
                (self.b.ins().iadd(base, distance), 0)
            }
            Place::Fixed(base) => (base, 0),
        }
    }

    /// Loads storage lane `part` of an operand's elements.
    pub fn load(&mut self, operand: usize, offset: Option<Group>, part: usize) -> Group {
        let dtype = self.kernel.operands[operand].dtype;
        let storage = dtype.storage();
        if let (None, Some(value)) = (&offset, self.hoisted[operand][part]) {
            return Group::One(value);
        }
        let mut place = self.places[operand];
        if let Some(Group::One(offset)) = offset {
            place = self.moved(place, offset);
        }
        let scattered = match offset {
            Some(Group::Many(regs)) => Some(regs),
            _ => None,
        };
        let shift = (part * storage.size()) as i32;
        if self.lanes == 1 || (scattered.is_none() && matches!(place, Place::Fixed(_))) {
            return Group::One(self.b.ins().load(scalar_type(storage), memory(), place.base(), shift));
        }
        if let (None, Place::Unit(base)) = (&scattered, place) {
            return Group::Many(self.load_registers(base, dtype, part));
        }
        let lanes = self.lanes;
        self.assemble(storage, lanes, |e, lane| {
            let (address, constant) = e.lane_address(place, dtype, lane);
            let address = e.scattered_address(address, scattered.as_ref(), lane);
            e.b.ins().load(scalar_type(storage), memory(), address, shift + constant)
        })
    }

    /// Stores storage lane `part` of an operand's elements.
    pub fn store(&mut self, operand: usize, offset: Option<Group>, part: usize, value: Group) {
        let dtype = self.kernel.operands[operand].dtype;
        let storage = dtype.storage();
        let mut place = self.places[operand];
        if let Some(Group::One(offset)) = offset {
            place = self.moved(place, offset);
        }
        let scattered = match offset {
            Some(Group::Many(regs)) => Some(regs),
            _ => None,
        };
        if let (None, Place::Unit(base), true) = (&scattered, place, self.lanes > 1) {
            let regs = self.registers(&value, storage);
            return self.store_registers(base, dtype, part, regs);
        }
        let shift = (part * storage.size()) as i32;
        for lane in 0..self.lanes {
            let element = self.extract(&value, storage, lane);
            let (address, constant) = self.lane_address(place, dtype, lane);
            let address = self.scattered_address(address, scattered.as_ref(), lane);
            self.b.ins().store(memory(), element, address, shift + constant);
        }
    }

    fn moved(&mut self, place: Place, offset: Value) -> Place {
        let base = self.b.ins().iadd(place.base(), offset);
        match place {
            Place::Unit(_) => Place::Unit(base),
            Place::Strided(_, stride) => Place::Strided(base, stride),
            Place::Fixed(_) => Place::Fixed(base),
        }
    }

    fn scattered_address(&mut self, address: Value, offsets: Option<&Regs>, lane: usize) -> Value {
        let Some(offsets) = offsets else { return address };
        let offset = self.extract(&Group::Many(offsets.clone()), DType::I64, lane);
        self.b.ins().iadd(address, offset)
    }

    /// The address of the element at the current point of scalar code.
    pub fn address(&mut self, operand: usize, offset: Option<Group>, part: usize) -> Value {
        let storage = self.kernel.operands[operand].dtype.storage();
        let mut address = self.places[operand].base();
        if let Some(Group::One(offset)) = offset {
            address = self.b.ins().iadd(address, offset);
        }
        self.b.ins().iadd_imm_u(address, (part * storage.size()) as i64)
    }

    fn load_registers(&mut self, base: Value, dtype: DType, part: usize) -> Regs {
        let storage = dtype.storage();
        let ty = vector_type(storage);
        let count = register_count(self.lanes, storage.size());
        let mut regs = Regs::new();
        for position in 0..count as i32 {
            regs.push(if dtype.is_complex() {
                let first = self.b.ins().load(ty, memory(), base, 32 * position);
                let second = self.b.ins().load(ty, memory(), base, 32 * position + 16);
                shuffle(&mut self.b, ty, first, second, deinterleave(storage.size(), part))
            } else if self.lanes * storage.size() >= 16 {
                self.b.ins().load(ty, memory(), base, 16 * position)
            } else {
                let bits = self.b.ins().load(types::I64, memory(), base, 0);
                let reg = self.b.ins().scalar_to_vector(types::I64X2, bits);
                recast(&mut self.b, ty, reg)
            });
        }
        regs
    }

    fn store_registers(&mut self, base: Value, dtype: DType, part: usize, regs: Regs) {
        let storage = dtype.storage();
        if dtype.is_complex() {
            return self.store_complex(base, dtype, part, regs);
        }
        if self.lanes * storage.size() < 16 {
            let reg = recast(&mut self.b, types::I64X2, regs[0]);
            let bits = self.b.ins().extractlane(reg, 0);
            self.b.ins().store(memory(), bits, base, 0);
            return;
        }
        for (position, &reg) in regs.iter().enumerate() {
            self.b.ins().store(memory(), reg, base, 16 * position as i32);
        }
    }

    /// Legalised code stores the two parts of a complex element one after the other; the first waits for the second.
    fn store_complex(&mut self, base: Value, dtype: DType, part: usize, regs: Regs) {
        let storage = dtype.storage();
        let Some((waiting, other)) = self.waiting.take() else {
            self.waiting = Some((part, regs));
            return;
        };
        debug_assert_ne!(waiting, part, "parts of complex elements are stored in pairs");
        let (real, imaginary) = if part == 1 { (other, regs) } else { (regs, other) };
        let ty = vector_type(storage);
        for (position, (&re, &im)) in real.iter().zip(&imaginary).enumerate() {
            for half in 0..2 {
                let mixed = shuffle(&mut self.b, ty, re, im, interleave(storage.size(), half));
                self.b.ins().store(memory(), mixed, base, (32 * position + 16 * half) as i32);
            }
        }
    }

    /// The place of an operand `distance` points along a dimension where it moves as `access` says.
    pub fn place_at(&mut self, base: Value, access: Stride, distance: Value) -> Place {
        match access {
            Stride::None => Place::Fixed(base),
            Stride::Elements(size) => {
                let bytes = self.b.ins().ishl_imm_u(distance, i64::from(size.trailing_zeros()));
                Place::Unit(self.b.ins().iadd(base, bytes))
            }
            Stride::Bytes(stride) => {
                let bytes = self.b.ins().imul(distance, stride);
                Place::Strided(self.b.ins().iadd(base, bytes), stride)
            }
        }
    }

    /// A stack slot for values of all lanes.
    pub fn scratch(&mut self, bytes: usize) -> Value {
        use cranelift_codegen::ir::{StackSlotData, StackSlotKind};
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4));
        self.b.ins().stack_addr(POINTER, slot, 0)
    }
}
