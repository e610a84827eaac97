//! The kernels that ship with the package: machine code and PTX of many texts in one compressed file.
//!
//! ```text
//! mark, length of the directory, length of the file, checksum of the directory
//! directory: keys, texts a block; each key and the number of its text, sorted by key;
//!            targets; for each target: name, kind, base, and the place, packed and full size of its blocks
//! blocks:    zstd frames of the sizes and then the images of consecutive texts
//! ```
//!
//! Texts are numbered so that like ones are neighbours: they share a block, and what they have in common is stored once. The
//! base is a target before it whose like block is the dictionary of this one: of two architectures that are nearly the same,
//! only the difference is stored.
//! A key is the hash of a text with its options, so that a pack of another version is of no use but does no harm. Texts that
//! call the mathematical library have a second key with the version of the compiler, which processes that have one use. A
//! missing or damaged file only means that kernels are looked for elsewhere.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use cuproxide_hal::{Error, Result, settings};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::loader;
use crate::target::{Serves, Target};
use crate::vendor::Vendor;
use cuproxide_codegen::cache::Key;

const MARK: &[u8; 16] = b"CUPROXIDE PACK 3";
const HEAD: usize = MARK.len() + 8 + 8 + 32;
/// Bytes of a key that are kept.
const KEY: usize = 16;
/// Texts of a block: more compress better, fewer are unpacked faster.
const PER_BLOCK: usize = 32;
const LEVEL: i32 = 19;

/// An opened pack.
#[derive(Debug)]
pub(crate) struct Pack {
    file: File,
    path: PathBuf,
    per_block: usize,
    /// Sorted; with the number of the text.
    keys: Vec<([u8; KEY], usize)>,
    sections: Vec<Section>,
}

/// The images for one target.
#[derive(Debug)]
struct Section {
    target: Target,
    /// The number of the section whose blocks are the dictionaries.
    base: Option<usize>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    packed: usize,
    full: usize,
}

impl Pack {
    /// The pack of this installation, if there is one: the file that `CUPROXIDE_KERNEL_PACK` names, or the one beside
    /// this very library.
    pub fn of_process(vendor: &'static Vendor) -> Option<&'static Pack> {
        static PACKS: Mutex<Vec<(&str, Option<&'static Pack>)>> = Mutex::new(Vec::new());
        let mut packs = PACKS.lock();
        if let Some((_, pack)) = packs.iter().find(|(name, _)| *name == vendor.name) {
            return *pack;
        }
        let beside = || Some(loader::own_file()?.parent()?.join(vendor.pack));
        let path = settings::KERNEL_PACK.path().or_else(beside);
        let pack = path.and_then(|path| match Pack::open(&path) {
            Ok(pack) => Some(&*Box::leak(Box::new(pack))),
            Err(error) => {
                tracing::info!(path = %path.display(), %error, "no precompiled kernels");
                None
            }
        });
        packs.push((vendor.name, pack));
        pack
    }

    /// Reads the directory of a pack.
    pub fn open(path: &Path) -> io::Result<Pack> {
        let file = File::open(path)?;
        let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, 0)?;
        let mut reader = Reader(&head);
        if reader.take(MARK.len()) != Some(MARK) {
            return Err(damaged("not a pack of this version"));
        }
        let short = || damaged("a short directory");
        let length = reader.number::<8>().ok_or_else(short)?;
        let whole = reader.number::<8>().ok_or_else(short)?;
        if file.metadata()?.len() != whole || length > whole {
            return Err(damaged("the file is not whole"));
        }
        let mut directory = vec![0; length as usize];
        file.read_exact_at(&mut directory, HEAD as u64)?;
        if Sha256::digest(&directory)[..] != *reader.0 {
            return Err(damaged("the directory is damaged"));
        }
        Pack::parse(file, path.to_path_buf(), &directory).ok_or_else(short)
    }

    fn parse(file: File, path: PathBuf, directory: &[u8]) -> Option<Pack> {
        let mut reader = Reader(directory);
        let count = reader.number::<4>()?;
        let per_block = reader.number::<4>()? as usize;
        let mut keys = vec![];
        for _ in 0..count {
            keys.push((reader.take(KEY)?.try_into().ok()?, reader.number::<4>()? as usize));
        }
        let mut sections = vec![];
        for _ in 0..reader.number::<4>()? {
            let length = reader.number::<4>()? as usize;
            let name = std::str::from_utf8(reader.take(length)?).ok()?;
            let target = Target::new(name, reader.number::<4>()? != 0);
            // A base lies before, or reading it would not end.
            let base = (reader.number::<4>()? as usize).checked_sub(1);
            if base.is_some_and(|base| base >= sections.len()) {
                return None;
            }
            let mut blocks = vec![];
            for _ in 0..reader.number::<4>()? {
                let offset = reader.number::<8>()?;
                let (packed, full) = (reader.number::<4>()? as usize, reader.number::<4>()? as usize);
                blocks.push(Block { offset, packed, full });
            }
            sections.push(Section { target, base, blocks });
        }
        Some(Pack { file, path, per_block, keys, sections })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of texts.
    pub fn texts(&self) -> usize {
        self.keys.iter().map(|(_, number)| number + 1).max().unwrap_or(0)
    }

    /// What they are compiled for.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        self.sections.iter().map(|section| section.target)
    }

    /// The image of a text that suits a device best, as machine code or as PTX.
    pub fn get(&self, serves: Serves, text: &Key, device: Target, binary: bool) -> Option<Vec<u8>> {
        let at = self.keys.binary_search_by_key(&&text.bytes()[..KEY], |(key, _)| &key[..]).ok()?;
        let fit = |section: &Section| serves(section.target, device);
        let sections = self.sections.iter().filter(|section| section.target.binary == binary);
        let section = sections.filter(|section| fit(section).is_some()).max_by_key(|section| fit(section))?;
        let image = self.read(section, self.keys[at].1);
        if let Err(error) = &image {
            tracing::warn!(path = %self.path.display(), %error, "a precompiled kernel cannot be read");
        }
        image.ok().filter(|image| !image.is_empty())
    }

    /// What is in a block.
    fn block(&self, section: &Section, number: usize) -> io::Result<Vec<u8>> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a damaged block");
        let block = section.blocks.get(number).ok_or_else(damaged)?;
        let mut packed = vec![0; block.packed];
        self.file.read_exact_at(&mut packed, block.offset)?;
        let dictionary = section.base.map(|base| self.block(&self.sections[base], number)).transpose()?;
        zstd::bulk::Decompressor::with_dictionary(&dictionary.unwrap_or_default())?.decompress(&packed, block.full)
    }

    fn read(&self, section: &Section, number: usize) -> io::Result<Vec<u8>> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a damaged block");
        let full = self.block(section, number / self.per_block)?;
        let mut reader = Reader(&full);
        let mut sizes = vec![];
        let texts = reader.number::<4>().ok_or_else(damaged)?;
        for _ in 0..texts {
            sizes.push(reader.number::<4>().ok_or_else(damaged)? as usize);
        }
        let within = number % self.per_block;
        let size = *sizes.get(within).ok_or_else(damaged)?;
        reader.take(sizes[..within].iter().sum()).ok_or_else(damaged)?;
        Ok(reader.take(size).ok_or_else(damaged)?.to_vec())
    }
}

/// Little-endian numbers and bytes, one after the other.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number<const BYTES: usize>(&mut self) -> Option<u64> {
        let mut wide = [0; 8];
        wide[..BYTES].copy_from_slice(self.take(BYTES)?);
        Some(u64::from_le_bytes(wide))
    }
}

/// A pack being made.
pub(crate) struct Packer {
    keys: Vec<Key>,
    /// More keys of texts, with their numbers.
    others: Vec<(Key, usize)>,
    sections: Vec<Packed>,
}

/// A section being made.
struct Packed {
    target: Target,
    base: Option<usize>,
    /// The blocks before and after they are compressed.
    full: Vec<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
}

impl Packed {
    fn size(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }
}

/// Blocks, compressed with a dictionary each.
fn compressed(full: &[Vec<u8>], dictionaries: Option<&[Vec<u8>]>) -> io::Result<Vec<Vec<u8>>> {
    let compress = |(at, block): (usize, &Vec<u8>)| {
        let dictionary = dictionaries.map_or(&[][..], |all| &all[at]);
        let mut compressor = zstd::bulk::Compressor::with_dictionary(LEVEL, dictionary)?;
        compressor.include_checksum(true)?;
        compressor.compress(block)
    };
    full.iter().enumerate().map(compress).collect()
}

impl Packer {
    /// A pack of these texts, numbered as they come.
    pub fn new(keys: Vec<Key>) -> Packer {
        Packer { keys, others: vec![], sections: vec![] }
    }

    /// Lets the text of a number be found by another key too.
    pub fn also(&mut self, key: Key, number: usize) {
        self.others.push((key, number));
    }

    /// Adds the images of all texts for one target, on the base that makes them smallest.
    pub fn add(&mut self, target: Target, images: &[Vec<u8>]) -> Result<()> {
        assert_eq!(images.len(), self.keys.len(), "one image for each text");
        let block = |chunk: &[Vec<u8>]| {
            let mut full = (chunk.len() as u32).to_le_bytes().to_vec();
            chunk.iter().for_each(|image| full.extend((image.len() as u32).to_le_bytes()));
            chunk.iter().for_each(|image| full.extend(image));
            full
        };
        let full: Vec<Vec<u8>> = images.chunks(PER_BLOCK).map(block).collect();
        let on = |base: Option<usize>| {
            let blocks = compressed(&full, base.map(|base| &self.sections[base].full[..]))?;
            Ok(Packed { target, base, full: full.clone(), blocks })
        };
        let bases = self.sections.iter().enumerate().filter(|(_, other)| other.target.binary == target.binary);
        let bases: Vec<Option<usize>> = std::iter::once(None).chain(bases.map(|(at, _)| Some(at))).collect();
        let tried: io::Result<Vec<Packed>> = bases.into_iter().map(on).collect();
        let tried = tried.map_err(|error| failure("zstd", &error))?;
        self.sections.extend(tried.into_iter().min_by_key(Packed::size));
        Ok(())
    }

    /// Writes the file, all of it or nothing.
    pub fn write(&self, path: &Path) -> Result<()> {
        let others = self.others.iter().map(|(key, at)| (key, *at as u32));
        let mut keys: Vec<(&[u8], u32)> =
            self.keys.iter().zip(0..).chain(others).map(|(key, at)| (&key.bytes()[..KEY], at)).collect();
        keys.sort_unstable();
        let directory = |mut offset: u64| {
            let mut out = vec![];
            let number = |out: &mut Vec<u8>, value: usize| out.extend((value as u32).to_le_bytes());
            number(&mut out, keys.len());
            number(&mut out, PER_BLOCK);
            for (key, at) in &keys {
                out.extend(*key);
                out.extend(at.to_le_bytes());
            }
            number(&mut out, self.sections.len());
            for Packed { target: Target { name, binary }, base, full, blocks } in &self.sections {
                number(&mut out, name.len());
                out.extend(name.as_bytes());
                number(&mut out, usize::from(*binary));
                number(&mut out, base.map_or(0, |base| base + 1));
                number(&mut out, blocks.len());
                for (packed, full) in blocks.iter().zip(full) {
                    out.extend(offset.to_le_bytes());
                    number(&mut out, packed.len());
                    number(&mut out, full.len());
                    offset += packed.len() as u64;
                }
            }
            (out, offset)
        };
        // Offsets do not change its length.
        let length = directory(0).0.len();
        let (directory, whole) = directory((HEAD + length) as u64);
        let temporary = path.with_extension(format!("{}.part", std::process::id()));
        let write = || {
            // Not through a link that lies there.
            let mut file = io::BufWriter::new(File::create_new(&temporary)?);
            file.write_all(MARK)?;
            file.write_all(&(length as u64).to_le_bytes())?;
            file.write_all(&whole.to_le_bytes())?;
            file.write_all(&Sha256::digest(&directory))?;
            file.write_all(&directory)?;
            for packed in self.sections.iter().flat_map(|section| &section.blocks) {
                file.write_all(packed)?;
            }
            file.into_inner()?.sync_all()?;
            std::fs::rename(&temporary, path)
        };
        write().map_err(|error| {
            let _ = std::fs::remove_file(&temporary);
            failure(&path.display().to_string(), &error)
        })
    }
}

fn failure(what: &str, error: &io::Error) -> Error {
    Error::InvalidSetting { setting: "pack", value: what.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SM_80: Target = Target { name: "sm_80", binary: true };
    const SM_86: Target = Target { name: "sm_86", binary: true };
    const PTX_75: Target = Target { name: "compute_75", binary: false };

    /// As CUDA has it, for numbers of two digits.
    fn serves(image: Target, device: Target) -> Option<u32> {
        let number = |target: Target| target.name.rsplit('_').next()?.parse::<u32>().ok();
        let (own, device) = (number(image)?, number(device)?);
        (own <= device && (!image.binary || own / 10 == device / 10)).then_some(own)
    }

    fn key(number: usize) -> Key {
        Key::of([number.to_le_bytes().as_slice()])
    }

    fn image(target: Target, number: usize) -> Vec<u8> {
        format!("{target} {number} ").repeat(1 + number % 50).into_bytes()
    }

    fn packed(name: &str, count: usize) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cuproxide-pack-{}-{name}", std::process::id()));
        let mut packer = Packer::new((0..count).map(key).collect());
        packer.also(key(1 << 20), 7);
        for target in [SM_80, SM_86, PTX_75] {
            packer.add(target, &(0..count).map(|number| image(target, number)).collect::<Vec<_>>()).expect("a section");
        }
        packer.write(&path).expect("a pack");
        path
    }

    #[test]
    fn every_image_comes_back_for_the_device_it_suits() {
        let count = 3 * PER_BLOCK + 5;
        let path = packed("round", count);
        let pack = Pack::open(&path).expect("the pack opens");
        assert_eq!((pack.texts(), pack.targets().count()), (count, 3));
        let device = |name| Target { name, binary: true };
        for number in 0..count {
            let get = |device, binary| pack.get(serves, &key(number), device, binary);
            assert_eq!(get(device("sm_80"), true), Some(image(SM_80, number)));
            assert_eq!(get(device("sm_89"), true), Some(image(SM_86, number)), "the nearest below");
            assert_eq!(get(device("sm_90"), true), None, "machine code serves its own major number only");
            assert_eq!(get(device("sm_90"), false), Some(image(PTX_75, number)));
            assert_eq!(get(device("sm_70"), false), None);
        }
        assert_eq!(pack.get(serves, &key(count), device("sm_80"), true), None);
        assert_eq!(pack.get(serves, &key(1 << 20), device("sm_80"), true), Some(image(SM_80, 7)), "by its other key");
        std::fs::remove_file(path).expect("the file is there");
    }

    #[test]
    fn likes_are_stored_as_their_difference() {
        let path = std::env::temp_dir().join(format!("cuproxide-pack-{}-likes", std::process::id()));
        let mut packer = Packer::new((0..PER_BLOCK).map(key).collect());
        // What does not compress by itself, and the same with another byte here and there.
        let noise = |number: usize, other: u8| -> Vec<u8> {
            let mut image: Vec<u8> =
                (0..64usize).flat_map(|at| Sha256::digest((number * 64 + at).to_le_bytes()).to_vec()).collect();
            image.iter_mut().step_by(500).for_each(|byte| *byte ^= other);
            image
        };
        let images = |other| (0..PER_BLOCK).map(|number| noise(number, other)).collect::<Vec<_>>();
        packer.add(SM_80, &images(0)).expect("a section");
        packer.add(SM_86, &images(1)).expect("a section");
        let sizes: Vec<usize> = packer.sections.iter().map(Packed::size).collect();
        assert!(sizes[1] * 10 < sizes[0], "{sizes:?}");
        packer.write(&path).expect("a pack");
        let pack = Pack::open(&path).expect("the pack opens");
        for number in 0..PER_BLOCK {
            let device = Target { name: "sm_86", binary: true };
            assert_eq!(pack.get(serves, &key(number), device, true), Some(noise(number, 1)));
        }
        std::fs::remove_file(path).expect("the file is there");
    }

    #[test]
    fn damaged_packs_are_refused_or_give_nothing() {
        let path = packed("damaged", 40);
        let whole = std::fs::read(&path).expect("the pack");
        for (what, bytes) in [
            ("empty", vec![]),
            ("truncated", whole[..whole.len() - 1].to_vec()),
            ("longer", [&whole[..], b"x"].concat()),
            ("of another version", [b"CUPROXIDE PACK 0", &whole[16..]].concat()),
            ("changed in the directory", {
                let mut bytes = whole.clone();
                bytes[HEAD + 20] ^= 1;
                bytes
            }),
        ] {
            std::fs::write(&path, bytes).expect("a file");
            assert!(Pack::open(&path).is_err(), "{what}");
        }
        let mut bytes = whole.clone();
        let last = bytes.len() - 8;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).expect("a file");
        let pack = Pack::open(&path).expect("the directory is whole");
        let got: Vec<bool> = (0..40).map(|number| pack.get(serves, &key(number), SM_80, false).is_some()).collect();
        assert_eq!(got, [vec![true; PER_BLOCK], vec![false; 40 - PER_BLOCK]].concat(), "the last block is damaged");
        std::fs::remove_file(&path).expect("the file is there");
        assert!(Pack::open(&path).is_err(), "missing");
    }
}
