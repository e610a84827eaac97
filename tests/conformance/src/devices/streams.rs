//! Streams and events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::ir::{Builder, Mode};
use cuproxide_hal::{CaptureMode, DType, HostFunction, Launch, MAX_DIMS, Operand, Specialization, Stream, StreamFlags};

use super::Test;
use crate::rig::{Buffer, Check, Rig, ensure};

pub const TESTS: &[Test] = &[
    ("order", order),
    ("events_order_streams", events_order_streams),
    ("event_state", event_state),
    ("timing", timing),
    ("external", external),
    ("threads", threads),
    ("capture", capture),
    ("void_capture", void_capture),
    ("host_functions", host_functions),
    ("per_thread", per_thread),
];

const COUNT: usize = 100_000;

/// Queues `x = x * 2 + 1` on `stream`, `times` times over.
fn queue(rig: &Rig, stream: &dyn Stream, buffer: &Buffer<'_>, times: usize) -> Check {
    let builder = Builder::new("step");
    let operand = builder.operand(DType::U32, Mode::Update);
    let x = builder.load(operand);
    builder.store(operand, x * x.like_integer(2) + x.like_integer(1));
    let kernel = builder.finish_map();
    let mut strides = [0; MAX_DIMS];
    strides[0] = 4;
    let operands = [Operand { ptr: buffer.ptr(), strides }];
    let launch = Launch { outer: &[COUNT], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let compiled = rig.device.compile(&kernel, Specialization::of(&kernel, &launch))?;
    for _ in 0..times {
        // SAFETY: the kernel was compiled for this launch and the buffer holds `COUNT` elements.
        unsafe { compiled.launch(stream, &launch)? };
    }
    Ok(())
}

fn zeros(rig: &Rig) -> Result<Buffer<'_>, crate::rig::Failure> {
    let buffer = rig.upload(&vec![0; COUNT * 4])?;
    rig.stream.synchronize()?;
    Ok(buffer)
}

fn check(rig: &Rig, buffer: &Buffer<'_>, steps: u32) -> Check {
    let _ = rig;
    let expected = (2u32.pow(steps) - 1).to_le_bytes();
    let content = buffer.download()?;
    let wrong = content.chunks_exact(4).filter(|element| **element != expected).count();
    ensure(wrong == 0, || format!("{wrong} elements are wrong after {steps} steps"))
}

fn new_stream(rig: &Rig) -> Result<Arc<dyn Stream>, crate::rig::Failure> {
    Ok(rig.device.create_stream(StreamFlags { non_blocking: true, priority: 0 })?)
}

/// Work on one stream runs in the order of the calls.
fn order(rig: &Rig) -> Check {
    let buffer = zeros(rig)?;
    queue(rig, &*rig.stream, &buffer, 20)?;
    check(rig, &buffer, 20)?;
    ensure(rig.stream.is_idle()?, || "a synchronised stream is not idle".to_owned())
}

/// An event makes one stream wait for another.
fn events_order_streams(rig: &Rig) -> Check {
    let (first, second) = (new_stream(rig)?, new_stream(rig)?);
    let buffer = zeros(rig)?;
    for round in 0..4 {
        let (from, to) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        queue(rig, &**from, &buffer, 5)?;
        let event = rig.device.create_event(false)?;
        from.record(&*event)?;
        to.wait(&*event)?;
    }
    first.synchronize()?;
    second.synchronize()?;
    check(rig, &buffer, 20)
}

fn event_state(rig: &Rig) -> Check {
    let event = rig.device.create_event(false)?;
    let buffer = zeros(rig)?;
    queue(rig, &*rig.stream, &buffer, 3)?;
    rig.stream.record(&*event)?;
    event.synchronize()?;
    ensure(event.is_done()?, || "a synchronised event is not done".to_owned())?;
    check(rig, &buffer, 3)?;
    rig.device.synchronize()?;
    Ok(())
}

fn timing(rig: &Rig) -> Check {
    let (start, end) = (rig.device.create_event(true)?, rig.device.create_event(true)?);
    let buffer = zeros(rig)?;
    rig.stream.record(&*start)?;
    queue(rig, &*rig.stream, &buffer, 10)?;
    rig.stream.record(&*end)?;
    end.synchronize()?;
    let elapsed = end.elapsed_since(&*start)?;
    ensure((0.0..60_000.0).contains(&elapsed), || format!("{elapsed} ms passed"))
}

/// A stream that is wrapped by its handle.
fn external(rig: &Rig) -> Check {
    let own = new_stream(rig)?;
    let wrapped = rig.device.external_stream(own.raw())?;
    ensure(wrapped.raw() == own.raw(), || "the handle changed".to_owned())?;
    let buffer = zeros(rig)?;
    queue(rig, &*wrapped, &buffer, 4)?;
    wrapped.synchronize()?;
    check(rig, &buffer, 4)
}

/// Several threads compile and launch at once, each on a stream of its own.
fn threads(rig: &Rig) -> Check {
    let work = |steps: u32| -> Check {
        let stream = new_stream(rig)?;
        let buffer = zeros(rig)?;
        queue(rig, &*stream, &buffer, steps as usize)?;
        stream.synchronize()?;
        check(rig, &buffer, steps)
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (1..8).map(|steps| scope.spawn(move || work(steps))).collect();
        handles.into_iter().try_for_each(|handle| handle.join().map_err(|_| "a thread panicked".to_owned())?)
    })
}

/// Captured work runs at each launch of its graph and not before.
fn capture(rig: &Rig) -> Check {
    let stream = new_stream(rig)?;
    let buffer = zeros(rig)?;
    stream.begin_capture(CaptureMode::Relaxed)?;
    let number = stream.capture()?;
    ensure(number.is_some(), || "the stream does not say that it captures".to_owned())?;
    queue(rig, &*stream, &buffer, 3)?;
    let graph = stream.end_capture()?;
    ensure(stream.capture()?.is_none(), || "the capture did not end".to_owned())?;
    check(rig, &buffer, 0)?;
    graph.upload(&*stream)?;
    for launches in 1..4 {
        // SAFETY: the buffer lives.
        unsafe { graph.launch(&*stream)? };
        stream.synchronize()?;
        check(rig, &buffer, 3 * launches)?;
    }
    let text = graph.dot(0)?;
    ensure(text.trim_start().starts_with("digraph"), || format!("not a graph: {text}"))
}

/// Waiting for a capturing stream makes the capture void, and nothing else.
fn void_capture(rig: &Rig) -> Check {
    let stream = new_stream(rig)?;
    let buffer = zeros(rig)?;
    ensure(stream.end_capture().is_err(), || "a capture ended that had not begun".to_owned())?;
    stream.begin_capture(CaptureMode::Relaxed)?;
    queue(rig, &*stream, &buffer, 1)?;
    ensure(stream.synchronize().is_err(), || "waiting for a capturing stream succeeded".to_owned())?;
    ensure(stream.end_capture().is_err(), || "a void capture gave a graph".to_owned())?;
    queue(rig, &*stream, &buffer, 2)?;
    stream.synchronize()?;
    check(rig, &buffer, 2)
}

/// Functions of the host are called in the order of the stream, and by graphs at each launch.
fn host_functions(rig: &Rig) -> Check {
    let stream = new_stream(rig)?;
    let calls = Arc::new(AtomicUsize::new(0));
    let counting = || -> HostFunction {
        let calls = calls.clone();
        Box::new(move || _ = calls.fetch_add(1, Ordering::SeqCst))
    };
    stream.call_host(counting())?;
    stream.synchronize()?;
    stream.begin_capture(CaptureMode::Relaxed)?;
    stream.call_host(counting())?;
    let graph = stream.end_capture()?;
    for _ in 0..2 {
        // SAFETY: the graph uses no memory.
        unsafe { graph.launch(&*stream)? };
    }
    stream.synchronize()?;
    drop(graph);
    let (counted, held) = (calls.load(Ordering::SeqCst), Arc::strong_count(&calls));
    ensure(counted == 3 && held == 1, || format!("{counted} calls, {held} owners"))
}

/// Each thread has a default stream of its own.
fn per_thread(rig: &Rig) -> Check {
    let own = rig.device.per_thread_stream()?;
    let buffer = zeros(rig)?;
    queue(rig, &*own, &buffer, 2)?;
    own.synchronize()?;
    check(rig, &buffer, 2)?;
    let other = std::thread::scope(|scope| {
        let asked = scope.spawn(|| rig.device.per_thread_stream().map(|stream| stream.id()));
        asked.join().map_err(|_| "a thread panicked".to_owned())
    })??;
    ensure(own.id() != other, || "two threads share a default stream".to_owned())
}
