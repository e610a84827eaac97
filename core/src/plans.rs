//! The prepared Fourier transforms of a device: making one takes milliseconds, so those used last are kept.
//!
//! A program may also hold plans itself: [`collect`] gathers those of a transform and [`using`] runs one with them.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftPlan, FftSpec};
use parking_lot::Mutex;

use crate::detach::detached;
use crate::error::{Result, value_error};

/// Plans that are kept unless another number is set.
const DEFAULT_CAPACITY: usize = 16;

/// A plan of the device's library.
pub struct Plan(Option<Arc<dyn FftPlan>>);

impl Deref for Plan {
    type Target = dyn FftPlan;

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().expect("it is there until the end")
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // Libraries wait for the device before they give a plan up.
        detached(|| drop(self.0.take()));
    }
}

/// Plans that a program holds, with what each is for.
#[derive(Clone)]
pub struct Plans(Vec<(FftSpec, Arc<Plan>)>);

impl Plans {
    /// What the plans are for.
    pub fn specs(&self) -> impl Iterator<Item = &FftSpec> {
        self.0.iter().map(|(spec, _)| spec)
    }

    /// Bytes of memory that the plans take, work areas included.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|(spec, plan)| bytes(spec, plan)).sum()
    }

    fn find(&self, spec: &FftSpec) -> Option<Arc<Plan>> {
        self.0.iter().find(|(held, _)| held == spec).map(|(_, plan)| plan.clone())
    }
}

/// What happens to requests for plans of this thread.
enum Mode {
    Collect(Plans),
    Use(Plans),
}

thread_local! {
    static MODE: RefCell<Option<Mode>> = const { RefCell::new(None) };
}

/// Puts the former mode back, also after a panic.
struct Restore(Option<Mode>);

impl Drop for Restore {
    fn drop(&mut self) {
        MODE.set(self.0.take());
    }
}

/// Runs `work` and gathers the plans that it asked for.
///
/// # Errors
/// Those of `work`.
pub fn collect<T>(work: impl FnOnce() -> Result<T>) -> Result<Plans> {
    let _restore = Restore(MODE.replace(Some(Mode::Collect(Plans(vec![])))));
    work()?;
    match MODE.take() {
        Some(Mode::Collect(plans)) => Ok(plans),
        _ => Ok(Plans(vec![])),
    }
}

/// Runs `work` with these plans and no other.
///
/// # Errors
/// Those of `work`; `ValueError` where it asks for a plan that is not among them.
pub fn using<T>(plans: &Plans, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _restore = Restore(MODE.replace(Some(Mode::Use(plans.clone()))));
    work()
}

/// Bytes that a plan stands for: its work area, and tables of one complex number for each point of each axis.
fn bytes(spec: &FftSpec, plan: &Plan) -> usize {
    plan.scratch_bytes() + spec.lengths.iter().sum::<usize>() * 2 * spec.dtype.size()
}

/// A cache of plans that forgets the one not used for longest.
pub struct PlanCache {
    state: Mutex<State>,
}

struct State {
    /// Few, so a list beats a map; the one used last is at the end.
    plans: Vec<(FftSpec, Arc<Plan>)>,
    stats: PlanStats,
}

/// Counters of a plan cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanStats {
    /// Plans held.
    pub size: usize,
    /// Most plans that are held.
    pub capacity: usize,
    /// Requests that found a plan.
    pub hits: usize,
    /// Requests for which one was made.
    pub misses: usize,
    /// Bytes that the plans stand for, work areas included.
    pub bytes: usize,
    /// Most bytes of plans that are held.
    pub most_bytes: usize,
}

impl Default for PlanCache {
    fn default() -> PlanCache {
        let stats = PlanStats { capacity: DEFAULT_CAPACITY, most_bytes: usize::MAX, ..PlanStats::default() };
        PlanCache { state: Mutex::new(State { plans: vec![], stats }) }
    }
}

impl PlanCache {
    /// The plan for a request, made by `library` if it is not held. Where that fails, plans that are held make room.
    ///
    /// # Errors
    /// Those of the library.
    pub fn get(&self, library: &dyn Fft, spec: &FftSpec) -> Result<Arc<Plan>> {
        let held = MODE.with_borrow(|mode| match mode {
            Some(Mode::Use(plans)) => Some(plans.find(spec)),
            _ => None,
        });
        match held {
            Some(Some(plan)) => return Ok(plan),
            Some(None) => {
                return value_error(format!(
                    "the plan is not for this transform: {:?} points, batch of {}, {:?} of {}",
                    spec.lengths, spec.batch, spec.kind, spec.dtype
                ));
            }
            None => {}
        }
        let plan = self.cached(library, spec)?;
        MODE.with_borrow_mut(|mode| {
            if let Some(Mode::Collect(plans)) = mode
                && plans.find(spec).is_none()
            {
                plans.0.push((spec.clone(), plan.clone()));
            }
        });
        Ok(plan)
    }

    fn cached(&self, library: &dyn Fft, spec: &FftSpec) -> Result<Arc<Plan>> {
        if let Some(found) = self.state.lock().find(spec) {
            return Ok(found);
        }
        // Made without the lock: other threads use their plans meanwhile.
        let plan = || detached(|| library.plan(spec));
        let made = plan().or_else(|error| if self.clear() { plan() } else { Err(error) })?;
        let made = Arc::new(Plan(Some(made)));
        let evicted = self.state.lock().insert(spec, &made);
        drop(evicted);
        Ok(made)
    }

    /// Forgets all plans; whether there were any.
    pub fn clear(&self) -> bool {
        let plans = std::mem::take(&mut self.state.lock().plans);
        !plans.is_empty()
    }

    /// Sets how many plans are kept; 0 for none.
    pub fn set_capacity(&self, capacity: usize) {
        let evicted = {
            let mut state = self.state.lock();
            state.stats.capacity = capacity;
            state.shrink()
        };
        drop(evicted);
    }

    /// Sets how many bytes of plans, work areas included, are kept.
    pub fn set_most_bytes(&self, most_bytes: usize) {
        let evicted = {
            let mut state = self.state.lock();
            state.stats.most_bytes = most_bytes;
            state.shrink()
        };
        drop(evicted);
    }

    /// The counters.
    pub fn stats(&self) -> PlanStats {
        let state = self.state.lock();
        PlanStats { size: state.plans.len(), bytes: state.bytes(), ..state.stats }
    }
}

impl State {
    fn find(&mut self, spec: &FftSpec) -> Option<Arc<Plan>> {
        let Some(position) = self.plans.iter().rposition(|(held, _)| held == spec) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        self.plans[position..].rotate_left(1);
        self.plans.last().map(|(_, plan)| plan.clone())
    }

    /// Keeps a plan; returns those that gave way, to be dropped after the lock is released.
    fn insert(&mut self, spec: &FftSpec, plan: &Arc<Plan>) -> Vec<(FftSpec, Arc<Plan>)> {
        // Another thread may have made the same one.
        if self.plans.iter().all(|(held, _)| held != spec) {
            self.plans.push((spec.clone(), plan.clone()));
        }
        self.shrink()
    }

    fn shrink(&mut self) -> Vec<(FftSpec, Arc<Plan>)> {
        let mut excess = self.plans.len().saturating_sub(self.stats.capacity);
        let mut held = self.bytes();
        held -= self.plans[..excess].iter().map(|(spec, plan)| bytes(spec, plan)).sum::<usize>();
        while held > self.stats.most_bytes {
            let (spec, plan) = &self.plans[excess];
            held -= bytes(spec, plan);
            excess += 1;
        }
        self.plans.drain(..excess).collect()
    }

    fn bytes(&self) -> usize {
        self.plans.iter().map(|(spec, plan)| bytes(spec, plan)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuproxide_hal::libraries::{FftDirection, FftKind};
    use cuproxide_hal::{DType, Error, Stream};
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Nothing;

    impl FftPlan for Nothing {
        fn scratch_bytes(&self) -> usize {
            0
        }

        unsafe fn execute(&self, _: &dyn Stream, _: FftDirection, _: u64, _: u64, _: u64) -> cuproxide_hal::Result<()> {
            Ok(())
        }
    }

    /// A library that fails as long as `failures` are left.
    #[derive(Default)]
    struct Library {
        failures: AtomicUsize,
    }

    impl Fft for Library {
        fn plan(&self, _: &FftSpec) -> cuproxide_hal::Result<Arc<dyn FftPlan>> {
            let left = self.failures.load(Ordering::Relaxed);
            if left > 0 {
                self.failures.store(left - 1, Ordering::Relaxed);
                return Err(Error::unsupported("test", "plans"));
            }
            Ok(Arc::new(Nothing))
        }
    }

    fn spec(length: usize) -> FftSpec {
        FftSpec { kind: FftKind::Complex, dtype: DType::F32, lengths: vec![length], batch: 1 }
    }

    #[test]
    fn the_plan_not_used_for_longest_goes_first() {
        let (cache, library) = (PlanCache::default(), Library::default());
        cache.set_capacity(2);
        for length in [1, 2, 1, 3, 1, 2] {
            cache.get(&library, &spec(length)).expect("a plan");
        }
        let stats = cache.stats();
        assert_eq!((stats.size, stats.hits, stats.misses), (2, 2, 4));
        cache.set_capacity(0);
        cache.get(&library, &spec(1)).expect("a plan");
        assert_eq!(cache.stats().size, 0);
    }

    #[test]
    fn bytes_are_limited() {
        let (cache, library) = (PlanCache::default(), Library::default());
        for length in [10, 20, 30] {
            cache.get(&library, &spec(length)).expect("a plan");
        }
        assert_eq!(cache.stats().bytes, 60 * 8);
        cache.set_most_bytes(50 * 8);
        let stats = cache.stats();
        assert_eq!((stats.size, stats.bytes), (2, 50 * 8));
        cache.get(&library, &spec(60)).expect("a plan");
        assert_eq!(cache.stats().size, 0);
    }

    #[test]
    fn plans_that_a_program_holds_are_used() {
        let (cache, library) = (PlanCache::default(), Library::default());
        let plans = collect(|| cache.get(&library, &spec(5))).expect("a plan");
        assert_eq!(plans.specs().cloned().collect::<Vec<_>>(), [spec(5)]);
        cache.clear();
        let misses = cache.stats().misses;
        using(&plans, || cache.get(&library, &spec(5))).expect("the plan that is held");
        assert!(using(&plans, || cache.get(&library, &spec(6))).is_err());
        assert_eq!(cache.stats().misses, misses);
        cache.get(&library, &spec(6)).expect("afterwards all is as before");
    }

    #[test]
    fn held_plans_make_room_for_one_that_fails() {
        let (cache, library) = (PlanCache::default(), Library::default());
        cache.get(&library, &spec(1)).expect("a plan");
        library.failures.store(1, Ordering::Relaxed);
        cache.get(&library, &spec(2)).expect("the second attempt works");
        assert_eq!(cache.stats().size, 1);
        library.failures.store(2, Ordering::Relaxed);
        assert!(cache.get(&library, &spec(3)).is_err());
    }
}
