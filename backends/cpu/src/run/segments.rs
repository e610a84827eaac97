//! Launches of segments.
//!
//! A task takes neighbouring segments: it finds their ranges, folds them, and leaves long ones for later, when the
//! elements of each are a task or are shared out over several. How the elements of a segment are grouped depends on
//! their number alone, so results do not depend on the number of threads.

use cuproxide_hal::Launch;
use parking_lot::Mutex;

use super::fold::{Block, Buffer, Cut, PARALLEL, Parts, TASK, spread, template};
use super::map::Shared;
use crate::lower::{Entry, Layout, SegmentsCode};

/// Most elements of a segment that are folded one after another, where vectors could run along longer ones.
const SHORT: usize = 64;
/// What starting a segment costs, in elements.
const START: usize = 4;
/// Elements from which a segment is left for later.
const LONG: usize = 4096;
/// Elements from which a segment is shared out over several tasks.
const GIANT: usize = 1 << 18;
/// Chunks that such a task takes, a power of two.
const CHUNKS: usize = 32;
/// Most segments of a task.
const SEGMENTS: usize = 1024;
/// Segments that tell how many elements there are in all.
const SAMPLE: usize = 128;

/// Where a range begins and ends.
type Range = [i64; 2];

fn cut(code: &SegmentsCode, launch: &Launch<'_>) -> Cut {
    let fast = launch.outer.last().copied().unwrap_or(1);
    let columns = if code.varying { 1 } else { fast.min(1024) };
    let (chunk, step) = match code.fold.layout {
        Layout::Columns => (256, (16384 / columns).clamp(8, 256)),
        Layout::Lanes => (4096, 4096),
        _ => (256, 256),
    };
    let sizes = code.fold.sizes.iter().sum::<usize>();
    Cut {
        fast,
        lines: launch.outer_size() / fast,
        columns,
        blocks: fast.div_ceil(columns),
        inner: launch.inner_size(),
        chunk,
        step,
        group: 1,
        groups: 1,
        bytes: columns.next_multiple_of(16) * sizes,
    }
}

/// What tasks share.
struct Job<'a> {
    code: &'a SegmentsCode,
    launch: &'a Launch<'a>,
    cut: Cut,
    template: Shared,
    /// Segments along the fastest outer dimension.
    along: usize,
    /// Long segments and their ranges.
    long: Mutex<Vec<(usize, Range)>>,
}

/// Runs a kernel of segments.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn launch(code: &SegmentsCode, launch: &Launch<'_>, ordered: bool) {
    let cut = cut(code, launch);
    let along = if code.varying { cut.fast } else { 1 };
    let segments = cut.lines * along;
    let job = Job { code, launch, template: Shared(template(launch)), along, cut, long: Mutex::default() };
    // SAFETY: the caller's promise.
    let work = segments.saturating_mul(START).saturating_add(unsafe { job.judge(segments) });
    let parallel = !ordered && work >= PARALLEL;
    let batch = if parallel { (segments.saturating_mul(TASK) / work).clamp(1, SEGMENTS) } else { SEGMENTS };
    spread(segments.div_ceil(batch), parallel, |task| {
        // SAFETY: each segment is that of one task.
        unsafe { job.run(task * batch, segments.min((task + 1) * batch)) };
    });
    let long = std::mem::take(&mut *job.long.lock());
    let (giants, long): (Vec<_>, Vec<_>) = long.into_iter().partition(|&(_, range)| job.elements(range) > GIANT);
    let work: usize = long.iter().map(|&(_, range)| job.elements(range)).sum();
    spread(long.len(), !ordered && work >= PARALLEL, |task| {
        let (segment, range) = long[task];
        // SAFETY: the range was found.
        unsafe { job.fold(&mut job.block(), &mut job.buffer(), segment, range) };
    });
    for (segment, range) in giants {
        // SAFETY: as above.
        unsafe { job.giant(segment, range, !ordered) };
    }
}

impl Job<'_> {
    /// Points that share a range.
    fn width(&self) -> usize {
        self.cut.fast / self.along
    }

    fn block(&self) -> Block<'_> {
        Block::new(&self.code.fold, self.launch, &self.cut, self.template.get())
    }

    /// The first of the blocks of a segment, and how many there are.
    fn blocks(&self, segment: usize) -> std::ops::Range<usize> {
        let blocks = if self.code.varying { 1 } else { self.cut.blocks };
        segment * blocks..(segment + 1) * blocks
    }

    /// Elements of a segment.
    fn elements(&self, [begin, end]: Range) -> usize {
        ((end - begin) as usize).saturating_mul(self.width())
    }

    /// About how many elements all segments have: as if the first ones stood for all, but no fewer than there are
    /// positions to fold.
    unsafe fn judge(&self, segments: usize) -> usize {
        let mut storage = [[0; 2]; SAMPLE];
        let ranges = &mut storage[..SAMPLE.min(self.along)];
        // SAFETY: the caller's promise.
        unsafe { self.call(&mut self.block(), self.code.ranges(), 0, ranges) };
        let sampled = ranges.iter().fold(0, |sum: usize, &range| sum.saturating_add(self.elements(range)));
        let lines = if self.code.varying { self.cut.lines } else { 1 };
        let positions = self.cut.inner.saturating_mul(self.width() * lines);
        (sampled / ranges.len()).saturating_mul(segments).max(positions)
    }

    fn buffer(&self) -> Buffer {
        Buffer::from_elem(0, self.cut.bytes / 8)
    }

    /// Runs `entry` over neighbouring segments with ranges of their own, or over the first point of one.
    unsafe fn call(&self, block: &mut Block<'_>, entry: Entry, segment: usize, ranges: &mut [Range]) {
        block.select(self.blocks(segment).start);
        let mut span = block.span.clone();
        span.counts = [ranges.len(), self.cut.inner, 1];
        span.bounds = ranges.as_mut_ptr().cast();
        // SAFETY: the points lie within the launch, and their ranges are found here or were found.
        unsafe { entry(&span) };
    }

    /// Folds segments `first..last`, at most `SEGMENTS`, but leaves long ones.
    unsafe fn run(&self, first: usize, last: usize) {
        let mut block = self.block();
        let mut buffer = self.buffer();
        let mut storage = [[0; 2]; SEGMENTS];
        let mut segment = first;
        while segment < last {
            // To the end of a line.
            let count = last.min((segment / self.along + 1) * self.along) - segment;
            let ranges = &mut storage[..count];
            // SAFETY: the caller's promise.
            unsafe {
                self.call(&mut block, self.code.ranges(), segment, ranges);
                self.run_line(&mut block, &mut buffer, segment, ranges);
            }
            segment += count;
        }
    }

    /// Folds neighbouring segments of a line.
    unsafe fn run_line(&self, block: &mut Block<'_>, buffer: &mut Buffer, first: usize, ranges: &mut [Range]) {
        // Without vectors a chunk is folded one after another, too.
        let most = if self.code.fold.layout == Layout::Points { self.cut.chunk } else { SHORT } as i64;
        let is_short = |[begin, end]: Range| self.code.varying && end - begin <= most;
        let mut at = 0;
        while at < ranges.len() {
            let segment = first + at;
            let short = ranges[at..].iter().take_while(|&&range| is_short(range)).count();
            // SAFETY: the caller's promise.
            unsafe {
                if short > 0 {
                    self.call(block, self.code.short(), segment, &mut ranges[at..at + short]);
                } else if self.elements(ranges[at]) > LONG {
                    self.long.lock().push((segment, ranges[at]));
                } else {
                    self.fold(block, buffer, segment, ranges[at]);
                }
            }
            at += short.max(1);
        }
    }

    /// Goes to one of the blocks of a segment.
    fn place(&self, block: &mut Block<'_>, number: usize, range: &mut Range) {
        block.select(number);
        block.span.bounds = range.as_mut_ptr();
        block.range = (range[0] as usize, range[1] as usize);
    }

    /// Folds one segment.
    unsafe fn fold(&self, block: &mut Block<'_>, buffer: &mut Buffer, segment: usize, mut range: Range) {
        for number in self.blocks(segment) {
            self.place(block, number, &mut range);
            let chunks = (block.range.1 - block.range.0).div_ceil(self.cut.chunk);
            // SAFETY: the buffer has room for a block; blocks are disjoint.
            unsafe {
                block.fold(0, chunks, buffer.as_mut_ptr());
                block.finish(buffer.as_mut_ptr());
            }
        }
    }

    /// Folds one segment by several tasks.
    unsafe fn giant(&self, segment: usize, mut range: Range, parallel: bool) {
        let chunks = ((range[1] - range[0]) as usize).div_ceil(self.cut.chunk);
        let groups = chunks.div_ceil(CHUNKS);
        let words = self.cut.bytes / 8;
        let blocks = self.blocks(segment);
        let mut nodes = vec![0; blocks.len() * groups * words];
        let parts = Parts(nodes.as_mut_ptr());
        spread(blocks.len() * groups, parallel, |task| {
            let (number, group) = (task / groups, task % groups);
            let (mut block, mut range) = (self.block(), range);
            self.place(&mut block, blocks.start + number, &mut range);
            let first = group * CHUNKS;
            // SAFETY: every task writes its own node.
            unsafe { block.fold(first, chunks.min(first + CHUNKS), parts.at(task * words)) };
        });
        let mut block = self.block();
        for (number, selected) in blocks.clone().enumerate() {
            self.place(&mut block, selected, &mut range);
            // SAFETY: the nodes are apart, and the first holds the result in the end.
            unsafe {
                block.join(groups, &|node| parts.at((number * groups + node) * words));
                block.finish(parts.at(number * groups * words));
            }
        }
    }
}
