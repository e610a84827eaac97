//! A group: deferred operations over one shape on one stream, which become one kernel.
//!
//! All operands of a group are in memory; none is a deferred result of another group. Groups may therefore run in any order,
//! except where they write in place: before memory is written, the groups that read it are run. A pair of groups is ordered
//! ([`Group::after`]) if it updates an array from overlapping parts of itself: the first group, which is *sealed*, computes the
//! new values, and the second copies them into the array.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use cuproxide_hal::{DType, MAX_DIMS, Scalar, Specialization, Stream, max_scalars};
use smallvec::SmallVec;

use super::guide::Guide;
use super::habits::Kind;
use super::step::{MAX_INPUTS, Ref, Step};
use super::view::View;
use crate::array::Array;
use crate::context::Context;
use crate::fold::Plan;
use crate::layout::{Dims, Layout, Strides, same_shape, short};
use crate::storage::Storage;
use crate::trace::{self, Mark};

/// Most steps of a group.
pub(super) const MAX_STEPS: usize = 512;
/// Most writes into existing arrays of a group.
pub(super) const MAX_EFFECTS: usize = 6;
/// Most operands that a group reads. The other operands of a kernel are for what the group writes.
pub(super) const MAX_OPERANDS: usize = Specialization::MAX_OPERANDS - MAX_EFFECTS;
/// Scalars that are kept free for the arguments of a reduction.
const SPARE_SCALARS: usize = 4;

/// Number of element sizes: powers of two up to 16 bytes.
const ITEM_SIZES: usize = 5;

/// Most steps, operands and scalars that one operation adds.
pub(super) const NEEDS: (usize, usize, usize) = (3, MAX_INPUTS + 2, MAX_INPUTS);

/// A new array: the step that computes it, and its layout. A group has many of them, and most are C-contiguous.
pub(super) struct Output {
    pub storage: Arc<Storage>,
    /// Strides over the group's shape, unless the array is a line; see [`Group::strides_of`].
    strides: Option<Box<Strides>>,
    pub step: u16,
    pub dtype: DType,
    /// Whether there is one element for each row: strides along reduced axes and axes of length 1 are 0.
    pub row: bool,
    /// Whether it has been computed before the rest of the group.
    pub done: bool,
    /// Whether the array has one element for each point of the group and is C-contiguous.
    pub line: bool,
}

/// The layout of a new array.
pub(super) enum Form {
    /// One element for each point of the group, C-contiguous.
    Line,
    /// One element for each point, with strides over the group's shape; and whether the array is a line nevertheless.
    Points(Strides, bool),
    /// One element for each row.
    Row(Strides),
}

/// The points of a group that an operation runs at.
#[derive(Clone, Debug)]
pub(super) enum Space {
    /// All.
    Points,
    /// One for each row. For each axis of the operation that is longer than 1, the axis of the group.
    Rows(SmallVec<[Option<u8>; 8]>),
}

impl Space {
    pub fn is_rows(&self) -> bool {
        matches!(self, Space::Rows(_))
    }

    /// Converts strides over the operation's shape to strides over the group's.
    pub fn spread(&self, strides: &[isize], ndim: usize) -> Strides {
        match self {
            Space::Points => Strides::from_slice(strides),
            Space::Rows(axes) => {
                let mut spread = Strides::from_elem(0, ndim);
                for (axis, &stride) in axes.iter().zip(strides) {
                    if let Some(axis) = axis {
                        spread[usize::from(*axis)] = stride;
                    }
                }
                spread
            }
        }
    }
}

/// A write into an existing array.
pub(super) struct Effect {
    pub view: View,
    pub step: u16,
}

/// How a group can read an array.
pub(super) enum Lookup {
    /// As the result of a step, or as an operand.
    Found(Ref),
    /// Not before this group has written it.
    Unwritten,
}

/// A step of another group that this group repeats.
#[derive(PartialEq, Eq)]
pub(super) struct Repeated {
    pub group: u64,
    pub step: u16,
    /// The axes along which the step's elements differ.
    pub axes: Axes,
    /// Whether it is computed once for each row.
    pub row: bool,
}

/// Pairs of an axis of the other group and one of this group.
pub(super) type Axes = SmallVec<[(u8, u8); 4]>;

pub(super) struct Group {
    pub serial: u64,
    stream: Option<Arc<dyn Stream>>,
    /// The stream's id.
    pub stream_id: u64,
    pub shape: Dims,
    /// Its number of elements.
    pub points: usize,
    pub steps: Vec<Step>,
    /// The steps as words ([`Step::text`]), which are fast to compare.
    pub text: Vec<[u64; 2]>,
    /// The prediction of its next steps.
    pub guide: Guide,
    /// How many of the steps were predicted.
    pub followed: usize,
    pub operands: Vec<View>,
    pub scalars: Vec<Scalar>,
    /// Most scalars that its kernel takes.
    most_scalars: usize,
    pub outputs: Vec<Output>,
    /// Storages of results that the program dropped before they were computed. Later groups reuse them.
    spare: Vec<Arc<Storage>>,
    /// The layouts of lines, by the binary logarithm of the element size.
    lines: [Option<Arc<Layout>>; ITEM_SIZES],
    pub effects: Vec<Effect>,
    /// Bytes of the operands' storages.
    pub operand_bytes: usize,
    /// The group that has to run before this one.
    pub after: Option<u64>,
    /// Whether another group has to run right after this one. Then no step may be added.
    pub sealed: bool,
    /// The axes that the folds among the steps reduce, as bits; 0 if there are no folds.
    pub reduced: u64,
    /// The plans of the steps that are folds.
    pub plans: Vec<(u16, Plan)>,
    /// The number of values that become operands if the group runs as several kernels: results and inputs of folds, and
    /// values that are computed once for each row.
    crossings: usize,
    /// Expressions of other groups that this one repeats, with their values here.
    pub repeated: Vec<(Repeated, Ref)>,
    /// The work, in additions, of steps that are known to be uniform: to have the same value at all points.
    pub uniform_work: usize,
    /// The program's name for the kernel.
    pub label: Option<Arc<str>>,
    /// The trace that its operations belong to.
    pub trace: Option<Arc<Mark>>,
    /// The kind of the first operation, if that could have run at once.
    pub kind: Option<Kind>,
}

/// A boxed group. After the group has run, the thread's next group reuses the box with the capacity of its lists, because small
/// programs make a group for each operation.
pub(super) struct GroupBox(Box<Group>);

thread_local! {
    static SPARE: Cell<Option<GroupBox>> = const { Cell::new(None) };
}

impl GroupBox {
    /// A group without operations.
    pub fn new(serial: u64, stream: Arc<dyn Stream>, shape: &[usize]) -> GroupBox {
        // A thread that is ending has no spare box.
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        let mut held = spare.unwrap_or_else(|| GroupBox(Box::new(Group::nothing())));
        held.begin(serial, stream, shape);
        held
    }

    /// Drops the contents of the group and keeps the box for the thread's next group.
    pub fn discard(mut self) {
        // Dropping the last reference to memory may run user code, which may make groups.
        self.clear();
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }
}

impl Deref for GroupBox {
    type Target = Group;

    #[inline]
    fn deref(&self) -> &Group {
        &self.0
    }
}

impl DerefMut for GroupBox {
    #[inline]
    fn deref_mut(&mut self) -> &mut Group {
        &mut self.0
    }
}

/// The word by which a storage names its writer: the group and, for a new array, the number of its output.
#[inline]
pub(super) fn note(serial: u64, output: Option<usize>) -> u64 {
    serial << 16 | output.map_or(0xffff, |output| output as u64)
}

/// The serial number of the group that writes a storage.
#[inline]
pub(super) fn writer_of(storage: &Storage) -> u64 {
    storage.writer() >> 16
}

#[inline]
fn place_of_size(itemsize: usize) -> usize {
    itemsize.trailing_zeros() as usize
}

fn weight(step: &Step) -> usize {
    1 + usize::from(step.folding().is_some())
}

impl Group {
    /// An empty box for a group: before [`Group::begin`], and after [`Group::clear`].
    fn nothing() -> Group {
        Group {
            serial: 0,
            stream: None,
            stream_id: 0,
            shape: Dims::new(),
            points: 1,
            steps: vec![],
            text: vec![],
            guide: Guide::default(),
            followed: 0,
            operands: vec![],
            scalars: vec![],
            most_scalars: max_scalars(0),
            outputs: vec![],
            spare: vec![],
            lines: [const { None }; ITEM_SIZES],
            effects: vec![],
            operand_bytes: 0,
            after: None,
            sealed: false,
            reduced: 0,
            plans: vec![],
            crossings: 0,
            repeated: vec![],
            uniform_work: 0,
            label: None,
            trace: None,
            kind: None,
        }
    }

    fn begin(&mut self, serial: u64, stream: Arc<dyn Stream>, shape: &[usize]) {
        self.serial = serial;
        self.stream_id = stream.id();
        self.stream = Some(stream);
        self.trace = trace::mark();
        if !same_shape(&self.shape, shape) {
            self.shape = short(shape);
            self.points = shape.iter().product();
            self.most_scalars = max_scalars(shape.len().min(MAX_DIMS));
            self.lines = [const { None }; ITEM_SIZES];
        }
    }

    /// Clears everything except the shape and its layouts, because the next group may have the same shape.
    fn clear(&mut self) {
        self.stream = None;
        self.steps.clear();
        self.text.clear();
        self.guide = Guide::default();
        self.followed = 0;
        self.operands.clear();
        self.scalars.clear();
        while let Some(output) = self.outputs.pop() {
            let storage = output.storage;
            // Code that holds a weak reference to a storage must not see it reused for another array.
            let is_unused =
                Arc::strong_count(&storage) == 1 && Arc::weak_count(&storage) == 0 && storage.peek().is_none();
            if is_unused && self.spare.len() < MAX_STEPS {
                // Everything that other threads did before they dropped the storage happens before its reuse.
                fence(Ordering::Acquire);
                self.spare.push(storage);
            }
        }
        self.effects.clear();
        self.operand_bytes = 0;
        self.after = None;
        self.sealed = false;
        self.reduced = 0;
        self.plans.clear();
        self.crossings = 0;
        self.repeated.clear();
        self.uniform_work = 0;
        self.label = None;
        self.trace = None;
        self.kind = None;
    }

    /// The stream that its operations are queued on.
    pub fn stream(&self) -> &Arc<dyn Stream> {
        self.stream.as_ref().expect("a group has a stream until it has run")
    }

    /// Whether an axis is reduced by the group's folds.
    pub fn is_reduced(&self, axis: usize) -> bool {
        self.reduced >> axis & 1 == 1
    }

    /// The shape of results with one element for each row: reduced axes have length 1.
    pub fn row_shape(&self) -> Dims {
        let length = |(axis, &length): (usize, &usize)| if self.is_reduced(axis) { 1 } else { length };
        self.shape.iter().enumerate().map(length).collect()
    }

    /// How an operation over `shape` runs once for each row; `None` unless its axes, apart from those of length 1, are the axes
    /// that the folds keep.
    pub fn rows_of(&self, shape: &[usize]) -> Option<Space> {
        let mut kept = (0..self.shape.len()).filter(|&axis| !self.is_reduced(axis) && self.shape[axis] != 1);
        let mut axes = SmallVec::new();
        for &length in shape {
            axes.push(match length {
                1 => None,
                _ => Some(kept.next().filter(|&axis| self.shape[axis] == length)? as u8),
            });
        }
        kept.next().is_none().then_some(Space::Rows(axes))
    }

    pub fn size(&self) -> usize {
        self.points
    }

    /// The strides of a new array over the group's shape.
    pub fn strides_of(&self, output: &Output) -> Strides {
        match &output.strides {
            Some(strides) => short(strides),
            None => Layout::contiguous(&self.shape, output.dtype.size(), false).strides,
        }
    }

    /// The layout of a line.
    #[inline(always)]
    fn line(&mut self, itemsize: usize) -> &Arc<Layout> {
        let shape = &self.shape;
        self.lines[place_of_size(itemsize)].get_or_insert_with(|| Arc::new(Layout::contiguous(shape, itemsize, false)))
    }

    /// Whether an array has the group's shape, with any strides.
    #[inline(always)]
    pub fn has_shape_of(&self, array: &Array) -> bool {
        // Results of the group with the same element size share one layout.
        match &self.lines[place_of_size(array.itemsize())] {
            Some(line) if Arc::ptr_eq(line, array.shared_layout()) => true,
            _ => same_shape(array.shape(), &self.shape),
        }
    }

    /// Whether a layout is that of a line.
    #[inline]
    pub fn is_line(&mut self, layout: &Layout, itemsize: usize) -> bool {
        **self.line(itemsize) == *layout
    }

    /// Whether this group takes operations over `shape` on a stream.
    pub fn takes(&self, shape: &[usize], stream: u64) -> bool {
        self.is_for(shape, stream) && trace::is_of(self.trace.as_ref())
    }

    /// [`Group::takes`] for any trace.
    #[inline]
    pub fn is_for(&self, shape: &[usize], stream: u64) -> bool {
        !self.sealed && self.stream_id == stream && same_shape(&self.shape, shape)
    }

    /// Whether an operation over an array's shape can be appended to this group. The calling thread traces nothing, and the
    /// group must have no folds.
    #[inline]
    pub fn can_append(&self, array: &Array, stream: u64) -> bool {
        self.stream_id == stream
            && !self.sealed
            && self.reduced == 0
            && self.trace.is_none()
            && self.has_shape_of(array)
    }

    /// Whether `steps` more steps with so many new operands and scalars fit.
    #[inline(always)]
    pub fn has_room(&self, steps: usize, operands: usize, scalars: usize) -> bool {
        self.steps.len() + steps <= MAX_STEPS
            && self.operands.len() + self.crossings + operands <= MAX_OPERANDS
            && self.scalars.len() + scalars + SPARE_SCALARS <= self.most_scalars
    }

    /// Whether there is room for `more` operands.
    pub fn has_operands(&self, more: usize) -> bool {
        self.operands.len() + self.crossings + more <= MAX_OPERANDS
    }

    /// Whether results of folds can be computed before the rest of the group, and there is a rest.
    pub fn can_run_rows(&self) -> bool {
        let rows = self.outputs.iter().filter(|output| output.row && !output.done).count();
        let wanted = |output: &Output| !output.row && !output.done && self.is_wanted(&output.storage);
        let rest = !self.effects.is_empty() || self.outputs.iter().any(wanted);
        rest && self.after.is_none() && !self.sealed && self.has_operands(rows)
    }

    /// Makes the results of folds operands, after they have been computed into memory.
    pub fn finish_rows(&mut self) {
        for index in 0..self.outputs.len() {
            let output = &mut self.outputs[index];
            let ready = output.storage.peek().is_some();
            if !output.row || output.done || !ready {
                continue;
            }
            output.done = true;
            let (step, storage) = (output.step, output.storage.clone());
            let dtype = output.dtype;
            let strides = self.strides_of(&self.outputs[index]);
            if writer_of(&storage) == self.serial {
                storage.set_writer(0);
            }
            self.crossings = self.crossings.saturating_sub(weight(&self.steps[usize::from(step)]));
            let operand = Ref::Operand(self.operand(View { storage, offset: 0, dtype, strides }));
            for later in &mut self.steps {
                let count = usize::from(later.count);
                later.inputs[..count]
                    .iter_mut()
                    .filter(|input| **input == Ref::Step(step))
                    .for_each(|input| *input = operand);
            }
        }
    }

    /// The first storage that the group fills or changes.
    pub fn first(&self) -> Option<&Arc<Storage>> {
        let changed = self.effects.first().map(|effect| &effect.view.storage);
        self.outputs.first().map(|output| &output.storage).or(changed)
    }

    /// Whether the group reads, fills or changes a storage.
    pub fn touches(&self, storage: &Storage) -> bool {
        writer_of(storage) == self.serial || self.reads(storage)
    }

    /// Whether the group reads a storage.
    pub fn reads(&self, storage: &Storage) -> bool {
        self.operands.iter().any(|view| std::ptr::eq(&*view.storage, storage))
    }

    /// The output that an array is in an operation over `shape`; `None` unless it is all of one output.
    pub fn output_of(&self, array: &Array, shape: &[usize], space: &Space) -> Option<usize> {
        let writer = array.storage().writer();
        if writer >> 16 != self.serial {
            return None;
        }
        let index = (writer & 0xffff) as usize;
        let output = self.outputs.get(index).filter(|output| Arc::ptr_eq(&output.storage, array.storage()))?;
        if array.offset() != 0 || array.dtype() != output.dtype {
            return None;
        }
        let whole = if output.row {
            let mut strides = space.spread(&array.layout().broadcast_strides(shape)?, self.shape.len());
            let lengths = self.shape.iter().zip(&mut strides);
            lengths.filter(|(length, _)| **length == 1).for_each(|(_, stride)| *stride = 0);
            output.strides.as_deref() == Some(&strides)
        } else {
            let alike = match &output.strides {
                Some(strides) => array.strides() == strides.as_slice(),
                None => array.layout().c_contiguous,
            };
            !space.is_rows() && alike && array.shape() == self.shape.as_slice()
        };
        whole.then_some(index)
    }

    /// The number of the output that an array is, if the array is a line.
    #[inline(always)]
    pub fn line_output(&self, array: &Array) -> Option<usize> {
        let note = array.storage().writer();
        let index = (note & 0xffff) as usize;
        let output = self.outputs.get(index)?;
        let is_it = note >> 16 == self.serial
            && array.offset() == 0
            && output.line
            && output.dtype == array.dtype()
            && Arc::ptr_eq(&output.storage, array.storage())
            && (array.has_layout_of_storage() || (array.layout().c_contiguous && self.has_shape_of(array)));
        is_it.then_some(index)
    }

    /// Whether a fold of this group makes a storage, or a step that computes once for each row from folds.
    pub fn makes_row(&self, storage: &Storage) -> bool {
        let writer = storage.writer();
        let output = self.outputs.get((writer & 0xffff) as usize);
        writer >> 16 == self.serial
            && output.is_some_and(|output| output.row && std::ptr::eq(&*output.storage, storage))
    }

    /// How an operation over `shape` can read an array that no other group fills or changes. New operands are added.
    pub fn look_up(&mut self, array: &Array, shape: &[usize], space: &Space) -> Lookup {
        if let Some(index) = self.output_of(array, shape, space) {
            return Lookup::Found(Ref::Step(self.outputs[index].step));
        }
        if array.storage().peek().is_none() {
            return Lookup::Unwritten;
        }
        let writes = writer_of(array.storage()) == self.serial;
        // Most operands are known already. They are found without making a view.
        let as_it_is = !writes && !space.is_rows() && same_shape(array.shape(), shape);
        if as_it_is && let Some(known) = self.operands.iter().position(|known| known.is_of(array)) {
            return Lookup::Found(Ref::Operand(known as u16));
        }
        let mut view = View::stretched(array, shape);
        if space.is_rows() {
            view.strides = space.spread(&view.strides, self.shape.len());
        }
        if writes {
            for effect in self.effects.iter().rev() {
                if effect.view.is(&view) {
                    return Lookup::Found(Ref::Step(effect.step));
                }
                if effect.view.overlaps(&view, &self.shape) {
                    return Lookup::Unwritten;
                }
            }
        }
        Lookup::Found(Ref::Operand(self.operand(view)))
    }

    /// The number of an operand, added if it is new.
    pub fn operand(&mut self, view: View) -> u16 {
        match self.operands.iter().position(|known| known.is(&view)) {
            Some(known) => known as u16,
            None => self.new_operand(view),
        }
    }

    /// Adds an operand that is known to be new.
    #[inline]
    pub fn new_operand(&mut self, view: View) -> u16 {
        view.storage.set_read_by_group(true);
        self.operand_bytes += view.storage.bytes();
        self.operands.push(view);
        (self.operands.len() - 1) as u16
    }

    /// Adds a scalar argument of the kernel.
    #[inline]
    pub fn scalar(&mut self, scalar: Scalar) -> Ref {
        self.scalars.push(scalar);
        Ref::Scalar((self.scalars.len() - 1) as u16)
    }

    /// Adds a step and returns its number.
    #[inline]
    pub fn step(&mut self, step: Step) -> u16 {
        if self.reduced != 0 && step.row {
            self.crossings += weight(&step);
        }
        self.text.push(step.text());
        self.steps.push(step);
        self.guide.note(&self.text, self.reduced == 0 && self.trace.is_none());
        (self.steps.len() - 1) as u16
    }

    /// The numbers to which [`Group::roll_back`] can return: operands, their bytes, and scalars.
    #[inline(always)]
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.operands.len(), self.operand_bytes, self.scalars.len())
    }

    /// Removes all operands and scalars that were added since [`Group::counts`].
    pub fn roll_back(&mut self, (operands, operand_bytes, scalars): (usize, usize, usize)) {
        self.operands.truncate(operands);
        self.operand_bytes = operand_bytes;
        self.scalars.truncate(scalars);
    }

    /// Adds a new array that `step` makes.
    #[inline(always)]
    pub fn output(&mut self, storage: Arc<Storage>, step: u16, dtype: DType, form: Form) {
        let (strides, row, line) = match form {
            Form::Line => (None, false, true),
            Form::Points(strides, line) => (Some(Box::new(strides)), false, line),
            Form::Row(strides) => (Some(Box::new(strides)), true, false),
        };
        self.outputs.push(Output { storage, step, dtype, strides, row, done: false, line });
    }

    /// Adds a new line that `step` makes.
    #[inline(always)]
    pub fn new_line(&mut self, context: &'static Arc<Context>, step: u16, dtype: DType) -> Array {
        Array::of_line(self.new_storage(context, step, dtype), dtype)
    }

    /// The storage of [`Group::new_line`].
    #[inline(always)]
    pub fn new_storage(&mut self, context: &'static Arc<Context>, step: u16, dtype: DType) -> Arc<Storage> {
        let (bytes, writer) = (self.points * dtype.size(), note(self.serial, Some(self.outputs.len())));
        let spare = self.spare.pop();
        let line = self.line(dtype.size());
        let storage = match spare {
            Some(spare) => Storage::recycle(spare, context, line, bytes, writer),
            None => Storage::line(context, line, bytes, writer),
        };
        self.output(storage.clone(), step, dtype, Form::Line);
        storage
    }

    /// Whether the group may write `target` in place: no operand or other write of the group overlaps it partly.
    pub fn may_write(&self, target: &View) -> bool {
        let clashes = |view: &View| !view.is(target) && view.overlaps(target, &self.shape);
        !self.operands.iter().any(clashes) && !self.effects.iter().any(|effect| clashes(&effect.view))
    }

    /// Writes the result of `step` to `target`.
    pub fn write(&mut self, target: View, step: u16) {
        target.storage.set_writer(note(self.serial, None));
        match self.effects.iter_mut().find(|effect| effect.view.is(&target)) {
            Some(effect) => effect.step = step,
            None => self.effects.push(Effect { view: target, step }),
        }
    }

    /// The number of references to a storage that the group itself holds.
    pub fn references(&self, storage: &Arc<Storage>) -> usize {
        let same = |other: &&Arc<Storage>| Arc::ptr_eq(other, storage);
        let operands = self.operands.iter().map(|view| &view.storage).filter(same).count();
        let effects = self.effects.iter().map(|effect| &effect.view.storage).filter(same).count();
        operands + effects + self.outputs.iter().map(|output| &output.storage).filter(same).count()
    }

    /// Whether anything except the group holds one of the group's storages.
    #[inline]
    pub fn is_wanted(&self, storage: &Arc<Storage>) -> bool {
        // Most intermediate results have one reference. Counting the group's references takes time, so that comes second.
        let all = Arc::strong_count(storage);
        all > 1 && all > self.references(storage)
    }

    /// Bytes of operands that only the group keeps alive.
    pub fn held_bytes(&self) -> usize {
        let held = |view: &&View| !self.is_wanted(&view.storage);
        self.operands.iter().filter(held).map(|view| view.storage.bytes()).sum()
    }

    /// Marks the steps that `roots` need, in a list over all steps. Inputs of steps whose results are `made` are not needed.
    #[inline]
    pub fn needed(&self, roots: impl Iterator<Item = u16>, made: impl Fn(usize) -> bool) -> SmallVec<[bool; 16]> {
        let mut needed: SmallVec<[bool; 16]> = SmallVec::from_elem(false, self.steps.len());
        roots.for_each(|step| needed[usize::from(step)] = true);
        for index in (0..self.steps.len()).rev() {
            if needed[index] && !made(index) {
                for input in self.steps[index].inputs() {
                    if let Ref::Step(earlier) = input {
                        needed[usize::from(*earlier)] = true;
                    }
                }
            }
        }
        needed
    }
}
