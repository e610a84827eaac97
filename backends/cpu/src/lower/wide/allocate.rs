//! Registers for straight code: where none is free, the value whose next use is furthest gives way (Belady). What lies in memory
//! anyway is read there again, and where an instruction can read it itself it takes no register at all.

use std::collections::VecDeque;

use super::encode::{Form, Row, general};
use super::rows;
use super::select::{Carried, Class, Held, Home, Id, Out, Step, Straight};

/// An operand of a placed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    Register(u8),
    /// A place, and the bytes of an element there.
    Memory(Home, usize),
}

/// An instruction in registers.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The instruction; `None` for the point's position in all lanes.
    pub row: Option<Row>,
    pub register: u8,
    pub source: u8,
    pub operand: Placed,
    pub mask: u8,
    pub immediate: Option<u8>,
    /// Bytes of a lane in the widest vector.
    pub size: usize,
    /// Which group of points it belongs to.
    pub copy: usize,
}

/// Code for some groups of points side by side.
#[derive(Debug)]
pub struct Allocated {
    pub moves: Vec<Move>,
    /// Registers that were emptied to memory at the same time.
    pub spills: usize,
    pub copies: usize,
    /// Points of a group.
    pub lanes: usize,
    /// Whether it is for points that the mask [`general::POINTS`] has, once.
    pub some: bool,
}

struct Allocator {
    form: Form,
    /// Whether a mask tells which points are in memory.
    some: bool,
    lanes: usize,
    values: Vec<(Held, usize)>,
    uses: Vec<VecDeque<usize>>,
    registers: Vec<Option<u8>>,
    vectors: Vec<Option<Id>>,
    masks: Vec<Option<Id>>,
    /// Registers that the current instruction needs, by class.
    pinned: [u32; 2],
    /// Those that never hold another value: of accumulators, and the mask register 0, which means all lanes.
    kept: [u32; 2],
    /// The register of its own that a value goes to.
    own: Vec<Option<u8>>,
    free_spills: Vec<usize>,
    /// Spills that the current instruction may still read.
    ended: Vec<usize>,
    spills: usize,
    moves: Vec<Move>,
}

/// Gives registers to `copies` groups of points side by side, `lanes` points each. `some` leaves out points that the mask
/// [`general::POINTS`] leaves out.
pub fn allocate(code: &Straight, form: Form, lanes: usize, copies: usize, some: bool) -> Allocated {
    let (values, steps, carried) = interleave(code, copies);
    let mut uses = vec![VecDeque::new(); values.len()];
    for (at, step) in steps.iter().enumerate() {
        for id in step.sources() {
            uses[id.0 as usize].push_back(at);
        }
    }
    let count = registers(form);
    let mut own = vec![None; values.len()];
    let mut held = vec![None; values.len()];
    let mut kept = [0, 1];
    for (number, accumulator) in carried.iter().enumerate() {
        let register = (count - 1 - number) as u8;
        kept[0] |= 1 << register;
        accumulator.before.iter().for_each(|before| held[before.0 as usize] = Some(register));
        accumulator.after.iter().for_each(|after| own[after.0 as usize] = Some(register));
    }
    let mut allocator = Allocator {
        form,
        some,
        lanes,
        registers: held,
        values,
        uses,
        vectors: vec![None; count],
        masks: vec![None; if some { general::POINTS.into() } else { 8 }],
        pinned: kept,
        kept,
        own,
        free_spills: vec![],
        ended: vec![],
        spills: 0,
        moves: vec![],
    };
    for (at, step) in steps.iter().enumerate() {
        allocator.step(at, step);
    }
    Allocated { moves: allocator.moves, spills: allocator.spills, copies, lanes, some }
}

/// Registers for vectors.
pub fn registers(form: Form) -> usize {
    if form == Form::Evex { 32 } else { 16 }
}

/// The instructions of several groups in turns, to which group each value belongs, and the accumulators of all groups.
fn interleave(code: &Straight, copies: usize) -> (Vec<(Held, usize)>, Vec<Step>, Vec<Carried>) {
    let mut values = vec![];
    let mut names = vec![vec![Id(0); code.values.len()]; copies];
    for (at, &held) in code.values.iter().enumerate() {
        for copy in 0..copies {
            names[copy][at] = if copy > 0 && held.is_shared() {
                names[0][at]
            } else {
                values.push((held, copy));
                Id(values.len() as u32 - 1)
            };
        }
    }
    let mut steps = Vec::with_capacity(copies * code.steps.len());
    for step in &code.steps {
        for (copy, names) in names.iter().enumerate() {
            let name = |id: Id| names[id.0 as usize];
            let mut step = *step;
            step.copy = copy;
            if let Out::Value(id) = &mut step.out {
                *id = name(*id);
            }
            for id in [&mut step.merged, &mut step.first, &mut step.second, &mut step.mask].into_iter().flatten() {
                *id = name(*id);
            }
            steps.push(step);
        }
    }
    let of_group = |&Carried { before, after }: &Carried, names: &Vec<Id>| {
        let name = |id: Id| names[id.0 as usize];
        Carried { before: before.map(name), after: after.map(name) }
    };
    let carried = code.carried.iter().flat_map(|carried| names.iter().map(|names| of_group(carried, names)));
    let carried = carried.collect();
    (values, steps, carried)
}

impl Allocator {
    fn held(&self, id: Id) -> Held {
        self.values[id.0 as usize].0
    }

    fn file(&mut self, class: Class) -> &mut Vec<Option<Id>> {
        match class {
            Class::Vector => &mut self.vectors,
            Class::Mask => &mut self.masks,
        }
    }

    fn pin(&mut self, class: Class, register: u8) {
        self.pinned[class as usize] |= 1 << register;
    }

    /// A register that the current instruction does not use.
    fn take(&mut self, class: Class) -> u8 {
        let (file, pinned) = match class {
            Class::Vector => (&mut self.vectors, self.pinned[0]),
            Class::Mask => (&mut self.masks, self.pinned[1]),
        };
        let mut furthest: Option<((usize, bool), usize, Id)> = None;
        for (register, holder) in file.iter().enumerate().filter(|(register, _)| pinned & 1 << register == 0) {
            let Some(id) = *holder else { return register as u8 };
            let next = self.uses[id.0 as usize].front().copied().unwrap_or(usize::MAX);
            let distance = (next, self.values[id.0 as usize].0.home.is_some());
            if furthest.is_none_or(|(most, ..)| distance > most) {
                furthest = Some((distance, register, id));
            }
        }
        let (_, register, id) = furthest.expect("an instruction leaves registers");
        file[register] = None;
        self.registers[id.0 as usize] = None;
        if self.held(id).home.is_none() {
            self.spill(id, register as u8);
        }
        register as u8
    }

    fn spill(&mut self, id: Id, register: u8) {
        let slot = self.free_spills.pop().unwrap_or_else(|| {
            self.spills += 1;
            self.spills - 1
        });
        let home = Home::Spill(slot);
        self.values[id.0 as usize].0.home = Some(home);
        let Held { class, size, .. } = self.held(id);
        let row = if class == Class::Mask { rows::MASK_STORE } else { rows::store(self.lanes * size) };
        self.place(Some(row), register, Placed::Memory(home, size), size, id);
    }

    /// An instruction without further operands.
    fn place(&mut self, row: Option<Row>, register: u8, operand: Placed, size: usize, id: Id) {
        let (Held { class, .. }, copy) = self.values[id.0 as usize];
        let in_memory = matches!(operand, Placed::Memory(..)) && row.is_some_and(|row| !row.single);
        let lane = class == Class::Vector && in_memory && self.lanes * size < 4;
        // What loads a lane leaves the others as they were in another register.
        let source = if lane && row.is_some_and(|row| !row.reversed) { register } else { 0 };
        let immediate = lane.then_some(0);
        self.moves.push(Move { row, register, source, operand, mask: 0, immediate, size, copy });
    }

    fn occupy(&mut self, id: Id, register: u8) {
        let class = self.held(id).class;
        self.registers[id.0 as usize] = Some(register);
        self.file(class)[usize::from(register)] = Some(id);
        self.pin(class, register);
    }

    /// Brings a value into a register.
    fn fetch(&mut self, id: Id) -> u8 {
        let Held { class, size, home } = self.held(id);
        if let Some(register) = self.registers[id.0 as usize] {
            self.pin(class, register);
            return register;
        }
        let home = home.expect("a value is in a register or in memory");
        let register = self.take(class);
        let row = match home {
            _ if class == Class::Mask => rows::MASK_LOAD,
            home if self.is_some(home) => rows::load_some(size),
            Home::Fixed(_) => rows::broadcast(size),
            Home::Uniform(_) if self.form == Form::Evex => rows::broadcast(size),
            _ => rows::load(self.lanes * size),
        };
        self.occupy(id, register);
        self.place(Some(row), register, Placed::Memory(home, size), size, id);
        if self.is_some(home) {
            let placed = self.moves.last_mut().expect("it was placed");
            (placed.source, placed.immediate, placed.mask) = (0, None, general::POINTS);
        }
        register
    }

    /// Whether only some of the points may be there.
    fn is_some(&self, home: Home) -> bool {
        self.some && matches!(home, Home::Element(_))
    }

    /// Whether an instruction can read a value in memory.
    fn is_readable(&self, id: Id, step: &Step) -> bool {
        let Some(row) = step.row else { return false };
        let Held { class, size, home } = self.held(id);
        let whole = !row.single && self.lanes * step.size >= 16;
        class == Class::Vector
            && !row.reversed
            && match home {
                Some(Home::Uniform(_)) if self.form == Form::Vex => whole,
                Some(Home::Uniform(_) | Home::Fixed(_)) if self.form == Form::Evex => {
                    row.single || usize::from(row.broadcast) == size
                }
                Some(Home::Fixed(_)) => row.single,
                Some(home) if self.is_some(home) => false,
                Some(_) => whole,
                None => false,
            }
    }

    /// Forgets a value that is not used any more.
    fn release(&mut self, id: Id) {
        if !self.uses[id.0 as usize].is_empty() {
            return;
        }
        if let Some(register) = self.registers[id.0 as usize].take() {
            let class = self.held(id).class;
            self.file(class)[usize::from(register)] = None;
        }
        if let Some(Home::Spill(slot)) = self.held(id).home {
            self.values[id.0 as usize].0.home = None;
            self.ended.push(slot);
        }
    }

    /// Reads the elements of a group that are still to be used before it writes to where they may lie.
    fn read_ahead(&mut self, at: usize, copy: usize) {
        for number in 0..self.values.len() {
            let (held, of) = self.values[number];
            let later = self.uses[number].back().is_some_and(|&last| last > at);
            if of == copy && later && matches!(held.home, Some(Home::Element(_))) {
                let id = Id(number as u32);
                self.fetch(id);
                self.values[number].0.home = None;
                self.pinned = self.kept;
            }
        }
    }

    fn step(&mut self, at: usize, step: &Step) {
        self.pinned = self.kept;
        self.free_spills.append(&mut self.ended);
        if matches!(step.out, Out::Memory(Home::Element(_))) {
            self.read_ahead(at, step.copy);
        }
        let [merged, source, mask] = [step.merged, step.first, step.mask].map(|id| id.map(|id| (id, self.fetch(id))));
        let operand = step.second.map(|id| {
            let ends = self.uses[id.0 as usize].back().is_none_or(|&last| last <= at);
            let kept = |register: usize| self.kept[0] & 1 << register != 0;
            let full = (0..self.vectors.len()).all(|register| kept(register) || self.vectors[register].is_some());
            let shared = self.held(id).is_shared();
            match self.registers[id.0 as usize] {
                None if self.is_readable(id, step) && (ends || full || shared) => {
                    let Held { size, home, .. } = self.held(id);
                    Placed::Memory(home.expect("it is in memory"), size)
                }
                _ => Placed::Register(self.fetch(id)),
            }
        });
        for id in step.sources() {
            let uses = &mut self.uses[id.0 as usize];
            while uses.front().is_some_and(|&next| next <= at) {
                uses.pop_front();
            }
        }
        let mut made = Move {
            row: step.row,
            register: 0,
            source: source.map_or(0, |(_, register)| register),
            operand: operand.unwrap_or(Placed::Register(0)),
            mask: mask.map_or(0, |(_, register)| register),
            immediate: step.immediate,
            size: step.size,
            copy: step.copy,
        };
        let out = match step.out {
            Out::Value(out) => out,
            Out::Memory(home) => {
                let id = step.second.expect("something is stored");
                let size = self.held(id).size;
                let bytes = if let Home::Uniform(_) = home { 8 } else { self.lanes * size };
                let Placed::Register(register) = made.operand else { unreachable!("a store reads no memory") };
                (made.row, made.register, made.operand) =
                    (Some(rows::store(bytes)), register, Placed::Memory(home, size));
                if self.lanes * size < 4 && bytes < 4 {
                    made.immediate = Some(0);
                }
                if self.is_some(home) {
                    (made.row, made.immediate, made.mask) = (Some(rows::store_some(size)), None, general::POINTS);
                }
                self.moves.push(made);
                step.sources().for_each(|id| self.release(id));
                return;
            }
        };
        let Held { class, size, .. } = self.held(out);
        let own = self.own[out.0 as usize];
        let register = match merged {
            None => {
                step.sources().for_each(|id| self.release(id));
                // What it read may be overwritten.
                self.pinned = self.kept;
                own.unwrap_or_else(|| self.take(class))
            }
            Some((id, register)) if own.is_none() && self.uses[id.0 as usize].is_empty() => {
                self.release(id);
                register
            }
            Some((_, register)) => {
                // What is merged into moves first, which must not overwrite what the instruction reads beside it.
                let read =
                    |own: u8| made.operand == Placed::Register(own) || source.is_some_and(|(_, read)| read == own);
                let free = own.filter(|&own| !read(own)).unwrap_or_else(|| self.take(class));
                self.place(Some(rows::MOVE), free, Placed::Register(register), size, out);
                free
            }
        };
        if merged.is_some() {
            step.sources().for_each(|id| self.release(id));
        }
        match made.operand {
            Placed::Register(source) if step.row.is_some_and(|row| row.reversed) => {
                (made.register, made.operand) = (source, Placed::Register(register));
            }
            _ => made.register = register,
        }
        self.moves.push(made);
        if let Some(own) = own.filter(|&own| own != register) {
            self.place(Some(rows::MOVE), own, Placed::Register(register), size, out);
        }
        self.occupy(out, own.unwrap_or(register));
        self.release(out);
    }
}
