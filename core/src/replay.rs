//! Functions of arrays that run once as a program and then as the launches that this came to.
//!
//! [`Tracing`] runs while the function does, and makes a [`Traced`] of what the thread queued ([`crate::trace`]). A
//! replay checks that the arguments lie as they did, gives the results new memory and one block to all that is temporary,
//! and queues the same launches on these addresses. The caller makes sure that the arguments are of the same kind:
//! dtype, shape, strides, and which of them share memory, how far apart.

use std::sync::Arc;

use cuproxide_hal::{Launch, Operand, Scalar};
use smallvec::SmallVec;

use crate::array::Array;
use crate::context::Context;
use crate::dispatch;
use crate::error::Result;
use crate::fusion::{self, Entry, Name, Reason, Tier};
use crate::memory::{Buffer, capture};
use crate::storage::Storage;
use crate::timeline;
use crate::trace::{self, Launched, Origin, Recording, Refusal, Work};

/// Where temporary memory begins: at multiples of this, as blocks of pools do.
const ALIGNMENT: usize = 512;
/// What distinguishes addresses of arguments: kernels move vectors of so many bytes.
pub const ADDRESS_CLASSES: u64 = 16;

/// Memory that arguments of a function lie in: a storage, and where in it the first of them begins.
#[derive(Clone)]
pub struct Input {
    /// The memory.
    pub storage: Arc<Storage>,
    /// Bytes from its start.
    pub offset: usize,
}

/// A function's run that is traced; ends when it is dropped.
pub struct Tracing {
    context: Arc<Context>,
    inputs: Vec<Input>,
    open: bool,
}

/// Where a result lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the memory of an argument.
    Input(usize),
    /// In new memory, by its number among what [`Traced::replay`] returns.
    New(usize),
}

/// What a function came to for one kind of arguments.
pub struct Traced {
    context: Arc<Context>,
    name: Arc<str>,
    inputs: Vec<Reach>,
    /// Bytes of the new memory of results.
    outputs: Vec<usize>,
    /// Places of temporaries in their block.
    temporaries: Vec<u64>,
    /// Bytes of that block.
    block: usize,
    /// Where scratch memory begins in it.
    scratch: u64,
    steps: Vec<Step>,
    /// Numbers that kernels take, from those that a replay is given.
    numbers: Vec<Origin>,
    looked_at: u64,
    entry: Entry,
}

/// How a function uses the memory of arguments, in bytes from where the first of them begins.
struct Reach {
    low: i64,
    high: i64,
    writes: bool,
    /// The address modulo [`ADDRESS_CLASSES`].
    class: u64,
}

/// A piece of work with the memory of its operands: inputs, then outputs, then temporaries.
struct Step {
    work: Work,
    places: SmallVec<[(usize, i64); 8]>,
}

impl Tracing {
    /// Starts to trace the calling thread, which is about to run a function on memory of one device.
    ///
    /// # Errors
    /// Those of deferred work that is queued first.
    pub fn begin(context: &Arc<Context>, inputs: Vec<Input>) -> Result<Tracing> {
        // What the function computes is to be told from what was deferred before.
        context.flush()?;
        let mut memory = Vec::with_capacity(inputs.len());
        for input in &inputs {
            let buffer = input.storage.buffer()?;
            memory.push((buffer.ptr, input.storage.bytes()));
        }
        trace::begin(context.index(), memory.into_iter());
        Ok(Tracing { context: context.clone(), inputs, open: true })
    }

    /// Queues what the function has left deferred, and makes of all that was queued what can be launched again. `results` are
    /// the arrays that it returned, whose homes are told. `Err` of the inner result says why not.
    ///
    /// # Errors
    /// Those of the deferred work.
    pub fn finish(
        mut self,
        name: &Arc<str>,
        results: &[Array],
    ) -> Result<std::result::Result<(Traced, Vec<Home>), Refusal>> {
        let flushed = fusion::evaluate(results).and_then(|()| fusion::flush_trace(&self.context));
        self.open = false;
        let recording = trace::end();
        flushed?;
        Ok(recording.and_then(|recording| self.make(recording, name, results)))
    }

    fn make(
        &self,
        recording: Recording,
        name: &Arc<str>,
        results: &[Array],
    ) -> std::result::Result<(Traced, Vec<Home>), Refusal> {
        // Memory of results, by its number in the recording.
        let mut kept: Vec<usize> = vec![];
        let mut homes = vec![];
        for result in results {
            if let Some(input) = self.inputs.iter().position(|input| Arc::ptr_eq(&input.storage, result.storage())) {
                homes.push(Home::Input(input));
                continue;
            }
            let buffer = result.storage().peek().ok_or("a result was not computed")?;
            let known = recording.memory_at(buffer.ptr).filter(|_| result.context() == &self.context);
            let memory =
                known.filter(|&memory| memory >= self.inputs.len() && recording.memory[memory].bytes == buffer.bytes);
            let memory = memory.ok_or("it returns an array that is neither its own nor an argument")?;
            let place = kept.iter().position(|&other| other == memory).unwrap_or_else(|| {
                kept.push(memory);
                kept.len() - 1
            });
            homes.push(Home::New(place));
        }
        let layout = Plan::of(&recording, self.inputs.len(), &kept);
        let mut inputs: Vec<Reach> = vec![];
        for (input, extent) in self.inputs.iter().zip(&recording.memory) {
            let class = extent.ptr.wrapping_add(input.offset as u64) % ADDRESS_CLASSES;
            inputs.push(Reach { low: 0, high: 0, writes: false, class });
        }
        for used in recording.entries.iter().flat_map(|entry| &entry.uses) {
            if let Some(reach) = inputs.get_mut(used.at.memory) {
                let start = self.inputs[used.at.memory].offset as i64;
                reach.low = reach.low.min(used.low as i64 - start);
                reach.high = reach.high.max(used.high as i64 - start);
                reach.writes |= used.writes;
            }
        }
        let may_raise =
            recording.entries.iter().any(|entry| matches!(&entry.work, Work::Launch(launched) if launched.can_fault))
                && !self.context.info().asynchronous;
        if may_raise && inputs.iter().any(|reach| reach.writes) {
            return Err("an element may be at fault while it updates its arguments".into());
        }
        let launches = recording.entries.len();
        let shape = recording.entries.iter().find_map(|entry| match &entry.work {
            Work::Launch(launched) => Some(launched.outer.clone()),
            _ => None,
        });
        let entry = Entry {
            reason: Reason::Replay,
            tier: Tier::Replayed,
            shape: shape.unwrap_or_default(),
            deferred: recording.operations.max(launches),
            computed: launches,
            read: inputs.len(),
            written: inputs.iter().filter(|reach| reach.writes).count() + kept.len(),
            name: Name::Shared(name.clone()),
        };
        let mut steps = vec![];
        for entry in recording.entries {
            let place = |used: &trace::Use| {
                let slot = layout.slots[used.at.memory];
                let start = self.inputs.get(used.at.memory).map_or(0, |input| input.offset as i64);
                (slot, used.at.offset as i64 - start)
            };
            steps.push(Step { places: entry.uses.iter().map(place).collect(), work: entry.work });
        }
        let traced = Traced {
            context: self.context.clone(),
            name: name.clone(),
            inputs,
            outputs: kept.iter().map(|&memory| recording.memory[memory].bytes).collect(),
            temporaries: layout.temporaries,
            block: layout.block,
            scratch: layout.scratch,
            steps,
            numbers: recording.numbers,
            looked_at: recording.looked_at,
            entry,
        };
        Ok((traced, homes))
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        if self.open {
            let _ = trace::end();
        }
    }
}

/// Where temporaries lie.
struct Plan {
    /// For each memory of the recording its number in a replay.
    slots: Vec<usize>,
    temporaries: Vec<u64>,
    block: usize,
    scratch: u64,
}

impl Plan {
    /// Lets temporaries that are not needed at the same time share memory.
    fn of(recording: &Recording, inputs: usize, kept: &[usize]) -> Plan {
        const UNUSED: usize = usize::MAX;
        let mut slots = vec![UNUSED; recording.memory.len()];
        (0..inputs).for_each(|input| slots[input] = input);
        kept.iter().enumerate().for_each(|(place, &memory)| slots[memory] = inputs + place);
        // First and last use of what is neither.
        let mut lives: Vec<(usize, usize, usize)> = vec![];
        let mut known = vec![UNUSED; recording.memory.len()];
        for (time, entry) in recording.entries.iter().enumerate() {
            for memory in entry.uses.iter().map(|used| used.at.memory).filter(|&memory| slots[memory] == UNUSED) {
                match known[memory] {
                    UNUSED => {
                        known[memory] = lives.len();
                        lives.push((memory, time, time));
                    }
                    life => lives[life].2 = time,
                }
            }
        }
        let mut placed: Vec<(u64, u64, usize, usize)> = vec![];
        for (number, &(memory, first, last)) in lives.iter().enumerate() {
            slots[memory] = inputs + kept.len() + number;
            let bytes = recording.memory[memory].bytes.next_multiple_of(ALIGNMENT) as u64;
            let mut busy: Vec<(u64, u64)> = placed
                .iter()
                .filter(|(_, _, begin, end)| *begin <= last && first <= *end)
                .map(|&(start, end, ..)| (start, end))
                .collect();
            busy.sort_unstable();
            let mut start = 0;
            for (from, to) in busy {
                if from >= start + bytes {
                    break;
                }
                start = start.max(to);
            }
            placed.push((start, start + bytes, first, last));
        }
        let scratch = placed.iter().map(|place| place.1).max().unwrap_or(0);
        let wanted = recording.entries.iter().filter_map(|entry| match &entry.work {
            Work::Launch(launched) => Some(launched.scratch),
            _ => None,
        });
        let block = scratch as usize + wanted.max().unwrap_or(0);
        Plan { slots, temporaries: placed.iter().map(|place| place.0).collect(), block, scratch }
    }
}

impl Traced {
    /// Kernels, copies and library calls of a replay.
    pub fn launches(&self) -> usize {
        self.steps.len()
    }

    /// Whether a replay may raise an error of a kernel, which the function could have caught.
    pub fn may_raise(&self) -> bool {
        let can_fault = |step: &Step| matches!(&step.work, Work::Launch(launched) if launched.can_fault);
        !self.context.info().asynchronous && self.steps.iter().any(can_fault)
    }

    /// Whether a replay changes memory of its arguments.
    pub fn writes_inputs(&self) -> bool {
        self.inputs.iter().any(|reach| reach.writes)
    }

    /// The numbers among the arguments whose values the function has looked at, as bits.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The values of all numbers; none where Python raises an error for a division by zero.
    fn values(&self, given: &[f64]) -> Option<SmallVec<[f64; 8]>> {
        let mut values: SmallVec<[f64; 8]> = SmallVec::new();
        for number in &self.numbers {
            let at = |number: u16| values[usize::from(number)];
            let value = match *number {
                Origin::Argument(argument) => *given.get(argument)?,
                Origin::Constant(value) => value,
                Origin::Negative(a) => -at(a),
                Origin::Sum(a, b) => at(a) + at(b),
                Origin::Difference(a, b) => at(a) - at(b),
                Origin::Product(a, b) => at(a) * at(b),
                Origin::Quotient(_, b) if at(b) == 0.0 => return None,
                Origin::Quotient(a, b) => at(a) / at(b),
            };
            values.push(value);
        }
        Some(values)
    }

    /// Points of the largest launch.
    pub fn elements(&self) -> usize {
        let points = |step: &Step| match &step.work {
            Work::Launch(launched) => launched.outer.iter().chain(&launched.inner).product(),
            _ => 0,
        };
        self.steps.iter().map(points).max().unwrap_or(0)
    }

    /// The device.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Queues the work on the calling thread's current stream, with other arguments of the same kind and these numbers. Returns the new memory of
    /// the results; nothing if these arguments lie otherwise than those of the trace, or if a graph is captured.
    ///
    /// # Errors
    /// Those of the device, and what kernels have found at fault. Without memory nothing has been done.
    pub fn replay(&self, inputs: &[Input], numbers: &[f64]) -> Result<Option<SmallVec<[Arc<Storage>; 4]>>> {
        let context = &self.context;
        if capture::current(context).is_some() {
            return Ok(None);
        }
        let Some(numbers) = self.values(numbers) else { return Ok(None) };
        let mut bases: SmallVec<[u64; 32]> = SmallVec::new();
        for (input, reach) in inputs.iter().zip(&self.inputs) {
            let (start, end) = (input.offset as i64, input.storage.bytes() as i64);
            if start + reach.low < 0 || start + reach.high > end {
                return Ok(None);
            }
            let buffer = if reach.writes { input.storage.buffer()? } else { input.storage.read()? };
            let address = buffer.ptr.wrapping_add(input.offset as u64);
            if address % ADDRESS_CLASSES != reach.class {
                return Ok(None);
            }
            bases.push(address);
        }
        let mut results = SmallVec::new();
        for &bytes in &self.outputs {
            let storage = Storage::allocate(context, bytes)?;
            bases.push(storage.read()?.ptr);
            results.push(storage);
        }
        let block: Option<Buffer> = if self.block > 0 { Some(context.allocate_buffer(self.block)?) } else { None };
        let start = block.as_ref().map_or(0, |block| block.ptr);
        bases.extend(self.temporaries.iter().map(|offset| start + offset));
        if bases[self.inputs.len()..].iter().any(|base| base % ADDRESS_CLASSES != 0) {
            return Ok(None);
        }
        let scratch = start + self.scratch;
        timeline::with_label(Some(self.name.clone()), || {
            self.steps.iter().try_for_each(|step| step.queue(context, &bases, scratch, &numbers))
        })?;
        fusion::note_replay(context, self.entry.clone());
        Ok(Some(results))
    }
}

impl Step {
    fn queue(&self, context: &Context, bases: &[u64], scratch: u64, numbers: &[f64]) -> Result<()> {
        let address = |&(slot, offset): &(usize, i64)| bases[slot].wrapping_add_signed(offset);
        match &self.work {
            Work::Launch(launched) => {
                let mut operands: SmallVec<[Operand; 8]> = SmallVec::from_slice(&launched.operands);
                operands.iter_mut().zip(&self.places).for_each(|(operand, place)| operand.ptr = address(place));
                launched.queue(context, &operands, scratch, numbers)
            }
            Work::Copy(bytes) => {
                let (from, to, device) = (address(&self.places[0]), address(&self.places[1]), context.below());
                // SAFETY: both lie in live memory of the sizes that were traced, and did not overlap there.
                Ok(context.queue_known(|stream| unsafe { device.copy(stream, to, from, *bytes) })?)
            }
            Work::Clear(bytes) => {
                let (to, device) = (address(&self.places[0]), context.below());
                // SAFETY: as above.
                Ok(context.queue_known(|stream| unsafe { device.fill(stream, to, 0, *bytes) })?)
            }
            Work::Call(call) => {
                let addresses: SmallVec<[u64; 8]> = self.places.iter().map(address).collect();
                Ok(context.queue_known(|stream| call(stream, &addresses))?)
            }
        }
    }
}

impl Launched {
    fn queue(&self, context: &Context, operands: &[Operand], scratch: u64, numbers: &[f64]) -> Result<()> {
        let Launched { outer, inner, kernel, .. } = self;
        let mut own: SmallVec<[Scalar; 16]> = SmallVec::new();
        let scalars = if self.numbers.is_empty() {
            &self.scalars[..]
        } else {
            own.extend_from_slice(&self.scalars);
            for &(position, number) in &self.numbers {
                own[position] = Scalar::real(own[position].dtype, numbers[usize::from(number)]);
            }
            &own[..]
        };
        let launch = Launch { outer, inner, operands, scalars, scratch };
        let name = &kernel.name;
        let _span = timeline::queued(timeline::Work::Kernel, name, context, || dispatch::touched(kernel, &launch));
        // SAFETY: the addresses lie in live memory of the sizes that were traced, with the same distances between those that
        // share memory.
        context.queue_known(|stream| unsafe { self.compiled.launch(stream, &launch) })?;
        // A device that computes before the call returns raises here, before what comes next changes anything.
        if self.can_fault && !context.info().asynchronous { context.check_fault() } else { Ok(()) }
    }
}

/// The address class of an array's first element, as far as it is known: new memory begins at multiples of 512.
pub fn address_class(array: &Array) -> u64 {
    let base = array.storage().peek().map_or(0, |buffer| buffer.ptr);
    base.wrapping_add(array.offset() as u64) % ADDRESS_CLASSES
}

/// Whether two arguments that do not share a storage may share memory all the same, since it is another library's.
pub fn may_overlap(inputs: &[Input]) -> bool {
    let range = |input: &Input| {
        let buffer = input.storage.peek()?;
        Some((buffer.ptr, buffer.ptr + buffer.bytes as u64))
    };
    let mut ranges: SmallVec<[(u64, u64); 16]> = inputs.iter().filter_map(range).collect();
    ranges.sort_unstable();
    ranges.windows(2).any(|pair| pair[1].0 < pair[0].1)
}
