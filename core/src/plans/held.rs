//! Plans of Fourier transforms that a program holds itself: [`collect`] gathers those of a transform and [`using`] runs one
//! with them.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftPlan, FftSpec};

use super::{Key, Plan, PlanCache};
use crate::error::{Result, value_error};

type Held = Arc<Plan<dyn FftPlan>>;

/// Plans that a program holds, with what each is for.
#[derive(Clone)]
pub struct Plans(Vec<(FftSpec, Held)>);

impl Plans {
    /// What the plans are for.
    pub fn specs(&self) -> impl Iterator<Item = &FftSpec> {
        self.0.iter().map(|(spec, _)| spec)
    }

    /// Bytes of memory that the plans take, work areas included.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|(spec, plan)| spec.bytes(&***plan)).sum()
    }

    fn find(&self, spec: &FftSpec) -> Option<Held> {
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

/// Whether the program holds the plans of this thread's transforms: they are to depend on shapes and axes, not on how arrays
/// lie in memory.
pub fn are_held() -> bool {
    MODE.with_borrow(Option::is_some)
}

/// The plan of a transform: the one that the program holds, one from the cache, or a new one by `library`.
///
/// # Errors
/// Those of the library; `ValueError` where the program holds plans for other transforms.
pub fn fft_plan(cache: &PlanCache<FftSpec>, library: &dyn Fft, spec: &FftSpec) -> Result<Held> {
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
    let plan = cache.get(spec, || library.plan(spec))?;
    MODE.with_borrow_mut(|mode| {
        if let Some(Mode::Collect(plans)) = mode
            && plans.find(spec).is_none()
        {
            plans.0.push((spec.clone(), plan.clone()));
        }
    });
    Ok(plan)
}
