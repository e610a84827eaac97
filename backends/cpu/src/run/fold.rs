//! Launches of reductions and scans.
//!
//! The outer space is cut into blocks of columns, neighbours along its fastest dimension; the inner space into chunks,
//! each folded from the identity and then joined in a binary tree, so that rounding errors stay small. Where there are
//! few blocks, groups of chunks become tasks of their own, which join the same tree. Chunks depend on the shape only, but
//! for folds whose results are the same however they are cut.

use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::Launch;
use smallvec::SmallVec;

use super::map::Shared;
use super::spans::{set_strides, span};
use super::walk::{Rectangle, coordinates, rectangles};
use crate::bytes::with_scratch;
use crate::lower::{CHUNK, Extend, FoldCode, Layout, Span};
use crate::pool;

/// Elements from which threads are used.
pub(super) const PARALLEL: usize = 32 << 10;
/// Elements that a task should have at least.
pub(super) const TASK: usize = 16 << 10;
/// Bytes that one call folds where results do not depend on the cuts.
const LINE: usize = 32 << 10;
/// Tasks that the inner space is cut into when there are few blocks.
const TASKS: usize = 32;
/// Tasks of a thread where results do not depend on the cuts, and the most elements of a task, which cannot be interrupted.
const TURNS: usize = 4;
const MOST: usize = 4 << 20;

/// How a launch is cut.
pub(super) struct Cut {
    /// Length of the fastest outer dimension.
    pub(super) fast: usize,
    /// Number of lines along it.
    pub(super) lines: usize,
    /// Columns of a block.
    pub(super) columns: usize,
    /// Blocks of a line.
    pub(super) blocks: usize,
    /// Points of the inner space.
    pub(super) inner: usize,
    /// Points of a chunk.
    pub(super) chunk: usize,
    /// Points that one call folds, so that its memory stays in cache.
    pub(super) step: usize,
    /// Chunks of a group, a power of two.
    pub(super) group: usize,
    /// Groups of the inner space.
    pub(super) groups: usize,
    /// Bytes of the accumulators of a block.
    pub(super) bytes: usize,
}

impl Cut {
    fn new(code: &FoldCode, launch: &Launch<'_>) -> Cut {
        let fast = launch.outer.last().copied().unwrap_or(1);
        let lines = launch.outer_size() / fast;
        let inner = launch.inner_size();
        let (columns, chunk, step) = match code.layout {
            Layout::Columns => {
                let columns = fast.min(1024);
                (columns, 256, (16384 / columns).clamp(8, 256))
            }
            Layout::Lanes | Layout::Picks | Layout::Parts | Layout::Points => {
                let columns = (TASK / inner.max(1)).clamp(1, 256).min(fast);
                (columns, CHUNK, if code.any_groups() { (LINE / code.sizes[0]).max(CHUNK) } else { CHUNK })
            }
        };
        let blocks = fast.div_ceil(columns);
        let all = blocks * lines;
        let whole = columns.saturating_mul(inner) < TASK || all >= TASKS / 2;
        let chunk = if code.any_groups() {
            // A search knows what it has found so far: it is not begun anew more often than threads want.
            let tasks =
                if whole || pool::threads() == 1 { 1 } else { TASKS.min(TURNS * pool::threads()).div_ceil(all) };
            inner.max(1).div_ceil(tasks).min(MOST).next_multiple_of(step)
        } else {
            chunk
        };
        let chunks = inner.div_ceil(chunk).max(1);
        let group = match (whole, code.any_groups()) {
            (true, _) => chunks,
            (false, true) => 1,
            (false, false) => (chunks * all).div_ceil(TASKS),
        };
        let group = group.next_power_of_two();
        let capacity = columns.next_multiple_of(16);
        let bytes = capacity * code.sizes.iter().sum::<usize>();
        let groups = chunks.div_ceil(group);
        Cut { fast, lines, columns, blocks, inner, chunk, step, group, groups, bytes }
    }

    /// No more groups than are worth their beginning, for reductions: however chunks are grouped, they join the same tree.
    fn in_fewer_groups(mut self, code: &FoldCode) -> Cut {
        if self.groups > 1 && !code.any_groups() {
            let least = match pool::threads() {
                1 => MOST / (self.chunk * self.columns),
                _ if code.tree().is_some() => TASK / self.chunk,
                _ => 1,
            };
            self.group = self.group.max(least.next_power_of_two());
            self.groups = self.inner.div_ceil(self.chunk).div_ceil(self.group);
        }
        self
    }

    pub(super) fn capacity(&self) -> usize {
        self.columns.next_multiple_of(16)
    }

    /// Blocks that a task handles.
    fn batch(&self) -> usize {
        (TASK / (self.columns * self.inner.max(1)).max(1)).max(1)
    }

    fn all_blocks(&self) -> usize {
        self.blocks * self.lines
    }
}

/// One block of columns at work.
pub(super) struct Block<'a> {
    code: &'a FoldCode,
    launch: &'a Launch<'a>,
    cut: &'a Cut,
    /// Addresses of the operands at the block's first column.
    base: SmallVec<[u64; 8]>,
    /// The inner positions that chunks count from and end at.
    pub(super) range: (usize, usize),
    pub(super) span: Span,
}

pub(super) type Buffer = SmallVec<[u64; 32]>;

impl<'a> Block<'a> {
    pub(super) fn new(code: &'a FoldCode, launch: &'a Launch<'a>, cut: &'a Cut, template: &Span) -> Block<'a> {
        Block { code, launch, cut, base: SmallVec::new(), range: (0, cut.inner), span: template.clone() }
    }

    pub(super) fn select(&mut self, block: usize) {
        let (line, part) = (block / self.cut.blocks, block % self.cut.blocks);
        let first = line * self.cut.fast + part * self.cut.columns;
        let dims = self.launch.outer;
        let corner = coordinates(dims, first);
        self.base.clear();
        for operand in self.launch.operands {
            let moves = corner[..dims.len()].iter().zip(&operand.strides);
            let distance: isize = moves.map(|(&at, &stride)| at as isize * stride).sum();
            self.base.push(operand.ptr.wrapping_add_signed(distance as i64));
        }
        self.span.outer_index = first as i64;
        self.span.counts[0] = self.cut.columns.min(self.cut.fast - part * self.cut.columns);
        self.span.capacity = self.cut.capacity();
        self.span.index = 0;
        self.span.pointers[..self.base.len()].copy_from_slice(&self.base);
    }

    #[inline]
    pub(super) unsafe fn call(&mut self, code: impl Into<Extend<'a>>, accumulators: *mut u64) {
        self.span.accumulators = accumulators.cast();
        with_scratch(self.code.scratch(), |scratch| {
            self.span.scratch = scratch;
            // SAFETY: the span describes part of the launch and `accumulators` has room for the block.
            unsafe { code.into().run(&self.span) };
        });
    }

    pub(super) unsafe fn merge(&mut self, earlier: *mut u64, later: *const u64) {
        self.span.others = later.cast();
        // SAFETY: both have room for the block.
        unsafe { self.call(self.code.merge(), earlier) };
    }

    /// Runs `code` (a fold or scan) over inner positions `start..end`.
    unsafe fn extend(&mut self, code: Extend<'a>, accumulators: *mut u64, start: usize, end: usize) {
        let dims = self.launch.inner;
        for at in (start..end).step_by(self.cut.step) {
            let stop = end.min(at + self.cut.step);
            if dims.len() <= 1 {
                // SAFETY: the range lies within the launch.
                unsafe { self.extend_by(code, accumulators, &[at][..dims.len()], (at, stop - at, 1)) };
                continue;
            }
            rectangles(dims, at, stop, |Rectangle { corner, position, length, rows }| {
                // SAFETY: the rectangle lies within the launch.
                unsafe { self.extend_by(code, accumulators, &corner[..dims.len()], (position, length, rows)) };
            });
        }
    }

    /// Runs `code` over a rectangle: from a corner with a position, so long, so many rows.
    #[inline]
    unsafe fn extend_by(
        &mut self,
        code: Extend<'a>,
        accumulators: *mut u64,
        corner: &[usize],
        (position, length, rows): (usize, usize, usize),
    ) {
        let outer = self.launch.outer.len();
        let pointers = self.span.pointers.iter_mut().zip(&self.base);
        for ((pointer, base), operand) in pointers.zip(self.launch.operands) {
            let moves = corner.iter().zip(&operand.strides[outer..]);
            let distance: isize = moves.map(|(&at, &stride)| at as isize * stride).sum();
            *pointer = base.wrapping_add_signed(distance as i64);
        }
        self.span.index = position as i64;
        self.span.index_step = length as i64;
        self.span.counts[1..].copy_from_slice(&[length, rows]);
        // SAFETY: the caller's promise.
        unsafe { self.call(code, accumulators) };
    }

    /// Whether no later element can change any of these accumulators.
    unsafe fn settled(&self, accumulators: *const u64) -> bool {
        // Of several columns some may have found their first elements in an earlier chunk.
        let first = self.code.first.filter(|_| self.span.counts[0] == 1);
        let Some(absorbing) = self.code.absorbing.or(first) else { return false };
        // SAFETY: there is a truth value for each column.
        let values = unsafe { std::slice::from_raw_parts(accumulators.cast::<u8>(), self.span.counts[0]) };
        values.iter().all(|&value| (value != 0) == absorbing)
    }

    /// Folds chunks `first..last` of the inner space into `result`.
    pub(super) unsafe fn fold(&mut self, first: usize, last: usize, result: *mut u64) {
        let (words, count) = (self.cut.bytes / 8, last.saturating_sub(first).max(1));
        if count == 1 {
            // SAFETY: the buffer has room for the block and the chunk lies within the launch.
            return unsafe { self.fold_chunk(first, result) };
        }
        let is_line = self.span.counts[0] == 1 && self.launch.inner.len() == 1 && self.cut.chunk == CHUNK;
        if let Some(tree) = self.code.tree().filter(|_| is_line) {
            let (begin, end) = self.range;
            let start = begin + first * CHUNK;
            let length = end.min(begin + last * CHUNK) - start;
            // SAFETY: as above, for the line of these chunks.
            return unsafe { self.extend_by(tree.into(), result, &[start], (start, length, 1)) };
        }
        // A subtree for each set bit of the number of chunks so far, earlier ones on higher levels. Places are exchanged, so that
        // nothing is copied.
        let levels = (usize::BITS - count.leading_zeros()) as usize;
        let mut memory = Buffer::from_elem(0, levels * words);
        let mut places: SmallVec<[*mut u64; 8]> =
            (0..levels).map(|level| memory.as_mut_ptr().wrapping_add(level * words)).collect();
        let mut own = result;
        // SAFETY: all places have room for the block and the chunks lie within the launch.
        unsafe {
            for finished in 0..count {
                self.fold_chunk(first + finished, own);
                if self.settled(own) {
                    break;
                }
                let level = finished.trailing_ones() as usize;
                for place in &mut places[..level] {
                    self.merge(*place, own);
                    std::mem::swap(&mut own, place);
                }
                if finished + 1 < count {
                    std::mem::swap(&mut own, &mut places[level]);
                    continue;
                }
                for (above, &place) in places.iter().enumerate().skip(level + 1) {
                    if count >> above & 1 == 1 {
                        self.merge(place, own);
                        own = place;
                    }
                }
            }
            if own != result {
                std::ptr::copy_nonoverlapping(own, result, words);
            }
        }
    }

    /// Folds one chunk of the inner space into `result`.
    unsafe fn fold_chunk(&mut self, chunk: usize, result: *mut u64) {
        let (begin, end) = self.range;
        let start = begin + chunk * self.cut.chunk;
        let stop = end.min(start + self.cut.chunk);
        // SAFETY: the caller's promise.
        unsafe {
            self.call(self.code.init(), result);
            for at in (start..stop).step_by(self.cut.step) {
                self.extend(self.code.fold(), result, at, stop.min(at + self.cut.step));
                if self.settled(result) {
                    break;
                }
            }
        }
    }

    /// Joins the accumulators at `count` places, in a tree, at the first.
    pub(super) unsafe fn join(&mut self, count: usize, at: &dyn Fn(usize) -> *mut u64) {
        let mut distance = 1;
        while distance < count {
            for node in (0..count - distance).step_by(2 * distance) {
                // SAFETY: the caller's promise.
                unsafe { self.merge(at(node), at(node + distance)) };
            }
            distance *= 2;
        }
    }

    pub(super) unsafe fn finish(&mut self, accumulators: *mut u64) {
        self.span.pointers[..self.base.len()].copy_from_slice(&self.base);
        self.span.index = 0;
        // SAFETY: the accumulators hold the results of the block.
        unsafe { self.call(self.code.finish(), accumulators) };
    }
}

/// The strides of a fold: level 0 along the fastest outer, 1 and 2 along the fastest inner dimensions.
pub(super) fn template(launch: &Launch<'_>) -> Span {
    let (outer, inner) = (launch.outer.len(), launch.inner.len());
    let mut span = span(launch);
    set_strides(&mut span, launch, 0, outer.checked_sub(1));
    set_strides(&mut span, launch, 1, (inner > 0).then(|| outer + inner - 1));
    set_strides(&mut span, launch, 2, (inner > 1).then(|| outer + inner - 2));
    span
}

pub(super) fn spread(tasks: usize, parallel: bool, body: impl Fn(usize) + Sync) {
    if parallel { pool::run(tasks, body) } else { (0..tasks).for_each(body) }
}

/// Addresses of buffers that tasks fill, each its own part.
pub(super) struct Parts(pub(super) *mut u64);

// SAFETY: every task uses its own part.
unsafe impl Sync for Parts {}

impl Parts {
    pub(super) fn at(&self, word: usize) -> *mut u64 {
        self.0.wrapping_add(word)
    }
}

/// Runs a reduction.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn reduce(code: &FoldCode, launch: &Launch<'_>, ordered: bool) {
    let cut = Cut::new(code, launch).in_fewer_groups(code);
    if let ([], &[length]) = (launch.outer, launch.inner)
        && length <= cut.step
    {
        // SAFETY: the caller's promise.
        return unsafe { reduce_line(code, launch, &cut) };
    }
    let template = Shared(template(launch));
    let parallel = !ordered && launch.outer_size().saturating_mul(cut.inner) >= PARALLEL;
    let chunks = cut.inner.div_ceil(cut.chunk).max(1);
    let words = cut.bytes / 8;
    if cut.groups == 1 {
        let batch = cut.batch();
        spread(cut.all_blocks().div_ceil(batch), parallel, |task| {
            let mut block = Block::new(code, launch, &cut, template.get());
            let mut buffer = Buffer::from_elem(0, words);
            for number in task * batch..cut.all_blocks().min((task + 1) * batch) {
                block.select(number);
                // SAFETY: the buffer has room for a block; blocks are disjoint.
                unsafe {
                    block.fold(0, chunks, buffer.as_mut_ptr());
                    block.finish(buffer.as_mut_ptr());
                }
            }
        });
        return;
    }
    let mut nodes = vec![0; cut.all_blocks() * cut.groups * words];
    let parts = Parts(nodes.as_mut_ptr());
    // The first group in which a task has found what no later group can change.
    let settled = AtomicUsize::new(usize::MAX);
    spread(cut.all_blocks() * cut.groups, parallel, |task| {
        let (number, group) = (task / cut.groups, task % cut.groups);
        let mut block = Block::new(code, launch, &cut, template.get());
        block.select(number);
        let (first, node) = (group * cut.group, parts.at(task * words));
        // SAFETY: every task writes its own node.
        unsafe {
            if settled.load(Ordering::Relaxed) < group {
                block.call(code.init(), node);
                return;
            }
            block.fold(first, chunks.min(first + cut.group), node);
            if cut.all_blocks() == 1 && block.settled(node) {
                settled.fetch_min(group, Ordering::Relaxed);
            }
        }
    });
    let mut block = Block::new(code, launch, &cut, template.get());
    for number in 0..cut.all_blocks() {
        block.select(number);
        // SAFETY: nodes are apart and hold accumulators of this block.
        unsafe { block.join(cut.groups, &|node| parts.at((number * cut.groups + node) * words)) };
        // SAFETY: the first node holds the result.
        unsafe { block.finish(parts.at(number * cut.groups * words)) };
    }
}

/// Runs a reduction of one line that a single call folds.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
unsafe fn reduce_line(code: &FoldCode, launch: &Launch<'_>, cut: &Cut) {
    let mut accumulators: SmallVec<[u64; 64]> = SmallVec::from_elem(0, cut.bytes / 8);
    let mut span = template(launch);
    span.pointers.iter_mut().zip(launch.operands).for_each(|(pointer, operand)| *pointer = operand.ptr);
    span.capacity = cut.capacity();
    span.accumulators = accumulators.as_mut_ptr().cast();
    with_scratch(code.scratch(), |scratch| {
        span.scratch = scratch;
        // SAFETY: the span describes the launch and the accumulators have room for its one result.
        unsafe {
            code.init()(&span);
            if cut.inner > 0 {
                (span.index_step, span.counts[1]) = (cut.inner as i64, cut.inner);
                code.fold().run(&span);
            }
            code.finish()(&span);
        }
    });
}

/// Runs a scan.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn scan(code: &FoldCode, launch: &Launch<'_>, ordered: bool) {
    let mut cut = Cut::new(code, launch);
    if cut.inner == 0 {
        return;
    }
    let template = Shared(template(launch));
    let parallel = !ordered && launch.outer_size().saturating_mul(cut.inner) >= PARALLEL;
    let words = cut.bytes / 8;
    let (start, extend) = (code.init(), Extend::from(code.scan()));
    if cut.groups == 1 || !parallel {
        let batch = cut.batch();
        spread(cut.all_blocks().div_ceil(batch), parallel, |task| {
            let mut block = Block::new(code, launch, &cut, template.get());
            let mut buffer = Buffer::from_elem(0, words);
            for number in task * batch..cut.all_blocks().min((task + 1) * batch) {
                block.select(number);
                // SAFETY: the buffer has room for a block; blocks are disjoint.
                unsafe {
                    block.call(start, buffer.as_mut_ptr());
                    block.extend(extend, buffer.as_mut_ptr(), 0, cut.inner);
                }
            }
        });
        return;
    }
    // Few long lines: totals of pieces, their prefixes, then every piece from its prefix on.
    let piece = cut.group * cut.chunk;
    cut.chunk = piece;
    let mut nodes = vec![0; cut.all_blocks() * cut.groups * words];
    let parts = Parts(nodes.as_mut_ptr());
    let run = |step: Extend<'_>, task: usize| {
        let (number, group) = (task / cut.groups, task % cut.groups);
        let mut block = Block::new(code, launch, &cut, template.get());
        block.select(number);
        // SAFETY: every task has its own node and its own part of the inner space.
        unsafe { block.extend(step, parts.at(task * words), group * piece, cut.inner.min((group + 1) * piece)) };
    };
    let mut block = Block::new(code, launch, &cut, template.get());
    for node in 0..cut.all_blocks() * cut.groups {
        block.select(node / cut.groups);
        // SAFETY: the node has room for a block.
        unsafe { block.call(start, parts.at(node * words)) };
    }
    spread(cut.all_blocks() * cut.groups, true, |task| run(code.fold(), task));
    let mut prefix = Buffer::from_elem(0, words);
    let mut next = Buffer::from_elem(0, words);
    for number in 0..cut.all_blocks() {
        block.select(number);
        // SAFETY: all buffers have room for a block.
        unsafe {
            block.call(start, prefix.as_mut_ptr());
            for group in 0..cut.groups {
                let node = parts.at((number * cut.groups + group) * words);
                next.copy_from_slice(&prefix);
                block.merge(next.as_mut_ptr(), node);
                std::ptr::copy_nonoverlapping(prefix.as_ptr(), node, words);
                std::mem::swap(&mut prefix, &mut next);
            }
        }
    }
    spread(cut.all_blocks() * cut.groups, true, |task| run(extend, task));
}
