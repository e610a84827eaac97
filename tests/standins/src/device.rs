//! What the devices say about themselves.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::status::{INVALID_DEVICE, INVALID_VALUE, Outcome, PEER_ALREADY, PEER_NOT_ENABLED};

static INITIALISED: AtomicBool = AtomicBool::new(false);

/// The device is ready for calls from now on.
pub fn initialise() {
    INITIALISED.store(true, Ordering::Release);
}

/// Whether it is.
pub fn is_initialised() -> bool {
    INITIALISED.load(Ordering::Acquire)
}

/// A number from the environment.
pub fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(default)
}

/// Number of devices: `STANDIN_DEVICES`.
pub fn devices() -> usize {
    setting("STANDIN_DEVICES", 1)
}

/// Bytes of a device's memory: `STANDIN_MEMORY`.
pub fn total_memory() -> usize {
    static TOTAL: OnceLock<usize> = OnceLock::new();
    *TOTAL.get_or_init(|| setting("STANDIN_MEMORY", 4 << 30))
}

/// Version of the driver, as CUDA counts: `STANDIN_VERSION`.
pub fn version() -> i32 {
    setting("STANDIN_VERSION", 13_000) as i32
}

/// The device of an ordinal.
pub fn checked(ordinal: i32) -> Outcome<usize> {
    usize::try_from(ordinal).ok().filter(|&ordinal| ordinal < devices()).ok_or(INVALID_DEVICE)
}

/// Processors of a device: few, so that small arrays take the ways of large ones.
pub const PROCESSORS: i32 = 4;
/// Threads that a processor runs at a time.
pub const RESIDENT: i32 = 2048;

/// An attribute by CUDA's number; those that are not listed are 0.
pub fn attribute(number: i32, device: usize) -> Outcome<i32> {
    Ok(match number {
        1..=3 => 1024,
        4 => 64,
        5 | 11 => i32::MAX,
        6 | 7 => 65_535,
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        12 | 82 => 65_536,
        13 => 1_000_000,
        14 => 512,
        16 => PROCESSORS,
        15 | 19 | 31 | 41 | 78 | 79 | 80 | 83 | 89 | 95 | 115 => 1,
        33 => device as i32 + 1,
        36 => 1_000_000,
        37 => 1024,
        38 => 1 << 20,
        39 => RESIDENT,
        40 => 2,
        75 => 9,
        81 => 228 << 10,
        97 => 227 << 10,
        106 => 32,
        ..=0 | 150.. => return Err(INVALID_VALUE),
        _ => 0,
    })
}

/// Blocks of a kernel that a processor runs at a time.
pub fn occupancy(threads: i32, shared: usize) -> Outcome<i32> {
    if !(1..=1024).contains(&threads) {
        return Err(INVALID_VALUE);
    }
    let by_threads = RESIDENT / (threads as u32).next_multiple_of(32) as i32;
    let by_memory = (228usize << 10).checked_div(shared).unwrap_or(32);
    Ok(by_threads.min(32).min(by_memory as i32))
}

/// Limits of the context, by CUDA's numbers.
static LIMITS: Mutex<[usize; 8]> = Mutex::new([1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0]);

/// A limit.
pub fn limit(number: i32) -> Outcome<usize> {
    let limits = LIMITS.lock();
    usize::try_from(number).ok().and_then(|number| limits.get(number)).copied().ok_or(INVALID_VALUE)
}

/// Sets a limit.
pub fn set_limit(number: i32, value: usize) -> Outcome {
    let mut limits = LIMITS.lock();
    let limit = usize::try_from(number).ok().and_then(|number| limits.get_mut(number)).ok_or(INVALID_VALUE)?;
    *limit = value;
    Ok(())
}

/// Pairs of devices of which the first may use the second's memory.
static PEERS: Mutex<Vec<(usize, usize)>> = Mutex::new(vec![]);

/// Lets a device use another's memory.
pub fn enable_peer(device: usize, peer: usize) -> Outcome {
    let mut peers = PEERS.lock();
    if peers.contains(&(device, peer)) {
        return Err(PEER_ALREADY);
    }
    peers.push((device, peer));
    Ok(())
}

/// No longer lets it.
pub fn disable_peer(device: usize, peer: usize) -> Outcome {
    let mut peers = PEERS.lock();
    let at = peers.iter().position(|&pair| pair == (device, peer)).ok_or(PEER_NOT_ENABLED)?;
    peers.swap_remove(at);
    Ok(())
}

/// Pools that were created.
static POOLS: Mutex<Vec<u64>> = Mutex::new(vec![]);

/// A new pool.
pub fn create_pool() -> u64 {
    let pool = crate::queue::state().next();
    POOLS.lock().push(pool);
    pool
}

/// Forgets a pool.
pub fn destroy_pool(pool: u64) -> Outcome {
    let mut pools = POOLS.lock();
    let at = pools.iter().position(|&known| known == pool).ok_or(INVALID_VALUE)?;
    pools.swap_remove(at);
    Ok(())
}

/// An error unless the pool was created or is a device's own; those count from `first` on.
pub fn check_pool(pool: u64, first: u64) -> Outcome {
    let own = (first..first + devices() as u64).contains(&pool);
    if own || POOLS.lock().contains(&pool) { Ok(()) } else { Err(INVALID_VALUE) }
}
