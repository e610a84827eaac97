//! What the file of a library says before it is opened: whether all of it is there, and what others it needs.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{DT_NEEDED, DT_STRSZ, DT_STRTAB, DynamicTag, FileHeader64, PT_LOAD, ProgramHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::read::{ReadCache, StringTable};

/// Why a library is not to be opened: the file is cut off, which would end the process where the rest is read, or it needs
/// one of `foreign`, itself or by libraries that lie beside it.
pub(crate) fn objection(path: &Path, foreign: &[String]) -> Option<String> {
    let (mut left, mut seen): (Vec<PathBuf>, _) = (vec![path.to_path_buf()], HashSet::new());
    while let Some(file) = left.pop() {
        let Some(library) = File::open(&file).ok().and_then(read) else { continue };
        if library.is_cut_off {
            return Some("the file is cut off".to_owned());
        }
        if let Some(name) = library.needed.iter().find(|name| foreign.contains(name)) {
            return Some(format!("it needs {name}, of another version than the one in use"));
        }
        if foreign.is_empty() {
            return None;
        }
        for name in library.needed.into_iter().filter(|name| seen.insert(name.clone())) {
            left.extend(path.parent().map(|folder| folder.join(name)).filter(|path| path.is_file()));
        }
    }
    None
}

#[derive(Default)]
struct Contents {
    is_cut_off: bool,
    needed: Vec<String>,
}

/// Nothing of what is no library of 64 bits: the system's loader has the words for that.
fn read(file: File) -> Option<Contents> {
    let length = file.metadata().ok()?.len();
    let data = &ReadCache::new(file);
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let parts = header.program_headers(endian, data).ok()?;
    let end = |part: &ProgramHeader64<_>| part.p_offset(endian).saturating_add(part.p_filesz(endian));
    if parts.iter().any(|part| end(part) > length) {
        return Some(Contents { is_cut_off: true, ..Contents::default() });
    }
    let entries = parts.iter().find_map(|part| part.dynamic(endian, data).ok().flatten())?;
    let value =
        |tag: DynamicTag| entries.iter().find(|entry| entry.d_tag(endian) == tag).map(|entry| entry.d_val(endian));
    let (address, size) = (value(DT_STRTAB)?, value(DT_STRSZ)?);
    let holds = |part: &&ProgramHeader64<_>| {
        let start = part.p_vaddr(endian);
        part.p_type(endian) == PT_LOAD && (start..start + part.p_filesz(endian)).contains(&address)
    };
    let part = parts.iter().find(holds)?;
    let start = part.p_offset(endian) + (address - part.p_vaddr(endian));
    let texts = StringTable::new(data, start, start + size);
    let names = entries.iter().filter(|entry| entry.d_tag(endian) == DT_NEEDED);
    let text = |entry| texts.get(u32::try_from(Dyn::d_val(entry, endian)).ok()?).ok();
    let needed = names.filter_map(text).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    Some(Contents { is_cut_off: false, needed })
}
