//! What a thread queues while it runs a function that is traced: the launches, with each address as a place in some
//! memory, so that the same work can be queued again on other memory ([`replay`](crate::replay)).
//!
//! The recorder knows three kinds of memory: that of the function's arguments, that which the thread allocates meanwhile,
//! and all other, which it refuses. It knows launches, copies, fills and the library calls that describe themselves
//! ([`call`]); code that touches a device in another way refuses the trace by [`refuse`], as [`Context`](crate::Context) does
//! for all who ask it for its device, its stream or its queue. So the default is to refuse, and a trace that was not refused is
//! complete.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::ir::Kernel;
use cuproxide_hal::{self as hal, CompiledKernel, DType, Launch, Operand, Scalar, Stream};
use smallvec::SmallVec;

use crate::layout::Dims;

thread_local! {
    /// Whether the thread traces: all that work outside traces has to look at.
    static ON: Cell<bool> = const { Cell::new(false) };
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
    /// The number that the thread's next operation has as an operand: the bits of its value, and which one it is.
    static NEXT: Cell<Option<(u64, u16)>> = const { Cell::new(None) };
}

/// Whether any scalar was ever marked.
static TAGGED: AtomicBool = AtomicBool::new(false);

/// A trace, as deferred work knows it: groups belong to the trace that they were recorded in.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    /// Whether another thread has run work of the trace.
    spoilt: AtomicBool,
}

impl Mark {
    /// Says that work of the trace has run where its thread could not see it.
    pub fn spoil(&self) {
        self.spoilt.store(true, Ordering::Release);
    }
}

/// Why a trace cannot be used.
#[derive(Debug)]
pub enum Refusal {
    /// Another thread ran a part of the work, which says nothing about the next trace of the same function.
    Spoilt,
    /// The function does what cannot be repeated without its program: a phrase after "it".
    Unfit(String),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::Unfit(reason)
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Refusal {
        Refusal::Unfit(reason.to_owned())
    }
}

/// A range of memory that a trace knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Address of the first byte.
    pub ptr: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Whether the traced function has allocated it, and not other work that ran meanwhile.
    pub own: bool,
}

/// A place in memory that a trace knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// The number of its [`Extent`].
    pub memory: usize,
    /// Bytes from there.
    pub offset: u64,
}

/// An operand of recorded work: where it begins, how far it reaches and whether it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Its first element.
    pub at: At,
    /// First byte that it reaches, in its memory.
    pub low: u64,
    /// One past the last byte.
    pub high: u64,
    /// Whether the work writes it.
    pub writes: bool,
}

/// A library's call on other addresses.
pub(crate) type Call = Box<dyn Fn(&dyn Stream, &[u64]) -> hal::Result<()> + Send + Sync>;

/// What recorded work does with its operands, in order.
pub(crate) enum Work {
    /// A kernel.
    Launch(Box<Launched>),
    /// Copies bytes from the first operand to the second.
    Copy(usize),
    /// Sets bytes of the operand to zero.
    Clear(usize),
    /// A library's call.
    Call(Call),
}

/// A launch without addresses.
pub(crate) struct Launched {
    /// The machine code.
    pub compiled: Arc<dyn CompiledKernel>,
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// What keeps the machine code loaded.
    #[expect(dead_code, reason = "kept for its drop")]
    pub keep: Arc<dyn Any + Send + Sync>,
    /// Whether an element may be at fault.
    pub can_fault: bool,
    /// As in [`Launch`].
    pub outer: Dims,
    /// As in [`Launch`].
    pub inner: Dims,
    /// The operands' strides; the addresses are those of the trace.
    pub operands: Vec<Operand>,
    /// As in [`Launch`].
    pub scalars: Vec<Scalar>,
    /// The scalars that are numbers of the trace, by their positions.
    pub numbers: SmallVec<[(usize, u16); 4]>,
    /// Bytes of scratch memory.
    pub scratch: usize,
}

/// One piece of recorded work.
pub(crate) struct Entry {
    /// What it does.
    pub work: Work,
    /// What with.
    pub uses: SmallVec<[Use; 8]>,
}

/// What a thread has queued since [`begin`].
pub(crate) struct Recording {
    /// The number of the device's context.
    context: usize,
    mark: Arc<Mark>,
    /// The memory of arguments, then what was allocated, in order.
    pub memory: Vec<Extent>,
    /// The work, in order.
    pub entries: Vec<Entry>,
    /// Operations that were deferred.
    pub operations: usize,
    /// Numbers that may be others in a replay.
    pub numbers: Vec<Origin>,
    /// The arguments among them whose values something depends on, as bits.
    pub looked_at: u64,
    refused: Option<String>,
    /// Whether other work runs, which is not the function's.
    paused: bool,
}

/// Starts to record what the calling thread queues on one device; `arguments` is the memory that the work may use.
pub(crate) fn begin(context: usize, arguments: impl Iterator<Item = (u64, usize)>) {
    let memory = arguments.map(|(ptr, bytes)| Extent { ptr, bytes, own: true }).collect();
    let (mark, entries) = (Arc::default(), vec![]);
    RECORDING.set(Some(Recording {
        context,
        mark,
        memory,
        entries,
        operations: 0,
        numbers: vec![],
        looked_at: 0,
        refused: None,
        paused: false,
    }));
    note_mode_used();
    ON.set(true);
}

/// Ends the recording; says why it cannot be used, if so.
pub(crate) fn end() -> Result<Recording, Refusal> {
    ON.set(false);
    let mut recording = RECORDING.take().expect("a recording that has begun");
    // First, since what another thread allocated for the function looks like memory of others.
    if recording.mark.spoilt.load(Ordering::Acquire) {
        return Err(Refusal::Spoilt);
    }
    match recording.refused.take() {
        Some(reason) => Err(reason.into()),
        None => Ok(recording),
    }
}

/// Whether any thread has ever traced, named or eagerly run operations. Until then no operation checks for these modes.
static MODE_USED: AtomicBool = AtomicBool::new(false);

/// Notes that a thread begins to trace, name or eagerly run operations.
pub(crate) fn note_mode_used() {
    MODE_USED.store(true, Ordering::Relaxed);
}

/// Whether a thread may be tracing, naming or eagerly running operations.
#[inline]
pub(crate) fn was_mode_used() -> bool {
    MODE_USED.load(Ordering::Relaxed)
}

/// Whether the calling thread traces a function.
#[inline]
pub fn is_on() -> bool {
    // Most programs never trace, and a look at a variable of the thread takes longer.
    was_mode_used() && ON.get()
}

/// The trace that the calling thread records.
#[inline]
pub(crate) fn mark() -> Option<Arc<Mark>> {
    if is_on() { with(|recording| recording.mark.clone()) } else { None }
}

/// Whether deferred work marked so belongs to what the calling thread does now.
#[inline]
pub(crate) fn is_of(mark: Option<&Arc<Mark>>) -> bool {
    match (is_on(), mark) {
        (false, None) => true,
        (true, Some(mark)) => with(|recording| Arc::ptr_eq(&recording.mark, mark)).unwrap_or(false),
        _ => false,
    }
}

/// Says that the calling thread does something that cannot be repeated without its program; `reason` completes "it ...".
#[inline]
pub fn refuse(reason: &str) {
    if is_on() {
        refuse_now(reason);
    }
}

#[cold]
fn refuse_now(reason: &str) {
    let _ = with(|recording| {
        if !recording.paused {
            recording.refused.get_or_insert_with(|| reason.to_owned());
        }
    });
}

fn with<R>(work: impl FnOnce(&mut Recording) -> R) -> Option<R> {
    RECORDING.with_borrow_mut(|recording| recording.as_mut().map(work))
}

/// Runs work that is not the traced function's.
pub(crate) fn paused<R>(work: impl FnOnce() -> R) -> R {
    struct Resume(bool);
    impl Drop for Resume {
        fn drop(&mut self) {
            let _ = with(|recording| recording.paused = self.0);
        }
    }
    let _resume = Resume(with(|recording| std::mem::replace(&mut recording.paused, true)).unwrap_or(false));
    work()
}

/// Counts operations that were deferred.
pub(crate) fn count(operations: usize) {
    if !is_on() {
        return;
    }
    let _ = with(|recording| recording.operations += operations);
}

/// Notes new memory.
#[inline]
pub(crate) fn allocated(ptr: u64, bytes: usize) {
    if is_on() {
        let _ = with(|recording| recording.memory.push(Extent { ptr, bytes, own: !recording.paused }));
    }
}

/// Notes a launch that has been queued.
pub(crate) fn launched(context: usize, launch: &Launch<'_>, make: impl FnOnce() -> Option<Launched>) {
    let _ = with(|recording| {
        if recording.is_closed(context) {
            return;
        }
        let Some(mut launched) = make() else { return recording.refuse("it runs a kernel that may be forgotten") };
        let mut uses = SmallVec::new();
        for (operand, declared) in launch.operands.iter().zip(&launched.kernel.operands) {
            let (mut low, mut high) = (operand.ptr, operand.ptr + declared.dtype.size() as u64);
            for (&length, &stride) in launch.outer.iter().chain(launch.inner).zip(&operand.strides) {
                let reach = (length.saturating_sub(1) as i64).wrapping_mul(stride as i64);
                if reach < 0 {
                    low = low.wrapping_add_signed(reach);
                } else {
                    high = high.wrapping_add_signed(reach);
                }
            }
            let Some(place) = recording.find(operand.ptr, low, high, declared.mode != hal::ir::Mode::Read) else {
                return recording.refuse_memory();
            };
            uses.push(place);
        }
        launched.scratch = launched.compiled.scratch_bytes(launch);
        recording.entries.push(Entry { work: Work::Launch(Box::new(launched)), uses });
    });
}

/// Notes a copy of bytes, or (without `from`) that bytes were set to zero.
pub(crate) fn moved(context: usize, to: u64, from: Option<u64>, bytes: usize) {
    if !is_on() {
        return;
    }
    let _ = with(|recording| {
        if recording.is_closed(context) || bytes == 0 {
            return;
        }
        let mut uses = SmallVec::new();
        for (ptr, writes) in from.map(|from| (from, false)).into_iter().chain([(to, true)]) {
            let Some(place) = recording.find(ptr, ptr, ptr + bytes as u64, writes) else {
                return recording.refuse_memory();
            };
            uses.push(place);
        }
        let work = if from.is_some() { Work::Copy(bytes) } else { Work::Clear(bytes) };
        recording.entries.push(Entry { work, uses });
    });
}

/// Notes a library's call that reads `read` and writes `written`, given by address and size; `make` is the same call on other
/// addresses, in this order.
pub(crate) fn call(context: usize, read: &[(u64, usize)], written: &[(u64, usize)], make: impl FnOnce() -> Call) {
    if !is_on() {
        return;
    }
    let _ = with(|recording| {
        if recording.is_closed(context) {
            return;
        }
        let mut uses = SmallVec::new();
        let all = read.iter().map(|&place| (place, false)).chain(written.iter().map(|&place| (place, true)));
        for ((ptr, bytes), writes) in all {
            let Some(place) = recording.find(ptr, ptr, ptr + bytes as u64, writes) else {
                return recording.refuse_memory();
            };
            uses.push(place);
        }
        recording.entries.push(Entry { work: Work::Call(make()), uses });
    });
}

impl Recording {
    /// Notes that something depends on the value of a number, and so on those of the arguments that it is made of.
    fn look_at(&mut self, number: u16) {
        let mut open = vec![number];
        while let Some(number) = open.pop() {
            match self.numbers[usize::from(number)] {
                Origin::Argument(argument) => self.looked_at |= 1 << argument,
                Origin::Constant(_) => {}
                Origin::Negative(a) => open.push(a),
                Origin::Sum(a, b) | Origin::Difference(a, b) | Origin::Product(a, b) | Origin::Quotient(a, b) => {
                    open.extend([a, b]);
                }
            }
        }
    }

    fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert_with(|| reason.to_owned());
    }

    fn refuse_memory(&mut self) {
        self.refuse("it uses memory that is neither its arguments' nor its own");
    }

    /// Whether work is not recorded: it is not the function's, or all is lost already.
    fn is_closed(&mut self, context: usize) -> bool {
        if !self.paused && context != self.context {
            self.refuse("it works on another device than its arguments'");
        }
        self.paused || self.refused.is_some()
    }

    /// The memory that has a range: what was allocated last, since memory is used again.
    fn find(&self, ptr: u64, low: u64, high: u64, writes: bool) -> Option<Use> {
        let holds = |extent: &Extent| extent.ptr <= ptr && ptr < extent.ptr + extent.bytes as u64;
        let memory = self.memory.iter().rposition(holds)?;
        let extent = self.memory[memory];
        if !extent.own || low < extent.ptr || high > extent.ptr + extent.bytes as u64 {
            return None;
        }
        let at = At { memory, offset: ptr - extent.ptr };
        Some(Use { at, low: low - extent.ptr, high: high - extent.ptr, writes })
    }

    /// The memory that begins at an address, which the trace has allocated last there.
    pub fn memory_at(&self, ptr: u64) -> Option<usize> {
        self.memory.iter().rposition(|extent| extent.ptr == ptr && extent.own)
    }
}

/// What a traced number is.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// An argument of the function, by its place among those that may change.
    Argument(usize),
    /// A number of the function's own.
    Constant(f64),
    /// Minus a number.
    Negative(u16),
    /// A sum of two.
    Sum(u16, u16),
    /// A difference.
    Difference(u16, u16),
    /// A product.
    Product(u16, u16),
    /// A quotient.
    Quotient(u16, u16),
}

/// A number of a trace, which may be another one in a replay: kernels take it as an argument.
pub struct Traced {
    mark: Arc<Mark>,
    number: u16,
}

impl Traced {
    /// A new number of the calling thread's trace; none without one, or if it has too many.
    pub fn new(origin: Origin, value: f64) -> Option<Traced> {
        let _ = value;
        with(|recording| {
            let number = u16::try_from(recording.numbers.len()).ok().filter(|&number| number < u16::MAX)?;
            recording.numbers.push(origin);
            Some(Traced { mark: recording.mark.clone(), number })
        })
        .flatten()
    }

    /// The number in the calling thread's trace; none in another one.
    pub fn number(&self) -> Option<u16> {
        is_of(Some(&self.mark)).then_some(self.number)
    }

    /// Notes that something depends on the value.
    pub fn look_at(&self) {
        if self.number().is_none() {
            // Another thread looks, or the trace has ended, and then it does not matter.
            self.mark.spoil();
            return;
        }
        let _ = with(|recording| recording.look_at(self.number));
    }

    /// Does work that makes a kernel take the number as an argument; if none does, something depends on the value.
    pub fn with<R>(&self, value: f64, work: impl FnOnce() -> R) -> R {
        let Some(number) = self.number() else {
            self.look_at();
            return work();
        };
        NEXT.set(Some((value.to_bits(), number)));
        let result = work();
        if NEXT.take().is_some() {
            self.look_at();
        }
        result
    }
}

/// Where a scalar of 4 or 8 bytes has its number while it is on its way to a launch: in bytes that kernels do not look at.
const TAG: std::ops::Range<usize> = 14..16;

/// Marks the scalar that the thread's next number has become, if it is that.
pub(crate) fn tag(scalar: Scalar, value: f64) -> Scalar {
    match NEXT.get() {
        Some((bits, number))
            if bits == value.to_bits()
                && matches!(scalar.dtype, DType::F32 | DType::F64)
                && scalar == Scalar::real(scalar.dtype, value) =>
        {
            NEXT.set(None);
            TAGGED.store(true, Ordering::Relaxed);
            let mut tagged = scalar;
            tagged.bytes[TAG].copy_from_slice(&(number + 1).to_le_bytes());
            tagged
        }
        _ => scalar,
    }
}

/// Scalars without marks, and the numbers of those that had one.
pub(crate) type Untagged = (SmallVec<[Scalar; 16]>, SmallVec<[(usize, u16); 4]>);

/// Takes the marks off the scalars of a launch; nothing if there are none.
#[inline]
pub(crate) fn untag(scalars: &[Scalar]) -> Option<Untagged> {
    if TAGGED.load(Ordering::Relaxed) { untag_now(scalars) } else { None }
}

#[cold]
fn untag_now(scalars: &[Scalar]) -> Option<Untagged> {
    let mut plain: SmallVec<[Scalar; 16]> = SmallVec::from_slice(scalars);
    let mut numbers = SmallVec::new();
    for (position, scalar) in plain.iter_mut().enumerate() {
        let tag = u16::from_le_bytes([scalar.bytes[TAG.start], scalar.bytes[TAG.start + 1]]);
        if tag != 0 && matches!(scalar.dtype, DType::F32 | DType::F64) {
            scalar.bytes[TAG].fill(0);
            numbers.push((position, tag - 1));
        }
    }
    (!numbers.is_empty()).then_some((plain, numbers))
}
