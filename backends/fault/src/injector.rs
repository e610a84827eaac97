//! Counts calls and decides which of them fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use cuproxide_hal::{DeviceId, Error, Result};
use parking_lot::RwLock;

use crate::plan::{Plan, Site};

const CODE: i64 = -1;
const NAME: &str = "INJECTED_FAULT";
/// The explanation that every injected error carries.
pub(crate) const MESSAGE: &str = "made to fail by fault injection";

/// How many calls of each site were made since the plan was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls by site; those of [`Site::Lost`] are the calls of all sites.
    pub calls: [u64; Site::ALL.len()],
    /// Calls that were made to fail.
    pub injected: u64,
}

impl Counts {
    /// Calls of one site.
    pub fn of(&self, site: Site) -> u64 {
        self.calls[site as usize]
    }
}

/// A plan in force with its counters.
#[derive(Default)]
pub struct Injector {
    plan: RwLock<Plan>,
    armed: AtomicBool,
    lost: AtomicBool,
    calls: [AtomicU64; Site::ALL.len()],
    injected: AtomicU64,
}

impl Injector {
    /// An injector with a plan.
    pub fn new(plan: Plan) -> Arc<Injector> {
        let injector = Arc::new(Injector::default());
        injector.set_plan(Some(plan));
        injector
    }

    /// Puts a plan in force, or none. The counters start again and a lost device is back.
    pub fn set_plan(&self, plan: Option<Plan>) {
        let mut current = self.plan.write();
        *current = plan.unwrap_or_default();
        self.lost.store(false, Ordering::SeqCst);
        self.calls.iter().chain([&self.injected]).for_each(|counter| counter.store(0, Ordering::SeqCst));
        self.armed.store(!current.rules.is_empty(), Ordering::SeqCst);
    }

    /// The plan in force.
    pub fn plan(&self) -> Plan {
        self.plan.read().clone()
    }

    /// The counters.
    pub fn counts(&self) -> Counts {
        Counts {
            calls: std::array::from_fn(|site| self.calls[site].load(Ordering::SeqCst)),
            injected: self.injected.load(Ordering::SeqCst),
        }
    }

    /// Counts a call of `site` on `device`; fails with `fault` if the plan says so.
    fn pass(&self, site: Site, device: DeviceId, fault: impl FnOnce() -> Error) -> Result<()> {
        let number = self.calls[site as usize].fetch_add(1, Ordering::Relaxed) + 1;
        let overall = self.calls[Site::Lost as usize].fetch_add(1, Ordering::Relaxed) + 1;
        if !self.armed.load(Ordering::Acquire) {
            return Ok(());
        }
        let plan = self.plan.read();
        let hit = |site, number| plan.rules.iter().any(|rule| rule.site == site && rule.hits(number));
        if self.lost.load(Ordering::SeqCst) || hit(Site::Lost, overall) {
            self.lost.store(true, Ordering::SeqCst);
            self.injected.fetch_add(1, Ordering::SeqCst);
            return Err(lost(device));
        }
        if hit(site, number) {
            self.injected.fetch_add(1, Ordering::SeqCst);
            return Err(fault());
        }
        Ok(())
    }
}

/// What everything that belongs to one device asks before it passes a call on.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) injector: Arc<Injector>,
    pub(crate) device: DeviceId,
}

impl Guard {
    /// Counts a call of `site`; fails with `fault` if the plan says so.
    pub(crate) fn pass_or(&self, site: Site, fault: impl FnOnce() -> Error) -> Result<()> {
        self.injector.pass(site, self.device, fault)
    }

    /// Counts a call of `site`; fails as the vendor's function `call` would.
    pub(crate) fn pass(&self, site: Site, call: &'static str) -> Result<()> {
        let error = || Error::Call { call, code: CODE, name: NAME.to_owned(), message: MESSAGE.to_owned() };
        self.pass_or(site, error)
    }

    /// Fails if the device is lost; for calls that are not counted.
    pub(crate) fn alive(&self) -> Result<()> {
        if self.injector.lost.load(Ordering::Relaxed) { Err(lost(self.device)) } else { Ok(()) }
    }
}

fn lost(device: DeviceId) -> Error {
    Error::DeviceLost { device: device.to_string(), message: MESSAGE.to_owned() }
}

/// The injector that the whole process shares: the one that `CUPROXIDE_FAULT` arms.
pub fn global() -> &'static Arc<Injector> {
    static GLOBAL: LazyLock<Arc<Injector>> = LazyLock::new(Arc::default);
    &GLOBAL
}
