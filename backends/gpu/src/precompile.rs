//! Compiling ahead of time, for devices that need not be here: into the cache on disk, and into a pack.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use cuproxide_codegen::{Dialect, Program};
use cuproxide_hal::{Error, Precompile, Precompiled, Result};

use crate::compiler::{self, Request, text_key};
use crate::pack::Packer;
use crate::primitives;
use crate::target::Target;
use crate::vendor::{Vendor, complete};
use cuproxide_codegen::cache::DiskCache;

/// Compiles one part of all texts for all targets; with a pack, gathers all of them.
pub(crate) fn run(vendor: &'static Vendor, work: &Precompile<'_>) -> Result<Precompiled> {
    let targets = work.architectures.iter().map(|name| target(vendor, name)).collect::<Result<Vec<Target>>>()?;
    let texts = texts(vendor, &targets, work)?;
    let (part, parts) = work.part;
    let mut done = Precompiled::default();
    let mut packer = work.pack.map(|path| {
        let keys = |versioned| texts.iter().map(move |(_, text, _)| text_key(vendor, text, versioned));
        let mut packer = Packer::new(keys(true).collect());
        // Without a compiler, its version does not matter.
        for (number, (key, versioned)) in keys(false).zip(keys(true)).enumerate() {
            if key.bytes() != versioned.bytes() {
                packer.also(key, number);
            }
        }
        (packer, path)
    });
    for (at, &target) in targets.iter().enumerate() {
        let mut images = vec![];
        for (number, (name, text, warp)) in texts.iter().enumerate() {
            if *warp != (vendor.dialect)(target).warp {
                // A pack has one image for each text; this one is never asked for.
                images.push(vec![]);
                continue;
            }
            // Like texts cost like time: neighbours go to different parts.
            if packer.is_none() && (number + at) % parts.max(1) != part {
                continue;
            }
            let request = Request::generated(vendor, name, text, target);
            let image = match DiskCache::of_process().get(&request.key) {
                Some(image) => image,
                None => {
                    done.compiled += 1;
                    request.compile()?
                }
            };
            done.wanted += 1;
            done.bytes += image.len();
            if packer.is_some() {
                images.push(image);
            }
        }
        if let Some((packer, _)) = &mut packer {
            packer.add(target, &images)?;
        }
    }
    if let Some((packer, path)) = packer {
        packer.write(path)?;
    }
    Ok(done)
}

/// The target of that name, if the compiler knows it.
fn target(vendor: &'static Vendor, name: &str) -> Result<Target> {
    let unknown = || Error::unsupported(vendor.name, format!("the architecture {name}"));
    let target = (vendor.target)(name).ok_or_else(unknown)?;
    if compiler::knows(vendor, target)? { Ok(target) } else { Err(unknown()) }
}

/// Name and text of every hand-written kernel in a dialect, except those of more than four billion elements.
pub fn hand_written(dialect: &Dialect) -> Vec<(&'static str, String)> {
    let texts = [primitives::texts(), crate::dense::texts(), crate::small_matrices::texts()].into_iter().flatten();
    texts.map(|(name, text)| (name, complete(dialect, &text))).collect()
}

/// Name, text and width of a warp of everything that is asked for, each once and like ones together.
fn texts(vendor: &'static Vendor, targets: &[Target], work: &Precompile<'_>) -> Result<Vec<(String, String, u32)>> {
    let dialects: BTreeMap<u32, &Dialect> =
        targets.iter().map(|&target| (vendor.dialect)(target)).map(|dialect| (dialect.warp, dialect)).collect();
    let mut texts = vec![];
    for (warp, dialect) in dialects {
        let mut generated = BTreeSet::new();
        for (kernel, version) in work.kernels {
            let program = match Program::new(kernel, *version, dialect) {
                // It fails at run time too, with the same words.
                Err(Error::Unsupported { .. }) => continue,
                program => program?,
            };
            generated.insert((kernel.name.clone(), version.0, program.text().to_owned()));
        }
        texts.extend(generated.into_iter().map(|(name, _, text)| (name, text, warp)));
        texts.extend(hand_written(dialect).into_iter().map(|(name, text)| (name.to_owned(), text, warp)));
    }
    let mut seen = HashSet::new();
    texts.retain(|(_, text, _)| seen.insert(text.clone()));
    Ok(texts)
}
