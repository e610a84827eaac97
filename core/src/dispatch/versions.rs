//! The machine code of a kernel: one version for each device and specialisation that launches have asked for.

use std::sync::{Arc, OnceLock};

use cuproxide_hal::{CompiledKernel, Specialization};

/// Versions in the order in which they were made. Finding one takes no lock and counts nothing: it happens at every launch,
/// and a version stays where it is as long as its kernel lives.
#[derive(Default)]
pub(super) struct Versions(OnceLock<Box<Version>>);

pub(super) struct Version {
    /// Index of the context.
    device: usize,
    pub specialization: Specialization,
    compiled: Arc<dyn CompiledKernel>,
    next: Versions,
}

impl Versions {
    /// The versions, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Version> {
        std::iter::successors(self.0.get(), |version| version.next.0.get()).map(Box::as_ref)
    }

    #[inline]
    pub fn find(&self, device: usize, specialization: Specialization) -> Option<&Arc<dyn CompiledKernel>> {
        let is_wanted = |version: &&Version| version.specialization == specialization && version.device == device;
        self.iter().find(is_wanted).map(|version| &version.compiled)
    }

    pub fn add(&self, device: usize, specialization: Specialization, compiled: Arc<dyn CompiledKernel>) {
        let mut version = Box::new(Version { device, specialization, compiled, next: Versions::default() });
        let mut end = self;
        loop {
            while let Some(last) = end.0.get() {
                end = &last.next;
            }
            match end.0.set(version) {
                Ok(()) => return,
                // Another thread was faster.
                Err(again) => version = again,
            }
        }
    }

    /// Takes all machine code out.
    pub fn take(&mut self) -> Vec<Arc<dyn CompiledKernel>> {
        let mut taken = vec![];
        let mut next = self.0.take();
        while let Some(mut version) = next {
            next = version.next.0.take();
            taken.push(version.compiled);
        }
        taken
    }
}
