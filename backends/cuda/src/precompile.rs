//! Compiling ahead of time, for devices that need not be here: into the cache on disk, and into a pack.

use std::collections::BTreeMap;

use cuproxide_cpp::Program;
use cuproxide_hal::{Error, Precompile, Precompiled, Result};
use cuproxide_kernels_cuda::DIALECT;

use crate::compiler::{self, Request, Target};
use crate::pack::Packer;
use crate::primitives;
use cuproxide_cpp::cache::DiskCache;

/// Compiles one part of all texts for all targets; with a pack, gathers all of them.
pub(crate) fn run(work: &Precompile<'_>) -> Result<Precompiled> {
    let targets = work.architectures.iter().map(|name| target(name)).collect::<Result<Vec<Target>>>()?;
    let texts = texts(work)?;
    let (part, parts) = work.part;
    let mut done = Precompiled::default();
    let mut packer = work.pack.map(|path| {
        let keys = texts.iter().map(|(name, text)| Request::generated(name, text, targets[0]).text_key);
        (Packer::new(keys.collect()), path)
    });
    for (at, &target) in targets.iter().enumerate() {
        let mut images = vec![];
        for (number, (name, text)) in texts.iter().enumerate() {
            // Like texts cost like time: neighbours go to different parts.
            if packer.is_none() && (number + at) % parts.max(1) != part {
                continue;
            }
            let request = Request::generated(name, text, target);
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
fn target(name: &str) -> Result<Target> {
    let unknown = || Error::unsupported("cuda", format!("the architecture {name}"));
    let target = Target::parse(name).ok_or_else(unknown)?;
    if compiler::knows(target.architecture)? { Ok(target) } else { Err(unknown()) }
}

/// Name and text of everything that is asked for, each once and like ones together.
fn texts(work: &Precompile<'_>) -> Result<Vec<(String, String)>> {
    let mut texts = BTreeMap::new();
    for (kernel, version) in work.kernels {
        let program = match Program::new(kernel, *version, &DIALECT) {
            // It fails at run time too, with the same words.
            Err(Error::Unsupported { .. }) => continue,
            program => program?,
        };
        texts.insert((kernel.name.clone(), version.0, program.text().to_owned()), ());
    }
    let mut texts: Vec<(String, String)> = texts.into_keys().map(|(name, _, text)| (name, text)).collect();
    texts.extend(
        primitives::texts().into_iter().chain(crate::dense::texts()).map(|(name, text)| (name.to_owned(), text)),
    );
    let mut seen = std::collections::HashSet::new();
    texts.retain(|(_, text)| seen.insert(text.clone()));
    Ok(texts)
}
