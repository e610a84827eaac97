//! Streams, events and the work that waits in them.
//!
//! Nothing runs when it is queued. Whoever asks for the end of something runs what that end needs, in the order that
//! streams and events demand, and nothing else; a thread in the background does the rest after a while, since programs
//! may only look on until something is done.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use cuproxide_hal::ImageCopy;
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustc_hash::FxHashMap;

use crate::capture::{self, Captures};
use crate::code::Launch;
use crate::memory;
use crate::status::*;

/// Works that a stream takes before whoever queues more has to wait: as many launches as an H200 takes.
const ROOM: u64 = 1024;
/// How long work may wait for somebody to ask for it.
const PATIENCE: Duration = Duration::from_millis(3);

/// Something to do.
#[derive(Clone)]
pub enum Work {
    Launch(Arc<Launch>),
    Copy {
        to: u64,
        from: Source,
        bytes: usize,
    },
    Rows {
        to: u64,
        to_pitch: usize,
        from: u64,
        from_pitch: usize,
        width: usize,
        rows: usize,
    },
    /// A copy of a box between images and memory.
    Box(ImageCopy),
    Fill {
        to: u64,
        value: Vec<u8>,
        count: usize,
    },
    Call {
        function: extern "C" fn(*mut c_void),
        argument: u64,
    },
    /// Work of a library's stand-in, which may touch device memory.
    Library(Arc<dyn Fn() -> Outcome + Send + Sync>),
    Record(u64),
    Free(u64),
    /// What a graph holds, in an order that its edges allow.
    Graph(Arc<Vec<Work>>),
    Nothing,
}

/// Where a copy reads.
#[derive(Clone)]
pub enum Source {
    Address(u64),
    /// Pageable memory, which the driver reads before the call returns.
    Staged(Arc<[u8]>),
}

/// A place in a stream: all work up to a number.
pub type Place = (u64, u64);

struct Queued {
    after: Vec<Place>,
    work: Work,
    since: Instant,
}

pub struct Stream {
    pub device: usize,
    pub non_blocking: bool,
    pub priority: i32,
    queue: VecDeque<Queued>,
    submitted: u64,
    done: u64,
    /// Whether the handle is still good.
    alive: bool,
    /// The capture that it takes part in, and where it stands there.
    pub capture: Option<u64>,
    pub front: Vec<u64>,
}

#[derive(Clone)]
pub struct Event {
    pub timing: bool,
    pub recorded: Option<Place>,
    pub captured: Option<(u64, Vec<u64>)>,
    time: Option<Instant>,
}

#[derive(Default)]
pub struct State {
    pub streams: BTreeMap<u64, Stream>,
    pub events: FxHashMap<u64, Event>,
    pub captures: Captures,
    executing: bool,
    lost: Option<Status>,
    last: u64,
}

struct World {
    state: Mutex<State>,
    changed: Condvar,
}

/// The driver's own lock. Who waits for the device in a call other than a synchronization holds it meanwhile, as in the
/// real driver (seen with 580.159), and keeps other threads from most calls.
static DRIVER: Mutex<()> = Mutex::new(());

thread_local! {
    /// The number of this thread's own default stream.
    static OWN: Cell<u64> = const { Cell::new(0) };
    /// Whether this thread runs a function of the host that was queued; such may not call the driver.
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Handles of the default streams: of a device, of each thread.
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        std::thread::spawn(in_background);
        World { state: Mutex::new(State::default()), changed: Condvar::new() }
    })
}

/// All that is known of streams.
pub fn state() -> MutexGuard<'static, State> {
    world().state.lock()
}

/// An error if the device is lost.
pub fn lost() -> Outcome {
    state().lost.map_or(Ok(()), Err)
}

/// Takes part in the driver's work for a moment.
fn enter() {
    drop(DRIVER.lock());
}

/// From here on, every call fails with this status.
pub fn lose(status: Status) {
    let mut state = state();
    state.lost.get_or_insert(status);
    state.drop_all();
    drop(state);
    world().changed.notify_all();
}

impl State {
    /// A new number for a handle.
    pub fn next(&mut self) -> u64 {
        self.last += 1;
        // As an address would be.
        0x5000_0000_0000 + self.last * 0x100
    }

    fn create(&mut self, id: u64, device: usize, non_blocking: bool, priority: i32) {
        let (queue, front) = (VecDeque::new(), vec![]);
        let (submitted, done, alive, capture) = (0, 0, true, None);
        let stream = Stream { device, non_blocking, priority, queue, submitted, done, alive, capture, front };
        self.streams.insert(id, stream);
    }

    /// The stream of a handle, which has to belong to the current device.
    pub fn resolve(&mut self, handle: u64) -> Outcome<u64> {
        let device = crate::calls::current()?;
        let id = match handle {
            0 | LEGACY => LEGACY + 0x10 * device as u64,
            PER_THREAD => {
                let own = OWN.get();
                let own = if own == 0 { self.next() } else { own };
                OWN.set(own);
                own + device as u64
            }
            handle => {
                return match self.streams.get(&handle) {
                    Some(stream) if stream.alive && stream.device == device => Ok(handle),
                    _ => Err(INVALID_HANDLE),
                };
            }
        };
        if !self.streams.contains_key(&id) {
            self.create(id, device, false, 0);
        }
        Ok(id)
    }

    /// Whether a stream is the one that all blocking streams of its device wait for.
    pub fn is_legacy(id: u64) -> bool {
        id & 0xf == LEGACY && id < 0x1000
    }

    fn is_done(&self, (stream, number): Place) -> bool {
        self.streams.get(&stream).is_none_or(|stream| stream.done >= number)
    }

    /// Queues work after other places.
    fn push(&mut self, id: u64, work: Work, mut after: Vec<Place>) -> Place {
        let stream = &self.streams[&id];
        let (device, non_blocking) = (stream.device, stream.non_blocking);
        let submitted = |(&id, stream): (&u64, &Stream)| (id, stream.submitted);
        if State::is_legacy(id) {
            let others =
                self.streams.iter().filter(|(other, s)| **other != id && s.device == device && !s.non_blocking);
            after.extend(others.map(submitted));
        } else if !non_blocking {
            let legacy = LEGACY + 0x10 * device as u64;
            after.extend(self.streams.get(&legacy).map(|stream| (legacy, stream.submitted)));
        }
        after.retain(|&place| !self.is_done(place));
        let stream = self.streams.get_mut(&id).expect("the stream was looked up");
        stream.submitted += 1;
        stream.queue.push_back(Queued { after, work, since: Instant::now() });
        (id, stream.submitted)
    }

    fn drop_all(&mut self) {
        for stream in self.streams.values_mut() {
            stream.queue.clear();
            stream.done = stream.submitted;
        }
    }

    /// The stream whose next work leads to a place, with that work.
    fn take(&mut self, (mut id, _): Place) -> Option<(u64, Work)> {
        loop {
            let front = self.streams.get(&id)?.queue.front()?;
            match front.after.iter().find(|&&place| !self.is_done(place)) {
                Some(&(other, _)) => id = other,
                None => {
                    let queued = self.streams.get_mut(&id)?.queue.pop_front()?;
                    return Some((id, queued.work));
                }
            }
        }
    }

    /// Ends of all streams of a device.
    fn ends(&self, device: usize) -> Vec<Place> {
        let streams = self.streams.iter().filter(|(_, stream)| stream.device == device);
        streams.map(|(&id, stream)| (id, stream.submitted)).collect()
    }

    fn forget_destroyed(&mut self) {
        let is_needed = |stream: &Stream| stream.alive || stream.done < stream.submitted;
        self.streams.retain(|_, stream| is_needed(stream));
    }
}

/// Runs what leads to the places, unless another thread does.
fn run_until(places: &[Place]) -> Outcome {
    if IN_CALL.get() {
        return Err(NOT_PERMITTED);
    }
    let world = world();
    let mut state = world.state.lock();
    loop {
        if let Some(status) = state.lost {
            return Err(status);
        }
        let Some(&place) = places.iter().find(|&&place| !state.is_done(place)) else { return Ok(()) };
        if state.executing {
            world.changed.wait(&mut state);
            continue;
        }
        state.executing = true;
        memory::open(true);
        while state.lost.is_none() && !state.is_done(place) {
            let Some((id, work)) = state.take(place) else { break };
            drop(state);
            let outcome = run(&work);
            // A kernel's arguments and functions of the host may own things of the caller's.
            drop(work);
            state = world.state.lock();
            if let Err(status) = outcome {
                state.lost.get_or_insert(status);
                state.drop_all();
            } else if let Some(stream) = state.streams.get_mut(&id) {
                stream.done += 1;
            }
            world.changed.notify_all();
        }
        memory::open(false);
        state.executing = false;
        state.forget_destroyed();
        world.changed.notify_all();
    }
}

/// Runs what nobody asked for.
fn in_background() {
    loop {
        std::thread::sleep(PATIENCE);
        let old: Vec<Place> = {
            let state = state();
            let waits = |stream: &Stream| stream.queue.front().is_some_and(|first| first.since.elapsed() >= PATIENCE);
            let streams = state.streams.iter().filter(|(_, stream)| waits(stream));
            streams.map(|(&id, stream)| (id, stream.submitted)).collect()
        };
        let _ = run_until(&old);
    }
}

fn run(work: &Work) -> Outcome {
    // SAFETY: ranges were checked when the work was queued; the caller of the driver keeps what they hold.
    unsafe {
        match work {
            Work::Launch(launch) => return launch.run(),
            Work::Copy { to, from: Source::Address(from), bytes } => copy(*to, *from, *bytes)?,
            Work::Copy { to, from: Source::Staged(staged), .. } => copy(*to, staged.as_ptr() as u64, staged.len())?,
            Work::Rows { to, to_pitch, from, from_pitch, width, rows } => {
                for row in 0..*rows {
                    copy(*to + (row * to_pitch) as u64, *from + (row * from_pitch) as u64, *width)?;
                }
            }
            Work::Box(request) => cuproxide_simt::images::copy(request),
            Work::Fill { to, value, count } => {
                memory::check(*to, value.len() * count).map_err(|_| ILLEGAL_ADDRESS)?;
                for index in 0..*count {
                    std::ptr::copy_nonoverlapping(
                        value.as_ptr(),
                        (*to as *mut u8).add(index * value.len()),
                        value.len(),
                    );
                }
            }
            Work::Call { function, argument } => call(*function, *argument),
            Work::Library(work) => return work().map_err(|_| ILLEGAL_ADDRESS),
            Work::Record(event) => {
                if let Some(event) = state().events.get_mut(event) {
                    event.time = Some(Instant::now());
                }
            }
            Work::Free(ptr) => memory::free(*ptr, &[memory::Kind::Device]).map_err(|_| ILLEGAL_ADDRESS)?,
            Work::Graph(works) => return works.iter().try_for_each(run),
            Work::Nothing => {}
        }
    }
    Ok(())
}

/// A function of the host, its argument, and where its end is told.
type Call = (extern "C" fn(*mut c_void), u64, Sender<()>);

/// Calls a function of the host in a thread of the driver's: whoever waits for it may hold what it needs.
fn call(function: extern "C" fn(*mut c_void), argument: u64) {
    static CALLER: OnceLock<Mutex<Sender<Call>>> = OnceLock::new();
    let caller = CALLER.get_or_init(|| {
        let (sender, calls) = channel::<Call>();
        std::thread::spawn(move || {
            IN_CALL.set(true);
            for (function, argument, done) in calls {
                function(argument as *mut c_void);
                let _ = done.send(());
            }
        });
        Mutex::new(sender)
    });
    let (done, end) = channel();
    if caller.lock().send((function, argument, done)).is_ok() {
        let _ = end.recv();
    }
}

/// # Safety
/// Ranges in no block are the program's own memory.
unsafe fn copy(to: u64, from: u64, bytes: usize) -> Outcome {
    // What was right when it was queued may be gone now.
    memory::check(to, bytes).map_err(|_| ILLEGAL_ADDRESS)?;
    memory::check(from, bytes).map_err(|_| ILLEGAL_ADDRESS)?;
    // SAFETY: the caller's promise; ranges in blocks were just checked.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
    Ok(())
}

/// Queues work in a stream, or adds it to what the stream captures.
pub fn submit(handle: u64, work: Work) -> Outcome<Option<Place>> {
    enter();
    let mut state = state();
    state.lost.map_or(Ok(()), Err)?;
    let id = state.resolve(handle)?;
    if state.streams[&id].capture.is_some() {
        capture::add(&mut state, id, work)?;
        return Ok(None);
    }
    if State::is_legacy(id) {
        capture::forbid_legacy(&mut state)?;
    }
    let place = state.push(id, work, vec![]);
    let first = place.1.saturating_sub(ROOM);
    drop(state);
    if first > 0 {
        wait(Some((id, first)))?;
    }
    Ok(Some(place))
}

/// Creates a stream.
pub fn create_stream(device: usize, non_blocking: bool, priority: i32) -> u64 {
    enter();
    let mut state = state();
    let id = state.next();
    state.create(id, device, non_blocking, priority.clamp(-5, 0));
    id
}

/// Ends the life of a handle; what is queued still runs.
pub fn destroy_stream(handle: u64) -> Outcome {
    enter();
    let mut state = state();
    if handle <= PER_THREAD {
        return Err(INVALID_HANDLE);
    }
    let id = state.resolve(handle)?;
    let stream = state.streams.get_mut(&id).ok_or(INVALID_HANDLE)?;
    stream.alive = false;
    if let Some(capture) = stream.capture {
        state.captures.invalidate(capture);
    }
    state.forget_destroyed();
    Ok(())
}

/// Waits for all work of a stream.
pub fn synchronize_stream(handle: u64) -> Outcome {
    let place = {
        let mut state = state();
        let id = state.resolve(handle)?;
        capture::forbid_waiting(&mut state, id)?;
        if !State::is_legacy(id) {
            vec![(id, state.streams[&id].submitted)]
        } else {
            // The legacy stream's work includes that of the streams that it waits for.
            let device = state.streams[&id].device;
            let streams = state.streams.iter().filter(|(_, stream)| stream.device == device && !stream.non_blocking);
            streams.map(|(&id, stream)| (id, stream.submitted)).collect()
        }
    };
    run_until(&place)
}

/// Whether all work of a stream is done.
pub fn query_stream(handle: u64) -> Outcome {
    let mut state = state();
    let id = state.resolve(handle)?;
    capture::forbid_waiting(&mut state, id)?;
    let stream = &state.streams[&id];
    if stream.done == stream.submitted { Ok(()) } else { Err(NOT_READY) }
}

/// Waits for all work of a device.
pub fn synchronize(device: usize) -> Outcome {
    capture::forbid_all_waiting(&mut state())?;
    let ends = state().ends(device);
    run_until(&ends)
}

/// Runs all work of a device that is queued, whatever goes on besides.
pub fn drain(device: usize) -> Outcome {
    let _driver = DRIVER.lock();
    let ends = state().ends(device);
    run_until(&ends)
}

/// Waits for one place.
pub fn wait(place: Option<Place>) -> Outcome {
    let Some(place) = place else { return Ok(()) };
    let _driver = DRIVER.lock();
    run_until(&[place])
}

/// Creates an event.
pub fn create_event(timing: bool) -> u64 {
    enter();
    let mut state = state();
    let id = state.next();
    state.events.insert(id, Event { timing, recorded: None, captured: None, time: None });
    id
}

/// Destroys an event.
pub fn destroy_event(id: u64) -> Outcome {
    enter();
    state().events.remove(&id).map(drop).ok_or(INVALID_HANDLE)
}

/// Marks the place that a stream has come to.
pub fn record(event: u64, handle: u64) -> Outcome {
    enter();
    let mut state = state();
    if !state.events.contains_key(&event) {
        return Err(INVALID_HANDLE);
    }
    let id = state.resolve(handle)?;
    let stream = &state.streams[&id];
    let marked = match stream.capture {
        Some(capture) => (None, Some((capture, stream.front.clone()))),
        None => {
            if State::is_legacy(id) {
                capture::forbid_legacy(&mut state)?;
            }
            (Some(state.push(id, Work::Record(event), vec![])), None)
        }
    };
    let event = state.events.get_mut(&event).ok_or(INVALID_HANDLE)?;
    (event.recorded, event.captured) = marked;
    event.time = None;
    Ok(())
}

/// Lets a stream wait for an event.
pub fn wait_event(handle: u64, event: u64) -> Outcome {
    let mut state = state();
    let event = state.events.get(&event).cloned().ok_or(INVALID_HANDLE)?;
    let id = state.resolve(handle)?;
    match (state.streams[&id].capture, event.captured) {
        (None, None) => {
            if let Some(place) = event.recorded {
                state.push(id, Work::Nothing, vec![place]);
            }
            Ok(())
        }
        (Some(capture), None) => {
            state.captures.invalidate(capture);
            Err(CAPTURE_ISOLATION)
        }
        (own, Some((capture, front))) => {
            if own.is_some_and(|own| own != capture) {
                return Err(CAPTURE_UNMATCHED);
            }
            capture::join(&mut state, id, capture, front)
        }
    }
}

/// The place that an event marks.
fn place_of(event: u64) -> Outcome<Option<Place>> {
    let state = state();
    let event = state.events.get(&event).ok_or(INVALID_HANDLE)?;
    if event.captured.is_some() {
        return Err(CAPTURED_EVENT);
    }
    Ok(event.recorded)
}

/// Waits for an event.
pub fn synchronize_event(event: u64) -> Outcome {
    place_of(event)?.map_or(Ok(()), |place| run_until(&[place]))
}

/// Whether an event has come.
pub fn query_event(event: u64) -> Outcome {
    let place = place_of(event)?;
    if place.is_none_or(|place| state().is_done(place)) { Ok(()) } else { Err(NOT_READY) }
}

/// Milliseconds between two events.
pub fn elapsed(start: u64, end: u64) -> Outcome<f32> {
    let mut times = [None; 2];
    for (time, event) in times.iter_mut().zip([start, end]) {
        let place = place_of(event)?.ok_or(INVALID_HANDLE)?;
        let state = state();
        let event = state.events.get(&event).filter(|event| event.timing).ok_or(INVALID_HANDLE)?;
        if !state.is_done(place) {
            return Err(NOT_READY);
        }
        *time = event.time;
    }
    let [Some(start), Some(end)] = times else { return Err(NOT_READY) };
    let between = |a: Instant, b: Instant| b.saturating_duration_since(a).as_secs_f32();
    Ok(1e3 * if end >= start { between(start, end) } else { -between(end, start) })
}
