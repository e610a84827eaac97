//! How many registers a thread of compiled kernels takes, as NVIDIA's machine code says.

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};

/// The section with facts about kernels. An entry is a format, a kind and two bytes; if the format is `COUNTED`, the two bytes are
/// the length of what follows.
const FACTS: &[u8] = b".nv.info";
const COUNTED: u8 = 4;
/// The kind of an entry with a kernel's symbol and its registers, four bytes each.
const REGISTERS: u8 = 0x2f;

/// The most registers that a kernel of a cubin takes. `None` for what is no cubin.
#[must_use]
pub fn of_cubin(image: &[u8]) -> Option<u32> {
    let header = FileHeader64::<Endianness>::parse(image).ok()?;
    let endian = header.endian().ok()?;
    let (_, section) = header.sections(endian, image).ok()?.section_by_name(endian, FACTS)?;
    let mut left = section.data(endian, image).ok()?;
    let mut most = None;
    while let [format, kind, low, high, after @ ..] = left {
        let length = if *format == COUNTED { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let (own, next) = after.split_at_checked(length)?;
        if (*format, *kind) == (COUNTED, REGISTERS) {
            most = most.max(own.get(4..8).map(|count| u32::from_le_bytes(count.try_into().expect("four bytes"))));
        }
        left = next;
    }
    most
}

#[cfg(test)]
mod tests {
    use super::of_cubin;

    #[test]
    fn other_files_have_no_registers() {
        assert_eq!(of_cubin(b""), None);
        assert_eq!(of_cubin(b".version 8.0\n.target sm_90\n"), None);
        let library = std::fs::read("/proc/self/exe").expect("this program");
        assert_eq!(of_cubin(&library), None);
        assert_eq!(of_cubin(&library[..100]), None);
    }
}
