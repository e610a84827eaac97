//! The backend keeps real memory, records calls in order and notices when the HAL's contract is broken.

use cuproxide_hal::ir::{Builder, Kernel};
use cuproxide_hal::libraries::{Gemm, Matrix};
use cuproxide_hal::{
    Allocation, Backend, DType, Device, Error, Launch, MAX_DIMS, MemoryKind, Operand, Scalar, Specialization,
    StreamFlags,
};
use cuproxide_noop::{Call, Noop, NoopDevice};

const KIB: usize = 1 << 10;

fn add() -> Kernel {
    let builder = Builder::new("add");
    let sum = builder.input(DType::F32) + builder.input(DType::F32);
    builder.output(DType::F32, sum);
    builder.finish_map()
}

fn operand(ptr: u64, stride: isize) -> Operand {
    let mut strides = [0; MAX_DIMS];
    strides[0] = stride;
    Operand { ptr, strides }
}

fn block(device: &dyn Device, bytes: usize) -> Allocation {
    device.allocate(MemoryKind::Device, bytes).unwrap()
}

/// Compiles `add` for a launch over `count` elements and launches it.
fn launch(device: &dyn Device, count: usize, operands: [Operand; 3]) -> cuproxide_hal::Result<()> {
    let launch = Launch { outer: &[count], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let compiled = device.compile(&add(), Specialization::of(&add(), &launch))?;
    // SAFETY: the backend checks the launch and touches no memory.
    unsafe { compiled.launch(&*device.default_stream(), &launch) }
}

fn violates(result: cuproxide_hal::Result<()>, words: &str) {
    let error = result.unwrap_err();
    assert!(matches!(&error, Error::Call { name, .. } if name == "CONTRACT_VIOLATION"), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn copies_and_fills_are_real() {
    let noop = Noop::new(2, 64 * KIB);
    let (first, second) = (noop.device(0).unwrap(), noop.device(1).unwrap());
    let (a, b) = (block(&*first, 8), block(&*second, 8));
    let mut out = [0_u8; 8];
    // SAFETY: the ranges are live and of the right sizes.
    unsafe {
        first.copy_from_host(&*first.default_stream(), a.ptr, [1, 2, 3, 4].as_ptr(), 4).unwrap();
        first.copy(&*first.default_stream(), a.ptr + 4, a.ptr, 3).unwrap();
        first.fill(&*first.default_stream(), a.ptr + 7, 9, 1).unwrap();
        second.copy_from_peer(&*second.default_stream(), b.ptr, &*first, a.ptr, 8).unwrap();
        second.copy_to_host(&*second.default_stream(), out.as_mut_ptr(), b.ptr, 8).unwrap();
    }
    assert_eq!(out, [1, 2, 3, 4, 1, 2, 3, 9]);
    assert_eq!(noop.recorder().totals().copies, 5);
}

#[test]
fn calls_are_recorded_in_order_with_their_streams() {
    let noop = Noop::new(1, 64 * KIB);
    let device = noop.device(0).unwrap();
    let memory = block(&*device, KIB);
    let operands = [operand(memory.ptr, 4), operand(memory.ptr, 4), operand(memory.ptr + 512, 4)];
    noop.recorder().start();
    let side = device.create_stream(StreamFlags::default()).unwrap();
    let event = device.create_event(false).unwrap();
    launch(&*device, 128, operands).unwrap();
    device.default_stream().record(&*event).unwrap();
    side.wait(&*event).unwrap();
    side.synchronize().unwrap();
    let records = noop.recorder().finish();
    let seen: Vec<_> = records.iter().map(|record| (record.stream, record.call.clone())).collect();
    assert!(matches!(&seen[0], (None, Call::Compile { kernel, .. }) if kernel == "add"));
    let expected = [
        (Some(0), Call::Launch { kernel: "add".to_owned(), outer: vec![128], inner: vec![] }),
        (Some(0), Call::RecordEvent { event: event.raw() }),
        (Some(side.raw()), Call::WaitEvent { event: event.raw() }),
        (Some(side.raw()), Call::Synchronize),
    ];
    assert_eq!(seen[1..], expected);
    assert_eq!(noop.recorder().take_violations(), Vec::<String>::new());
}

#[test]
fn memory_is_limited_and_returns() {
    let noop = Noop::new(1, 4 * KIB);
    let device = noop.device(0).unwrap();
    let half = block(&*device, 2 * KIB);
    let error = device.allocate(MemoryKind::Device, 3 * KIB).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested: 3072, free: 2048, total: 4096, .. }), "{error}");
    assert!(device.allocate(MemoryKind::Device, usize::MAX).is_err());
    let pinned = device.allocate(MemoryKind::Pinned, 8 * KIB).unwrap();
    // SAFETY: both blocks are live and unused.
    unsafe {
        device.free(half).unwrap();
        device.free(pinned).unwrap();
    }
    let totals = noop.recorder().totals();
    assert_eq!((totals.live_blocks, totals.live_bytes), (0, 0));
    assert_eq!(device.memory_info().unwrap().free, 4 * KIB);
    // SAFETY: the backend notices that the block is gone.
    violates(unsafe { device.free(half) }, "not live");
}

#[test]
fn launches_outside_live_memory_are_violations() {
    let noop = Noop::new(2, 64 * KIB);
    let device = noop.device(0).unwrap();
    let memory = block(&*device, KIB);
    let fits = operand(memory.ptr, 4);
    let out = operand(memory.ptr + 512, 4);
    launch(&*device, 128, [fits, fits, out]).unwrap();
    launch(&*device, 128, [operand(memory.ptr + 508, -4), fits, out]).unwrap();
    violates(launch(&*device, 129, [fits, fits, out]), "runs over the end");
    violates(launch(&*device, 2, [operand(memory.ptr, -4), fits, out]), "in no live block");
    violates(launch(&*device, 128, [fits, operand(memory.ptr + 4, 4), operand(memory.ptr, 4)]), "overlaps");
    let stranger = noop.device(1).unwrap();
    // SAFETY: the backend notices the stream before it copies.
    violates(unsafe { device.fill(&*stranger.default_stream(), memory.ptr, 0, 1) }, "stream");
    // SAFETY: the block is live and unused.
    unsafe { device.free(memory).unwrap() };
    violates(launch(&*device, 1, [fits, fits, out]), "in no live block");
    assert_eq!(noop.recorder().take_violations().len(), 5);
}

#[test]
fn launches_need_the_kernel_that_was_compiled_for_them() {
    let noop = Noop::new(1, 64 * KIB);
    let device = noop.device(0).unwrap();
    let memory = block(&*device, KIB);
    let unit = [operand(memory.ptr, 4), operand(memory.ptr, 4), operand(memory.ptr + 512, 4)];
    let strided = [operand(memory.ptr, 8), operand(memory.ptr, 4), operand(memory.ptr + 512, 4)];
    let of = |operands| Launch { outer: &[8], inner: &[], operands, scalars: &[], scratch: 0 };
    let compiled = device.compile(&add(), Specialization::of(&add(), &of(&unit))).unwrap();
    let stream = device.default_stream();
    // SAFETY: the backend checks the launches and touches no memory.
    unsafe {
        compiled.launch(&*stream, &of(&unit)).unwrap();
        violates(compiled.launch(&*stream, &of(&strided)), "compiled for");
        violates(compiled.launch(&*stream, &of(&unit[..2])), "2 operands, 3 are declared");
        let scalar = [Scalar::i64(1)];
        violates(compiled.launch(&*stream, &Launch { scalars: &scalar, ..of(&unit) }), "scalars");
    }
}

#[test]
fn invalid_kernels_do_not_compile() {
    let noop = Noop::new(1, 64 * KIB);
    let builder = Builder::new("mixed");
    let sum = builder.input(DType::F32) + builder.input(DType::F64);
    builder.output(DType::F32, sum);
    let error = noop.device(0).unwrap().compile(&builder.finish_map(), Specialization(0)).err().unwrap();
    assert!(matches!(error, Error::InvalidKernel { .. }), "{error}");
}

#[test]
fn matrices_must_keep_the_layouts_of_the_contract() {
    let noop = Noop::new(1, 64 * KIB);
    let device = noop.device(0).unwrap();
    let ptr = block(&*device, KIB).ptr;
    let matrix = |row_stride, column_stride| Matrix { ptr, row_stride, column_stride, batch_stride: 0 };
    let product = |a| Gemm {
        dtype: DType::F32,
        compute: Default::default(),
        m: 4,
        n: 4,
        k: 4,
        batch: 1,
        a,
        b: matrix(1, 4),
        c: matrix(4, 1),
        alpha: Scalar::real(DType::F32, 1.0),
        beta: Scalar::real(DType::F32, 0.0),
    };
    let stream = device.default_stream();
    let blas = device.libraries().blas().unwrap();
    // SAFETY: the backend checks the matrices and touches no memory.
    unsafe {
        blas.gemm(&*stream, &product(matrix(4, 1))).unwrap();
        violates(blas.gemm(&*stream, &product(matrix(8, 2))), "strides 8 and 2");
        violates(blas.gemm(&*stream, &product(matrix(100, 1))), "runs over the end");
    }
}

#[test]
fn libraries_are_a_table() {
    let noop = Noop::new(1, KIB);
    let device = noop.device(0).unwrap();
    let libraries = device.libraries();
    assert_eq!(libraries.names().collect::<Vec<_>>(), ["blas", "fft", "rng", "sorting"]);
    // What is optional is not there; what is asked for all the same is named.
    assert!(libraries.searching.find().unwrap().is_none());
    assert_eq!(libraries.solver().err().unwrap().to_string(), "noop does not support dense solvers");
    let rng = libraries.rng().unwrap();
    noop.recorder().start();
    let (memory, stream) = (block(&*device, 64), device.default_stream());
    // SAFETY: the backend checks the range and touches no memory.
    unsafe {
        rng.philox(&*stream, [1, 2], 5, 4, memory.ptr).unwrap();
        violates(rng.philox(&*stream, [1, 2], 5, 5, memory.ptr), "runs over the end");
    }
    let words = |call: &Call| matches!(call, Call::Words { first: 5, blocks: 4 });
    assert_eq!(noop.recorder().finish().iter().filter(|record| words(&record.call)).count(), 1);
}

#[test]
fn the_shared_instance_is_one() {
    let device = cuproxide_noop::backend().device(1).unwrap();
    let device = device.as_any().downcast_ref::<NoopDevice>().unwrap();
    assert!(std::ptr::eq(device.recorder(), cuproxide_noop::shared().recorder()));
    let missing = cuproxide_noop::backend().device(2).err().unwrap();
    assert_eq!(missing.to_string(), "noop device 2 does not exist: 2 found");
}
