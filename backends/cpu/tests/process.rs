//! Threads, forks, memory, streams and events.

mod common;

use std::thread;
use std::time::Duration;

use common::{device, fold, launch, map, numbers, operand};
use cuproxide_hal::{DType, Error, MemoryKind, StreamFlags};

fn sum_of_squares(count: usize) -> f64 {
    let a: Vec<f64> = numbers(count);
    let squares = vec![0.0; count];
    let total = vec![0.0];
    let square = map(1, DType::F64, DType::F64, |x| x[0] * x[0]);
    launch(&square, &[count], &[], &[operand(&a, 0, &[8]), operand(&squares, 0, &[8])], &[]);
    let sum = fold(DType::F64, DType::F64, false, 0.0, |a, b| a + b);
    launch(&sum, &[], &[count], &[operand(&squares, 0, &[8]), operand(&total, 0, &[0])], &[]);
    total[0]
}

#[test]
fn many_threads_compile_and_launch() {
    let expected = sum_of_squares(300_000);
    let workers: Vec<_> =
        (0..8).map(|_| thread::spawn(|| (0..5).map(|_| sum_of_squares(300_000)).collect::<Vec<_>>())).collect();
    for worker in workers {
        assert!(worker.join().expect("no worker panics").iter().all(|&total| total == expected));
    }
}

#[test]
fn a_forked_child_has_threads_of_its_own() {
    let expected = sum_of_squares(500_000);
    // SAFETY: the child only computes and leaves without unwinding.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork works");
    if child == 0 {
        let right = sum_of_squares(500_000) == expected;
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(if right { 0 } else { 1 }) };
    }
    let mut status = 0;
    for _ in 0..600 {
        // SAFETY: waits for the child made above.
        if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
            assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the child computed {status}");
            assert_eq!(sum_of_squares(500_000), expected);
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    // SAFETY: ends the child made above.
    unsafe { libc::kill(child, libc::SIGKILL) };
    panic!("the child hangs");
}

#[test]
fn allocations_are_aligned_and_fail_as_values() {
    for bytes in [0, 1, 1000, 4 << 20, (4 << 20) + 1, 100 << 20] {
        let block = device().allocate(MemoryKind::Device, bytes).expect("there is memory");
        assert!(block.ptr.is_multiple_of(256) && block.ptr != 0 && block.bytes == bytes);
        // SAFETY: the block is live and has this size; it is freed once.
        unsafe {
            device().fill(&*device().default_stream(), block.ptr, 7, bytes).expect("the fill works");
            if bytes > 0 {
                assert_eq!(*((block.ptr + bytes as u64 - 1) as *const u8), 7);
            }
            device().free(block).expect("the block is freed");
        }
    }
    for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize, 1 << 46] {
        let error = device().allocate(MemoryKind::Device, bytes).expect_err("nobody has that much");
        assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == bytes));
    }
    let info = device().memory_info().expect("the system tells");
    assert!(info.free > 0 && info.free <= info.total);
}

#[test]
fn copies_of_all_sizes() {
    let stream = device().create_stream(StreamFlags::default()).expect("streams are free");
    for count in [0, 1, 4097, 5_000_000] {
        let source: Vec<u8> = numbers(count);
        let (middle, target) = (vec![0u8; count], vec![0u8; count]);
        // SAFETY: the vectors are live and apart.
        unsafe {
            device().copy_from_host(&*stream, middle.as_ptr() as u64, source.as_ptr(), count).expect("copies");
            device().copy_to_host(&*stream, target.as_ptr().cast_mut(), middle.as_ptr() as u64, count).expect("copies");
        }
        assert_eq!(source, target);
    }
}

#[test]
fn streams_have_names_and_events_have_times() {
    let (first, second) =
        (device().create_stream(StreamFlags::default()), device().create_stream(StreamFlags::default()));
    let (first, second) = (first.expect("streams are free"), second.expect("streams are free"));
    assert_eq!(device().default_stream().raw(), 0);
    assert!(first.raw() != 0 && first.raw() != second.raw());
    let (start, end) = (device().create_event(true).expect("free"), device().create_event(true).expect("free"));
    assert!(end.elapsed_since(&*start).is_err());
    first.record(&*start).expect("records");
    thread::sleep(Duration::from_millis(5));
    first.record(&*end).expect("records");
    second.wait(&*end).expect("waits");
    assert!(first.is_idle().expect("tells") && end.is_done().expect("tells"));
    assert!((4.0..5000.0).contains(&end.elapsed_since(&*start).expect("both are reached")));
}
