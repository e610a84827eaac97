//! One block on one thread of the system: its threads are coroutines that take turns.
//!
//! A thread runs until it ends or waits for others. Waits within a warp end when all threads that the mask names, and
//! that have not ended, wait for the same; the block's barrier ends when all threads that have not ended wait at it. If
//! nobody can continue, that is a deadlock, which on a GPU would be a hang or worse.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;
use std::time::{Duration, Instant};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::barrier::GridBarrier;
use crate::guard::{self, Running};
use crate::interrupt;
use crate::state::State;

/// Threads of the largest warp that a dialect has.
const MAX_WARP: usize = 64;
/// Memory for the stack of a thread; only what is touched is taken. Local memory of 512 KiB, as CUDA's threads may have, and
/// what calls need.
const STACK: usize = (512 + 128) << 10;
/// How long all threads may spin before that counts as a deadlock.
const PATIENCE: Duration = Duration::from_secs(60);

/// The numbers of `__cpx::operation`.
mod operation {
    pub const BARRIER: u32 = 1;
    pub const SYNCWARP: u32 = 2;
    pub const SHUFFLE: u32 = 3;
    pub const SHUFFLE_UP: u32 = 4;
    pub const SHUFFLE_DOWN: u32 = 5;
    pub const SHUFFLE_XOR: u32 = 6;
    pub const VOTE: u32 = 7;
    pub const MATCH: u32 = 8;
    pub const REDUCE_ADD: u32 = 9;
    pub const REDUCE_MIN: u32 = 10;
    pub const REDUCE_MAX: u32 = 11;
    pub const REDUCE_MIN_SIGNED: u32 = 12;
    pub const REDUCE_MAX_SIGNED: u32 = 13;
    pub const REDUCE_AND: u32 = 14;
    pub const REDUCE_OR: u32 = 15;
    pub const REDUCE_XOR: u32 = 16;
    pub const ACTIVE: u32 = 17;
    pub const GRID_BARRIER: u32 = 18;
    pub const PAUSE: u32 = 19;
}
use operation::*;

fn operation_name(operation: u32) -> &'static str {
    match operation {
        BARRIER => "__syncthreads",
        SYNCWARP => "__syncwarp",
        SHUFFLE => "__shfl_sync",
        SHUFFLE_UP => "__shfl_up_sync",
        SHUFFLE_DOWN => "__shfl_down_sync",
        SHUFFLE_XOR => "__shfl_xor_sync",
        VOTE => "a vote",
        MATCH => "__match_sync",
        REDUCE_ADD..=REDUCE_XOR => "__reduce_sync",
        ACTIVE => "__activemask",
        GRID_BARRIER => "the barrier of the grid",
        _ => "another thread",
    }
}

/// The kernel's own functions, as the library exports them.
#[derive(Clone, Copy)]
pub struct Entry {
    pub thread: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    pub set_thread: unsafe extern "C" fn(u32, u32, u32),
}

/// What a thread leaves in the state when it waits, and finds there when it goes on.
#[derive(Clone, Copy)]
struct Own {
    yielder: *mut c_void,
    landing: *mut c_void,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Not begun.
    New,
    /// May go on.
    Ready,
    /// Waits for the operation in `Lane::wait`.
    Waiting,
    Ended,
}

#[derive(Clone, Copy, Default)]
struct Wait {
    operation: u32,
    mask: u64,
    value: u64,
    argument: u32,
    width: u32,
    result: u64,
    result2: u64,
}

type Thread = Coroutine<(), (), i32, DefaultStack>;

struct Lane {
    status: Status,
    wait: Wait,
    own: Own,
    thread: Option<Thread>,
}

thread_local! {
    /// Stacks of threads that have ended, for the next ones.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

fn stack() -> Result<DefaultStack, String> {
    match STACKS.with_borrow_mut(Vec::pop) {
        Some(stack) => Ok(stack),
        None => DefaultStack::new(STACK).map_err(|error| format!("no memory for the stack of a thread: {error}")),
    }
}

/// Called by a kernel's thread: gives the system's thread back to the scheduler.
unsafe extern "C" fn suspend(state: *mut State) {
    // SAFETY: the scheduler has stored the running coroutine's own yielder.
    unsafe { (*(*state).engine.cast::<Yielder<(), ()>>()).suspend(()) };
}

/// The threads of a block.
pub struct Block<'b> {
    entry: Entry,
    running: &'b Running,
    state: *mut State,
    parameters: *mut *mut c_void,
    shape: [u32; 3],
    warp: usize,
    lanes: Vec<Lane>,
    grid: Option<&'b GridBarrier>,
}

impl<'b> Block<'b> {
    /// Threads for blocks of a shape that run one after the other.
    ///
    /// # Safety
    /// `running` and the entry belong to the calling thread's copy of one library; the parameters fit the kernel.
    pub unsafe fn new(
        entry: Entry,
        running: &'b Running,
        parameters: *mut *mut c_void,
        shape: [u32; 3],
        grid: Option<&'b GridBarrier>,
    ) -> Block<'b> {
        let state = running.state;
        // SAFETY: the caller's promise.
        let warp = unsafe {
            (*state).suspend = Some(suspend);
            (*state).warp as usize
        };
        let count = shape.iter().product::<u32>() as usize;
        let own = Own { yielder: ptr::null_mut(), landing: ptr::null_mut() };
        let lane = || Lane { status: Status::New, wait: Wait::default(), own, thread: None };
        let lanes = std::iter::repeat_with(lane).take(count).collect();
        Block { entry, running, state, parameters, shape, warp, lanes, grid }
    }

    /// Runs the block that the kernel's indices say.
    pub fn run(&mut self) -> Result<(), String> {
        self.lanes.iter_mut().for_each(|lane| lane.status = Status::New);
        let mut last_progress = Instant::now();
        loop {
            if interrupt::requested() {
                return Err(interrupt::MESSAGE.to_owned());
            }
            let mut progress = false;
            let mut paused = false;
            for first in (0..self.lanes.len()).step_by(self.warp) {
                let range = first..(first + self.warp).min(self.lanes.len());
                loop {
                    for lane in range.clone() {
                        if matches!(self.lanes[lane].status, Status::New | Status::Ready) {
                            self.resume(lane)?;
                            progress |=
                                self.lanes[lane].wait.operation != PAUSE || self.lanes[lane].status == Status::Ended;
                        }
                    }
                    if !self.resolve(range.clone())? {
                        break;
                    }
                    progress = true;
                }
                for lane in &mut self.lanes[range] {
                    if lane.status == Status::Waiting && lane.wait.operation == PAUSE {
                        lane.status = Status::Ready;
                        paused = true;
                    }
                }
            }
            if self.lanes.iter().all(|lane| lane.status == Status::Ended) {
                return Ok(());
            }
            if self.barrier(BARRIER) {
                progress = true;
            } else if self.all_wait_for(GRID_BARRIER) {
                if let Some(grid) = self.grid {
                    grid.wait()?;
                }
                self.barrier(GRID_BARRIER);
                progress = true;
            }
            if progress {
                last_progress = Instant::now();
            } else if !paused {
                return Err(self.deadlock("deadlock"));
            } else if last_progress.elapsed() > PATIENCE {
                return Err(self.deadlock("all threads that are left spin without an end"));
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// Lets one thread go on until it ends or waits.
    fn resume(&mut self, index: usize) -> Result<(), String> {
        let lane = &mut self.lanes[index];
        let (state, parameters, entry) = (self.state, self.parameters, self.entry);
        if lane.status == Status::New {
            let body = move |yielder: &Yielder<(), ()>, ()| {
                // SAFETY: `Block::new`'s promise; the yielder lives as long as this coroutine.
                unsafe {
                    (*state).engine = ptr::from_ref(yielder).cast_mut().cast();
                    (entry.thread)(parameters)
                }
            };
            lane.thread = Some(Coroutine::with_stack(stack()?, body));
            lane.own.landing = ptr::null_mut();
        }
        let Some(thread) = &mut lane.thread else { return Ok(()) };
        let rank = index as u32;
        let [width, height, _] = self.shape;
        // SAFETY: the state belongs to this thread of the system, and no coroutine runs now.
        unsafe {
            (entry.set_thread)(rank % width, rank / width % height, rank / width / height);
            (*state).engine = lane.own.yielder;
            (*state).landing = lane.own.landing;
            (*state).result = lane.wait.result;
            (*state).result2 = lane.wait.result2;
        }
        match guard::with(self.running, || thread.resume(())) {
            CoroutineResult::Yield(()) => {
                // SAFETY: as above.
                unsafe {
                    lane.own = Own { yielder: (*state).engine, landing: (*state).landing };
                    (*state).landing = ptr::null_mut();
                    lane.wait = Wait {
                        operation: (*state).operation,
                        mask: (*state).mask,
                        value: (*state).value,
                        argument: (*state).argument,
                        width: (*state).width,
                        result: 0,
                        result2: 0,
                    };
                }
                lane.status = Status::Waiting;
                Ok(())
            }
            CoroutineResult::Return(code) => {
                lane.status = Status::Ended;
                if let Some(thread) = lane.thread.take() {
                    STACKS.with_borrow_mut(|stacks| stacks.push(thread.into_stack()));
                }
                // SAFETY: as above.
                if code == 0 { Ok(()) } else { Err(unsafe { (*state).take_message() }) }
            }
        }
    }

    /// Ends the waits within a warp that can end; whether there were any.
    fn resolve(&mut self, range: std::ops::Range<usize>) -> Result<bool, String> {
        let (first, warp) = (range.start, self.warp);
        let lanes = &mut self.lanes[range];
        let live = mask_of(lanes, |lane| lane.status != Status::Ended);
        let mut resolved = false;
        for index in 0..lanes.len() {
            let Lane { status: Status::Waiting, wait, .. } = lanes[index] else { continue };
            // Without a mask, those take part that have come when nobody else can.
            if !(SYNCWARP..=REDUCE_XOR).contains(&wait.operation) || wait.mask == 0 {
                continue;
            }
            if wait.mask & (1 << index) == 0 {
                let name = operation_name(wait.operation);
                let thread = self.position(first + index);
                return Err(format!(
                    "thread {thread} calls {name} with the mask {:#x}, which leaves it out",
                    wait.mask
                ));
            }
            let same = |lane: &Lane| {
                lane.status == Status::Waiting && lane.wait.operation == wait.operation && lane.wait.mask == wait.mask
            };
            let group = wait.mask & live;
            if mask_of(lanes, same) & group == group {
                exchange(lanes, group, warp);
                resolved = true;
            }
        }
        let runnable = lanes.iter().any(|lane| matches!(lane.status, Status::Ready | Status::New));
        if !resolved && !runnable {
            resolved = activate(lanes) || gather(lanes, warp);
        }
        Ok(resolved)
    }

    fn all_wait_for(&self, operation: u32) -> bool {
        let mut live = self.lanes.iter().filter(|lane| lane.status != Status::Ended).peekable();
        live.peek().is_some() && live.all(|lane| lane.status == Status::Waiting && lane.wait.operation == operation)
    }

    /// Ends the wait at a barrier if every thread that is left has come to it; whether it did.
    fn barrier(&mut self, operation: u32) -> bool {
        if !self.all_wait_for(operation) {
            return false;
        }
        let live = self.lanes.iter().filter(|lane| lane.status == Status::Waiting);
        let (count, votes) = live.fold((0, 0), |(count, votes), lane| (count + 1, votes + lane.wait.value));
        for lane in self.lanes.iter_mut().filter(|lane| lane.status == Status::Waiting) {
            lane.wait.result = votes;
            lane.wait.result2 = count;
            lane.status = Status::Ready;
        }
        true
    }

    fn position(&self, index: usize) -> String {
        let (rank, [width, height, _]) = (index as u32, self.shape);
        format!("({}, {}, {})", rank % width, rank / width % height, rank / width / height)
    }

    /// Says who waits for what.
    fn deadlock(&self, what: &str) -> String {
        let mut groups: Vec<(u32, u64, usize, usize)> = vec![];
        for (index, lane) in self.lanes.iter().enumerate().filter(|(_, lane)| lane.status != Status::Ended) {
            let (operation, mask) = (lane.wait.operation, lane.wait.mask);
            match groups.iter_mut().find(|group| (group.0, group.1) == (operation, mask)) {
                Some(group) => group.2 += 1,
                None => groups.push((operation, mask, 1, index)),
            }
        }
        let ended = self.lanes.iter().filter(|lane| lane.status == Status::Ended).count();
        let mut parts: Vec<String> = groups
            .into_iter()
            .map(|(operation, mask, count, first)| {
                let name = operation_name(operation);
                let with = if mask == 0 { String::new() } else { format!(" with mask {mask:#x}") };
                format!("{count} wait for {name}{with} (the first is thread {})", self.position(first))
            })
            .collect();
        if ended > 0 {
            parts.push(format!("{ended} have ended"));
        }
        format!("{what}: of {} threads of a block, {}", self.lanes.len(), parts.join(", "))
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        for lane in &mut self.lanes {
            if let Some(mut thread) = lane.thread.take() {
                // SAFETY: after a failure the thread is never resumed; what lies on its stack is plain data of a kernel.
                unsafe { thread.force_reset() };
                STACKS.with_borrow_mut(|stacks| stacks.push(thread.into_stack()));
            }
        }
    }
}

fn mask_of(lanes: &[Lane], is_in: impl Fn(&Lane) -> bool) -> u64 {
    lanes.iter().enumerate().fold(0, |mask, (index, lane)| mask | u64::from(is_in(lane)) << index)
}

/// Carries an operation of a group of lanes out and lets them go on.
fn exchange(lanes: &mut [Lane], group: u64, warp: usize) {
    let members = || (0..lanes.len()).filter(|index| group & (1 << index) != 0);
    let values: [u64; MAX_WARP] = std::array::from_fn(|index| lanes.get(index).map_or(0, |lane| lane.wait.value));
    let results: Vec<(usize, u64, u64)> = members()
        .map(|index| {
            let Wait { operation, value, argument, width, .. } = lanes[index].wait;
            let result = match operation {
                SHUFFLE..=SHUFFLE_XOR => {
                    let source = source_lane(operation, index as u32, argument, width, warp as u32);
                    if group & (1 << source) == 0 { value } else { values[source as usize] }
                }
                VOTE => members().fold(0, |votes, other| votes | u64::from(values[other] != 0) << other),
                MATCH => members().fold(0, |same, other| same | u64::from(values[other] == value) << other),
                REDUCE_ADD..=REDUCE_XOR => {
                    let words = members().map(|other| values[other] as u32);
                    u64::from(words.reduce(|a, b| combine(operation, a, b)).unwrap_or(0))
                }
                _ => 0,
            };
            (index, result, group)
        })
        .collect();
    for (index, result, result2) in results {
        lanes[index].wait.result = result;
        lanes[index].wait.result2 = result2;
        lanes[index].status = Status::Ready;
    }
}

fn combine(operation: u32, a: u32, b: u32) -> u32 {
    match operation {
        REDUCE_ADD => a.wrapping_add(b),
        REDUCE_MIN => a.min(b),
        REDUCE_MAX => a.max(b),
        REDUCE_MIN_SIGNED => (a as i32).min(b as i32) as u32,
        REDUCE_MAX_SIGNED => (a as i32).max(b as i32) as u32,
        REDUCE_AND => a & b,
        REDUCE_OR => a | b,
        _ => a ^ b,
    }
}

/// The lane whose value a lane gets; its own where the source would lie outside of its part of the warp.
fn source_lane(operation: u32, lane: u32, argument: u32, width: u32, warp: u32) -> u32 {
    let width = width.clamp(1, warp).next_power_of_two();
    let start = lane & !(width - 1);
    let source = match operation {
        SHUFFLE => start | (argument & (width - 1)),
        SHUFFLE_UP => lane.checked_sub(argument).filter(|&source| source >= start).unwrap_or(lane),
        SHUFFLE_DOWN => Some(lane.saturating_add(argument)).filter(|&source| source < start + width).unwrap_or(lane),
        _ => Some(lane ^ argument).filter(|&source| source < start + width).unwrap_or(lane),
    };
    source & (warp - 1)
}

/// Answers `__activemask` once nobody in the warp can run: the lanes that ask at one place of the program are together.
fn activate(lanes: &mut [Lane]) -> bool {
    let asks = |lane: &Lane| lane.status == Status::Waiting && lane.wait.operation == ACTIVE;
    let mut any = false;
    for index in 0..lanes.len() {
        if !asks(&lanes[index]) {
            continue;
        }
        let place = lanes[index].wait.argument;
        let together = mask_of(lanes, |lane| asks(lane) && lane.wait.argument == place);
        for lane in lanes.iter_mut().filter(|lane| asks(lane) && lane.wait.argument == place) {
            lane.wait.result = together;
            lane.status = Status::Ready;
        }
        any = true;
    }
    any
}

/// Carries out what was asked for without a mask, by all lanes together that ask for the same. Lanes that spin may come
/// to it yet.
fn gather(lanes: &mut [Lane], warp: usize) -> bool {
    let waits = |lane: &Lane| lane.status == Status::Waiting;
    if lanes.iter().any(|lane| waits(lane) && lane.wait.operation == PAUSE) {
        return false;
    }
    let asks =
        |lane: &Lane| waits(lane) && lane.wait.mask == 0 && (SYNCWARP..=REDUCE_XOR).contains(&lane.wait.operation);
    let Some(operation) = lanes.iter().find(|lane| asks(lane)).map(|lane| lane.wait.operation) else { return false };
    let group = mask_of(lanes, |lane| asks(lane) && lane.wait.operation == operation);
    exchange(lanes, group, warp);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_within_their_part_of_the_warp() {
        assert_eq!(source_lane(SHUFFLE, 9, 3, 8, 32), 11);
        assert_eq!(source_lane(SHUFFLE, 9, 11, 8, 32), 11);
        assert_eq!(source_lane(SHUFFLE_UP, 9, 1, 8, 32), 8);
        assert_eq!(source_lane(SHUFFLE_UP, 9, 2, 8, 32), 9);
        assert_eq!(source_lane(SHUFFLE_DOWN, 14, 1, 8, 32), 15);
        assert_eq!(source_lane(SHUFFLE_DOWN, 15, 1, 8, 32), 15);
        assert_eq!(source_lane(SHUFFLE_XOR, 3, 16, 32, 32), 19);
        assert_eq!(source_lane(SHUFFLE_XOR, 3, 16, 16, 32), 3);
        assert_eq!(source_lane(SHUFFLE_XOR, 19, 16, 16, 32), 3);
        assert_eq!(source_lane(SHUFFLE_DOWN, 3, u32::MAX, 32, 32), 3);
        assert_eq!(source_lane(SHUFFLE_XOR, 3, 32, 64, 64), 35);
        assert_eq!(source_lane(SHUFFLE_XOR, 3, 32, 32, 64), 3);
    }
}
