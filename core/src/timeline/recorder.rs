//! The subscriber that keeps spans in memory until the end of a recording.

use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use cuproxide_hal::{Device, DeviceId, Event, Stream};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record as Values};
use tracing::{Dispatch, Event as Message, Metadata, Subscriber};

use super::work::{TARGET, Work};
use crate::detach::detached;
use crate::error::{Result, value_error};

/// A span that has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The name of its [`Work`].
    pub kind: String,
    /// The kernel, library or reason.
    pub name: String,
    /// The device's name in the process; empty for ranges.
    pub device: String,
    /// Bytes of memory that are concerned.
    pub bytes: usize,
    /// A small number of the thread.
    pub thread: u64,
    /// Microseconds of the host, from the beginning of the recording.
    pub start: f64,
    /// Microseconds that the host was in it.
    pub duration: f64,
    /// The device's own times, where it runs ahead of the host: handle of the stream, beginning, duration.
    pub on_device: Option<(u64, f64, f64)>,
}

/// Work on a device that has been timed by events.
struct Timed {
    span: u64,
    device: DeviceId,
    stream: u64,
    start: Arc<dyn Event>,
    end: Arc<dyn Event>,
}

/// A moment that the clocks of host and device have in common.
struct Base {
    device: Arc<dyn Device>,
    event: Arc<dyn Event>,
    at: f64,
}

#[derive(Default)]
struct State {
    open: FxHashMap<u64, (Record, Option<Instant>)>,
    done: Vec<(u64, Record)>,
    timed: Vec<Timed>,
    bases: Vec<Base>,
    began: Option<Instant>,
}

static RECORDING: AtomicBool = AtomicBool::new(false);
static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
static NEXT_SPAN: AtomicU64 = AtomicU64::new(1);
static NEXT_THREAD: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static THREAD: u64 = NEXT_THREAD.fetch_add(1, Ordering::Relaxed);
}

/// Spans that are kept at most; later ones are lost.
const MOST: usize = 4_000_000;

struct Recorder;

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == TARGET && is_recording()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(if is_recording() { LevelFilter::TRACE } else { LevelFilter::OFF })
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = NEXT_SPAN.fetch_add(1, Ordering::Relaxed);
        let mut fields = Fields(Record { thread: THREAD.with(|&number| number), ..Record::default() });
        span.record(&mut fields);
        let mut state = STATE.lock();
        if state.done.len() < MOST {
            state.open.insert(id, (fields.0, None));
        }
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Values<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Message<'_>) {}

    fn enter(&self, id: &Id) {
        if let Some((_, entered)) = STATE.lock().open.get_mut(&id.into_u64()) {
            *entered = Some(Instant::now());
        }
    }

    fn exit(&self, id: &Id) {
        let now = Instant::now();
        let mut state = STATE.lock();
        let Some((mut record, Some(entered))) = state.open.remove(&id.into_u64()) else { return };
        let Some(began) = state.began else { return };
        record.start = microseconds(began, entered);
        record.duration = microseconds(entered, now);
        state.done.push((id.into_u64(), record));
    }
}

struct Fields(Record);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "kind" => value.clone_into(&mut self.0.kind),
            "name" => value.clone_into(&mut self.0.name),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "bytes" {
            self.0.bytes = value as usize;
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "device" {
            self.0.device = format!("{value:?}");
        }
    }
}

fn microseconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1e6
}

/// Whether spans are being kept.
#[inline]
pub fn is_recording() -> bool {
    RECORDING.load(Ordering::Relaxed)
}

/// Begins to keep spans.
///
/// # Errors
/// `ValueError` while spans are being kept already, and in a program that has a subscriber of its own.
pub fn start() -> Result<()> {
    static INSTALLED: LazyLock<bool> =
        LazyLock::new(|| tracing::dispatcher::set_global_default(Dispatch::new(Recorder)).is_ok());
    if !*INSTALLED {
        return value_error("the program has a tracing subscriber of its own, which gets the spans");
    }
    let mut state = STATE.lock();
    if is_recording() {
        return value_error("a trace is being recorded already");
    }
    *state = State { began: Some(Instant::now()), ..State::default() };
    RECORDING.store(true, Ordering::SeqCst);
    drop(state);
    tracing::callsite::rebuild_interest_cache();
    Ok(())
}

/// Ends the recording, waits for the devices, and returns what ended meanwhile, in the order of beginning.
///
/// # Errors
/// `ValueError` if nothing is being recorded; those of the devices.
pub fn stop() -> Result<Vec<Record>> {
    if !RECORDING.swap(false, Ordering::SeqCst) {
        return value_error("no trace is being recorded");
    }
    tracing::callsite::rebuild_interest_cache();
    let State { done, timed, bases, .. } = std::mem::take(&mut *STATE.lock());
    for base in &bases {
        detached(|| base.device.synchronize())?;
    }
    let mut places: FxHashMap<u64, usize> = FxHashMap::default();
    let mut records = Vec::with_capacity(done.len());
    for (id, record) in done {
        places.insert(id, records.len());
        records.push(record);
    }
    for Timed { span, device, stream, start, end } in timed {
        let base = bases.iter().find(|base| base.device.info().id == device);
        if let (Some(&place), Some(base)) = (places.get(&span), base) {
            let begin = base.at + f64::from(start.elapsed_since(base.event.as_ref())?) * 1e3;
            let duration = f64::from(end.elapsed_since(start.as_ref())?) * 1e3;
            records[place].on_device = Some((stream, begin, duration));
        }
    }
    records.sort_by(|a, b| a.start.total_cmp(&b.start));
    Ok(records)
}

/// Microseconds since the recording began; 0 without one.
pub fn now() -> f64 {
    STATE.lock().began.map_or(0.0, |began| microseconds(began, Instant::now()))
}

/// Notes a range of the program's own, from a time of [`now`] on.
pub fn mark(name: &str, start: f64) {
    let mut state = STATE.lock();
    let Some(began) = state.began.filter(|_| is_recording()) else { return };
    let record = Record {
        kind: Work::Range.name().to_owned(),
        name: name.to_owned(),
        thread: THREAD.with(|&number| number),
        start,
        duration: (microseconds(began, Instant::now()) - start).max(0.0),
        ..Record::default()
    };
    state.done.push((NEXT_SPAN.fetch_add(1, Ordering::Relaxed), record));
}

/// Makes sure that a device's clock can be compared to the host's: waits for it at its first use in a recording.
pub(super) fn base(device: &Arc<dyn Device>, stream: &dyn Stream) -> Option<()> {
    let id = device.info().id;
    if STATE.lock().bases.iter().any(|base| base.device.info().id == id) {
        return Some(());
    }
    let event = device.create_event(true).ok()?;
    detached(|| {
        stream.synchronize()?;
        stream.record(event.as_ref())?;
        event.synchronize()
    })
    .ok()?;
    let mut state = STATE.lock();
    let at = microseconds(state.began?, Instant::now());
    state.bases.push(Base { device: device.clone(), event, at });
    Some(())
}

/// Notes the events around a span's work.
pub(super) fn timed(span: u64, device: &Arc<dyn Device>, stream: u64, start: Arc<dyn Event>, end: Arc<dyn Event>) {
    STATE.lock().timed.push(Timed { span, device: device.info().id, stream, start, end });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{is_on, scope};

    #[test]
    fn spans_are_kept_between_start_and_stop_only() {
        let device = DeviceId { backend: "none", ordinal: 0 };
        assert!(scope(Work::Kernel, "before", device, || unreachable!("nobody listens")).is_none());
        start().unwrap();
        assert!(is_on() && start().is_err());
        drop(scope(Work::Compile, "inside", device, || 12));
        let from = now();
        mark("range", from);
        let records = stop().unwrap();
        assert!(!is_on() && stop().is_err());
        assert_eq!(records.len(), 2, "{records:?}");
        let first = &records[0];
        assert_eq!((first.kind.as_str(), first.name.as_str(), first.bytes), ("compile", "inside", 12));
        assert_eq!(first.device, "none:0");
        assert!(first.start >= 0.0 && first.duration >= 0.0 && records[1].start >= first.start);
        assert!(scope(Work::Kernel, "after", device, || unreachable!("nobody listens")).is_none());
    }
}
