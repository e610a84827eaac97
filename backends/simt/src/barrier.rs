//! The barrier of a grid.

use parking_lot::{Condvar, Mutex};

/// The barrier of a cooperative launch: blocks that have ended do not count.
pub struct GridBarrier {
    state: Mutex<Gathering>,
    changed: Condvar,
}

struct Gathering {
    alive: usize,
    arrived: usize,
    generation: u64,
    failed: bool,
}

impl GridBarrier {
    pub fn new(blocks: usize) -> GridBarrier {
        let state = Gathering { alive: blocks, arrived: 0, generation: 0, failed: false };
        GridBarrier { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for all other blocks.
    pub fn wait(&self) -> Result<(), String> {
        let mut state = self.state.lock();
        state.arrived += 1;
        self.release(&mut state);
        let generation = state.generation;
        if state.arrived > 0 {
            self.changed.wait_while(&mut state, |state| state.generation == generation && !state.failed);
        }
        if state.failed { Err("another block failed".to_owned()) } else { Ok(()) }
    }

    pub fn leave(&self, failed: bool) {
        let mut state = self.state.lock();
        state.alive -= 1;
        state.failed |= failed;
        self.release(&mut state);
        if failed {
            self.changed.notify_all();
        }
    }

    fn release(&self, state: &mut Gathering) {
        if state.arrived > 0 && state.arrived == state.alive {
            state.arrived = 0;
            state.generation += 1;
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_ended_do_not_hold_the_others() {
        let barrier = GridBarrier::new(3);
        std::thread::scope(|scope| {
            let waiters: Vec<_> = (0..2).map(|_| scope.spawn(|| barrier.wait())).collect();
            barrier.leave(false);
            for waiter in waiters {
                assert_eq!(waiter.join().expect("no panic"), Ok(()));
            }
        });
    }

    #[test]
    fn a_failure_frees_who_waits() {
        let barrier = GridBarrier::new(2);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| barrier.wait());
            while barrier.state.lock().arrived == 0 {
                std::thread::yield_now();
            }
            barrier.leave(true);
            let outcome = waiter.join().expect("no panic");
            // The one that is left may also have been let go before it saw the failure.
            assert!(outcome.is_err());
        });
    }
}
