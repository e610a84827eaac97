//! Exchanges between ranks as core queues them: to the communicator that the program has, on the stream that it names, with
//! a span on the timeline.

use std::sync::Arc;

use cuproxide_core::ops::collectives::{Elements, Exchange, exchange};
use cuproxide_core::ops::library::library;
use cuproxide_core::{Context, timeline};
use cuproxide_hal::libraries::{Communicator, Libraries, ReduceOp};
use cuproxide_hal::{DType, Error, Result, Stream, StreamFlags};
use parking_lot::Mutex;

/// One rank that notes what it is asked.
#[derive(Default)]
struct Rank {
    asked: Mutex<Vec<(u64, String)>>,
}

impl Rank {
    fn note(&self, stream: &dyn Stream, what: String) -> Result<()> {
        self.asked.lock().push((stream.id(), what));
        Ok(())
    }
}

impl Communicator for Rank {
    fn rank(&self) -> Result<usize> {
        Ok(0)
    }

    fn size(&self) -> Result<usize> {
        Ok(1)
    }

    fn device(&self) -> Result<usize> {
        Ok(0)
    }

    fn raw(&self) -> u64 {
        0
    }

    unsafe fn all_reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()> {
        self.note(stream, format!("all_reduce {src} {dst} {count} {dtype} {op:?}"))
    }

    unsafe fn reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
        root: usize,
    ) -> Result<()> {
        self.note(stream, format!("reduce {src} {dst} {count} {dtype} {op:?} {root}"))
    }

    unsafe fn broadcast(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        root: usize,
    ) -> Result<()> {
        self.note(stream, format!("broadcast {src} {dst} {count} {dtype} {root}"))
    }

    unsafe fn reduce_scatter(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()> {
        self.note(stream, format!("reduce_scatter {src} {dst} {count} {dtype} {op:?}"))
    }

    unsafe fn all_gather(&self, stream: &dyn Stream, src: u64, dst: u64, count: usize, dtype: DType) -> Result<()> {
        self.note(stream, format!("all_gather {src} {dst} {count} {dtype}"))
    }

    unsafe fn send(&self, stream: &dyn Stream, src: u64, count: usize, dtype: DType, peer: usize) -> Result<()> {
        self.note(stream, format!("send {src} {count} {dtype} {peer}"))
    }

    unsafe fn receive(&self, _: &dyn Stream, _: u64, _: usize, _: DType, _: usize) -> Result<()> {
        Err(Error::unsupported("this rank", "receiving"))
    }

    fn split(&self, _: i32, _: i32) -> Result<Option<Arc<dyn Communicator>>> {
        Ok(None)
    }

    fn abort(&self) -> Result<()> {
        Ok(())
    }

    fn destroy(&self) -> Result<()> {
        Ok(())
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn exchanges_are_calls_with_spans() {
    let device = cuproxide_backends::device("cpu").expect("a CPU is always there");
    let context = Context::of(&device);
    let stream = device.create_stream(StreamFlags::default()).unwrap();
    let rank = Rank::default();
    let elements = Elements { src: 64, dst: 128, count: 10, dtype: DType::F64 };
    // SAFETY: this rank touches no memory.
    let run = |what| unsafe { exchange(&context, &stream, &rank, what, elements) };
    timeline::start().unwrap();
    let exchanges = [
        Exchange::AllReduce(ReduceOp::Sum),
        Exchange::Reduce(ReduceOp::Max, 3),
        Exchange::Broadcast(2),
        Exchange::ReduceScatter(ReduceOp::Average),
        Exchange::AllGather,
        Exchange::Send(5),
    ];
    for what in exchanges {
        run(what).unwrap();
    }
    assert!(run(Exchange::Receive(1)).unwrap_err().to_string().contains("receiving"));
    let records = timeline::stop().unwrap();
    let (streams, asked): (Vec<u64>, Vec<String>) = rank.asked.into_inner().into_iter().unzip();
    assert!(streams.iter().all(|&id| id == stream.id()), "{streams:?}");
    assert_eq!(
        asked,
        [
            "all_reduce 64 128 10 float64 Sum",
            "reduce 64 128 10 float64 Max 3",
            "broadcast 64 128 10 float64 2",
            "reduce_scatter 64 128 10 float64 Average",
            "all_gather 64 128 10 float64",
            "send 64 10 float64 5",
        ]
    );
    let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let expected: Vec<&str> = exchanges.iter().chain([&Exchange::Receive(1)]).map(|what| what.name()).collect();
    assert_eq!(names, expected);
    assert!(records.iter().all(|record| record.kind == "library" && record.bytes == 80), "{records:?}");
    // The stream of the thread is what it was.
    assert_eq!(context.stream().id(), context.default_stream().id());
    let missing = library(&context, Libraries::collectives).err().expect("CPUs communicate with none").to_string();
    assert!(missing.contains("cpu does not support collective communication"), "{missing}");
}
