//! Divisions of integers that the processor refuses: by zero, and of the least number by -1.
//!
//! On a GPU they have results, so here they get them: all bits set for a quotient or remainder by zero, as on GPUs of
//! NVIDIA's, and for the least number by -1 that number itself, and 0 as remainder.

/// Gives the division at which a signal arrived its results and goes on behind it; false if there is none.
#[cfg(target_arch = "x86_64")]
pub fn resume(context: &mut libc::ucontext_t) -> bool {
    /// The registers of a context in the order of their numbers in instructions.
    const ORDER: [libc::c_int; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];
    let registers = &mut context.uc_mcontext.gregs;
    let at = registers[libc::REG_RIP as usize] as u64;
    // SAFETY: the instruction was read by the processor, which found it to be whole; what lies behind it within the longest
    // instruction is the rest of the code or of its page, of which no more is looked at than the instruction has.
    let code = |index: usize| unsafe { *(at as *const u8).add(index) };
    let numbered = ORDER.map(|register| registers[register as usize] as u64);
    let Some(division) = decode(code, at, &numbered) else { return false };
    let zero = match division.divisor {
        Operand::Value(value) => value & division.mask() == 0,
        Operand::Address(address) => {
            // SAFETY: the processor has read the divisor there.
            let read = |byte: u64| unsafe { *(address.wrapping_add(byte) as *const u8) };
            (0..division.bytes as u64).all(|byte| read(byte) == 0)
        }
    };
    let (quotient, remainder) = if zero { (u64::MAX, u64::MAX) } else { (division.least(), 0) };
    let mut put = |register: libc::c_int, value: u64| {
        let before = registers[register as usize] as u64;
        registers[register as usize] = division.merged(before, value) as i64;
    };
    if division.bytes == 1 {
        let both = (quotient & 0xff) | (remainder & 0xff) << 8;
        let before = registers[libc::REG_RAX as usize] as u64;
        registers[libc::REG_RAX as usize] = (before & !0xffff | both) as i64;
    } else {
        put(libc::REG_RAX, quotient);
        put(libc::REG_RDX, remainder);
    }
    registers[libc::REG_RIP as usize] = (at + division.length as u64) as i64;
    true
}

/// Other processors do not refuse.
#[cfg(not(target_arch = "x86_64"))]
pub fn resume(_context: &mut libc::ucontext_t) -> bool {
    false
}

/// Where a divisor is.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, PartialEq, Eq)]
enum Operand {
    Value(u64),
    Address(u64),
}

/// A `div` or `idiv`.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, PartialEq, Eq)]
struct Division {
    divisor: Operand,
    /// Size of the divisor and of the results.
    bytes: usize,
    /// Length of the instruction.
    length: usize,
}

#[cfg(target_arch = "x86_64")]
impl Division {
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes)
    }

    /// The least number of this size.
    fn least(&self) -> u64 {
        1 << (8 * self.bytes - 1)
    }

    /// A register after a result of this size was written to it: 32 bits clear what is above, fewer leave it.
    fn merged(&self, before: u64, value: u64) -> u64 {
        if self.bytes >= 4 { value & self.mask() } else { before & !self.mask() | value & self.mask() }
    }
}

/// Reads the instruction at `at`, of which `code` gives the bytes.
#[cfg(target_arch = "x86_64")]
fn decode(code: impl Fn(usize) -> u8, at: u64, registers: &[u64; 16]) -> Option<Division> {
    let mut length = 0;
    let (mut narrow, mut rex) = (false, 0u8);
    loop {
        match code(length) {
            0x66 => narrow = true,
            // A prefix that means nothing here, or chooses a segment that starts at zero.
            0xf2 | 0xf3 | 0x2e | 0x3e | 0x26 | 0x36 => {}
            prefix @ 0x40..=0x4f => {
                rex = prefix;
                length += 1;
                break;
            }
            _ => break,
        }
        length += 1;
        if length > 8 {
            return None;
        }
    }
    let bytes = match code(length) {
        0xf6 => 1,
        0xf7 if rex & 8 != 0 => 8,
        0xf7 if narrow => 2,
        0xf7 => 4,
        _ => return None,
    };
    let form = code(length + 1);
    length += 2;
    // The operations of these numbers are `div` and `idiv`.
    if !matches!(form >> 3 & 7, 6 | 7) {
        return None;
    }
    let (mode, low) = (form >> 6, usize::from(form & 7));
    let extended = usize::from(rex & 1) << 3;
    if mode == 3 {
        let number = low | extended;
        // Without that prefix, these numbers stand for the second bytes of the first four registers.
        let second = bytes == 1 && rex == 0 && (4..8).contains(&number);
        let value = if second { registers[number - 4] >> 8 } else { registers[number] };
        return Some(Division { divisor: Operand::Value(value), bytes, length });
    }
    let signed = |length: usize| {
        let bytes: [u8; 4] = std::array::from_fn(|index| code(length + index));
        i64::from(i32::from_le_bytes(bytes)) as u64
    };
    let mut relative = false;
    let mut address = 0u64;
    if low == 4 {
        let scaled = code(length);
        length += 1;
        let index = usize::from(scaled >> 3 & 7) | usize::from(rex & 2) << 2;
        let base = usize::from(scaled & 7);
        if index != 4 {
            address = registers[index] << (scaled >> 6);
        }
        if base == 5 && mode == 0 {
            address = address.wrapping_add(signed(length));
            length += 4;
        } else {
            address = address.wrapping_add(registers[base | extended]);
        }
    } else if low == 5 && mode == 0 {
        relative = true;
        address = signed(length);
        length += 4;
    } else {
        address = registers[low | extended];
    }
    match mode {
        1 => {
            address = address.wrapping_add(i64::from(code(length) as i8) as u64);
            length += 1;
        }
        2 => {
            address = address.wrapping_add(signed(length));
            length += 4;
        }
        _ => {}
    }
    if relative {
        address = address.wrapping_add(at + length as u64);
    }
    Some(Division { divisor: Operand::Address(address), bytes, length })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_division_is_read() {
        let registers: [u64; 16] = std::array::from_fn(|number| 0x1000 * (number as u64 + 1) + 0x0700);
        for (code, divisor, bytes) in [
            // idiv ecx; div r9; idivw si; div bh; idiv sil
            (&[0xf7, 0xf9][..], Operand::Value(0x2700), 4),
            (&[0x49, 0xf7, 0xf1], Operand::Value(0xa700), 8),
            (&[0x66, 0xf7, 0xfe], Operand::Value(0x7700), 2),
            (&[0xf6, 0xf7], Operand::Value(0x47), 1),
            (&[0x40, 0xf6, 0xfe], Operand::Value(0x7700), 1),
            // idiv dword [rdi]; div qword [rbp - 8]; idiv dword [rsp + rcx*4 + 0x100]; div dword [rip + 0x10]
            (&[0xf7, 0x3f], Operand::Address(0x8700), 4),
            (&[0x48, 0xf7, 0x75, 0xf8], Operand::Address(0x66f8), 8),
            (&[0xf7, 0xbc, 0x8c, 0, 1, 0, 0], Operand::Address(0x5700 + 4 * 0x2700 + 0x100), 4),
            (&[0xf7, 0x35, 0x10, 0, 0, 0], Operand::Address(0x9000 + 6 + 0x10), 4),
            // div dword [r12]; idiv dword [rbx*8 + 0x20]; div qword [r13 + r10*2 + 1]
            (&[0x41, 0xf7, 0x34, 0x24], Operand::Address(0xd700), 4),
            (&[0xf7, 0x3c, 0xdd, 0x20, 0, 0, 0], Operand::Address(8 * 0x4700 + 0x20), 4),
            (&[0x4b, 0xf7, 0x74, 0x55, 1], Operand::Address(0xe700 + 2 * 0xb700 + 1), 8),
        ] {
            let read = |index: usize| code.get(index).copied().unwrap_or(0x90);
            let wanted = Division { divisor, bytes, length: code.len() };
            assert_eq!(decode(read, 0x9000, &registers), Some(wanted), "{code:x?}");
        }
        // neg ecx; mul ecx; nop
        for code in [[0xf7, 0xd9], [0xf7, 0xe1], [0x90, 0x90]] {
            assert_eq!(decode(|index| code.get(index).copied().unwrap_or(0x90), 0, &registers), None);
        }
    }

    #[test]
    fn results_are_written_as_the_processor_writes_them() {
        let of = |bytes| Division { divisor: Operand::Value(0), bytes, length: 2 };
        assert_eq!(of(8).merged(5, u64::MAX), u64::MAX);
        assert_eq!(of(4).merged(5 << 40, u64::MAX), 0xffff_ffff);
        assert_eq!(of(2).merged(5 << 40, u64::MAX), 5 << 40 | 0xffff);
        assert_eq!([of(4).least(), of(8).least()], [1 << 31, 1 << 63]);
    }
}
