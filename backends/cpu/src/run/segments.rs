//! Launches of segments.
//!
//! All ranges are found first. Then the elements, not the segments, are shared out evenly: a task gets neighbouring
//! segments with about as many elements as any other's. How the elements of a segment are grouped depends on their number
//! alone, so results do not depend on the number of threads.

use cuproxide_hal::Launch;

use super::fold::{Block, Buffer, Cut, PARALLEL, Parts, TASK, spread, template};
use super::map::Shared;
use crate::lower::{Layout, SegmentsCode, Span};
use crate::pool;

/// Most elements of a segment that are folded one after another.
const SHORT: usize = 64;
/// What starting a segment costs, in elements.
const START: usize = 4;
/// Elements from which a segment is shared out over several tasks.
const GIANT: usize = 1 << 18;
/// Chunks that such a task takes, a power of two.
const CHUNKS: usize = 32;
/// Ranges that are found at a time.
const RANGES: usize = 4096;

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

/// The ranges of all segments.
struct Bounds(*mut i64);

// SAFETY: tasks write parts of their own, and only read afterwards.
unsafe impl Sync for Bounds {}

impl Bounds {
    fn of(&self, segment: usize) -> *mut i64 {
        self.0.wrapping_add(2 * segment)
    }

    /// # Safety
    /// The range was found.
    unsafe fn range(&self, segment: usize) -> (usize, usize) {
        // SAFETY: the caller's promise; bounds lie within the inner space.
        unsafe { (*self.of(segment) as usize, *self.of(segment).add(1) as usize) }
    }
}

/// What tasks share.
struct Job<'a> {
    code: &'a SegmentsCode,
    launch: &'a Launch<'a>,
    cut: Cut,
    template: Shared,
    bounds: Bounds,
    /// Segments along the fastest outer dimension.
    along: usize,
}

/// Runs a kernel of segments.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn launch(code: &SegmentsCode, launch: &Launch<'_>, ordered: bool) {
    let cut = cut(code, launch);
    let along = if code.varying { cut.fast } else { 1 };
    let segments = cut.lines * along;
    let mut bounds = vec![0; 2 * segments];
    let job = Job { code, launch, template: Shared(template(launch)), bounds: Bounds(bounds.as_mut_ptr()), along, cut };
    let pieces = along.div_ceil(RANGES);
    let batch = (RANGES / along).max(1);
    let tasks = (job.cut.lines * pieces).div_ceil(batch);
    spread(tasks, !ordered && segments >= PARALLEL, |task| {
        for number in task * batch..((task + 1) * batch).min(job.cut.lines * pieces) {
            // SAFETY: each part of a line is found by one task.
            unsafe { job.find(number / pieces, number % pieces * RANGES) };
        }
    });
    // Work before each segment; giants are left for later.
    let mut before = Vec::with_capacity(segments + 1);
    let (mut work, mut giants) = (0, vec![]);
    for segment in 0..segments {
        before.push(work);
        // SAFETY: all ranges were found.
        let (begin, end) = unsafe { job.bounds.range(segment) };
        let elements = (end - begin).saturating_mul(job.width());
        if elements > GIANT {
            giants.push(segment);
        } else {
            work += elements + START;
        }
    }
    before.push(work);
    let parallel = !ordered && work >= PARALLEL;
    let tasks = if parallel { (work / TASK).clamp(1, 8 * pool::threads()) } else { 1 };
    spread(tasks, parallel, |task| {
        let at = |task: usize| before.partition_point(|&before| before < work * task / tasks).min(segments);
        let (first, last) =
            (if task == 0 { 0 } else { at(task) }, if task + 1 == tasks { segments } else { at(task + 1) });
        // SAFETY: tasks have segments of their own, whose ranges were found.
        unsafe { job.run(first, last) };
    });
    for segment in giants {
        // SAFETY: as above.
        unsafe { job.giant(segment, !ordered) };
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

    /// A span at the first point of a segment.
    fn span(&self, block: &mut Block<'_>, segment: usize, count: usize) -> Span {
        block.select(self.blocks(segment).start);
        let mut span = block.span.clone();
        span.counts = [count, self.cut.inner, 1];
        span.bounds = self.bounds.of(segment);
        span
    }

    /// Finds the ranges of part of a line.
    unsafe fn find(&self, line: usize, first: usize) {
        let mut block = self.block();
        let span = self.span(&mut block, line * self.along + first, RANGES.min(self.along - first));
        // SAFETY: the points lie within the launch, and there is room for their ranges.
        unsafe { self.code.ranges()(&span) };
    }

    /// Folds segments `first..last`.
    unsafe fn run(&self, first: usize, last: usize) {
        let mut block = self.block();
        let mut buffer = Buffer::from_elem(0, self.cut.bytes / 8);
        let mut segment = first;
        while segment < last {
            // SAFETY: the caller's promise.
            let (begin, end) = unsafe { self.bounds.range(segment) };
            if self.code.varying && end - begin <= SHORT {
                // Neighbours that are short too, to the end of the line.
                let most = last.min((segment / self.along + 1) * self.along);
                let mut after = segment + 1;
                let is_short = |segment: usize| {
                    // SAFETY: the caller's promise.
                    let (begin, end) = unsafe { self.bounds.range(segment) };
                    end - begin <= SHORT
                };
                while after < most && is_short(after) {
                    after += 1;
                }
                let span = self.span(&mut block, segment, after - segment);
                // SAFETY: the points lie within the launch, and their ranges were found.
                unsafe { self.code.short()(&span) };
                segment = after;
                continue;
            }
            if (end - begin).saturating_mul(self.width()) <= GIANT {
                let chunks = (end - begin).div_ceil(self.cut.chunk);
                for number in self.blocks(segment) {
                    block.select(number);
                    block.span.bounds = self.bounds.of(segment);
                    block.range = (begin, end);
                    // SAFETY: the buffer has room for a block; blocks are disjoint.
                    unsafe {
                        block.fold(0, chunks, buffer.as_mut_ptr());
                        block.finish(buffer.as_mut_ptr());
                    }
                }
            }
            segment += 1;
        }
    }

    /// Folds one segment by several tasks.
    unsafe fn giant(&self, segment: usize, parallel: bool) {
        // SAFETY: the caller's promise.
        let range = unsafe { self.bounds.range(segment) };
        let chunks = (range.1 - range.0).div_ceil(self.cut.chunk);
        let groups = chunks.div_ceil(CHUNKS);
        let words = self.cut.bytes / 8;
        let blocks = self.blocks(segment);
        let mut nodes = vec![0; blocks.len() * groups * words];
        let parts = Parts(nodes.as_mut_ptr());
        let place = |block: &mut Block<'_>, number: usize| {
            block.select(number);
            block.span.bounds = self.bounds.of(segment);
            block.range = range;
        };
        spread(blocks.len() * groups, parallel, |task| {
            let (number, group) = (task / groups, task % groups);
            let mut block = self.block();
            place(&mut block, blocks.start + number);
            let first = group * CHUNKS;
            // SAFETY: every task writes its own node.
            unsafe { block.fold(first, chunks.min(first + CHUNKS), parts.at(task * words)) };
        });
        let mut block = self.block();
        for (number, selected) in blocks.clone().enumerate() {
            place(&mut block, selected);
            // SAFETY: the nodes are apart, and the first holds the result in the end.
            unsafe {
                block.join(groups, &|node| parts.at((number * groups + node) * words));
                block.finish(parts.at(number * groups * words));
            }
        }
    }
}
