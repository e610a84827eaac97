//! Injected faults arrive as the errors that a real device gives, and leave the wrapped device as it was.

use std::sync::Arc;

use cuproxide_fault::{Faulty, Injector, Plan, Rule, Site};
use cuproxide_hal::ir::Builder;
use cuproxide_hal::libraries::{FftDirection, FftKind, FftSpec};
use cuproxide_hal::{
    Backend, DType, Device, Error, Launch, MAX_DIMS, MemoryKind, Operand, Result, Specialization, StreamFlags,
};
use cuproxide_noop::{Noop, NoopDevice};

struct Fixture {
    noop: Arc<Noop>,
    injector: Arc<Injector>,
    device: Arc<dyn Device>,
}

fn fixture() -> Fixture {
    let noop = Arc::new(Noop::new(2, 1 << 20));
    let injector = Injector::new(Plan::default());
    let device = Faulty::wrap(noop.clone(), injector.clone()).device(0).unwrap();
    Fixture { noop, injector, device }
}

/// One of everything that can fail: allocate, copy, compile, launch, wait, free.
fn workload(device: &dyn Device) -> Result<()> {
    let stream = device.create_stream(StreamFlags::default())?;
    let memory = device.allocate(MemoryKind::Device, 64)?;
    let work = || {
        let builder = Builder::new("negate");
        let negated = -builder.input(DType::F32);
        builder.output(DType::F32, negated);
        let kernel = builder.finish_map();
        let mut strides = [0; MAX_DIMS];
        strides[0] = 4;
        let operands = [Operand { ptr: memory.ptr, strides }; 2];
        let launch = Launch { outer: &[16], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
        // SAFETY: the ranges are live and of the right sizes.
        unsafe {
            device.copy_from_host(&*stream, memory.ptr, [7_u8; 64].as_ptr(), 64)?;
            device.compile(&kernel, Specialization::of(&kernel, &launch))?.launch(&*stream, &launch)?;
        }
        let event = device.create_event(false)?;
        stream.record(&*event)?;
        stream.synchronize()
    };
    let done = work();
    // SAFETY: the block is live and nothing is queued.
    let freed = unsafe { device.free(memory) };
    done.and(freed)
}

#[test]
fn without_a_plan_nothing_fails_and_calls_are_counted() {
    let Fixture { noop, injector, device } = fixture();
    workload(&*device).unwrap();
    let counts = injector.counts();
    let expected = [(Site::Allocate, 1), (Site::Compile, 1), (Site::Launch, 1), (Site::Copy, 1), (Site::Stream, 2)];
    for (site, calls) in expected {
        assert_eq!(counts.of(site), calls, "{}", site.name());
    }
    assert_eq!((counts.of(Site::Lost), counts.injected), (7, 0));
    assert!(noop.recorder().take_violations().is_empty());
}

#[test]
fn every_call_fails_in_turn_and_nothing_leaks() {
    let Fixture { noop, injector, device } = fixture();
    for site in Site::ALL {
        injector.set_plan(None);
        workload(&*device).unwrap();
        for number in 1..=injector.counts().of(site) {
            injector.set_plan(Some(Rule::once(site, number).into()));
            let error = workload(&*device).unwrap_err();
            let as_expected = match site {
                Site::Allocate => matches!(error, Error::OutOfMemory { free: 0, .. }),
                Site::Compile => matches!(error, Error::Compile { .. }),
                Site::Lost => matches!(error, Error::DeviceLost { .. }),
                _ => matches!(error, Error::Call { code: -1, .. }),
            };
            assert!(as_expected, "{} {number}: {error:?}", site.name());
            assert_eq!(noop.recorder().totals().live_blocks, 0, "{} {number}", site.name());
        }
    }
    injector.set_plan(None);
    workload(&*device).unwrap();
}

#[test]
fn a_lost_device_stays_lost_until_the_plan_changes() {
    let Fixture { injector, device, .. } = fixture();
    injector.set_plan(Some("lost@1".parse().unwrap()));
    assert!(matches!(device.synchronize(), Err(Error::DeviceLost { .. })));
    assert!(matches!(workload(&*device), Err(Error::DeviceLost { .. })));
    assert!(matches!(device.memory_info(), Err(Error::DeviceLost { .. })));
    assert!(matches!(device.default_stream().is_idle(), Err(Error::DeviceLost { .. })));
    injector.set_plan(None);
    workload(&*device).unwrap();
}

#[test]
fn the_wrapped_backend_recognises_its_objects() {
    let Fixture { noop, injector, device } = fixture();
    assert!(device.as_any().is::<NoopDevice>());
    let wrapped = Faulty::wrap(noop, injector);
    let (first, second) = (wrapped.device(0).unwrap(), wrapped.device(1).unwrap());
    let (a, b) = (first.allocate(MemoryKind::Device, 4).unwrap(), second.allocate(MemoryKind::Device, 4).unwrap());
    // SAFETY: both ranges are live.
    unsafe { second.copy_from_peer(&*second.default_stream(), b.ptr, &*first, a.ptr, 4).unwrap() };
    let (start, end) = (first.create_event(true).unwrap(), first.create_event(true).unwrap());
    first.default_stream().record(&*start).unwrap();
    first.default_stream().record(&*end).unwrap();
    assert!(end.elapsed_since(&*start).unwrap() >= 0.0);
    assert!(Arc::ptr_eq(&first, &wrapped.device(0).unwrap()));
}

#[test]
fn libraries_are_passed_on_until_the_device_is_lost() {
    let Fixture { noop, injector, device } = fixture();
    let inner = noop.device(0).unwrap();
    // All that the device has, known here or not, and nothing more.
    assert_eq!(device.libraries().names().collect::<Vec<_>>(), inner.libraries().names().collect::<Vec<_>>());
    assert_eq!(device.libraries().backend, "noop");
    let missing = |device: &Arc<dyn Device>| device.libraries().sparse().err().unwrap().to_string();
    assert_eq!(missing(&device), missing(&inner));
    let memory = device.allocate(MemoryKind::Device, 64).unwrap();
    let words = || -> Result<()> {
        // SAFETY: the memory has room for the blocks.
        unsafe { device.libraries().rng()?.philox(&*device.default_stream(), [0, 0], 0, 4, memory.ptr) }
    };
    let plan = FftSpec { kind: FftKind::Complex, dtype: DType::F32, lengths: vec![4], batch: 1, interleaved: false };
    let transform = || -> Result<()> {
        let plan = device.libraries().fft()?.plan(&plan)?;
        let scratch = device.allocate(MemoryKind::Device, plan.scratch_bytes())?;
        // SAFETY: the memory has room for the points.
        unsafe {
            let done =
                plan.execute(&*device.default_stream(), FftDirection::Forward, memory.ptr, memory.ptr, scratch.ptr);
            device.free(scratch)?;
            done
        }
    };
    words().unwrap();
    transform().unwrap();
    // Launches of libraries that are wrapped fail by plan, others do not.
    injector.set_plan(Some("launch@1".parse().unwrap()));
    words().unwrap();
    assert!(transform().unwrap_err().to_string().contains("FftPlan::execute"));
    injector.set_plan(Some("lost@1".parse().unwrap()));
    assert!(device.synchronize().is_err());
    for lost in [words(), transform(), device.libraries().blas().map(drop)] {
        assert!(matches!(lost, Err(Error::DeviceLost { .. })), "{lost:?}");
    }
    injector.set_plan(None);
    words().unwrap();
    // SAFETY: nothing uses the memory any more.
    unsafe { device.free(memory).unwrap() };
}
