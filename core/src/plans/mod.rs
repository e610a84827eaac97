//! What libraries prepare once and use often: plans of transforms, analyses of sparse matrices, generators. Making one
//! takes milliseconds, so those used last are kept, each kind by itself.
//!
//! A kind is a [`Key`]; a device's cache of it ([`Context::plans`](crate::Context::plans)) comes into being when it is first
//! asked for, so that a new kind touches nothing here. What belongs to one stream has the stream in its key.

mod held;

use std::any::{Any, TypeId};
use std::ops::Deref;
use std::sync::Arc;

use cuproxide_hal as hal;
use cuproxide_hal::libraries::{FftPlan, FftSpec};
use parking_lot::{Mutex, RwLock};

use crate::detach::detached;
use crate::error::Result;

pub use held::{Plans, are_held, collect, fft_plan, using};

/// What tells a plan from others of its kind.
pub trait Key: Clone + PartialEq + Send + Sync + 'static {
    /// What is kept.
    type Plan: ?Sized + Send + Sync + 'static;

    /// Plans that are kept unless another number is set.
    const CAPACITY: usize = 16;

    /// Bytes of memory that a plan stands for.
    fn bytes(&self, plan: &Self::Plan) -> usize;
}

impl Key for FftSpec {
    type Plan = dyn FftPlan;

    /// The work area, and tables of one complex number for each point of each axis.
    fn bytes(&self, plan: &dyn FftPlan) -> usize {
        plan.scratch_bytes() + self.lengths.iter().sum::<usize>() * 2 * self.dtype.size()
    }
}

/// A plan that is kept.
pub struct Plan<P: ?Sized + Send + Sync + 'static>(Option<Arc<P>>);

impl<P: ?Sized + Send + Sync> Deref for Plan<P> {
    type Target = P;

    fn deref(&self) -> &P {
        self.0.as_deref().expect("it is there until the end")
    }
}

impl<P: ?Sized + Send + Sync + 'static> Drop for Plan<P> {
    fn drop(&mut self) {
        // Libraries wait for the device before they give a plan up.
        detached(|| drop(self.0.take()));
    }
}

/// The caches of a device, one for each kind of key that was asked for.
#[derive(Default)]
pub struct Caches(RwLock<Vec<(TypeId, Arc<dyn Kind>)>>);

/// A cache of whatever kind.
trait Kind: Any + Send + Sync {
    fn clear(&self) -> bool;
}

impl<K: Key> Kind for PlanCache<K> {
    fn clear(&self) -> bool {
        PlanCache::clear(self)
    }
}

impl Caches {
    /// The cache of a kind.
    pub fn of<K: Key>(&self) -> Arc<PlanCache<K>> {
        let wanted = TypeId::of::<K>();
        let find = |kinds: &[(TypeId, Arc<dyn Kind>)]| {
            let (_, kind) = kinds.iter().find(|(id, _)| *id == wanted)?;
            let kind: Arc<dyn Any + Send + Sync> = kind.clone();
            kind.downcast::<PlanCache<K>>().ok()
        };
        if let Some(found) = find(&self.0.read()) {
            return found;
        }
        let mut kinds = self.0.write();
        find(&kinds).unwrap_or_else(|| {
            let made = Arc::new(PlanCache::<K>::default());
            kinds.push((wanted, made.clone()));
            made
        })
    }

    /// Forgets all plans of every kind; whether there were any.
    pub fn clear(&self) -> bool {
        let kinds: Vec<Arc<dyn Kind>> = self.0.read().iter().map(|(_, kind)| kind.clone()).collect();
        // Every kind is cleared: no short circuit.
        kinds.iter().filter(|kind| kind.clear()).count() > 0
    }
}

/// A cache of plans that forgets the one not used for longest.
pub struct PlanCache<K: Key> {
    state: Mutex<State<K>>,
}

struct State<K: Key> {
    /// Few, so a list beats a map; the one used last is at the end.
    plans: Vec<Entry<K>>,
    stats: PlanStats,
}

type Entry<K> = (K, Arc<Plan<<K as Key>::Plan>>);

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

impl<K: Key> Default for PlanCache<K> {
    fn default() -> PlanCache<K> {
        let stats = PlanStats { capacity: K::CAPACITY, most_bytes: usize::MAX, ..PlanStats::default() };
        PlanCache { state: Mutex::new(State { plans: vec![], stats }) }
    }
}

impl<K: Key> PlanCache<K> {
    /// The plan for a key, made by `make` if it is not held. Where that fails, plans that are held make room.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get(
        &self,
        key: &K,
        make: impl Fn() -> hal::Result<Arc<K::Plan>> + Send + Sync,
    ) -> Result<Arc<Plan<K::Plan>>> {
        if let Some(found) = self.state.lock().find(key) {
            return Ok(found);
        }
        // Made without the lock: other threads use their plans meanwhile.
        let make = || detached(&make);
        let made = make().or_else(|error| if self.clear() { make() } else { Err(error) })?;
        let made = Arc::new(Plan(Some(made)));
        let evicted = self.state.lock().insert(key, &made);
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

impl<K: Key> State<K> {
    fn find(&mut self, key: &K) -> Option<Arc<Plan<K::Plan>>> {
        let Some(position) = self.plans.iter().rposition(|(held, _)| held == key) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        self.plans[position..].rotate_left(1);
        self.plans.last().map(|(_, plan)| plan.clone())
    }

    /// Keeps a plan; returns those that gave way, to be dropped after the lock is released.
    fn insert(&mut self, key: &K, plan: &Arc<Plan<K::Plan>>) -> Vec<Entry<K>> {
        // Another thread may have made the same one.
        if self.plans.iter().all(|(held, _)| held != key) {
            self.plans.push((key.clone(), plan.clone()));
        }
        self.shrink()
    }

    fn shrink(&mut self) -> Vec<Entry<K>> {
        let mut excess = self.plans.len().saturating_sub(self.stats.capacity);
        let mut held = self.bytes();
        held -= self.plans[..excess].iter().map(|(key, plan)| key.bytes(plan)).sum::<usize>();
        while held > self.stats.most_bytes {
            let (key, plan) = &self.plans[excess];
            held -= key.bytes(plan);
            excess += 1;
        }
        self.plans.drain(..excess).collect()
    }

    fn bytes(&self) -> usize {
        self.plans.iter().map(|(key, plan)| key.bytes(plan)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuproxide_hal::libraries::{Fft, FftDirection, FftKind};
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
        FftSpec { kind: FftKind::Complex, dtype: DType::F32, lengths: vec![length], batch: 1, interleaved: false }
    }

    #[test]
    fn the_plan_not_used_for_longest_goes_first() {
        let (cache, library) = (PlanCache::<FftSpec>::default(), Library::default());
        cache.set_capacity(2);
        for length in [1, 2, 1, 3, 1, 2] {
            fft_plan(&cache, &library, &spec(length)).expect("a plan");
        }
        let stats = cache.stats();
        assert_eq!((stats.size, stats.hits, stats.misses), (2, 2, 4));
        cache.set_capacity(0);
        fft_plan(&cache, &library, &spec(1)).expect("a plan");
        assert_eq!(cache.stats().size, 0);
    }

    #[test]
    fn bytes_are_limited() {
        let (cache, library) = (PlanCache::<FftSpec>::default(), Library::default());
        for length in [10, 20, 30] {
            fft_plan(&cache, &library, &spec(length)).expect("a plan");
        }
        assert_eq!(cache.stats().bytes, 60 * 8);
        cache.set_most_bytes(50 * 8);
        let stats = cache.stats();
        assert_eq!((stats.size, stats.bytes), (2, 50 * 8));
        fft_plan(&cache, &library, &spec(60)).expect("a plan");
        assert_eq!(cache.stats().size, 0);
    }

    #[test]
    fn plans_that_a_program_holds_are_used() {
        let (cache, library) = (PlanCache::<FftSpec>::default(), Library::default());
        let plans = collect(|| fft_plan(&cache, &library, &spec(5))).expect("a plan");
        assert_eq!(plans.specs().cloned().collect::<Vec<_>>(), [spec(5)]);
        cache.clear();
        let misses = cache.stats().misses;
        using(&plans, || fft_plan(&cache, &library, &spec(5))).expect("the plan that is held");
        assert!(using(&plans, || fft_plan(&cache, &library, &spec(6))).is_err());
        assert_eq!(cache.stats().misses, misses);
        fft_plan(&cache, &library, &spec(6)).expect("afterwards all is as before");
    }

    #[test]
    fn held_plans_make_room_for_one_that_fails() {
        let (cache, library) = (PlanCache::<FftSpec>::default(), Library::default());
        fft_plan(&cache, &library, &spec(1)).expect("a plan");
        library.failures.store(1, Ordering::Relaxed);
        fft_plan(&cache, &library, &spec(2)).expect("the second attempt works");
        assert_eq!(cache.stats().size, 1);
        library.failures.store(2, Ordering::Relaxed);
        assert!(fft_plan(&cache, &library, &spec(3)).is_err());
    }

    /// Another kind: its key has a stream, its plans are plain data.
    #[derive(Clone, PartialEq)]
    struct Analysis {
        pattern: u64,
        stream: u64,
    }

    impl Key for Analysis {
        type Plan = Vec<u32>;
        const CAPACITY: usize = 2;

        fn bytes(&self, plan: &Vec<u32>) -> usize {
            plan.len() * 4
        }
    }

    #[test]
    fn kinds_have_caches_of_their_own() {
        let caches = Caches::default();
        let library = Library::default();
        fft_plan(&caches.of::<FftSpec>(), &library, &spec(4)).expect("a plan");
        let analyses = caches.of::<Analysis>();
        for (pattern, stream) in [(1, 0), (1, 1), (1, 0), (2, 0), (1, 0)] {
            let made = analyses.get(&Analysis { pattern, stream }, || Ok(Arc::new(vec![pattern as u32; 3])));
            assert_eq!(**made.expect("an analysis"), [pattern as u32; 3]);
        }
        let stats = caches.of::<Analysis>().stats();
        assert_eq!((stats.size, stats.hits, stats.misses, stats.bytes), (2, 2, 3, 24));
        assert_eq!(caches.of::<FftSpec>().stats().size, 1);
        assert!(caches.clear() && !caches.clear());
        assert_eq!((analyses.stats().size, caches.of::<FftSpec>().stats().size), (0, 0));
    }
}
