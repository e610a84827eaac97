//! `hip/hip_runtime_api.h`, `hip/hip_deprecated.h` of ROCm 7.2.4, written by `generate`.

#[repr(C)]
#[derive(Copy, Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct __BindgenBitfieldUnit<Storage> {
    storage: Storage,
}
impl<Storage> __BindgenBitfieldUnit<Storage> {
    #[inline]
    pub const fn new(storage: Storage) -> Self {
        Self { storage }
    }
}
impl<Storage> __BindgenBitfieldUnit<Storage>
where
    Storage: AsRef<[u8]> + AsMut<[u8]>,
{
    #[inline]
    fn extract_bit(byte: u8, index: usize) -> bool {
        let bit_index = if cfg!(target_endian = "big") { 7 - (index % 8) } else { index % 8 };
        let mask = 1 << bit_index;
        byte & mask == mask
    }
    #[inline]
    pub fn get_bit(&self, index: usize) -> bool {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = self.storage.as_ref()[byte_index];
        Self::extract_bit(byte, index)
    }
    #[inline]
    pub unsafe fn raw_get_bit(this: *const Self, index: usize) -> bool {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte = unsafe { *(core::ptr::addr_of!((*this).storage) as *const u8).offset(byte_index as isize) };
        Self::extract_bit(byte, index)
    }
    #[inline]
    fn change_bit(byte: u8, index: usize, val: bool) -> u8 {
        let bit_index = if cfg!(target_endian = "big") { 7 - (index % 8) } else { index % 8 };
        let mask = 1 << bit_index;
        if val { byte | mask } else { byte & !mask }
    }
    #[inline]
    pub fn set_bit(&mut self, index: usize, val: bool) {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = &mut self.storage.as_mut()[byte_index];
        *byte = Self::change_bit(*byte, index, val);
    }
    #[inline]
    pub unsafe fn raw_set_bit(this: *mut Self, index: usize, val: bool) {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte = unsafe { (core::ptr::addr_of_mut!((*this).storage) as *mut u8).offset(byte_index as isize) };
        unsafe { *byte = Self::change_bit(*byte, index, val) };
    }
    #[inline]
    pub fn get(&self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize)) / 8 <= self.storage.as_ref().len());
        let mut val = 0;
        for i in 0..(bit_width as usize) {
            if self.get_bit(i + bit_offset) {
                let index = if cfg!(target_endian = "big") { bit_width as usize - 1 - i } else { i };
                val |= 1 << index;
            }
        }
        val
    }
    #[inline]
    pub unsafe fn raw_get(this: *const Self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!((bit_offset + (bit_width as usize)) / 8 <= core::mem::size_of::<Storage>());
        let mut val = 0;
        for i in 0..(bit_width as usize) {
            if unsafe { Self::raw_get_bit(this, i + bit_offset) } {
                let index = if cfg!(target_endian = "big") { bit_width as usize - 1 - i } else { i };
                val |= 1 << index;
            }
        }
        val
    }
    #[inline]
    pub fn set(&mut self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize)) / 8 <= self.storage.as_ref().len());
        for i in 0..(bit_width as usize) {
            let mask = 1 << i;
            let val_bit_is_set = val & mask == mask;
            let index = if cfg!(target_endian = "big") { bit_width as usize - 1 - i } else { i };
            self.set_bit(index + bit_offset, val_bit_is_set);
        }
    }
    #[inline]
    pub unsafe fn raw_set(this: *mut Self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!((bit_offset + (bit_width as usize)) / 8 <= core::mem::size_of::<Storage>());
        for i in 0..(bit_width as usize) {
            let mask = 1 << i;
            let val_bit_is_set = val & mask == mask;
            let index = if cfg!(target_endian = "big") { bit_width as usize - 1 - i } else { i };
            unsafe { Self::raw_set_bit(this, index + bit_offset, val_bit_is_set) };
        }
    }
}
#[repr(C)]
#[repr(align(4))]
#[derive(Debug, Copy, Clone)]
pub struct hipDeviceArch_t {
    pub _bitfield_align_1: [u8; 0],
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 3usize]>,
    pub __bindgen_padding_0: u8,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipDeviceArch_t"][::core::mem::size_of::<hipDeviceArch_t>() - 4usize];
    ["Alignment of hipDeviceArch_t"][::core::mem::align_of::<hipDeviceArch_t>() - 4usize];
};
impl hipDeviceArch_t {
    #[inline]
    pub fn hasGlobalInt32Atomics(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(0usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasGlobalInt32Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(0usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasGlobalInt32Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                0usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasGlobalInt32Atomics_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                0usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasGlobalFloatAtomicExch(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(1usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasGlobalFloatAtomicExch(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(1usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasGlobalFloatAtomicExch_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                1usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasGlobalFloatAtomicExch_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                1usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasSharedInt32Atomics(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(2usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasSharedInt32Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(2usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasSharedInt32Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                2usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasSharedInt32Atomics_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                2usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasSharedFloatAtomicExch(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(3usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasSharedFloatAtomicExch(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(3usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasSharedFloatAtomicExch_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                3usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasSharedFloatAtomicExch_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                3usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasFloatAtomicAdd(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(4usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasFloatAtomicAdd(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(4usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasFloatAtomicAdd_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                4usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasFloatAtomicAdd_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                4usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasGlobalInt64Atomics(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(5usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasGlobalInt64Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(5usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasGlobalInt64Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                5usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasGlobalInt64Atomics_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                5usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasSharedInt64Atomics(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(6usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasSharedInt64Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(6usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasSharedInt64Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                6usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasSharedInt64Atomics_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                6usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasDoubles(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(7usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasDoubles(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(7usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasDoubles_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                7usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasDoubles_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                7usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasWarpVote(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(8usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasWarpVote(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(8usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasWarpVote_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                8usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasWarpVote_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                8usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasWarpBallot(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(9usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasWarpBallot(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(9usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasWarpBallot_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                9usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasWarpBallot_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                9usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasWarpShuffle(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(10usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasWarpShuffle(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(10usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasWarpShuffle_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                10usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasWarpShuffle_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                10usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasFunnelShift(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(11usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasFunnelShift(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(11usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasFunnelShift_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                11usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasFunnelShift_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                11usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasThreadFenceSystem(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(12usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasThreadFenceSystem(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(12usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasThreadFenceSystem_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                12usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasThreadFenceSystem_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                12usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasSyncThreadsExt(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(13usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasSyncThreadsExt(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(13usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasSyncThreadsExt_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                13usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasSyncThreadsExt_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                13usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasSurfaceFuncs(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(14usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasSurfaceFuncs(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(14usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasSurfaceFuncs_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                14usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasSurfaceFuncs_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                14usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn has3dGrid(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(15usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_has3dGrid(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(15usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn has3dGrid_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                15usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_has3dGrid_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                15usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn hasDynamicParallelism(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get(16usize, 1u8) as u32) }
    }
    #[inline]
    pub fn set_hasDynamicParallelism(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set(16usize, 1u8, val as u64)
        }
    }
    #[inline]
    pub unsafe fn hasDynamicParallelism_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 3usize]>>::raw_get(
                ::core::ptr::addr_of!((*this)._bitfield_1),
                16usize,
                1u8,
            ) as u32)
        }
    }
    #[inline]
    pub unsafe fn set_hasDynamicParallelism_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 3usize]>>::raw_set(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                16usize,
                1u8,
                val as u64,
            )
        }
    }
    #[inline]
    pub fn new_bitfield_1(
        hasGlobalInt32Atomics: ::core::ffi::c_uint,
        hasGlobalFloatAtomicExch: ::core::ffi::c_uint,
        hasSharedInt32Atomics: ::core::ffi::c_uint,
        hasSharedFloatAtomicExch: ::core::ffi::c_uint,
        hasFloatAtomicAdd: ::core::ffi::c_uint,
        hasGlobalInt64Atomics: ::core::ffi::c_uint,
        hasSharedInt64Atomics: ::core::ffi::c_uint,
        hasDoubles: ::core::ffi::c_uint,
        hasWarpVote: ::core::ffi::c_uint,
        hasWarpBallot: ::core::ffi::c_uint,
        hasWarpShuffle: ::core::ffi::c_uint,
        hasFunnelShift: ::core::ffi::c_uint,
        hasThreadFenceSystem: ::core::ffi::c_uint,
        hasSyncThreadsExt: ::core::ffi::c_uint,
        hasSurfaceFuncs: ::core::ffi::c_uint,
        has3dGrid: ::core::ffi::c_uint,
        hasDynamicParallelism: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 3usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 3usize]> = Default::default();
        __bindgen_bitfield_unit.set(0usize, 1u8, {
            let hasGlobalInt32Atomics: u32 = unsafe { ::core::mem::transmute(hasGlobalInt32Atomics) };
            hasGlobalInt32Atomics as u64
        });
        __bindgen_bitfield_unit.set(1usize, 1u8, {
            let hasGlobalFloatAtomicExch: u32 = unsafe { ::core::mem::transmute(hasGlobalFloatAtomicExch) };
            hasGlobalFloatAtomicExch as u64
        });
        __bindgen_bitfield_unit.set(2usize, 1u8, {
            let hasSharedInt32Atomics: u32 = unsafe { ::core::mem::transmute(hasSharedInt32Atomics) };
            hasSharedInt32Atomics as u64
        });
        __bindgen_bitfield_unit.set(3usize, 1u8, {
            let hasSharedFloatAtomicExch: u32 = unsafe { ::core::mem::transmute(hasSharedFloatAtomicExch) };
            hasSharedFloatAtomicExch as u64
        });
        __bindgen_bitfield_unit.set(4usize, 1u8, {
            let hasFloatAtomicAdd: u32 = unsafe { ::core::mem::transmute(hasFloatAtomicAdd) };
            hasFloatAtomicAdd as u64
        });
        __bindgen_bitfield_unit.set(5usize, 1u8, {
            let hasGlobalInt64Atomics: u32 = unsafe { ::core::mem::transmute(hasGlobalInt64Atomics) };
            hasGlobalInt64Atomics as u64
        });
        __bindgen_bitfield_unit.set(6usize, 1u8, {
            let hasSharedInt64Atomics: u32 = unsafe { ::core::mem::transmute(hasSharedInt64Atomics) };
            hasSharedInt64Atomics as u64
        });
        __bindgen_bitfield_unit.set(7usize, 1u8, {
            let hasDoubles: u32 = unsafe { ::core::mem::transmute(hasDoubles) };
            hasDoubles as u64
        });
        __bindgen_bitfield_unit.set(8usize, 1u8, {
            let hasWarpVote: u32 = unsafe { ::core::mem::transmute(hasWarpVote) };
            hasWarpVote as u64
        });
        __bindgen_bitfield_unit.set(9usize, 1u8, {
            let hasWarpBallot: u32 = unsafe { ::core::mem::transmute(hasWarpBallot) };
            hasWarpBallot as u64
        });
        __bindgen_bitfield_unit.set(10usize, 1u8, {
            let hasWarpShuffle: u32 = unsafe { ::core::mem::transmute(hasWarpShuffle) };
            hasWarpShuffle as u64
        });
        __bindgen_bitfield_unit.set(11usize, 1u8, {
            let hasFunnelShift: u32 = unsafe { ::core::mem::transmute(hasFunnelShift) };
            hasFunnelShift as u64
        });
        __bindgen_bitfield_unit.set(12usize, 1u8, {
            let hasThreadFenceSystem: u32 = unsafe { ::core::mem::transmute(hasThreadFenceSystem) };
            hasThreadFenceSystem as u64
        });
        __bindgen_bitfield_unit.set(13usize, 1u8, {
            let hasSyncThreadsExt: u32 = unsafe { ::core::mem::transmute(hasSyncThreadsExt) };
            hasSyncThreadsExt as u64
        });
        __bindgen_bitfield_unit.set(14usize, 1u8, {
            let hasSurfaceFuncs: u32 = unsafe { ::core::mem::transmute(hasSurfaceFuncs) };
            hasSurfaceFuncs as u64
        });
        __bindgen_bitfield_unit.set(15usize, 1u8, {
            let has3dGrid: u32 = unsafe { ::core::mem::transmute(has3dGrid) };
            has3dGrid as u64
        });
        __bindgen_bitfield_unit.set(16usize, 1u8, {
            let hasDynamicParallelism: u32 = unsafe { ::core::mem::transmute(hasDynamicParallelism) };
            hasDynamicParallelism as u64
        });
        __bindgen_bitfield_unit
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipUUID_t {
    pub bytes: [::core::ffi::c_char; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipUUID_t"][::core::mem::size_of::<hipUUID_t>() - 16usize];
    ["Alignment of hipUUID_t"][::core::mem::align_of::<hipUUID_t>() - 1usize];
    ["Offset of field: hipUUID_t::bytes"][::core::mem::offset_of!(hipUUID_t, bytes) - 0usize];
};
pub type hipUUID = hipUUID_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipDeviceProp_tR0600 {
    pub name: [::core::ffi::c_char; 256usize],
    pub uuid: hipUUID,
    pub luid: [::core::ffi::c_char; 8usize],
    pub luidDeviceNodeMask: ::core::ffi::c_uint,
    pub totalGlobalMem: usize,
    pub sharedMemPerBlock: usize,
    pub regsPerBlock: ::core::ffi::c_int,
    pub warpSize: ::core::ffi::c_int,
    pub memPitch: usize,
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    pub clockRate: ::core::ffi::c_int,
    pub totalConstMem: usize,
    pub major: ::core::ffi::c_int,
    pub minor: ::core::ffi::c_int,
    pub textureAlignment: usize,
    pub texturePitchAlignment: usize,
    pub deviceOverlap: ::core::ffi::c_int,
    pub multiProcessorCount: ::core::ffi::c_int,
    pub kernelExecTimeoutEnabled: ::core::ffi::c_int,
    pub integrated: ::core::ffi::c_int,
    pub canMapHostMemory: ::core::ffi::c_int,
    pub computeMode: ::core::ffi::c_int,
    pub maxTexture1D: ::core::ffi::c_int,
    pub maxTexture1DMipmap: ::core::ffi::c_int,
    pub maxTexture1DLinear: ::core::ffi::c_int,
    pub maxTexture2D: [::core::ffi::c_int; 2usize],
    pub maxTexture2DMipmap: [::core::ffi::c_int; 2usize],
    pub maxTexture2DLinear: [::core::ffi::c_int; 3usize],
    pub maxTexture2DGather: [::core::ffi::c_int; 2usize],
    pub maxTexture3D: [::core::ffi::c_int; 3usize],
    pub maxTexture3DAlt: [::core::ffi::c_int; 3usize],
    pub maxTextureCubemap: ::core::ffi::c_int,
    pub maxTexture1DLayered: [::core::ffi::c_int; 2usize],
    pub maxTexture2DLayered: [::core::ffi::c_int; 3usize],
    pub maxTextureCubemapLayered: [::core::ffi::c_int; 2usize],
    pub maxSurface1D: ::core::ffi::c_int,
    pub maxSurface2D: [::core::ffi::c_int; 2usize],
    pub maxSurface3D: [::core::ffi::c_int; 3usize],
    pub maxSurface1DLayered: [::core::ffi::c_int; 2usize],
    pub maxSurface2DLayered: [::core::ffi::c_int; 3usize],
    pub maxSurfaceCubemap: ::core::ffi::c_int,
    pub maxSurfaceCubemapLayered: [::core::ffi::c_int; 2usize],
    pub surfaceAlignment: usize,
    pub concurrentKernels: ::core::ffi::c_int,
    pub ECCEnabled: ::core::ffi::c_int,
    pub pciBusID: ::core::ffi::c_int,
    pub pciDeviceID: ::core::ffi::c_int,
    pub pciDomainID: ::core::ffi::c_int,
    pub tccDriver: ::core::ffi::c_int,
    pub asyncEngineCount: ::core::ffi::c_int,
    pub unifiedAddressing: ::core::ffi::c_int,
    pub memoryClockRate: ::core::ffi::c_int,
    pub memoryBusWidth: ::core::ffi::c_int,
    pub l2CacheSize: ::core::ffi::c_int,
    pub persistingL2CacheMaxSize: ::core::ffi::c_int,
    pub maxThreadsPerMultiProcessor: ::core::ffi::c_int,
    pub streamPrioritiesSupported: ::core::ffi::c_int,
    pub globalL1CacheSupported: ::core::ffi::c_int,
    pub localL1CacheSupported: ::core::ffi::c_int,
    pub sharedMemPerMultiprocessor: usize,
    pub regsPerMultiprocessor: ::core::ffi::c_int,
    pub managedMemory: ::core::ffi::c_int,
    pub isMultiGpuBoard: ::core::ffi::c_int,
    pub multiGpuBoardGroupID: ::core::ffi::c_int,
    pub hostNativeAtomicSupported: ::core::ffi::c_int,
    pub singleToDoublePrecisionPerfRatio: ::core::ffi::c_int,
    pub pageableMemoryAccess: ::core::ffi::c_int,
    pub concurrentManagedAccess: ::core::ffi::c_int,
    pub computePreemptionSupported: ::core::ffi::c_int,
    pub canUseHostPointerForRegisteredMem: ::core::ffi::c_int,
    pub cooperativeLaunch: ::core::ffi::c_int,
    pub cooperativeMultiDeviceLaunch: ::core::ffi::c_int,
    pub sharedMemPerBlockOptin: usize,
    pub pageableMemoryAccessUsesHostPageTables: ::core::ffi::c_int,
    pub directManagedMemAccessFromHost: ::core::ffi::c_int,
    pub maxBlocksPerMultiProcessor: ::core::ffi::c_int,
    pub accessPolicyMaxWindowSize: ::core::ffi::c_int,
    pub reservedSharedMemPerBlock: usize,
    pub hostRegisterSupported: ::core::ffi::c_int,
    pub sparseHipArraySupported: ::core::ffi::c_int,
    pub hostRegisterReadOnlySupported: ::core::ffi::c_int,
    pub timelineSemaphoreInteropSupported: ::core::ffi::c_int,
    pub memoryPoolsSupported: ::core::ffi::c_int,
    pub gpuDirectRDMASupported: ::core::ffi::c_int,
    pub gpuDirectRDMAFlushWritesOptions: ::core::ffi::c_uint,
    pub gpuDirectRDMAWritesOrdering: ::core::ffi::c_int,
    pub memoryPoolSupportedHandleTypes: ::core::ffi::c_uint,
    pub deferredMappingHipArraySupported: ::core::ffi::c_int,
    pub ipcEventSupported: ::core::ffi::c_int,
    pub clusterLaunch: ::core::ffi::c_int,
    pub unifiedFunctionPointers: ::core::ffi::c_int,
    pub reserved: [::core::ffi::c_int; 63usize],
    pub hipReserved: [::core::ffi::c_int; 32usize],
    pub gcnArchName: [::core::ffi::c_char; 256usize],
    pub maxSharedMemoryPerMultiProcessor: usize,
    pub clockInstructionRate: ::core::ffi::c_int,
    pub arch: hipDeviceArch_t,
    pub hdpMemFlushCntl: *mut ::core::ffi::c_uint,
    pub hdpRegFlushCntl: *mut ::core::ffi::c_uint,
    pub cooperativeMultiDeviceUnmatchedFunc: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedGridDim: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedBlockDim: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedSharedMem: ::core::ffi::c_int,
    pub isLargeBar: ::core::ffi::c_int,
    pub asicRevision: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipDeviceProp_tR0600"][::core::mem::size_of::<hipDeviceProp_tR0600>() - 1472usize];
    ["Alignment of hipDeviceProp_tR0600"][::core::mem::align_of::<hipDeviceProp_tR0600>() - 8usize];
    ["Offset of field: hipDeviceProp_tR0600::name"][::core::mem::offset_of!(hipDeviceProp_tR0600, name) - 0usize];
    ["Offset of field: hipDeviceProp_tR0600::uuid"][::core::mem::offset_of!(hipDeviceProp_tR0600, uuid) - 256usize];
    ["Offset of field: hipDeviceProp_tR0600::luid"][::core::mem::offset_of!(hipDeviceProp_tR0600, luid) - 272usize];
    ["Offset of field: hipDeviceProp_tR0600::luidDeviceNodeMask"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, luidDeviceNodeMask) - 280usize];
    ["Offset of field: hipDeviceProp_tR0600::totalGlobalMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, totalGlobalMem) - 288usize];
    ["Offset of field: hipDeviceProp_tR0600::sharedMemPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerBlock) - 296usize];
    ["Offset of field: hipDeviceProp_tR0600::regsPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, regsPerBlock) - 304usize];
    ["Offset of field: hipDeviceProp_tR0600::warpSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, warpSize) - 308usize];
    ["Offset of field: hipDeviceProp_tR0600::memPitch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, memPitch) - 312usize];
    ["Offset of field: hipDeviceProp_tR0600::maxThreadsPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsPerBlock) - 320usize];
    ["Offset of field: hipDeviceProp_tR0600::maxThreadsDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsDim) - 324usize];
    ["Offset of field: hipDeviceProp_tR0600::maxGridSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxGridSize) - 336usize];
    ["Offset of field: hipDeviceProp_tR0600::clockRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, clockRate) - 348usize];
    ["Offset of field: hipDeviceProp_tR0600::totalConstMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, totalConstMem) - 352usize];
    ["Offset of field: hipDeviceProp_tR0600::major"][::core::mem::offset_of!(hipDeviceProp_tR0600, major) - 360usize];
    ["Offset of field: hipDeviceProp_tR0600::minor"][::core::mem::offset_of!(hipDeviceProp_tR0600, minor) - 364usize];
    ["Offset of field: hipDeviceProp_tR0600::textureAlignment"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, textureAlignment) - 368usize];
    ["Offset of field: hipDeviceProp_tR0600::texturePitchAlignment"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, texturePitchAlignment) - 376usize];
    ["Offset of field: hipDeviceProp_tR0600::deviceOverlap"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, deviceOverlap) - 384usize];
    ["Offset of field: hipDeviceProp_tR0600::multiProcessorCount"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, multiProcessorCount) - 388usize];
    ["Offset of field: hipDeviceProp_tR0600::kernelExecTimeoutEnabled"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, kernelExecTimeoutEnabled) - 392usize];
    ["Offset of field: hipDeviceProp_tR0600::integrated"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, integrated) - 396usize];
    ["Offset of field: hipDeviceProp_tR0600::canMapHostMemory"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, canMapHostMemory) - 400usize];
    ["Offset of field: hipDeviceProp_tR0600::computeMode"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, computeMode) - 404usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture1D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1D) - 408usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture1DMipmap"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DMipmap) - 412usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture1DLinear"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DLinear) - 416usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture2D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2D) - 420usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture2DMipmap"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DMipmap) - 428usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture2DLinear"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DLinear) - 436usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture2DGather"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DGather) - 448usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture3D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture3D) - 456usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture3DAlt"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture3DAlt) - 468usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTextureCubemap"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTextureCubemap) - 480usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture1DLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DLayered) - 484usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTexture2DLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DLayered) - 492usize];
    ["Offset of field: hipDeviceProp_tR0600::maxTextureCubemapLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxTextureCubemapLayered) - 504usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurface1D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface1D) - 512usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurface2D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface2D) - 516usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurface3D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface3D) - 524usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurface1DLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface1DLayered) - 536usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurface2DLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface2DLayered) - 544usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurfaceCubemap"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurfaceCubemap) - 556usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSurfaceCubemapLayered"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurfaceCubemapLayered) - 560usize];
    ["Offset of field: hipDeviceProp_tR0600::surfaceAlignment"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, surfaceAlignment) - 568usize];
    ["Offset of field: hipDeviceProp_tR0600::concurrentKernels"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, concurrentKernels) - 576usize];
    ["Offset of field: hipDeviceProp_tR0600::ECCEnabled"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, ECCEnabled) - 580usize];
    ["Offset of field: hipDeviceProp_tR0600::pciBusID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, pciBusID) - 584usize];
    ["Offset of field: hipDeviceProp_tR0600::pciDeviceID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, pciDeviceID) - 588usize];
    ["Offset of field: hipDeviceProp_tR0600::pciDomainID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, pciDomainID) - 592usize];
    ["Offset of field: hipDeviceProp_tR0600::tccDriver"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, tccDriver) - 596usize];
    ["Offset of field: hipDeviceProp_tR0600::asyncEngineCount"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, asyncEngineCount) - 600usize];
    ["Offset of field: hipDeviceProp_tR0600::unifiedAddressing"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, unifiedAddressing) - 604usize];
    ["Offset of field: hipDeviceProp_tR0600::memoryClockRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, memoryClockRate) - 608usize];
    ["Offset of field: hipDeviceProp_tR0600::memoryBusWidth"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, memoryBusWidth) - 612usize];
    ["Offset of field: hipDeviceProp_tR0600::l2CacheSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, l2CacheSize) - 616usize];
    ["Offset of field: hipDeviceProp_tR0600::persistingL2CacheMaxSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, persistingL2CacheMaxSize) - 620usize];
    ["Offset of field: hipDeviceProp_tR0600::maxThreadsPerMultiProcessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsPerMultiProcessor) - 624usize];
    ["Offset of field: hipDeviceProp_tR0600::streamPrioritiesSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, streamPrioritiesSupported) - 628usize];
    ["Offset of field: hipDeviceProp_tR0600::globalL1CacheSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, globalL1CacheSupported) - 632usize];
    ["Offset of field: hipDeviceProp_tR0600::localL1CacheSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, localL1CacheSupported) - 636usize];
    ["Offset of field: hipDeviceProp_tR0600::sharedMemPerMultiprocessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerMultiprocessor) - 640usize];
    ["Offset of field: hipDeviceProp_tR0600::regsPerMultiprocessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, regsPerMultiprocessor) - 648usize];
    ["Offset of field: hipDeviceProp_tR0600::managedMemory"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, managedMemory) - 652usize];
    ["Offset of field: hipDeviceProp_tR0600::isMultiGpuBoard"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, isMultiGpuBoard) - 656usize];
    ["Offset of field: hipDeviceProp_tR0600::multiGpuBoardGroupID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, multiGpuBoardGroupID) - 660usize];
    ["Offset of field: hipDeviceProp_tR0600::hostNativeAtomicSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hostNativeAtomicSupported) - 664usize];
    ["Offset of field: hipDeviceProp_tR0600::singleToDoublePrecisionPerfRatio"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, singleToDoublePrecisionPerfRatio) - 668usize];
    ["Offset of field: hipDeviceProp_tR0600::pageableMemoryAccess"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, pageableMemoryAccess) - 672usize];
    ["Offset of field: hipDeviceProp_tR0600::concurrentManagedAccess"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, concurrentManagedAccess) - 676usize];
    ["Offset of field: hipDeviceProp_tR0600::computePreemptionSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, computePreemptionSupported) - 680usize];
    ["Offset of field: hipDeviceProp_tR0600::canUseHostPointerForRegisteredMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, canUseHostPointerForRegisteredMem) - 684usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeLaunch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeLaunch) - 688usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceLaunch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceLaunch) - 692usize];
    ["Offset of field: hipDeviceProp_tR0600::sharedMemPerBlockOptin"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerBlockOptin) - 696usize];
    ["Offset of field: hipDeviceProp_tR0600::pageableMemoryAccessUsesHostPageTables"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, pageableMemoryAccessUsesHostPageTables) - 704usize];
    ["Offset of field: hipDeviceProp_tR0600::directManagedMemAccessFromHost"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, directManagedMemAccessFromHost) - 708usize];
    ["Offset of field: hipDeviceProp_tR0600::maxBlocksPerMultiProcessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxBlocksPerMultiProcessor) - 712usize];
    ["Offset of field: hipDeviceProp_tR0600::accessPolicyMaxWindowSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, accessPolicyMaxWindowSize) - 716usize];
    ["Offset of field: hipDeviceProp_tR0600::reservedSharedMemPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, reservedSharedMemPerBlock) - 720usize];
    ["Offset of field: hipDeviceProp_tR0600::hostRegisterSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hostRegisterSupported) - 728usize];
    ["Offset of field: hipDeviceProp_tR0600::sparseHipArraySupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, sparseHipArraySupported) - 732usize];
    ["Offset of field: hipDeviceProp_tR0600::hostRegisterReadOnlySupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hostRegisterReadOnlySupported) - 736usize];
    ["Offset of field: hipDeviceProp_tR0600::timelineSemaphoreInteropSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, timelineSemaphoreInteropSupported) - 740usize];
    ["Offset of field: hipDeviceProp_tR0600::memoryPoolsSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, memoryPoolsSupported) - 744usize];
    ["Offset of field: hipDeviceProp_tR0600::gpuDirectRDMASupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMASupported) - 748usize];
    ["Offset of field: hipDeviceProp_tR0600::gpuDirectRDMAFlushWritesOptions"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMAFlushWritesOptions) - 752usize];
    ["Offset of field: hipDeviceProp_tR0600::gpuDirectRDMAWritesOrdering"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMAWritesOrdering) - 756usize];
    ["Offset of field: hipDeviceProp_tR0600::memoryPoolSupportedHandleTypes"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, memoryPoolSupportedHandleTypes) - 760usize];
    ["Offset of field: hipDeviceProp_tR0600::deferredMappingHipArraySupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, deferredMappingHipArraySupported) - 764usize];
    ["Offset of field: hipDeviceProp_tR0600::ipcEventSupported"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, ipcEventSupported) - 768usize];
    ["Offset of field: hipDeviceProp_tR0600::clusterLaunch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, clusterLaunch) - 772usize];
    ["Offset of field: hipDeviceProp_tR0600::unifiedFunctionPointers"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, unifiedFunctionPointers) - 776usize];
    ["Offset of field: hipDeviceProp_tR0600::reserved"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, reserved) - 780usize];
    ["Offset of field: hipDeviceProp_tR0600::hipReserved"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hipReserved) - 1032usize];
    ["Offset of field: hipDeviceProp_tR0600::gcnArchName"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, gcnArchName) - 1160usize];
    ["Offset of field: hipDeviceProp_tR0600::maxSharedMemoryPerMultiProcessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, maxSharedMemoryPerMultiProcessor) - 1416usize];
    ["Offset of field: hipDeviceProp_tR0600::clockInstructionRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, clockInstructionRate) - 1424usize];
    ["Offset of field: hipDeviceProp_tR0600::arch"][::core::mem::offset_of!(hipDeviceProp_tR0600, arch) - 1428usize];
    ["Offset of field: hipDeviceProp_tR0600::hdpMemFlushCntl"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hdpMemFlushCntl) - 1432usize];
    ["Offset of field: hipDeviceProp_tR0600::hdpRegFlushCntl"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, hdpRegFlushCntl) - 1440usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedFunc"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedFunc) - 1448usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedGridDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedGridDim) - 1452usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedBlockDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedBlockDim) - 1456usize];
    ["Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedSharedMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedSharedMem) - 1460usize];
    ["Offset of field: hipDeviceProp_tR0600::isLargeBar"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, isLargeBar) - 1464usize];
    ["Offset of field: hipDeviceProp_tR0600::asicRevision"]
        [::core::mem::offset_of!(hipDeviceProp_tR0600, asicRevision) - 1468usize];
};
pub const hipMemoryTypeUnregistered: hipMemoryType = 0;
pub const hipMemoryTypeHost: hipMemoryType = 1;
pub const hipMemoryTypeDevice: hipMemoryType = 2;
pub const hipMemoryTypeManaged: hipMemoryType = 3;
pub const hipMemoryTypeArray: hipMemoryType = 10;
pub const hipMemoryTypeUnified: hipMemoryType = 11;
pub type hipMemoryType = ::core::ffi::c_uint;
pub const hipSuccess: hipError_t = 0;
pub const hipErrorInvalidValue: hipError_t = 1;
pub const hipErrorOutOfMemory: hipError_t = 2;
pub const hipErrorMemoryAllocation: hipError_t = 2;
pub const hipErrorNotInitialized: hipError_t = 3;
pub const hipErrorInitializationError: hipError_t = 3;
pub const hipErrorDeinitialized: hipError_t = 4;
pub const hipErrorProfilerDisabled: hipError_t = 5;
pub const hipErrorProfilerNotInitialized: hipError_t = 6;
pub const hipErrorProfilerAlreadyStarted: hipError_t = 7;
pub const hipErrorProfilerAlreadyStopped: hipError_t = 8;
pub const hipErrorInvalidConfiguration: hipError_t = 9;
pub const hipErrorInvalidPitchValue: hipError_t = 12;
pub const hipErrorInvalidSymbol: hipError_t = 13;
pub const hipErrorInvalidDevicePointer: hipError_t = 17;
pub const hipErrorInvalidMemcpyDirection: hipError_t = 21;
pub const hipErrorInsufficientDriver: hipError_t = 35;
pub const hipErrorMissingConfiguration: hipError_t = 52;
pub const hipErrorPriorLaunchFailure: hipError_t = 53;
pub const hipErrorInvalidDeviceFunction: hipError_t = 98;
pub const hipErrorNoDevice: hipError_t = 100;
pub const hipErrorInvalidDevice: hipError_t = 101;
pub const hipErrorInvalidImage: hipError_t = 200;
pub const hipErrorInvalidContext: hipError_t = 201;
pub const hipErrorContextAlreadyCurrent: hipError_t = 202;
pub const hipErrorMapFailed: hipError_t = 205;
pub const hipErrorMapBufferObjectFailed: hipError_t = 205;
pub const hipErrorUnmapFailed: hipError_t = 206;
pub const hipErrorArrayIsMapped: hipError_t = 207;
pub const hipErrorAlreadyMapped: hipError_t = 208;
pub const hipErrorNoBinaryForGpu: hipError_t = 209;
pub const hipErrorAlreadyAcquired: hipError_t = 210;
pub const hipErrorNotMapped: hipError_t = 211;
pub const hipErrorNotMappedAsArray: hipError_t = 212;
pub const hipErrorNotMappedAsPointer: hipError_t = 213;
pub const hipErrorECCNotCorrectable: hipError_t = 214;
pub const hipErrorUnsupportedLimit: hipError_t = 215;
pub const hipErrorContextAlreadyInUse: hipError_t = 216;
pub const hipErrorPeerAccessUnsupported: hipError_t = 217;
pub const hipErrorInvalidKernelFile: hipError_t = 218;
pub const hipErrorInvalidGraphicsContext: hipError_t = 219;
pub const hipErrorInvalidSource: hipError_t = 300;
pub const hipErrorFileNotFound: hipError_t = 301;
pub const hipErrorSharedObjectSymbolNotFound: hipError_t = 302;
pub const hipErrorSharedObjectInitFailed: hipError_t = 303;
pub const hipErrorOperatingSystem: hipError_t = 304;
pub const hipErrorInvalidHandle: hipError_t = 400;
pub const hipErrorInvalidResourceHandle: hipError_t = 400;
pub const hipErrorIllegalState: hipError_t = 401;
pub const hipErrorNotFound: hipError_t = 500;
pub const hipErrorNotReady: hipError_t = 600;
pub const hipErrorIllegalAddress: hipError_t = 700;
pub const hipErrorLaunchOutOfResources: hipError_t = 701;
pub const hipErrorLaunchTimeOut: hipError_t = 702;
pub const hipErrorPeerAccessAlreadyEnabled: hipError_t = 704;
pub const hipErrorPeerAccessNotEnabled: hipError_t = 705;
pub const hipErrorSetOnActiveProcess: hipError_t = 708;
pub const hipErrorContextIsDestroyed: hipError_t = 709;
pub const hipErrorAssert: hipError_t = 710;
pub const hipErrorHostMemoryAlreadyRegistered: hipError_t = 712;
pub const hipErrorHostMemoryNotRegistered: hipError_t = 713;
pub const hipErrorLaunchFailure: hipError_t = 719;
pub const hipErrorCooperativeLaunchTooLarge: hipError_t = 720;
pub const hipErrorNotSupported: hipError_t = 801;
pub const hipErrorStreamCaptureUnsupported: hipError_t = 900;
pub const hipErrorStreamCaptureInvalidated: hipError_t = 901;
pub const hipErrorStreamCaptureMerge: hipError_t = 902;
pub const hipErrorStreamCaptureUnmatched: hipError_t = 903;
pub const hipErrorStreamCaptureUnjoined: hipError_t = 904;
pub const hipErrorStreamCaptureIsolation: hipError_t = 905;
pub const hipErrorStreamCaptureImplicit: hipError_t = 906;
pub const hipErrorCapturedEvent: hipError_t = 907;
pub const hipErrorStreamCaptureWrongThread: hipError_t = 908;
pub const hipErrorGraphExecUpdateFailure: hipError_t = 910;
pub const hipErrorInvalidChannelDescriptor: hipError_t = 911;
pub const hipErrorInvalidTexture: hipError_t = 912;
pub const hipErrorUnknown: hipError_t = 999;
pub const hipErrorRuntimeMemory: hipError_t = 1052;
pub const hipErrorRuntimeOther: hipError_t = 1053;
pub const hipErrorTbd: hipError_t = 1054;
pub type hipError_t = ::core::ffi::c_uint;
pub const hipDeviceAttributeCudaCompatibleBegin: hipDeviceAttribute_t = 0;
pub const hipDeviceAttributeEccEnabled: hipDeviceAttribute_t = 0;
pub const hipDeviceAttributeAccessPolicyMaxWindowSize: hipDeviceAttribute_t = 1;
pub const hipDeviceAttributeAsyncEngineCount: hipDeviceAttribute_t = 2;
pub const hipDeviceAttributeCanMapHostMemory: hipDeviceAttribute_t = 3;
pub const hipDeviceAttributeCanUseHostPointerForRegisteredMem: hipDeviceAttribute_t = 4;
pub const hipDeviceAttributeClockRate: hipDeviceAttribute_t = 5;
pub const hipDeviceAttributeComputeMode: hipDeviceAttribute_t = 6;
pub const hipDeviceAttributeComputePreemptionSupported: hipDeviceAttribute_t = 7;
pub const hipDeviceAttributeConcurrentKernels: hipDeviceAttribute_t = 8;
pub const hipDeviceAttributeConcurrentManagedAccess: hipDeviceAttribute_t = 9;
pub const hipDeviceAttributeCooperativeLaunch: hipDeviceAttribute_t = 10;
pub const hipDeviceAttributeCooperativeMultiDeviceLaunch: hipDeviceAttribute_t = 11;
pub const hipDeviceAttributeDeviceOverlap: hipDeviceAttribute_t = 12;
pub const hipDeviceAttributeDirectManagedMemAccessFromHost: hipDeviceAttribute_t = 13;
pub const hipDeviceAttributeGlobalL1CacheSupported: hipDeviceAttribute_t = 14;
pub const hipDeviceAttributeHostNativeAtomicSupported: hipDeviceAttribute_t = 15;
pub const hipDeviceAttributeIntegrated: hipDeviceAttribute_t = 16;
pub const hipDeviceAttributeIsMultiGpuBoard: hipDeviceAttribute_t = 17;
pub const hipDeviceAttributeKernelExecTimeout: hipDeviceAttribute_t = 18;
pub const hipDeviceAttributeL2CacheSize: hipDeviceAttribute_t = 19;
pub const hipDeviceAttributeLocalL1CacheSupported: hipDeviceAttribute_t = 20;
pub const hipDeviceAttributeLuid: hipDeviceAttribute_t = 21;
pub const hipDeviceAttributeLuidDeviceNodeMask: hipDeviceAttribute_t = 22;
pub const hipDeviceAttributeComputeCapabilityMajor: hipDeviceAttribute_t = 23;
pub const hipDeviceAttributeManagedMemory: hipDeviceAttribute_t = 24;
pub const hipDeviceAttributeMaxBlocksPerMultiProcessor: hipDeviceAttribute_t = 25;
pub const hipDeviceAttributeMaxBlockDimX: hipDeviceAttribute_t = 26;
pub const hipDeviceAttributeMaxBlockDimY: hipDeviceAttribute_t = 27;
pub const hipDeviceAttributeMaxBlockDimZ: hipDeviceAttribute_t = 28;
pub const hipDeviceAttributeMaxGridDimX: hipDeviceAttribute_t = 29;
pub const hipDeviceAttributeMaxGridDimY: hipDeviceAttribute_t = 30;
pub const hipDeviceAttributeMaxGridDimZ: hipDeviceAttribute_t = 31;
pub const hipDeviceAttributeMaxSurface1D: hipDeviceAttribute_t = 32;
pub const hipDeviceAttributeMaxSurface1DLayered: hipDeviceAttribute_t = 33;
pub const hipDeviceAttributeMaxSurface2D: hipDeviceAttribute_t = 34;
pub const hipDeviceAttributeMaxSurface2DLayered: hipDeviceAttribute_t = 35;
pub const hipDeviceAttributeMaxSurface3D: hipDeviceAttribute_t = 36;
pub const hipDeviceAttributeMaxSurfaceCubemap: hipDeviceAttribute_t = 37;
pub const hipDeviceAttributeMaxSurfaceCubemapLayered: hipDeviceAttribute_t = 38;
pub const hipDeviceAttributeMaxTexture1DWidth: hipDeviceAttribute_t = 39;
pub const hipDeviceAttributeMaxTexture1DLayered: hipDeviceAttribute_t = 40;
pub const hipDeviceAttributeMaxTexture1DLinear: hipDeviceAttribute_t = 41;
pub const hipDeviceAttributeMaxTexture1DMipmap: hipDeviceAttribute_t = 42;
pub const hipDeviceAttributeMaxTexture2DWidth: hipDeviceAttribute_t = 43;
pub const hipDeviceAttributeMaxTexture2DHeight: hipDeviceAttribute_t = 44;
pub const hipDeviceAttributeMaxTexture2DGather: hipDeviceAttribute_t = 45;
pub const hipDeviceAttributeMaxTexture2DLayered: hipDeviceAttribute_t = 46;
pub const hipDeviceAttributeMaxTexture2DLinear: hipDeviceAttribute_t = 47;
pub const hipDeviceAttributeMaxTexture2DMipmap: hipDeviceAttribute_t = 48;
pub const hipDeviceAttributeMaxTexture3DWidth: hipDeviceAttribute_t = 49;
pub const hipDeviceAttributeMaxTexture3DHeight: hipDeviceAttribute_t = 50;
pub const hipDeviceAttributeMaxTexture3DDepth: hipDeviceAttribute_t = 51;
pub const hipDeviceAttributeMaxTexture3DAlt: hipDeviceAttribute_t = 52;
pub const hipDeviceAttributeMaxTextureCubemap: hipDeviceAttribute_t = 53;
pub const hipDeviceAttributeMaxTextureCubemapLayered: hipDeviceAttribute_t = 54;
pub const hipDeviceAttributeMaxThreadsDim: hipDeviceAttribute_t = 55;
pub const hipDeviceAttributeMaxThreadsPerBlock: hipDeviceAttribute_t = 56;
pub const hipDeviceAttributeMaxThreadsPerMultiProcessor: hipDeviceAttribute_t = 57;
pub const hipDeviceAttributeMaxPitch: hipDeviceAttribute_t = 58;
pub const hipDeviceAttributeMemoryBusWidth: hipDeviceAttribute_t = 59;
pub const hipDeviceAttributeMemoryClockRate: hipDeviceAttribute_t = 60;
pub const hipDeviceAttributeComputeCapabilityMinor: hipDeviceAttribute_t = 61;
pub const hipDeviceAttributeMultiGpuBoardGroupID: hipDeviceAttribute_t = 62;
pub const hipDeviceAttributeMultiprocessorCount: hipDeviceAttribute_t = 63;
pub const hipDeviceAttributeUnused1: hipDeviceAttribute_t = 64;
pub const hipDeviceAttributePageableMemoryAccess: hipDeviceAttribute_t = 65;
pub const hipDeviceAttributePageableMemoryAccessUsesHostPageTables: hipDeviceAttribute_t = 66;
pub const hipDeviceAttributePciBusId: hipDeviceAttribute_t = 67;
pub const hipDeviceAttributePciDeviceId: hipDeviceAttribute_t = 68;
pub const hipDeviceAttributePciDomainId: hipDeviceAttribute_t = 69;
pub const hipDeviceAttributePciDomainID: hipDeviceAttribute_t = 69;
pub const hipDeviceAttributePersistingL2CacheMaxSize: hipDeviceAttribute_t = 70;
pub const hipDeviceAttributeMaxRegistersPerBlock: hipDeviceAttribute_t = 71;
pub const hipDeviceAttributeMaxRegistersPerMultiprocessor: hipDeviceAttribute_t = 72;
pub const hipDeviceAttributeReservedSharedMemPerBlock: hipDeviceAttribute_t = 73;
pub const hipDeviceAttributeMaxSharedMemoryPerBlock: hipDeviceAttribute_t = 74;
pub const hipDeviceAttributeSharedMemPerBlockOptin: hipDeviceAttribute_t = 75;
pub const hipDeviceAttributeSharedMemPerMultiprocessor: hipDeviceAttribute_t = 76;
pub const hipDeviceAttributeSingleToDoublePrecisionPerfRatio: hipDeviceAttribute_t = 77;
pub const hipDeviceAttributeStreamPrioritiesSupported: hipDeviceAttribute_t = 78;
pub const hipDeviceAttributeSurfaceAlignment: hipDeviceAttribute_t = 79;
pub const hipDeviceAttributeTccDriver: hipDeviceAttribute_t = 80;
pub const hipDeviceAttributeTextureAlignment: hipDeviceAttribute_t = 81;
pub const hipDeviceAttributeTexturePitchAlignment: hipDeviceAttribute_t = 82;
pub const hipDeviceAttributeTotalConstantMemory: hipDeviceAttribute_t = 83;
pub const hipDeviceAttributeTotalGlobalMem: hipDeviceAttribute_t = 84;
pub const hipDeviceAttributeUnifiedAddressing: hipDeviceAttribute_t = 85;
pub const hipDeviceAttributeUnused2: hipDeviceAttribute_t = 86;
pub const hipDeviceAttributeWarpSize: hipDeviceAttribute_t = 87;
pub const hipDeviceAttributeMemoryPoolsSupported: hipDeviceAttribute_t = 88;
pub const hipDeviceAttributeVirtualMemoryManagementSupported: hipDeviceAttribute_t = 89;
pub const hipDeviceAttributeHostRegisterSupported: hipDeviceAttribute_t = 90;
pub const hipDeviceAttributeMemoryPoolSupportedHandleTypes: hipDeviceAttribute_t = 91;
pub const hipDeviceAttributeHostNumaId: hipDeviceAttribute_t = 92;
pub const hipDeviceAttributeCudaCompatibleEnd: hipDeviceAttribute_t = 9999;
pub const hipDeviceAttributeAmdSpecificBegin: hipDeviceAttribute_t = 10000;
pub const hipDeviceAttributeClockInstructionRate: hipDeviceAttribute_t = 10000;
pub const hipDeviceAttributeUnused3: hipDeviceAttribute_t = 10001;
pub const hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: hipDeviceAttribute_t = 10002;
pub const hipDeviceAttributeUnused4: hipDeviceAttribute_t = 10003;
pub const hipDeviceAttributeUnused5: hipDeviceAttribute_t = 10004;
pub const hipDeviceAttributeHdpMemFlushCntl: hipDeviceAttribute_t = 10005;
pub const hipDeviceAttributeHdpRegFlushCntl: hipDeviceAttribute_t = 10006;
pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc: hipDeviceAttribute_t = 10007;
pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim: hipDeviceAttribute_t = 10008;
pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim: hipDeviceAttribute_t = 10009;
pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem: hipDeviceAttribute_t = 10010;
pub const hipDeviceAttributeIsLargeBar: hipDeviceAttribute_t = 10011;
pub const hipDeviceAttributeAsicRevision: hipDeviceAttribute_t = 10012;
pub const hipDeviceAttributeCanUseStreamWaitValue: hipDeviceAttribute_t = 10013;
pub const hipDeviceAttributeImageSupport: hipDeviceAttribute_t = 10014;
pub const hipDeviceAttributePhysicalMultiProcessorCount: hipDeviceAttribute_t = 10015;
pub const hipDeviceAttributeFineGrainSupport: hipDeviceAttribute_t = 10016;
pub const hipDeviceAttributeWallClockRate: hipDeviceAttribute_t = 10017;
pub const hipDeviceAttributeNumberOfXccs: hipDeviceAttribute_t = 10018;
pub const hipDeviceAttributeMaxAvailableVgprsPerThread: hipDeviceAttribute_t = 10019;
pub const hipDeviceAttributePciChipId: hipDeviceAttribute_t = 10020;
pub const hipDeviceAttributeAmdSpecificEnd: hipDeviceAttribute_t = 19999;
pub const hipDeviceAttributeVendorSpecificBegin: hipDeviceAttribute_t = 20000;
pub type hipDeviceAttribute_t = ::core::ffi::c_uint;
pub type hipDeviceptr_t = *mut ::core::ffi::c_void;
pub const hipChannelFormatKindSigned: hipChannelFormatKind = 0;
pub const hipChannelFormatKindUnsigned: hipChannelFormatKind = 1;
pub const hipChannelFormatKindFloat: hipChannelFormatKind = 2;
pub const hipChannelFormatKindNone: hipChannelFormatKind = 3;
pub type hipChannelFormatKind = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipChannelFormatDesc {
    pub x: ::core::ffi::c_int,
    pub y: ::core::ffi::c_int,
    pub z: ::core::ffi::c_int,
    pub w: ::core::ffi::c_int,
    pub f: hipChannelFormatKind,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipChannelFormatDesc"][::core::mem::size_of::<hipChannelFormatDesc>() - 20usize];
    ["Alignment of hipChannelFormatDesc"][::core::mem::align_of::<hipChannelFormatDesc>() - 4usize];
    ["Offset of field: hipChannelFormatDesc::x"][::core::mem::offset_of!(hipChannelFormatDesc, x) - 0usize];
    ["Offset of field: hipChannelFormatDesc::y"][::core::mem::offset_of!(hipChannelFormatDesc, y) - 4usize];
    ["Offset of field: hipChannelFormatDesc::z"][::core::mem::offset_of!(hipChannelFormatDesc, z) - 8usize];
    ["Offset of field: hipChannelFormatDesc::w"][::core::mem::offset_of!(hipChannelFormatDesc, w) - 12usize];
    ["Offset of field: hipChannelFormatDesc::f"][::core::mem::offset_of!(hipChannelFormatDesc, f) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipArray {
    _unused: [u8; 0],
}
pub type hipArray_t = *mut hipArray;
pub const HIP_AD_FORMAT_UNSIGNED_INT8: hipArray_Format = 1;
pub const HIP_AD_FORMAT_UNSIGNED_INT16: hipArray_Format = 2;
pub const HIP_AD_FORMAT_UNSIGNED_INT32: hipArray_Format = 3;
pub const HIP_AD_FORMAT_SIGNED_INT8: hipArray_Format = 8;
pub const HIP_AD_FORMAT_SIGNED_INT16: hipArray_Format = 9;
pub const HIP_AD_FORMAT_SIGNED_INT32: hipArray_Format = 10;
pub const HIP_AD_FORMAT_HALF: hipArray_Format = 16;
pub const HIP_AD_FORMAT_FLOAT: hipArray_Format = 32;
pub type hipArray_Format = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_ARRAY3D_DESCRIPTOR {
    pub Width: usize,
    pub Height: usize,
    pub Depth: usize,
    pub Format: hipArray_Format,
    pub NumChannels: ::core::ffi::c_uint,
    pub Flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_ARRAY3D_DESCRIPTOR"][::core::mem::size_of::<HIP_ARRAY3D_DESCRIPTOR>() - 40usize];
    ["Alignment of HIP_ARRAY3D_DESCRIPTOR"][::core::mem::align_of::<HIP_ARRAY3D_DESCRIPTOR>() - 8usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::Width"][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Width) - 0usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::Height"]
        [::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Height) - 8usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::Depth"]
        [::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Depth) - 16usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::Format"]
        [::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Format) - 24usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::NumChannels"]
        [::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, NumChannels) - 28usize];
    ["Offset of field: HIP_ARRAY3D_DESCRIPTOR::Flags"]
        [::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Flags) - 32usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMipmappedArray {
    pub data: *mut ::core::ffi::c_void,
    pub desc: hipChannelFormatDesc,
    pub type_: ::core::ffi::c_uint,
    pub width: ::core::ffi::c_uint,
    pub height: ::core::ffi::c_uint,
    pub depth: ::core::ffi::c_uint,
    pub min_mipmap_level: ::core::ffi::c_uint,
    pub max_mipmap_level: ::core::ffi::c_uint,
    pub flags: ::core::ffi::c_uint,
    pub format: hipArray_Format,
    pub num_channels: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMipmappedArray"][::core::mem::size_of::<hipMipmappedArray>() - 64usize];
    ["Alignment of hipMipmappedArray"][::core::mem::align_of::<hipMipmappedArray>() - 8usize];
    ["Offset of field: hipMipmappedArray::data"][::core::mem::offset_of!(hipMipmappedArray, data) - 0usize];
    ["Offset of field: hipMipmappedArray::desc"][::core::mem::offset_of!(hipMipmappedArray, desc) - 8usize];
    ["Offset of field: hipMipmappedArray::type_"][::core::mem::offset_of!(hipMipmappedArray, type_) - 28usize];
    ["Offset of field: hipMipmappedArray::width"][::core::mem::offset_of!(hipMipmappedArray, width) - 32usize];
    ["Offset of field: hipMipmappedArray::height"][::core::mem::offset_of!(hipMipmappedArray, height) - 36usize];
    ["Offset of field: hipMipmappedArray::depth"][::core::mem::offset_of!(hipMipmappedArray, depth) - 40usize];
    ["Offset of field: hipMipmappedArray::min_mipmap_level"]
        [::core::mem::offset_of!(hipMipmappedArray, min_mipmap_level) - 44usize];
    ["Offset of field: hipMipmappedArray::max_mipmap_level"]
        [::core::mem::offset_of!(hipMipmappedArray, max_mipmap_level) - 48usize];
    ["Offset of field: hipMipmappedArray::flags"][::core::mem::offset_of!(hipMipmappedArray, flags) - 52usize];
    ["Offset of field: hipMipmappedArray::format"][::core::mem::offset_of!(hipMipmappedArray, format) - 56usize];
    ["Offset of field: hipMipmappedArray::num_channels"]
        [::core::mem::offset_of!(hipMipmappedArray, num_channels) - 60usize];
};
pub type hipMipmappedArray_t = *mut hipMipmappedArray;
pub const hipResourceTypeArray: hipResourceType = 0;
pub const hipResourceTypeMipmappedArray: hipResourceType = 1;
pub const hipResourceTypeLinear: hipResourceType = 2;
pub const hipResourceTypePitch2D: hipResourceType = 3;
pub type hipResourceType = ::core::ffi::c_uint;
pub const HIP_RESOURCE_TYPE_ARRAY: HIPresourcetype_enum = 0;
pub const HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY: HIPresourcetype_enum = 1;
pub const HIP_RESOURCE_TYPE_LINEAR: HIPresourcetype_enum = 2;
pub const HIP_RESOURCE_TYPE_PITCH2D: HIPresourcetype_enum = 3;
pub type HIPresourcetype_enum = ::core::ffi::c_uint;
pub use self::HIPresourcetype_enum as HIPresourcetype;
pub const HIP_TR_ADDRESS_MODE_WRAP: HIPaddress_mode_enum = 0;
pub const HIP_TR_ADDRESS_MODE_CLAMP: HIPaddress_mode_enum = 1;
pub const HIP_TR_ADDRESS_MODE_MIRROR: HIPaddress_mode_enum = 2;
pub const HIP_TR_ADDRESS_MODE_BORDER: HIPaddress_mode_enum = 3;
pub type HIPaddress_mode_enum = ::core::ffi::c_uint;
pub use self::HIPaddress_mode_enum as HIPaddress_mode;
pub const HIP_TR_FILTER_MODE_POINT: HIPfilter_mode_enum = 0;
pub const HIP_TR_FILTER_MODE_LINEAR: HIPfilter_mode_enum = 1;
pub type HIPfilter_mode_enum = ::core::ffi::c_uint;
pub use self::HIPfilter_mode_enum as HIPfilter_mode;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_TEXTURE_DESC_st {
    pub addressMode: [HIPaddress_mode; 3usize],
    pub filterMode: HIPfilter_mode,
    pub flags: ::core::ffi::c_uint,
    pub maxAnisotropy: ::core::ffi::c_uint,
    pub mipmapFilterMode: HIPfilter_mode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4usize],
    pub reserved: [::core::ffi::c_int; 12usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_TEXTURE_DESC_st"][::core::mem::size_of::<HIP_TEXTURE_DESC_st>() - 104usize];
    ["Alignment of HIP_TEXTURE_DESC_st"][::core::mem::align_of::<HIP_TEXTURE_DESC_st>() - 4usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::addressMode"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, addressMode) - 0usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::filterMode"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, filterMode) - 12usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::flags"][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, flags) - 16usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::maxAnisotropy"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, maxAnisotropy) - 20usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::mipmapFilterMode"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, mipmapFilterMode) - 24usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::mipmapLevelBias"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, mipmapLevelBias) - 28usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::minMipmapLevelClamp"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, minMipmapLevelClamp) - 32usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::maxMipmapLevelClamp"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, maxMipmapLevelClamp) - 36usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::borderColor"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, borderColor) - 40usize];
    ["Offset of field: HIP_TEXTURE_DESC_st::reserved"]
        [::core::mem::offset_of!(HIP_TEXTURE_DESC_st, reserved) - 56usize];
};
pub type HIP_TEXTURE_DESC = HIP_TEXTURE_DESC_st;
pub const HIP_RES_VIEW_FORMAT_NONE: HIPresourceViewFormat_enum = 0;
pub const HIP_RES_VIEW_FORMAT_UINT_1X8: HIPresourceViewFormat_enum = 1;
pub const HIP_RES_VIEW_FORMAT_UINT_2X8: HIPresourceViewFormat_enum = 2;
pub const HIP_RES_VIEW_FORMAT_UINT_4X8: HIPresourceViewFormat_enum = 3;
pub const HIP_RES_VIEW_FORMAT_SINT_1X8: HIPresourceViewFormat_enum = 4;
pub const HIP_RES_VIEW_FORMAT_SINT_2X8: HIPresourceViewFormat_enum = 5;
pub const HIP_RES_VIEW_FORMAT_SINT_4X8: HIPresourceViewFormat_enum = 6;
pub const HIP_RES_VIEW_FORMAT_UINT_1X16: HIPresourceViewFormat_enum = 7;
pub const HIP_RES_VIEW_FORMAT_UINT_2X16: HIPresourceViewFormat_enum = 8;
pub const HIP_RES_VIEW_FORMAT_UINT_4X16: HIPresourceViewFormat_enum = 9;
pub const HIP_RES_VIEW_FORMAT_SINT_1X16: HIPresourceViewFormat_enum = 10;
pub const HIP_RES_VIEW_FORMAT_SINT_2X16: HIPresourceViewFormat_enum = 11;
pub const HIP_RES_VIEW_FORMAT_SINT_4X16: HIPresourceViewFormat_enum = 12;
pub const HIP_RES_VIEW_FORMAT_UINT_1X32: HIPresourceViewFormat_enum = 13;
pub const HIP_RES_VIEW_FORMAT_UINT_2X32: HIPresourceViewFormat_enum = 14;
pub const HIP_RES_VIEW_FORMAT_UINT_4X32: HIPresourceViewFormat_enum = 15;
pub const HIP_RES_VIEW_FORMAT_SINT_1X32: HIPresourceViewFormat_enum = 16;
pub const HIP_RES_VIEW_FORMAT_SINT_2X32: HIPresourceViewFormat_enum = 17;
pub const HIP_RES_VIEW_FORMAT_SINT_4X32: HIPresourceViewFormat_enum = 18;
pub const HIP_RES_VIEW_FORMAT_FLOAT_1X16: HIPresourceViewFormat_enum = 19;
pub const HIP_RES_VIEW_FORMAT_FLOAT_2X16: HIPresourceViewFormat_enum = 20;
pub const HIP_RES_VIEW_FORMAT_FLOAT_4X16: HIPresourceViewFormat_enum = 21;
pub const HIP_RES_VIEW_FORMAT_FLOAT_1X32: HIPresourceViewFormat_enum = 22;
pub const HIP_RES_VIEW_FORMAT_FLOAT_2X32: HIPresourceViewFormat_enum = 23;
pub const HIP_RES_VIEW_FORMAT_FLOAT_4X32: HIPresourceViewFormat_enum = 24;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC1: HIPresourceViewFormat_enum = 25;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC2: HIPresourceViewFormat_enum = 26;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC3: HIPresourceViewFormat_enum = 27;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC4: HIPresourceViewFormat_enum = 28;
pub const HIP_RES_VIEW_FORMAT_SIGNED_BC4: HIPresourceViewFormat_enum = 29;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC5: HIPresourceViewFormat_enum = 30;
pub const HIP_RES_VIEW_FORMAT_SIGNED_BC5: HIPresourceViewFormat_enum = 31;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H: HIPresourceViewFormat_enum = 32;
pub const HIP_RES_VIEW_FORMAT_SIGNED_BC6H: HIPresourceViewFormat_enum = 33;
pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC7: HIPresourceViewFormat_enum = 34;
pub type HIPresourceViewFormat_enum = ::core::ffi::c_uint;
pub use self::HIPresourceViewFormat_enum as HIPresourceViewFormat;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipResourceDesc {
    pub resType: hipResourceType,
    pub res: hipResourceDesc__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipResourceDesc__bindgen_ty_1 {
    pub array: hipResourceDesc__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: hipResourceDesc__bindgen_ty_1__bindgen_ty_2,
    pub linear: hipResourceDesc__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: hipResourceDesc__bindgen_ty_1__bindgen_ty_4,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_1 {
    pub array: hipArray_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_1"]
        [::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    ["Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_1"]
        [::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_1::array"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_1, array) - 0usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_2 {
    pub mipmap: hipMipmappedArray_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_2"]
        [::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    ["Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_2"]
        [::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_2::mipmap"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_2, mipmap) - 0usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: *mut ::core::ffi::c_void,
    pub desc: hipChannelFormatDesc,
    pub sizeInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_3"]
        [::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_3>() - 40usize];
    ["Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_3"]
        [::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_3>() - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::devPtr"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, devPtr) - 0usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::desc"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, desc) - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::sizeInBytes"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, sizeInBytes) - 32usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: *mut ::core::ffi::c_void,
    pub desc: hipChannelFormatDesc,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_4"]
        [::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_4>() - 56usize];
    ["Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_4"]
        [::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_4>() - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::devPtr"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, devPtr) - 0usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::desc"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, desc) - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::width"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, width) - 32usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::height"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, height) - 40usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::pitchInBytes"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, pitchInBytes) - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc__bindgen_ty_1"][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1>() - 56usize];
    ["Alignment of hipResourceDesc__bindgen_ty_1"][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1>() - 8usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1::array"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, array) - 0usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1::mipmap"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, mipmap) - 0usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1::linear"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, linear) - 0usize];
    ["Offset of field: hipResourceDesc__bindgen_ty_1::pitch2D"]
        [::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, pitch2D) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc"][::core::mem::size_of::<hipResourceDesc>() - 64usize];
    ["Alignment of hipResourceDesc"][::core::mem::align_of::<hipResourceDesc>() - 8usize];
    ["Offset of field: hipResourceDesc::resType"][::core::mem::offset_of!(hipResourceDesc, resType) - 0usize];
    ["Offset of field: hipResourceDesc::res"][::core::mem::offset_of!(hipResourceDesc, res) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st {
    pub resType: HIPresourcetype,
    pub res: HIP_RESOURCE_DESC_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union HIP_RESOURCE_DESC_st__bindgen_ty_1 {
    pub array: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    pub linear: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    pub reserved: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub hArray: hipArray_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1::hArray"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, hArray) - 0usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    pub hMipmappedArray: hipMipmappedArray_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2::hMipmappedArray"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2, hMipmappedArray) - 0usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: hipDeviceptr_t,
    pub format: hipArray_Format,
    pub numChannels: ::core::ffi::c_uint,
    pub sizeInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>() - 24usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::devPtr"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, devPtr) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::format"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, format) - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::numChannels"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, numChannels) - 12usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::sizeInBytes"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, sizeInBytes) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: hipDeviceptr_t,
    pub format: hipArray_Format,
    pub numChannels: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>() - 40usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::devPtr"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, devPtr) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::format"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, format) - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::numChannels"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, numChannels) - 12usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::width"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, width) - 16usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::height"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, height) - 24usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::pitchInBytes"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, pitchInBytes) - 32usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 {
    pub reserved: [::core::ffi::c_int; 32usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>() - 128usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>() - 4usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5::reserved"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st__bindgen_ty_1"]
        [::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1>() - 128usize];
    ["Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1"]
        [::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::array"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, array) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::mipmap"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, mipmap) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::linear"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, linear) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::pitch2D"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, pitch2D) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::reserved"]
        [::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_DESC_st"][::core::mem::size_of::<HIP_RESOURCE_DESC_st>() - 144usize];
    ["Alignment of HIP_RESOURCE_DESC_st"][::core::mem::align_of::<HIP_RESOURCE_DESC_st>() - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st::resType"][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, resType) - 0usize];
    ["Offset of field: HIP_RESOURCE_DESC_st::res"][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, res) - 8usize];
    ["Offset of field: HIP_RESOURCE_DESC_st::flags"][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, flags) - 136usize];
};
pub type HIP_RESOURCE_DESC = HIP_RESOURCE_DESC_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_VIEW_DESC_st {
    pub format: HIPresourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: ::core::ffi::c_uint,
    pub lastMipmapLevel: ::core::ffi::c_uint,
    pub firstLayer: ::core::ffi::c_uint,
    pub lastLayer: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_RESOURCE_VIEW_DESC_st"][::core::mem::size_of::<HIP_RESOURCE_VIEW_DESC_st>() - 112usize];
    ["Alignment of HIP_RESOURCE_VIEW_DESC_st"][::core::mem::align_of::<HIP_RESOURCE_VIEW_DESC_st>() - 8usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::format"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, format) - 0usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::width"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, width) - 8usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::height"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, height) - 16usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::depth"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, depth) - 24usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::firstMipmapLevel"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, firstMipmapLevel) - 32usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::lastMipmapLevel"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, lastMipmapLevel) - 36usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::firstLayer"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, firstLayer) - 40usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::lastLayer"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, lastLayer) - 44usize];
    ["Offset of field: HIP_RESOURCE_VIEW_DESC_st::reserved"]
        [::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, reserved) - 48usize];
};
pub type HIP_RESOURCE_VIEW_DESC = HIP_RESOURCE_VIEW_DESC_st;
pub const hipMemcpyHostToHost: hipMemcpyKind = 0;
pub const hipMemcpyHostToDevice: hipMemcpyKind = 1;
pub const hipMemcpyDeviceToHost: hipMemcpyKind = 2;
pub const hipMemcpyDeviceToDevice: hipMemcpyKind = 3;
pub const hipMemcpyDefault: hipMemcpyKind = 4;
pub const hipMemcpyDeviceToDeviceNoCU: hipMemcpyKind = 1024;
pub type hipMemcpyKind = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_MEMCPY3D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: hipMemoryType,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: hipDeviceptr_t,
    pub srcArray: hipArray_t,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: hipMemoryType,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: hipDeviceptr_t,
    pub dstArray: hipArray_t,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_MEMCPY3D"][::core::mem::size_of::<HIP_MEMCPY3D>() - 184usize];
    ["Alignment of HIP_MEMCPY3D"][::core::mem::align_of::<HIP_MEMCPY3D>() - 8usize];
    ["Offset of field: HIP_MEMCPY3D::srcXInBytes"][::core::mem::offset_of!(HIP_MEMCPY3D, srcXInBytes) - 0usize];
    ["Offset of field: HIP_MEMCPY3D::srcY"][::core::mem::offset_of!(HIP_MEMCPY3D, srcY) - 8usize];
    ["Offset of field: HIP_MEMCPY3D::srcZ"][::core::mem::offset_of!(HIP_MEMCPY3D, srcZ) - 16usize];
    ["Offset of field: HIP_MEMCPY3D::srcLOD"][::core::mem::offset_of!(HIP_MEMCPY3D, srcLOD) - 24usize];
    ["Offset of field: HIP_MEMCPY3D::srcMemoryType"][::core::mem::offset_of!(HIP_MEMCPY3D, srcMemoryType) - 32usize];
    ["Offset of field: HIP_MEMCPY3D::srcHost"][::core::mem::offset_of!(HIP_MEMCPY3D, srcHost) - 40usize];
    ["Offset of field: HIP_MEMCPY3D::srcDevice"][::core::mem::offset_of!(HIP_MEMCPY3D, srcDevice) - 48usize];
    ["Offset of field: HIP_MEMCPY3D::srcArray"][::core::mem::offset_of!(HIP_MEMCPY3D, srcArray) - 56usize];
    ["Offset of field: HIP_MEMCPY3D::srcPitch"][::core::mem::offset_of!(HIP_MEMCPY3D, srcPitch) - 64usize];
    ["Offset of field: HIP_MEMCPY3D::srcHeight"][::core::mem::offset_of!(HIP_MEMCPY3D, srcHeight) - 72usize];
    ["Offset of field: HIP_MEMCPY3D::dstXInBytes"][::core::mem::offset_of!(HIP_MEMCPY3D, dstXInBytes) - 80usize];
    ["Offset of field: HIP_MEMCPY3D::dstY"][::core::mem::offset_of!(HIP_MEMCPY3D, dstY) - 88usize];
    ["Offset of field: HIP_MEMCPY3D::dstZ"][::core::mem::offset_of!(HIP_MEMCPY3D, dstZ) - 96usize];
    ["Offset of field: HIP_MEMCPY3D::dstLOD"][::core::mem::offset_of!(HIP_MEMCPY3D, dstLOD) - 104usize];
    ["Offset of field: HIP_MEMCPY3D::dstMemoryType"][::core::mem::offset_of!(HIP_MEMCPY3D, dstMemoryType) - 112usize];
    ["Offset of field: HIP_MEMCPY3D::dstHost"][::core::mem::offset_of!(HIP_MEMCPY3D, dstHost) - 120usize];
    ["Offset of field: HIP_MEMCPY3D::dstDevice"][::core::mem::offset_of!(HIP_MEMCPY3D, dstDevice) - 128usize];
    ["Offset of field: HIP_MEMCPY3D::dstArray"][::core::mem::offset_of!(HIP_MEMCPY3D, dstArray) - 136usize];
    ["Offset of field: HIP_MEMCPY3D::dstPitch"][::core::mem::offset_of!(HIP_MEMCPY3D, dstPitch) - 144usize];
    ["Offset of field: HIP_MEMCPY3D::dstHeight"][::core::mem::offset_of!(HIP_MEMCPY3D, dstHeight) - 152usize];
    ["Offset of field: HIP_MEMCPY3D::WidthInBytes"][::core::mem::offset_of!(HIP_MEMCPY3D, WidthInBytes) - 160usize];
    ["Offset of field: HIP_MEMCPY3D::Height"][::core::mem::offset_of!(HIP_MEMCPY3D, Height) - 168usize];
    ["Offset of field: HIP_MEMCPY3D::Depth"][::core::mem::offset_of!(HIP_MEMCPY3D, Depth) - 176usize];
};
pub const hipMemLocationTypeInvalid: hipMemLocationType = 0;
pub const hipMemLocationTypeNone: hipMemLocationType = 0;
pub const hipMemLocationTypeDevice: hipMemLocationType = 1;
pub const hipMemLocationTypeHost: hipMemLocationType = 2;
pub const hipMemLocationTypeHostNuma: hipMemLocationType = 3;
pub const hipMemLocationTypeHostNumaCurrent: hipMemLocationType = 4;
pub type hipMemLocationType = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemLocation {
    pub type_: hipMemLocationType,
    pub id: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemLocation"][::core::mem::size_of::<hipMemLocation>() - 8usize];
    ["Alignment of hipMemLocation"][::core::mem::align_of::<hipMemLocation>() - 4usize];
    ["Offset of field: hipMemLocation::type_"][::core::mem::offset_of!(hipMemLocation, type_) - 0usize];
    ["Offset of field: hipMemLocation::id"][::core::mem::offset_of!(hipMemLocation, id) - 4usize];
};
pub const HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: hipFunction_attribute = 0;
pub const HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: hipFunction_attribute = 1;
pub const HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: hipFunction_attribute = 2;
pub const HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: hipFunction_attribute = 3;
pub const HIP_FUNC_ATTRIBUTE_NUM_REGS: hipFunction_attribute = 4;
pub const HIP_FUNC_ATTRIBUTE_PTX_VERSION: hipFunction_attribute = 5;
pub const HIP_FUNC_ATTRIBUTE_BINARY_VERSION: hipFunction_attribute = 6;
pub const HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: hipFunction_attribute = 7;
pub const HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: hipFunction_attribute = 8;
pub const HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: hipFunction_attribute = 9;
pub const HIP_FUNC_ATTRIBUTE_MAX: hipFunction_attribute = 10;
pub type hipFunction_attribute = ::core::ffi::c_uint;
pub const HIP_POINTER_ATTRIBUTE_CONTEXT: hipPointer_attribute = 1;
pub const HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: hipPointer_attribute = 2;
pub const HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: hipPointer_attribute = 3;
pub const HIP_POINTER_ATTRIBUTE_HOST_POINTER: hipPointer_attribute = 4;
pub const HIP_POINTER_ATTRIBUTE_P2P_TOKENS: hipPointer_attribute = 5;
pub const HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: hipPointer_attribute = 6;
pub const HIP_POINTER_ATTRIBUTE_BUFFER_ID: hipPointer_attribute = 7;
pub const HIP_POINTER_ATTRIBUTE_IS_MANAGED: hipPointer_attribute = 8;
pub const HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: hipPointer_attribute = 9;
pub const HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE: hipPointer_attribute = 10;
pub const HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: hipPointer_attribute = 11;
pub const HIP_POINTER_ATTRIBUTE_RANGE_SIZE: hipPointer_attribute = 12;
pub const HIP_POINTER_ATTRIBUTE_MAPPED: hipPointer_attribute = 13;
pub const HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: hipPointer_attribute = 14;
pub const HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: hipPointer_attribute = 15;
pub const HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: hipPointer_attribute = 16;
pub const HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: hipPointer_attribute = 17;
pub type hipPointer_attribute = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct __hip_texture {
    _unused: [u8; 0],
}
pub type hipTextureObject_t = *mut __hip_texture;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct __hip_surface {
    _unused: [u8; 0],
}
pub type hipSurfaceObject_t = *mut __hip_surface;
pub type hipDevice_t = ::core::ffi::c_int;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipStream_t {
    _unused: [u8; 0],
}
pub type hipStream_t = *mut ihipStream_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipIpcMemHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipIpcMemHandle_st"][::core::mem::size_of::<hipIpcMemHandle_st>() - 64usize];
    ["Alignment of hipIpcMemHandle_st"][::core::mem::align_of::<hipIpcMemHandle_st>() - 1usize];
    ["Offset of field: hipIpcMemHandle_st::reserved"][::core::mem::offset_of!(hipIpcMemHandle_st, reserved) - 0usize];
};
pub type hipIpcMemHandle_t = hipIpcMemHandle_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipIpcEventHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipIpcEventHandle_st"][::core::mem::size_of::<hipIpcEventHandle_st>() - 64usize];
    ["Alignment of hipIpcEventHandle_st"][::core::mem::align_of::<hipIpcEventHandle_st>() - 1usize];
    ["Offset of field: hipIpcEventHandle_st::reserved"]
        [::core::mem::offset_of!(hipIpcEventHandle_st, reserved) - 0usize];
};
pub type hipIpcEventHandle_t = hipIpcEventHandle_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipModule_t {
    _unused: [u8; 0],
}
pub type hipModule_t = *mut ihipModule_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipModuleSymbol_t {
    _unused: [u8; 0],
}
pub type hipFunction_t = *mut ihipModuleSymbol_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipMemPoolHandle_t {
    _unused: [u8; 0],
}
pub type hipMemPool_t = *mut ihipMemPoolHandle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipEvent_t {
    _unused: [u8; 0],
}
pub type hipEvent_t = *mut ihipEvent_t;
pub const hipLimitStackSize: hipLimit_t = 0;
pub const hipLimitPrintfFifoSize: hipLimit_t = 1;
pub const hipLimitMallocHeapSize: hipLimit_t = 2;
pub const hipExtLimitScratchMin: hipLimit_t = 4096;
pub const hipExtLimitScratchMax: hipLimit_t = 4097;
pub const hipExtLimitScratchCurrent: hipLimit_t = 4098;
pub const hipLimitRange: hipLimit_t = 4099;
pub type hipLimit_t = ::core::ffi::c_uint;
pub const hipMemAdviseSetReadMostly: hipMemoryAdvise = 1;
pub const hipMemAdviseUnsetReadMostly: hipMemoryAdvise = 2;
pub const hipMemAdviseSetPreferredLocation: hipMemoryAdvise = 3;
pub const hipMemAdviseUnsetPreferredLocation: hipMemoryAdvise = 4;
pub const hipMemAdviseSetAccessedBy: hipMemoryAdvise = 5;
pub const hipMemAdviseUnsetAccessedBy: hipMemoryAdvise = 6;
pub const hipMemAdviseSetCoarseGrain: hipMemoryAdvise = 100;
pub const hipMemAdviseUnsetCoarseGrain: hipMemoryAdvise = 101;
pub type hipMemoryAdvise = ::core::ffi::c_uint;
pub const hipMemPoolReuseFollowEventDependencies: hipMemPoolAttr = 1;
pub const hipMemPoolReuseAllowOpportunistic: hipMemPoolAttr = 2;
pub const hipMemPoolReuseAllowInternalDependencies: hipMemPoolAttr = 3;
pub const hipMemPoolAttrReleaseThreshold: hipMemPoolAttr = 4;
pub const hipMemPoolAttrReservedMemCurrent: hipMemPoolAttr = 5;
pub const hipMemPoolAttrReservedMemHigh: hipMemPoolAttr = 6;
pub const hipMemPoolAttrUsedMemCurrent: hipMemPoolAttr = 7;
pub const hipMemPoolAttrUsedMemHigh: hipMemPoolAttr = 8;
pub type hipMemPoolAttr = ::core::ffi::c_uint;
pub const hipMemAllocationTypeInvalid: hipMemAllocationType = 0;
pub const hipMemAllocationTypePinned: hipMemAllocationType = 1;
pub const hipMemAllocationTypeUncached: hipMemAllocationType = 1073741824;
pub const hipMemAllocationTypeMax: hipMemAllocationType = 2147483647;
pub type hipMemAllocationType = ::core::ffi::c_uint;
pub const hipMemHandleTypeNone: hipMemAllocationHandleType = 0;
pub const hipMemHandleTypePosixFileDescriptor: hipMemAllocationHandleType = 1;
pub const hipMemHandleTypeWin32: hipMemAllocationHandleType = 2;
pub const hipMemHandleTypeWin32Kmt: hipMemAllocationHandleType = 4;
pub type hipMemAllocationHandleType = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemPoolProps {
    pub allocType: hipMemAllocationType,
    pub handleTypes: hipMemAllocationHandleType,
    pub location: hipMemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub reserved: [::core::ffi::c_uchar; 56usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemPoolProps"][::core::mem::size_of::<hipMemPoolProps>() - 88usize];
    ["Alignment of hipMemPoolProps"][::core::mem::align_of::<hipMemPoolProps>() - 8usize];
    ["Offset of field: hipMemPoolProps::allocType"][::core::mem::offset_of!(hipMemPoolProps, allocType) - 0usize];
    ["Offset of field: hipMemPoolProps::handleTypes"][::core::mem::offset_of!(hipMemPoolProps, handleTypes) - 4usize];
    ["Offset of field: hipMemPoolProps::location"][::core::mem::offset_of!(hipMemPoolProps, location) - 8usize];
    ["Offset of field: hipMemPoolProps::win32SecurityAttributes"]
        [::core::mem::offset_of!(hipMemPoolProps, win32SecurityAttributes) - 16usize];
    ["Offset of field: hipMemPoolProps::maxSize"][::core::mem::offset_of!(hipMemPoolProps, maxSize) - 24usize];
    ["Offset of field: hipMemPoolProps::reserved"][::core::mem::offset_of!(hipMemPoolProps, reserved) - 32usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipGraph {
    _unused: [u8; 0],
}
pub type hipGraph_t = *mut ihipGraph;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipGraphNode {
    _unused: [u8; 0],
}
pub type hipGraphNode_t = *mut hipGraphNode;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipGraphExec {
    _unused: [u8; 0],
}
pub type hipGraphExec_t = *mut hipGraphExec;
pub type hipHostFn_t = ::core::option::Option<unsafe extern "C" fn(userData: *mut ::core::ffi::c_void)>;
pub const hipStreamCaptureModeGlobal: hipStreamCaptureMode = 0;
pub const hipStreamCaptureModeThreadLocal: hipStreamCaptureMode = 1;
pub const hipStreamCaptureModeRelaxed: hipStreamCaptureMode = 2;
pub type hipStreamCaptureMode = ::core::ffi::c_uint;
pub const hipStreamCaptureStatusNone: hipStreamCaptureStatus = 0;
pub const hipStreamCaptureStatusActive: hipStreamCaptureStatus = 1;
pub const hipStreamCaptureStatusInvalidated: hipStreamCaptureStatus = 2;
pub type hipStreamCaptureStatus = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipDeviceProp_tR0000 {
    pub name: [::core::ffi::c_char; 256usize],
    pub totalGlobalMem: usize,
    pub sharedMemPerBlock: usize,
    pub regsPerBlock: ::core::ffi::c_int,
    pub warpSize: ::core::ffi::c_int,
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    pub clockRate: ::core::ffi::c_int,
    pub memoryClockRate: ::core::ffi::c_int,
    pub memoryBusWidth: ::core::ffi::c_int,
    pub totalConstMem: usize,
    pub major: ::core::ffi::c_int,
    pub minor: ::core::ffi::c_int,
    pub multiProcessorCount: ::core::ffi::c_int,
    pub l2CacheSize: ::core::ffi::c_int,
    pub maxThreadsPerMultiProcessor: ::core::ffi::c_int,
    pub computeMode: ::core::ffi::c_int,
    pub clockInstructionRate: ::core::ffi::c_int,
    pub arch: hipDeviceArch_t,
    pub concurrentKernels: ::core::ffi::c_int,
    pub pciDomainID: ::core::ffi::c_int,
    pub pciBusID: ::core::ffi::c_int,
    pub pciDeviceID: ::core::ffi::c_int,
    pub maxSharedMemoryPerMultiProcessor: usize,
    pub isMultiGpuBoard: ::core::ffi::c_int,
    pub canMapHostMemory: ::core::ffi::c_int,
    pub gcnArch: ::core::ffi::c_int,
    pub gcnArchName: [::core::ffi::c_char; 256usize],
    pub integrated: ::core::ffi::c_int,
    pub cooperativeLaunch: ::core::ffi::c_int,
    pub cooperativeMultiDeviceLaunch: ::core::ffi::c_int,
    pub maxTexture1DLinear: ::core::ffi::c_int,
    pub maxTexture1D: ::core::ffi::c_int,
    pub maxTexture2D: [::core::ffi::c_int; 2usize],
    pub maxTexture3D: [::core::ffi::c_int; 3usize],
    pub hdpMemFlushCntl: *mut ::core::ffi::c_uint,
    pub hdpRegFlushCntl: *mut ::core::ffi::c_uint,
    pub memPitch: usize,
    pub textureAlignment: usize,
    pub texturePitchAlignment: usize,
    pub kernelExecTimeoutEnabled: ::core::ffi::c_int,
    pub ECCEnabled: ::core::ffi::c_int,
    pub tccDriver: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedFunc: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedGridDim: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedBlockDim: ::core::ffi::c_int,
    pub cooperativeMultiDeviceUnmatchedSharedMem: ::core::ffi::c_int,
    pub isLargeBar: ::core::ffi::c_int,
    pub asicRevision: ::core::ffi::c_int,
    pub managedMemory: ::core::ffi::c_int,
    pub directManagedMemAccessFromHost: ::core::ffi::c_int,
    pub concurrentManagedAccess: ::core::ffi::c_int,
    pub pageableMemoryAccess: ::core::ffi::c_int,
    pub pageableMemoryAccessUsesHostPageTables: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipDeviceProp_tR0000"][::core::mem::size_of::<hipDeviceProp_tR0000>() - 792usize];
    ["Alignment of hipDeviceProp_tR0000"][::core::mem::align_of::<hipDeviceProp_tR0000>() - 8usize];
    ["Offset of field: hipDeviceProp_tR0000::name"][::core::mem::offset_of!(hipDeviceProp_tR0000, name) - 0usize];
    ["Offset of field: hipDeviceProp_tR0000::totalGlobalMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, totalGlobalMem) - 256usize];
    ["Offset of field: hipDeviceProp_tR0000::sharedMemPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, sharedMemPerBlock) - 264usize];
    ["Offset of field: hipDeviceProp_tR0000::regsPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, regsPerBlock) - 272usize];
    ["Offset of field: hipDeviceProp_tR0000::warpSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, warpSize) - 276usize];
    ["Offset of field: hipDeviceProp_tR0000::maxThreadsPerBlock"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsPerBlock) - 280usize];
    ["Offset of field: hipDeviceProp_tR0000::maxThreadsDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsDim) - 284usize];
    ["Offset of field: hipDeviceProp_tR0000::maxGridSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxGridSize) - 296usize];
    ["Offset of field: hipDeviceProp_tR0000::clockRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, clockRate) - 308usize];
    ["Offset of field: hipDeviceProp_tR0000::memoryClockRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, memoryClockRate) - 312usize];
    ["Offset of field: hipDeviceProp_tR0000::memoryBusWidth"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, memoryBusWidth) - 316usize];
    ["Offset of field: hipDeviceProp_tR0000::totalConstMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, totalConstMem) - 320usize];
    ["Offset of field: hipDeviceProp_tR0000::major"][::core::mem::offset_of!(hipDeviceProp_tR0000, major) - 328usize];
    ["Offset of field: hipDeviceProp_tR0000::minor"][::core::mem::offset_of!(hipDeviceProp_tR0000, minor) - 332usize];
    ["Offset of field: hipDeviceProp_tR0000::multiProcessorCount"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, multiProcessorCount) - 336usize];
    ["Offset of field: hipDeviceProp_tR0000::l2CacheSize"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, l2CacheSize) - 340usize];
    ["Offset of field: hipDeviceProp_tR0000::maxThreadsPerMultiProcessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsPerMultiProcessor) - 344usize];
    ["Offset of field: hipDeviceProp_tR0000::computeMode"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, computeMode) - 348usize];
    ["Offset of field: hipDeviceProp_tR0000::clockInstructionRate"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, clockInstructionRate) - 352usize];
    ["Offset of field: hipDeviceProp_tR0000::arch"][::core::mem::offset_of!(hipDeviceProp_tR0000, arch) - 356usize];
    ["Offset of field: hipDeviceProp_tR0000::concurrentKernels"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, concurrentKernels) - 360usize];
    ["Offset of field: hipDeviceProp_tR0000::pciDomainID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, pciDomainID) - 364usize];
    ["Offset of field: hipDeviceProp_tR0000::pciBusID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, pciBusID) - 368usize];
    ["Offset of field: hipDeviceProp_tR0000::pciDeviceID"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, pciDeviceID) - 372usize];
    ["Offset of field: hipDeviceProp_tR0000::maxSharedMemoryPerMultiProcessor"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxSharedMemoryPerMultiProcessor) - 376usize];
    ["Offset of field: hipDeviceProp_tR0000::isMultiGpuBoard"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, isMultiGpuBoard) - 384usize];
    ["Offset of field: hipDeviceProp_tR0000::canMapHostMemory"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, canMapHostMemory) - 388usize];
    ["Offset of field: hipDeviceProp_tR0000::gcnArch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, gcnArch) - 392usize];
    ["Offset of field: hipDeviceProp_tR0000::gcnArchName"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, gcnArchName) - 396usize];
    ["Offset of field: hipDeviceProp_tR0000::integrated"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, integrated) - 652usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeLaunch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeLaunch) - 656usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceLaunch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceLaunch) - 660usize];
    ["Offset of field: hipDeviceProp_tR0000::maxTexture1DLinear"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture1DLinear) - 664usize];
    ["Offset of field: hipDeviceProp_tR0000::maxTexture1D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture1D) - 668usize];
    ["Offset of field: hipDeviceProp_tR0000::maxTexture2D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture2D) - 672usize];
    ["Offset of field: hipDeviceProp_tR0000::maxTexture3D"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture3D) - 680usize];
    ["Offset of field: hipDeviceProp_tR0000::hdpMemFlushCntl"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, hdpMemFlushCntl) - 696usize];
    ["Offset of field: hipDeviceProp_tR0000::hdpRegFlushCntl"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, hdpRegFlushCntl) - 704usize];
    ["Offset of field: hipDeviceProp_tR0000::memPitch"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, memPitch) - 712usize];
    ["Offset of field: hipDeviceProp_tR0000::textureAlignment"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, textureAlignment) - 720usize];
    ["Offset of field: hipDeviceProp_tR0000::texturePitchAlignment"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, texturePitchAlignment) - 728usize];
    ["Offset of field: hipDeviceProp_tR0000::kernelExecTimeoutEnabled"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, kernelExecTimeoutEnabled) - 736usize];
    ["Offset of field: hipDeviceProp_tR0000::ECCEnabled"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, ECCEnabled) - 740usize];
    ["Offset of field: hipDeviceProp_tR0000::tccDriver"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, tccDriver) - 744usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedFunc"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedFunc) - 748usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedGridDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedGridDim) - 752usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedBlockDim"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedBlockDim) - 756usize];
    ["Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedSharedMem"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedSharedMem) - 760usize];
    ["Offset of field: hipDeviceProp_tR0000::isLargeBar"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, isLargeBar) - 764usize];
    ["Offset of field: hipDeviceProp_tR0000::asicRevision"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, asicRevision) - 768usize];
    ["Offset of field: hipDeviceProp_tR0000::managedMemory"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, managedMemory) - 772usize];
    ["Offset of field: hipDeviceProp_tR0000::directManagedMemAccessFromHost"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, directManagedMemAccessFromHost) - 776usize];
    ["Offset of field: hipDeviceProp_tR0000::concurrentManagedAccess"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, concurrentManagedAccess) - 780usize];
    ["Offset of field: hipDeviceProp_tR0000::pageableMemoryAccess"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, pageableMemoryAccess) - 784usize];
    ["Offset of field: hipDeviceProp_tR0000::pageableMemoryAccessUsesHostPageTables"]
        [::core::mem::offset_of!(hipDeviceProp_tR0000, pageableMemoryAccessUsesHostPageTables) - 788usize];
};
pub struct Hip {
    __library: ::libloading::Library,
    pub hipInit: Result<unsafe extern "C" fn(flags: ::core::ffi::c_uint) -> hipError_t, ::libloading::Error>,
    pub hipDriverGetVersion:
        Result<unsafe extern "C" fn(driverVersion: *mut ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipRuntimeGetVersion:
        Result<unsafe extern "C" fn(runtimeVersion: *mut ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipDeviceGet: Result<
        unsafe extern "C" fn(device: *mut hipDevice_t, ordinal: ::core::ffi::c_int) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetName: Result<
        unsafe extern "C" fn(
            name: *mut ::core::ffi::c_char,
            len: ::core::ffi::c_int,
            device: hipDevice_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetPCIBusId: Result<
        unsafe extern "C" fn(
            pciBusId: *mut ::core::ffi::c_char,
            len: ::core::ffi::c_int,
            device: ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceTotalMem:
        Result<unsafe extern "C" fn(bytes: *mut usize, device: hipDevice_t) -> hipError_t, ::libloading::Error>,
    pub hipDeviceSynchronize: Result<unsafe extern "C" fn() -> hipError_t, ::libloading::Error>,
    pub hipSetDevice: Result<unsafe extern "C" fn(deviceId: ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipGetDevice:
        Result<unsafe extern "C" fn(deviceId: *mut ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipGetDeviceCount:
        Result<unsafe extern "C" fn(count: *mut ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipDeviceGetAttribute: Result<
        unsafe extern "C" fn(
            pi: *mut ::core::ffi::c_int,
            attr: hipDeviceAttribute_t,
            deviceId: ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetDefaultMemPool: Result<
        unsafe extern "C" fn(mem_pool: *mut hipMemPool_t, device: ::core::ffi::c_int) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceSetMemPool: Result<
        unsafe extern "C" fn(device: ::core::ffi::c_int, mem_pool: hipMemPool_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetMemPool: Result<
        unsafe extern "C" fn(mem_pool: *mut hipMemPool_t, device: ::core::ffi::c_int) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipGetDevicePropertiesR0600: Result<
        unsafe extern "C" fn(prop: *mut hipDeviceProp_tR0600, deviceId: ::core::ffi::c_int) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetLimit:
        Result<unsafe extern "C" fn(pValue: *mut usize, limit: hipLimit_t) -> hipError_t, ::libloading::Error>,
    pub hipDeviceSetLimit:
        Result<unsafe extern "C" fn(limit: hipLimit_t, value: usize) -> hipError_t, ::libloading::Error>,
    pub hipIpcGetMemHandle: Result<
        unsafe extern "C" fn(handle: *mut hipIpcMemHandle_t, devPtr: *mut ::core::ffi::c_void) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipIpcOpenMemHandle: Result<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            handle: hipIpcMemHandle_t,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipIpcCloseMemHandle:
        Result<unsafe extern "C" fn(devPtr: *mut ::core::ffi::c_void) -> hipError_t, ::libloading::Error>,
    pub hipIpcGetEventHandle: Result<
        unsafe extern "C" fn(handle: *mut hipIpcEventHandle_t, event: hipEvent_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipIpcOpenEventHandle: Result<
        unsafe extern "C" fn(event: *mut hipEvent_t, handle: hipIpcEventHandle_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipGetErrorName:
        Result<unsafe extern "C" fn(hip_error: hipError_t) -> *const ::core::ffi::c_char, ::libloading::Error>,
    pub hipGetErrorString:
        Result<unsafe extern "C" fn(hipError: hipError_t) -> *const ::core::ffi::c_char, ::libloading::Error>,
    pub hipStreamCreateWithPriority: Result<
        unsafe extern "C" fn(
            stream: *mut hipStream_t,
            flags: ::core::ffi::c_uint,
            priority: ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceGetStreamPriorityRange: Result<
        unsafe extern "C" fn(
            leastPriority: *mut ::core::ffi::c_int,
            greatestPriority: *mut ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipStreamDestroy: Result<unsafe extern "C" fn(stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipStreamQuery: Result<unsafe extern "C" fn(stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipStreamSynchronize: Result<unsafe extern "C" fn(stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipStreamWaitEvent: Result<
        unsafe extern "C" fn(stream: hipStream_t, event: hipEvent_t, flags: ::core::ffi::c_uint) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipStreamGetFlags: Result<
        unsafe extern "C" fn(stream: hipStream_t, flags: *mut ::core::ffi::c_uint) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipStreamGetPriority: Result<
        unsafe extern "C" fn(stream: hipStream_t, priority: *mut ::core::ffi::c_int) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipEventCreateWithFlags: Result<
        unsafe extern "C" fn(event: *mut hipEvent_t, flags: ::core::ffi::c_uint) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipEventRecord:
        Result<unsafe extern "C" fn(event: hipEvent_t, stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipEventDestroy: Result<unsafe extern "C" fn(event: hipEvent_t) -> hipError_t, ::libloading::Error>,
    pub hipEventSynchronize: Result<unsafe extern "C" fn(event: hipEvent_t) -> hipError_t, ::libloading::Error>,
    pub hipEventElapsedTime: Result<
        unsafe extern "C" fn(ms: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipEventQuery: Result<unsafe extern "C" fn(event: hipEvent_t) -> hipError_t, ::libloading::Error>,
    pub hipPointerGetAttribute: Result<
        unsafe extern "C" fn(
            data: *mut ::core::ffi::c_void,
            attribute: hipPointer_attribute,
            ptr: hipDeviceptr_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMalloc: Result<
        unsafe extern "C" fn(ptr: *mut *mut ::core::ffi::c_void, size: usize) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipHostMalloc: Result<
        unsafe extern "C" fn(ptr: *mut *mut ::core::ffi::c_void, size: usize, flags: ::core::ffi::c_uint) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMallocManaged: Result<
        unsafe extern "C" fn(
            dev_ptr: *mut *mut ::core::ffi::c_void,
            size: usize,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemPrefetchAsync: Result<
        unsafe extern "C" fn(
            dev_ptr: *const ::core::ffi::c_void,
            count: usize,
            device: ::core::ffi::c_int,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemAdvise: Result<
        unsafe extern "C" fn(
            dev_ptr: *const ::core::ffi::c_void,
            count: usize,
            advice: hipMemoryAdvise,
            device: ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMallocAsync: Result<
        unsafe extern "C" fn(dev_ptr: *mut *mut ::core::ffi::c_void, size: usize, stream: hipStream_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipFreeAsync: Result<
        unsafe extern "C" fn(dev_ptr: *mut ::core::ffi::c_void, stream: hipStream_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemPoolTrimTo: Result<
        unsafe extern "C" fn(mem_pool: hipMemPool_t, min_bytes_to_hold: usize) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemPoolGetAttribute: Result<
        unsafe extern "C" fn(
            mem_pool: hipMemPool_t,
            attr: hipMemPoolAttr,
            value: *mut ::core::ffi::c_void,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemPoolCreate: Result<
        unsafe extern "C" fn(mem_pool: *mut hipMemPool_t, pool_props: *const hipMemPoolProps) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemPoolDestroy: Result<unsafe extern "C" fn(mem_pool: hipMemPool_t) -> hipError_t, ::libloading::Error>,
    pub hipMallocFromPoolAsync: Result<
        unsafe extern "C" fn(
            dev_ptr: *mut *mut ::core::ffi::c_void,
            size: usize,
            mem_pool: hipMemPool_t,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipHostGetDevicePointer: Result<
        unsafe extern "C" fn(
            devPtr: *mut *mut ::core::ffi::c_void,
            hstPtr: *mut ::core::ffi::c_void,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipHostRegister: Result<
        unsafe extern "C" fn(
            hostPtr: *mut ::core::ffi::c_void,
            sizeBytes: usize,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipHostUnregister:
        Result<unsafe extern "C" fn(hostPtr: *mut ::core::ffi::c_void) -> hipError_t, ::libloading::Error>,
    pub hipFree: Result<unsafe extern "C" fn(ptr: *mut ::core::ffi::c_void) -> hipError_t, ::libloading::Error>,
    pub hipHostFree: Result<unsafe extern "C" fn(ptr: *mut ::core::ffi::c_void) -> hipError_t, ::libloading::Error>,
    pub hipMemcpyHtoDAsync: Result<
        unsafe extern "C" fn(
            dst: hipDeviceptr_t,
            src: *const ::core::ffi::c_void,
            sizeBytes: usize,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemcpyDtoHAsync: Result<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            src: hipDeviceptr_t,
            sizeBytes: usize,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemcpyDtoDAsync: Result<
        unsafe extern "C" fn(
            dst: hipDeviceptr_t,
            src: hipDeviceptr_t,
            sizeBytes: usize,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleGetGlobal: Result<
        unsafe extern "C" fn(
            dptr: *mut hipDeviceptr_t,
            bytes: *mut usize,
            hmod: hipModule_t,
            name: *const ::core::ffi::c_char,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemcpyAsync: Result<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            src: *const ::core::ffi::c_void,
            sizeBytes: usize,
            kind: hipMemcpyKind,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemsetD8Async: Result<
        unsafe extern "C" fn(
            dest: hipDeviceptr_t,
            value: ::core::ffi::c_uchar,
            count: usize,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemGetInfo:
        Result<unsafe extern "C" fn(free: *mut usize, total: *mut usize) -> hipError_t, ::libloading::Error>,
    pub hipArrayDestroy: Result<unsafe extern "C" fn(array: hipArray_t) -> hipError_t, ::libloading::Error>,
    pub hipArray3DCreate: Result<
        unsafe extern "C" fn(array: *mut hipArray_t, pAllocateArray: *const HIP_ARRAY3D_DESCRIPTOR) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipArray3DGetDescriptor: Result<
        unsafe extern "C" fn(pArrayDescriptor: *mut HIP_ARRAY3D_DESCRIPTOR, array: hipArray_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipMemcpy2DAsync: Result<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dpitch: usize,
            src: *const ::core::ffi::c_void,
            spitch: usize,
            width: usize,
            height: usize,
            kind: hipMemcpyKind,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDrvMemcpy3DAsync: Result<
        unsafe extern "C" fn(pCopy: *const HIP_MEMCPY3D, stream: hipStream_t) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceCanAccessPeer: Result<
        unsafe extern "C" fn(
            canAccessPeer: *mut ::core::ffi::c_int,
            deviceId: ::core::ffi::c_int,
            peerDeviceId: ::core::ffi::c_int,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceEnablePeerAccess: Result<
        unsafe extern "C" fn(peerDeviceId: ::core::ffi::c_int, flags: ::core::ffi::c_uint) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDeviceDisablePeerAccess:
        Result<unsafe extern "C" fn(peerDeviceId: ::core::ffi::c_int) -> hipError_t, ::libloading::Error>,
    pub hipMemcpyPeerAsync: Result<
        unsafe extern "C" fn(
            dst: *mut ::core::ffi::c_void,
            dstDeviceId: ::core::ffi::c_int,
            src: *const ::core::ffi::c_void,
            srcDevice: ::core::ffi::c_int,
            sizeBytes: usize,
            stream: hipStream_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleUnload: Result<unsafe extern "C" fn(module: hipModule_t) -> hipError_t, ::libloading::Error>,
    pub hipModuleGetFunction: Result<
        unsafe extern "C" fn(
            function: *mut hipFunction_t,
            module: hipModule_t,
            kname: *const ::core::ffi::c_char,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipFuncGetAttribute: Result<
        unsafe extern "C" fn(
            value: *mut ::core::ffi::c_int,
            attrib: hipFunction_attribute,
            hfunc: hipFunction_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleLoadData: Result<
        unsafe extern "C" fn(module: *mut hipModule_t, image: *const ::core::ffi::c_void) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleLaunchKernel: Result<
        unsafe extern "C" fn(
            f: hipFunction_t,
            gridDimX: ::core::ffi::c_uint,
            gridDimY: ::core::ffi::c_uint,
            gridDimZ: ::core::ffi::c_uint,
            blockDimX: ::core::ffi::c_uint,
            blockDimY: ::core::ffi::c_uint,
            blockDimZ: ::core::ffi::c_uint,
            sharedMemBytes: ::core::ffi::c_uint,
            stream: hipStream_t,
            kernelParams: *mut *mut ::core::ffi::c_void,
            extra: *mut *mut ::core::ffi::c_void,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleLaunchCooperativeKernel: Result<
        unsafe extern "C" fn(
            f: hipFunction_t,
            gridDimX: ::core::ffi::c_uint,
            gridDimY: ::core::ffi::c_uint,
            gridDimZ: ::core::ffi::c_uint,
            blockDimX: ::core::ffi::c_uint,
            blockDimY: ::core::ffi::c_uint,
            blockDimZ: ::core::ffi::c_uint,
            sharedMemBytes: ::core::ffi::c_uint,
            stream: hipStream_t,
            kernelParams: *mut *mut ::core::ffi::c_void,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipModuleOccupancyMaxActiveBlocksPerMultiprocessor: Result<
        unsafe extern "C" fn(
            numBlocks: *mut ::core::ffi::c_int,
            f: hipFunction_t,
            blockSize: ::core::ffi::c_int,
            dynSharedMemPerBlk: usize,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipProfilerStart: Result<unsafe extern "C" fn() -> hipError_t, ::libloading::Error>,
    pub hipProfilerStop: Result<unsafe extern "C" fn() -> hipError_t, ::libloading::Error>,
    pub hipLaunchHostFunc: Result<
        unsafe extern "C" fn(stream: hipStream_t, fn_: hipHostFn_t, userData: *mut ::core::ffi::c_void) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipTexObjectCreate: Result<
        unsafe extern "C" fn(
            pTexObject: *mut hipTextureObject_t,
            pResDesc: *const HIP_RESOURCE_DESC,
            pTexDesc: *const HIP_TEXTURE_DESC,
            pResViewDesc: *const HIP_RESOURCE_VIEW_DESC,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipTexObjectDestroy:
        Result<unsafe extern "C" fn(texObject: hipTextureObject_t) -> hipError_t, ::libloading::Error>,
    pub hipStreamBeginCapture: Result<
        unsafe extern "C" fn(stream: hipStream_t, mode: hipStreamCaptureMode) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipStreamEndCapture:
        Result<unsafe extern "C" fn(stream: hipStream_t, pGraph: *mut hipGraph_t) -> hipError_t, ::libloading::Error>,
    pub hipStreamGetCaptureInfo_v2: Result<
        unsafe extern "C" fn(
            stream: hipStream_t,
            captureStatus_out: *mut hipStreamCaptureStatus,
            id_out: *mut ::core::ffi::c_ulonglong,
            graph_out: *mut hipGraph_t,
            dependencies_out: *mut *const hipGraphNode_t,
            numDependencies_out: *mut usize,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipStreamUpdateCaptureDependencies: Result<
        unsafe extern "C" fn(
            stream: hipStream_t,
            dependencies: *mut hipGraphNode_t,
            numDependencies: usize,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipThreadExchangeStreamCaptureMode:
        Result<unsafe extern "C" fn(mode: *mut hipStreamCaptureMode) -> hipError_t, ::libloading::Error>,
    pub hipGraphDestroy: Result<unsafe extern "C" fn(graph: hipGraph_t) -> hipError_t, ::libloading::Error>,
    pub hipGraphInstantiateWithFlags: Result<
        unsafe extern "C" fn(
            pGraphExec: *mut hipGraphExec_t,
            graph: hipGraph_t,
            flags: ::core::ffi::c_ulonglong,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipGraphLaunch:
        Result<unsafe extern "C" fn(graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipGraphUpload:
        Result<unsafe extern "C" fn(graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t, ::libloading::Error>,
    pub hipGraphExecDestroy: Result<unsafe extern "C" fn(graphExec: hipGraphExec_t) -> hipError_t, ::libloading::Error>,
    pub hipGraphAddChildGraphNode: Result<
        unsafe extern "C" fn(
            pGraphNode: *mut hipGraphNode_t,
            graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t,
            numDependencies: usize,
            childGraph: hipGraph_t,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipGraphDebugDotPrint: Result<
        unsafe extern "C" fn(
            graph: hipGraph_t,
            path: *const ::core::ffi::c_char,
            flags: ::core::ffi::c_uint,
        ) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipCreateSurfaceObject: Result<
        unsafe extern "C" fn(pSurfObject: *mut hipSurfaceObject_t, pResDesc: *const hipResourceDesc) -> hipError_t,
        ::libloading::Error,
    >,
    pub hipDestroySurfaceObject:
        Result<unsafe extern "C" fn(surfaceObject: hipSurfaceObject_t) -> hipError_t, ::libloading::Error>,
}
impl Hip {
    pub unsafe fn new<P>(path: P) -> Result<Self, ::libloading::Error>
    where
        P: ::libloading::AsFilename,
    {
        let library = ::libloading::Library::new(path)?;
        Self::from_library(library)
    }
    pub unsafe fn from_library<L>(library: L) -> Result<Self, ::libloading::Error>
    where
        L: Into<::libloading::Library>,
    {
        let __library = library.into();
        let hipInit = __library.get(c"hipInit").map(|sym| *sym);
        let hipDriverGetVersion = __library.get(c"hipDriverGetVersion").map(|sym| *sym);
        let hipRuntimeGetVersion = __library.get(c"hipRuntimeGetVersion").map(|sym| *sym);
        let hipDeviceGet = __library.get(c"hipDeviceGet").map(|sym| *sym);
        let hipDeviceGetName = __library.get(c"hipDeviceGetName").map(|sym| *sym);
        let hipDeviceGetPCIBusId = __library.get(c"hipDeviceGetPCIBusId").map(|sym| *sym);
        let hipDeviceTotalMem = __library.get(c"hipDeviceTotalMem").map(|sym| *sym);
        let hipDeviceSynchronize = __library.get(c"hipDeviceSynchronize").map(|sym| *sym);
        let hipSetDevice = __library.get(c"hipSetDevice").map(|sym| *sym);
        let hipGetDevice = __library.get(c"hipGetDevice").map(|sym| *sym);
        let hipGetDeviceCount = __library.get(c"hipGetDeviceCount").map(|sym| *sym);
        let hipDeviceGetAttribute = __library.get(c"hipDeviceGetAttribute").map(|sym| *sym);
        let hipDeviceGetDefaultMemPool = __library.get(c"hipDeviceGetDefaultMemPool").map(|sym| *sym);
        let hipDeviceSetMemPool = __library.get(c"hipDeviceSetMemPool").map(|sym| *sym);
        let hipDeviceGetMemPool = __library.get(c"hipDeviceGetMemPool").map(|sym| *sym);
        let hipGetDevicePropertiesR0600 = __library.get(c"hipGetDevicePropertiesR0600").map(|sym| *sym);
        let hipDeviceGetLimit = __library.get(c"hipDeviceGetLimit").map(|sym| *sym);
        let hipDeviceSetLimit = __library.get(c"hipDeviceSetLimit").map(|sym| *sym);
        let hipIpcGetMemHandle = __library.get(c"hipIpcGetMemHandle").map(|sym| *sym);
        let hipIpcOpenMemHandle = __library.get(c"hipIpcOpenMemHandle").map(|sym| *sym);
        let hipIpcCloseMemHandle = __library.get(c"hipIpcCloseMemHandle").map(|sym| *sym);
        let hipIpcGetEventHandle = __library.get(c"hipIpcGetEventHandle").map(|sym| *sym);
        let hipIpcOpenEventHandle = __library.get(c"hipIpcOpenEventHandle").map(|sym| *sym);
        let hipGetErrorName = __library.get(c"hipGetErrorName").map(|sym| *sym);
        let hipGetErrorString = __library.get(c"hipGetErrorString").map(|sym| *sym);
        let hipStreamCreateWithPriority = __library.get(c"hipStreamCreateWithPriority").map(|sym| *sym);
        let hipDeviceGetStreamPriorityRange = __library.get(c"hipDeviceGetStreamPriorityRange").map(|sym| *sym);
        let hipStreamDestroy = __library.get(c"hipStreamDestroy").map(|sym| *sym);
        let hipStreamQuery = __library.get(c"hipStreamQuery").map(|sym| *sym);
        let hipStreamSynchronize = __library.get(c"hipStreamSynchronize").map(|sym| *sym);
        let hipStreamWaitEvent = __library.get(c"hipStreamWaitEvent").map(|sym| *sym);
        let hipStreamGetFlags = __library.get(c"hipStreamGetFlags").map(|sym| *sym);
        let hipStreamGetPriority = __library.get(c"hipStreamGetPriority").map(|sym| *sym);
        let hipEventCreateWithFlags = __library.get(c"hipEventCreateWithFlags").map(|sym| *sym);
        let hipEventRecord = __library.get(c"hipEventRecord").map(|sym| *sym);
        let hipEventDestroy = __library.get(c"hipEventDestroy").map(|sym| *sym);
        let hipEventSynchronize = __library.get(c"hipEventSynchronize").map(|sym| *sym);
        let hipEventElapsedTime = __library.get(c"hipEventElapsedTime").map(|sym| *sym);
        let hipEventQuery = __library.get(c"hipEventQuery").map(|sym| *sym);
        let hipPointerGetAttribute = __library.get(c"hipPointerGetAttribute").map(|sym| *sym);
        let hipMalloc = __library.get(c"hipMalloc").map(|sym| *sym);
        let hipHostMalloc = __library.get(c"hipHostMalloc").map(|sym| *sym);
        let hipMallocManaged = __library.get(c"hipMallocManaged").map(|sym| *sym);
        let hipMemPrefetchAsync = __library.get(c"hipMemPrefetchAsync").map(|sym| *sym);
        let hipMemAdvise = __library.get(c"hipMemAdvise").map(|sym| *sym);
        let hipMallocAsync = __library.get(c"hipMallocAsync").map(|sym| *sym);
        let hipFreeAsync = __library.get(c"hipFreeAsync").map(|sym| *sym);
        let hipMemPoolTrimTo = __library.get(c"hipMemPoolTrimTo").map(|sym| *sym);
        let hipMemPoolGetAttribute = __library.get(c"hipMemPoolGetAttribute").map(|sym| *sym);
        let hipMemPoolCreate = __library.get(c"hipMemPoolCreate").map(|sym| *sym);
        let hipMemPoolDestroy = __library.get(c"hipMemPoolDestroy").map(|sym| *sym);
        let hipMallocFromPoolAsync = __library.get(c"hipMallocFromPoolAsync").map(|sym| *sym);
        let hipHostGetDevicePointer = __library.get(c"hipHostGetDevicePointer").map(|sym| *sym);
        let hipHostRegister = __library.get(c"hipHostRegister").map(|sym| *sym);
        let hipHostUnregister = __library.get(c"hipHostUnregister").map(|sym| *sym);
        let hipFree = __library.get(c"hipFree").map(|sym| *sym);
        let hipHostFree = __library.get(c"hipHostFree").map(|sym| *sym);
        let hipMemcpyHtoDAsync = __library.get(c"hipMemcpyHtoDAsync").map(|sym| *sym);
        let hipMemcpyDtoHAsync = __library.get(c"hipMemcpyDtoHAsync").map(|sym| *sym);
        let hipMemcpyDtoDAsync = __library.get(c"hipMemcpyDtoDAsync").map(|sym| *sym);
        let hipModuleGetGlobal = __library.get(c"hipModuleGetGlobal").map(|sym| *sym);
        let hipMemcpyAsync = __library.get(c"hipMemcpyAsync").map(|sym| *sym);
        let hipMemsetD8Async = __library.get(c"hipMemsetD8Async").map(|sym| *sym);
        let hipMemGetInfo = __library.get(c"hipMemGetInfo").map(|sym| *sym);
        let hipArrayDestroy = __library.get(c"hipArrayDestroy").map(|sym| *sym);
        let hipArray3DCreate = __library.get(c"hipArray3DCreate").map(|sym| *sym);
        let hipArray3DGetDescriptor = __library.get(c"hipArray3DGetDescriptor").map(|sym| *sym);
        let hipMemcpy2DAsync = __library.get(c"hipMemcpy2DAsync").map(|sym| *sym);
        let hipDrvMemcpy3DAsync = __library.get(c"hipDrvMemcpy3DAsync").map(|sym| *sym);
        let hipDeviceCanAccessPeer = __library.get(c"hipDeviceCanAccessPeer").map(|sym| *sym);
        let hipDeviceEnablePeerAccess = __library.get(c"hipDeviceEnablePeerAccess").map(|sym| *sym);
        let hipDeviceDisablePeerAccess = __library.get(c"hipDeviceDisablePeerAccess").map(|sym| *sym);
        let hipMemcpyPeerAsync = __library.get(c"hipMemcpyPeerAsync").map(|sym| *sym);
        let hipModuleUnload = __library.get(c"hipModuleUnload").map(|sym| *sym);
        let hipModuleGetFunction = __library.get(c"hipModuleGetFunction").map(|sym| *sym);
        let hipFuncGetAttribute = __library.get(c"hipFuncGetAttribute").map(|sym| *sym);
        let hipModuleLoadData = __library.get(c"hipModuleLoadData").map(|sym| *sym);
        let hipModuleLaunchKernel = __library.get(c"hipModuleLaunchKernel").map(|sym| *sym);
        let hipModuleLaunchCooperativeKernel = __library.get(c"hipModuleLaunchCooperativeKernel").map(|sym| *sym);
        let hipModuleOccupancyMaxActiveBlocksPerMultiprocessor =
            __library.get(c"hipModuleOccupancyMaxActiveBlocksPerMultiprocessor").map(|sym| *sym);
        let hipProfilerStart = __library.get(c"hipProfilerStart").map(|sym| *sym);
        let hipProfilerStop = __library.get(c"hipProfilerStop").map(|sym| *sym);
        let hipLaunchHostFunc = __library.get(c"hipLaunchHostFunc").map(|sym| *sym);
        let hipTexObjectCreate = __library.get(c"hipTexObjectCreate").map(|sym| *sym);
        let hipTexObjectDestroy = __library.get(c"hipTexObjectDestroy").map(|sym| *sym);
        let hipStreamBeginCapture = __library.get(c"hipStreamBeginCapture").map(|sym| *sym);
        let hipStreamEndCapture = __library.get(c"hipStreamEndCapture").map(|sym| *sym);
        let hipStreamGetCaptureInfo_v2 = __library.get(c"hipStreamGetCaptureInfo_v2").map(|sym| *sym);
        let hipStreamUpdateCaptureDependencies = __library.get(c"hipStreamUpdateCaptureDependencies").map(|sym| *sym);
        let hipThreadExchangeStreamCaptureMode = __library.get(c"hipThreadExchangeStreamCaptureMode").map(|sym| *sym);
        let hipGraphDestroy = __library.get(c"hipGraphDestroy").map(|sym| *sym);
        let hipGraphInstantiateWithFlags = __library.get(c"hipGraphInstantiateWithFlags").map(|sym| *sym);
        let hipGraphLaunch = __library.get(c"hipGraphLaunch").map(|sym| *sym);
        let hipGraphUpload = __library.get(c"hipGraphUpload").map(|sym| *sym);
        let hipGraphExecDestroy = __library.get(c"hipGraphExecDestroy").map(|sym| *sym);
        let hipGraphAddChildGraphNode = __library.get(c"hipGraphAddChildGraphNode").map(|sym| *sym);
        let hipGraphDebugDotPrint = __library.get(c"hipGraphDebugDotPrint").map(|sym| *sym);
        let hipCreateSurfaceObject = __library.get(c"hipCreateSurfaceObject").map(|sym| *sym);
        let hipDestroySurfaceObject = __library.get(c"hipDestroySurfaceObject").map(|sym| *sym);
        Ok(Hip {
            __library,
            hipInit,
            hipDriverGetVersion,
            hipRuntimeGetVersion,
            hipDeviceGet,
            hipDeviceGetName,
            hipDeviceGetPCIBusId,
            hipDeviceTotalMem,
            hipDeviceSynchronize,
            hipSetDevice,
            hipGetDevice,
            hipGetDeviceCount,
            hipDeviceGetAttribute,
            hipDeviceGetDefaultMemPool,
            hipDeviceSetMemPool,
            hipDeviceGetMemPool,
            hipGetDevicePropertiesR0600,
            hipDeviceGetLimit,
            hipDeviceSetLimit,
            hipIpcGetMemHandle,
            hipIpcOpenMemHandle,
            hipIpcCloseMemHandle,
            hipIpcGetEventHandle,
            hipIpcOpenEventHandle,
            hipGetErrorName,
            hipGetErrorString,
            hipStreamCreateWithPriority,
            hipDeviceGetStreamPriorityRange,
            hipStreamDestroy,
            hipStreamQuery,
            hipStreamSynchronize,
            hipStreamWaitEvent,
            hipStreamGetFlags,
            hipStreamGetPriority,
            hipEventCreateWithFlags,
            hipEventRecord,
            hipEventDestroy,
            hipEventSynchronize,
            hipEventElapsedTime,
            hipEventQuery,
            hipPointerGetAttribute,
            hipMalloc,
            hipHostMalloc,
            hipMallocManaged,
            hipMemPrefetchAsync,
            hipMemAdvise,
            hipMallocAsync,
            hipFreeAsync,
            hipMemPoolTrimTo,
            hipMemPoolGetAttribute,
            hipMemPoolCreate,
            hipMemPoolDestroy,
            hipMallocFromPoolAsync,
            hipHostGetDevicePointer,
            hipHostRegister,
            hipHostUnregister,
            hipFree,
            hipHostFree,
            hipMemcpyHtoDAsync,
            hipMemcpyDtoHAsync,
            hipMemcpyDtoDAsync,
            hipModuleGetGlobal,
            hipMemcpyAsync,
            hipMemsetD8Async,
            hipMemGetInfo,
            hipArrayDestroy,
            hipArray3DCreate,
            hipArray3DGetDescriptor,
            hipMemcpy2DAsync,
            hipDrvMemcpy3DAsync,
            hipDeviceCanAccessPeer,
            hipDeviceEnablePeerAccess,
            hipDeviceDisablePeerAccess,
            hipMemcpyPeerAsync,
            hipModuleUnload,
            hipModuleGetFunction,
            hipFuncGetAttribute,
            hipModuleLoadData,
            hipModuleLaunchKernel,
            hipModuleLaunchCooperativeKernel,
            hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
            hipProfilerStart,
            hipProfilerStop,
            hipLaunchHostFunc,
            hipTexObjectCreate,
            hipTexObjectDestroy,
            hipStreamBeginCapture,
            hipStreamEndCapture,
            hipStreamGetCaptureInfo_v2,
            hipStreamUpdateCaptureDependencies,
            hipThreadExchangeStreamCaptureMode,
            hipGraphDestroy,
            hipGraphInstantiateWithFlags,
            hipGraphLaunch,
            hipGraphUpload,
            hipGraphExecDestroy,
            hipGraphAddChildGraphNode,
            hipGraphDebugDotPrint,
            hipCreateSurfaceObject,
            hipDestroySurfaceObject,
        })
    }
    pub unsafe fn hipInit(&self, flags: ::core::ffi::c_uint) -> hipError_t {
        (self.hipInit.as_ref().expect("Expected function, got error."))(flags)
    }
    pub unsafe fn hipDriverGetVersion(&self, driverVersion: *mut ::core::ffi::c_int) -> hipError_t {
        (self.hipDriverGetVersion.as_ref().expect("Expected function, got error."))(driverVersion)
    }
    pub unsafe fn hipRuntimeGetVersion(&self, runtimeVersion: *mut ::core::ffi::c_int) -> hipError_t {
        (self.hipRuntimeGetVersion.as_ref().expect("Expected function, got error."))(runtimeVersion)
    }
    pub unsafe fn hipDeviceGet(&self, device: *mut hipDevice_t, ordinal: ::core::ffi::c_int) -> hipError_t {
        (self.hipDeviceGet.as_ref().expect("Expected function, got error."))(device, ordinal)
    }
    pub unsafe fn hipDeviceGetName(
        &self,
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        device: hipDevice_t,
    ) -> hipError_t {
        (self.hipDeviceGetName.as_ref().expect("Expected function, got error."))(name, len, device)
    }
    pub unsafe fn hipDeviceGetPCIBusId(
        &self,
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        device: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipDeviceGetPCIBusId.as_ref().expect("Expected function, got error."))(pciBusId, len, device)
    }
    pub unsafe fn hipDeviceTotalMem(&self, bytes: *mut usize, device: hipDevice_t) -> hipError_t {
        (self.hipDeviceTotalMem.as_ref().expect("Expected function, got error."))(bytes, device)
    }
    pub unsafe fn hipDeviceSynchronize(&self) -> hipError_t {
        (self.hipDeviceSynchronize.as_ref().expect("Expected function, got error."))()
    }
    pub unsafe fn hipSetDevice(&self, deviceId: ::core::ffi::c_int) -> hipError_t {
        (self.hipSetDevice.as_ref().expect("Expected function, got error."))(deviceId)
    }
    pub unsafe fn hipGetDevice(&self, deviceId: *mut ::core::ffi::c_int) -> hipError_t {
        (self.hipGetDevice.as_ref().expect("Expected function, got error."))(deviceId)
    }
    pub unsafe fn hipGetDeviceCount(&self, count: *mut ::core::ffi::c_int) -> hipError_t {
        (self.hipGetDeviceCount.as_ref().expect("Expected function, got error."))(count)
    }
    pub unsafe fn hipDeviceGetAttribute(
        &self,
        pi: *mut ::core::ffi::c_int,
        attr: hipDeviceAttribute_t,
        deviceId: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipDeviceGetAttribute.as_ref().expect("Expected function, got error."))(pi, attr, deviceId)
    }
    pub unsafe fn hipDeviceGetDefaultMemPool(
        &self,
        mem_pool: *mut hipMemPool_t,
        device: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipDeviceGetDefaultMemPool.as_ref().expect("Expected function, got error."))(mem_pool, device)
    }
    pub unsafe fn hipDeviceSetMemPool(&self, device: ::core::ffi::c_int, mem_pool: hipMemPool_t) -> hipError_t {
        (self.hipDeviceSetMemPool.as_ref().expect("Expected function, got error."))(device, mem_pool)
    }
    pub unsafe fn hipDeviceGetMemPool(&self, mem_pool: *mut hipMemPool_t, device: ::core::ffi::c_int) -> hipError_t {
        (self.hipDeviceGetMemPool.as_ref().expect("Expected function, got error."))(mem_pool, device)
    }
    pub unsafe fn hipGetDevicePropertiesR0600(
        &self,
        prop: *mut hipDeviceProp_tR0600,
        deviceId: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipGetDevicePropertiesR0600.as_ref().expect("Expected function, got error."))(prop, deviceId)
    }
    pub unsafe fn hipDeviceGetLimit(&self, pValue: *mut usize, limit: hipLimit_t) -> hipError_t {
        (self.hipDeviceGetLimit.as_ref().expect("Expected function, got error."))(pValue, limit)
    }
    pub unsafe fn hipDeviceSetLimit(&self, limit: hipLimit_t, value: usize) -> hipError_t {
        (self.hipDeviceSetLimit.as_ref().expect("Expected function, got error."))(limit, value)
    }
    pub unsafe fn hipIpcGetMemHandle(
        &self,
        handle: *mut hipIpcMemHandle_t,
        devPtr: *mut ::core::ffi::c_void,
    ) -> hipError_t {
        (self.hipIpcGetMemHandle.as_ref().expect("Expected function, got error."))(handle, devPtr)
    }
    pub unsafe fn hipIpcOpenMemHandle(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        handle: hipIpcMemHandle_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipIpcOpenMemHandle.as_ref().expect("Expected function, got error."))(devPtr, handle, flags)
    }
    pub unsafe fn hipIpcCloseMemHandle(&self, devPtr: *mut ::core::ffi::c_void) -> hipError_t {
        (self.hipIpcCloseMemHandle.as_ref().expect("Expected function, got error."))(devPtr)
    }
    pub unsafe fn hipIpcGetEventHandle(&self, handle: *mut hipIpcEventHandle_t, event: hipEvent_t) -> hipError_t {
        (self.hipIpcGetEventHandle.as_ref().expect("Expected function, got error."))(handle, event)
    }
    pub unsafe fn hipIpcOpenEventHandle(&self, event: *mut hipEvent_t, handle: hipIpcEventHandle_t) -> hipError_t {
        (self.hipIpcOpenEventHandle.as_ref().expect("Expected function, got error."))(event, handle)
    }
    pub unsafe fn hipGetErrorName(&self, hip_error: hipError_t) -> *const ::core::ffi::c_char {
        (self.hipGetErrorName.as_ref().expect("Expected function, got error."))(hip_error)
    }
    pub unsafe fn hipGetErrorString(&self, hipError: hipError_t) -> *const ::core::ffi::c_char {
        (self.hipGetErrorString.as_ref().expect("Expected function, got error."))(hipError)
    }
    pub unsafe fn hipStreamCreateWithPriority(
        &self,
        stream: *mut hipStream_t,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipStreamCreateWithPriority.as_ref().expect("Expected function, got error."))(stream, flags, priority)
    }
    pub unsafe fn hipDeviceGetStreamPriorityRange(
        &self,
        leastPriority: *mut ::core::ffi::c_int,
        greatestPriority: *mut ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipDeviceGetStreamPriorityRange.as_ref().expect("Expected function, got error."))(
            leastPriority,
            greatestPriority,
        )
    }
    pub unsafe fn hipStreamDestroy(&self, stream: hipStream_t) -> hipError_t {
        (self.hipStreamDestroy.as_ref().expect("Expected function, got error."))(stream)
    }
    pub unsafe fn hipStreamQuery(&self, stream: hipStream_t) -> hipError_t {
        (self.hipStreamQuery.as_ref().expect("Expected function, got error."))(stream)
    }
    pub unsafe fn hipStreamSynchronize(&self, stream: hipStream_t) -> hipError_t {
        (self.hipStreamSynchronize.as_ref().expect("Expected function, got error."))(stream)
    }
    pub unsafe fn hipStreamWaitEvent(
        &self,
        stream: hipStream_t,
        event: hipEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipStreamWaitEvent.as_ref().expect("Expected function, got error."))(stream, event, flags)
    }
    pub unsafe fn hipStreamGetFlags(&self, stream: hipStream_t, flags: *mut ::core::ffi::c_uint) -> hipError_t {
        (self.hipStreamGetFlags.as_ref().expect("Expected function, got error."))(stream, flags)
    }
    pub unsafe fn hipStreamGetPriority(&self, stream: hipStream_t, priority: *mut ::core::ffi::c_int) -> hipError_t {
        (self.hipStreamGetPriority.as_ref().expect("Expected function, got error."))(stream, priority)
    }
    pub unsafe fn hipEventCreateWithFlags(&self, event: *mut hipEvent_t, flags: ::core::ffi::c_uint) -> hipError_t {
        (self.hipEventCreateWithFlags.as_ref().expect("Expected function, got error."))(event, flags)
    }
    pub unsafe fn hipEventRecord(&self, event: hipEvent_t, stream: hipStream_t) -> hipError_t {
        (self.hipEventRecord.as_ref().expect("Expected function, got error."))(event, stream)
    }
    pub unsafe fn hipEventDestroy(&self, event: hipEvent_t) -> hipError_t {
        (self.hipEventDestroy.as_ref().expect("Expected function, got error."))(event)
    }
    pub unsafe fn hipEventSynchronize(&self, event: hipEvent_t) -> hipError_t {
        (self.hipEventSynchronize.as_ref().expect("Expected function, got error."))(event)
    }
    pub unsafe fn hipEventElapsedTime(&self, ms: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t {
        (self.hipEventElapsedTime.as_ref().expect("Expected function, got error."))(ms, start, stop)
    }
    pub unsafe fn hipEventQuery(&self, event: hipEvent_t) -> hipError_t {
        (self.hipEventQuery.as_ref().expect("Expected function, got error."))(event)
    }
    pub unsafe fn hipPointerGetAttribute(
        &self,
        data: *mut ::core::ffi::c_void,
        attribute: hipPointer_attribute,
        ptr: hipDeviceptr_t,
    ) -> hipError_t {
        (self.hipPointerGetAttribute.as_ref().expect("Expected function, got error."))(data, attribute, ptr)
    }
    pub unsafe fn hipMalloc(&self, ptr: *mut *mut ::core::ffi::c_void, size: usize) -> hipError_t {
        (self.hipMalloc.as_ref().expect("Expected function, got error."))(ptr, size)
    }
    pub unsafe fn hipHostMalloc(
        &self,
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipHostMalloc.as_ref().expect("Expected function, got error."))(ptr, size, flags)
    }
    pub unsafe fn hipMallocManaged(
        &self,
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipMallocManaged.as_ref().expect("Expected function, got error."))(dev_ptr, size, flags)
    }
    pub unsafe fn hipMemPrefetchAsync(
        &self,
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
        device: ::core::ffi::c_int,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemPrefetchAsync.as_ref().expect("Expected function, got error."))(dev_ptr, count, device, stream)
    }
    pub unsafe fn hipMemAdvise(
        &self,
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
        advice: hipMemoryAdvise,
        device: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipMemAdvise.as_ref().expect("Expected function, got error."))(dev_ptr, count, advice, device)
    }
    pub unsafe fn hipMallocAsync(
        &self,
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMallocAsync.as_ref().expect("Expected function, got error."))(dev_ptr, size, stream)
    }
    pub unsafe fn hipFreeAsync(&self, dev_ptr: *mut ::core::ffi::c_void, stream: hipStream_t) -> hipError_t {
        (self.hipFreeAsync.as_ref().expect("Expected function, got error."))(dev_ptr, stream)
    }
    pub unsafe fn hipMemPoolTrimTo(&self, mem_pool: hipMemPool_t, min_bytes_to_hold: usize) -> hipError_t {
        (self.hipMemPoolTrimTo.as_ref().expect("Expected function, got error."))(mem_pool, min_bytes_to_hold)
    }
    pub unsafe fn hipMemPoolGetAttribute(
        &self,
        mem_pool: hipMemPool_t,
        attr: hipMemPoolAttr,
        value: *mut ::core::ffi::c_void,
    ) -> hipError_t {
        (self.hipMemPoolGetAttribute.as_ref().expect("Expected function, got error."))(mem_pool, attr, value)
    }
    pub unsafe fn hipMemPoolCreate(
        &self,
        mem_pool: *mut hipMemPool_t,
        pool_props: *const hipMemPoolProps,
    ) -> hipError_t {
        (self.hipMemPoolCreate.as_ref().expect("Expected function, got error."))(mem_pool, pool_props)
    }
    pub unsafe fn hipMemPoolDestroy(&self, mem_pool: hipMemPool_t) -> hipError_t {
        (self.hipMemPoolDestroy.as_ref().expect("Expected function, got error."))(mem_pool)
    }
    pub unsafe fn hipMallocFromPoolAsync(
        &self,
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        mem_pool: hipMemPool_t,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMallocFromPoolAsync.as_ref().expect("Expected function, got error."))(dev_ptr, size, mem_pool, stream)
    }
    pub unsafe fn hipHostGetDevicePointer(
        &self,
        devPtr: *mut *mut ::core::ffi::c_void,
        hstPtr: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipHostGetDevicePointer.as_ref().expect("Expected function, got error."))(devPtr, hstPtr, flags)
    }
    pub unsafe fn hipHostRegister(
        &self,
        hostPtr: *mut ::core::ffi::c_void,
        sizeBytes: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipHostRegister.as_ref().expect("Expected function, got error."))(hostPtr, sizeBytes, flags)
    }
    pub unsafe fn hipHostUnregister(&self, hostPtr: *mut ::core::ffi::c_void) -> hipError_t {
        (self.hipHostUnregister.as_ref().expect("Expected function, got error."))(hostPtr)
    }
    pub unsafe fn hipFree(&self, ptr: *mut ::core::ffi::c_void) -> hipError_t {
        (self.hipFree.as_ref().expect("Expected function, got error."))(ptr)
    }
    pub unsafe fn hipHostFree(&self, ptr: *mut ::core::ffi::c_void) -> hipError_t {
        (self.hipHostFree.as_ref().expect("Expected function, got error."))(ptr)
    }
    pub unsafe fn hipMemcpyHtoDAsync(
        &self,
        dst: hipDeviceptr_t,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpyHtoDAsync.as_ref().expect("Expected function, got error."))(dst, src, sizeBytes, stream)
    }
    pub unsafe fn hipMemcpyDtoHAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        src: hipDeviceptr_t,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpyDtoHAsync.as_ref().expect("Expected function, got error."))(dst, src, sizeBytes, stream)
    }
    pub unsafe fn hipMemcpyDtoDAsync(
        &self,
        dst: hipDeviceptr_t,
        src: hipDeviceptr_t,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpyDtoDAsync.as_ref().expect("Expected function, got error."))(dst, src, sizeBytes, stream)
    }
    pub unsafe fn hipModuleGetGlobal(
        &self,
        dptr: *mut hipDeviceptr_t,
        bytes: *mut usize,
        hmod: hipModule_t,
        name: *const ::core::ffi::c_char,
    ) -> hipError_t {
        (self.hipModuleGetGlobal.as_ref().expect("Expected function, got error."))(dptr, bytes, hmod, name)
    }
    pub unsafe fn hipMemcpyAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpyAsync.as_ref().expect("Expected function, got error."))(dst, src, sizeBytes, kind, stream)
    }
    pub unsafe fn hipMemsetD8Async(
        &self,
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_uchar,
        count: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemsetD8Async.as_ref().expect("Expected function, got error."))(dest, value, count, stream)
    }
    pub unsafe fn hipMemGetInfo(&self, free: *mut usize, total: *mut usize) -> hipError_t {
        (self.hipMemGetInfo.as_ref().expect("Expected function, got error."))(free, total)
    }
    pub unsafe fn hipArrayDestroy(&self, array: hipArray_t) -> hipError_t {
        (self.hipArrayDestroy.as_ref().expect("Expected function, got error."))(array)
    }
    pub unsafe fn hipArray3DCreate(
        &self,
        array: *mut hipArray_t,
        pAllocateArray: *const HIP_ARRAY3D_DESCRIPTOR,
    ) -> hipError_t {
        (self.hipArray3DCreate.as_ref().expect("Expected function, got error."))(array, pAllocateArray)
    }
    pub unsafe fn hipArray3DGetDescriptor(
        &self,
        pArrayDescriptor: *mut HIP_ARRAY3D_DESCRIPTOR,
        array: hipArray_t,
    ) -> hipError_t {
        (self.hipArray3DGetDescriptor.as_ref().expect("Expected function, got error."))(pArrayDescriptor, array)
    }
    pub unsafe fn hipMemcpy2DAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpy2DAsync.as_ref().expect("Expected function, got error."))(
            dst, dpitch, src, spitch, width, height, kind, stream,
        )
    }
    pub unsafe fn hipDrvMemcpy3DAsync(&self, pCopy: *const HIP_MEMCPY3D, stream: hipStream_t) -> hipError_t {
        (self.hipDrvMemcpy3DAsync.as_ref().expect("Expected function, got error."))(pCopy, stream)
    }
    pub unsafe fn hipDeviceCanAccessPeer(
        &self,
        canAccessPeer: *mut ::core::ffi::c_int,
        deviceId: ::core::ffi::c_int,
        peerDeviceId: ::core::ffi::c_int,
    ) -> hipError_t {
        (self.hipDeviceCanAccessPeer.as_ref().expect("Expected function, got error."))(
            canAccessPeer,
            deviceId,
            peerDeviceId,
        )
    }
    pub unsafe fn hipDeviceEnablePeerAccess(
        &self,
        peerDeviceId: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipDeviceEnablePeerAccess.as_ref().expect("Expected function, got error."))(peerDeviceId, flags)
    }
    pub unsafe fn hipDeviceDisablePeerAccess(&self, peerDeviceId: ::core::ffi::c_int) -> hipError_t {
        (self.hipDeviceDisablePeerAccess.as_ref().expect("Expected function, got error."))(peerDeviceId)
    }
    pub unsafe fn hipMemcpyPeerAsync(
        &self,
        dst: *mut ::core::ffi::c_void,
        dstDeviceId: ::core::ffi::c_int,
        src: *const ::core::ffi::c_void,
        srcDevice: ::core::ffi::c_int,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t {
        (self.hipMemcpyPeerAsync.as_ref().expect("Expected function, got error."))(
            dst,
            dstDeviceId,
            src,
            srcDevice,
            sizeBytes,
            stream,
        )
    }
    pub unsafe fn hipModuleUnload(&self, module: hipModule_t) -> hipError_t {
        (self.hipModuleUnload.as_ref().expect("Expected function, got error."))(module)
    }
    pub unsafe fn hipModuleGetFunction(
        &self,
        function: *mut hipFunction_t,
        module: hipModule_t,
        kname: *const ::core::ffi::c_char,
    ) -> hipError_t {
        (self.hipModuleGetFunction.as_ref().expect("Expected function, got error."))(function, module, kname)
    }
    pub unsafe fn hipFuncGetAttribute(
        &self,
        value: *mut ::core::ffi::c_int,
        attrib: hipFunction_attribute,
        hfunc: hipFunction_t,
    ) -> hipError_t {
        (self.hipFuncGetAttribute.as_ref().expect("Expected function, got error."))(value, attrib, hfunc)
    }
    pub unsafe fn hipModuleLoadData(&self, module: *mut hipModule_t, image: *const ::core::ffi::c_void) -> hipError_t {
        (self.hipModuleLoadData.as_ref().expect("Expected function, got error."))(module, image)
    }
    pub unsafe fn hipModuleLaunchKernel(
        &self,
        f: hipFunction_t,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        stream: hipStream_t,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t {
        (self.hipModuleLaunchKernel.as_ref().expect("Expected function, got error."))(
            f,
            gridDimX,
            gridDimY,
            gridDimZ,
            blockDimX,
            blockDimY,
            blockDimZ,
            sharedMemBytes,
            stream,
            kernelParams,
            extra,
        )
    }
    pub unsafe fn hipModuleLaunchCooperativeKernel(
        &self,
        f: hipFunction_t,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        stream: hipStream_t,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t {
        (self.hipModuleLaunchCooperativeKernel.as_ref().expect("Expected function, got error."))(
            f,
            gridDimX,
            gridDimY,
            gridDimZ,
            blockDimX,
            blockDimY,
            blockDimZ,
            sharedMemBytes,
            stream,
            kernelParams,
        )
    }
    pub unsafe fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        &self,
        numBlocks: *mut ::core::ffi::c_int,
        f: hipFunction_t,
        blockSize: ::core::ffi::c_int,
        dynSharedMemPerBlk: usize,
    ) -> hipError_t {
        (self.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor.as_ref().expect("Expected function, got error."))(
            numBlocks,
            f,
            blockSize,
            dynSharedMemPerBlk,
        )
    }
    pub unsafe fn hipProfilerStart(&self) -> hipError_t {
        (self.hipProfilerStart.as_ref().expect("Expected function, got error."))()
    }
    pub unsafe fn hipProfilerStop(&self) -> hipError_t {
        (self.hipProfilerStop.as_ref().expect("Expected function, got error."))()
    }
    pub unsafe fn hipLaunchHostFunc(
        &self,
        stream: hipStream_t,
        fn_: hipHostFn_t,
        userData: *mut ::core::ffi::c_void,
    ) -> hipError_t {
        (self.hipLaunchHostFunc.as_ref().expect("Expected function, got error."))(stream, fn_, userData)
    }
    pub unsafe fn hipTexObjectCreate(
        &self,
        pTexObject: *mut hipTextureObject_t,
        pResDesc: *const HIP_RESOURCE_DESC,
        pTexDesc: *const HIP_TEXTURE_DESC,
        pResViewDesc: *const HIP_RESOURCE_VIEW_DESC,
    ) -> hipError_t {
        (self.hipTexObjectCreate.as_ref().expect("Expected function, got error."))(
            pTexObject,
            pResDesc,
            pTexDesc,
            pResViewDesc,
        )
    }
    pub unsafe fn hipTexObjectDestroy(&self, texObject: hipTextureObject_t) -> hipError_t {
        (self.hipTexObjectDestroy.as_ref().expect("Expected function, got error."))(texObject)
    }
    pub unsafe fn hipStreamBeginCapture(&self, stream: hipStream_t, mode: hipStreamCaptureMode) -> hipError_t {
        (self.hipStreamBeginCapture.as_ref().expect("Expected function, got error."))(stream, mode)
    }
    pub unsafe fn hipStreamEndCapture(&self, stream: hipStream_t, pGraph: *mut hipGraph_t) -> hipError_t {
        (self.hipStreamEndCapture.as_ref().expect("Expected function, got error."))(stream, pGraph)
    }
    pub unsafe fn hipStreamGetCaptureInfo_v2(
        &self,
        stream: hipStream_t,
        captureStatus_out: *mut hipStreamCaptureStatus,
        id_out: *mut ::core::ffi::c_ulonglong,
        graph_out: *mut hipGraph_t,
        dependencies_out: *mut *const hipGraphNode_t,
        numDependencies_out: *mut usize,
    ) -> hipError_t {
        (self.hipStreamGetCaptureInfo_v2.as_ref().expect("Expected function, got error."))(
            stream,
            captureStatus_out,
            id_out,
            graph_out,
            dependencies_out,
            numDependencies_out,
        )
    }
    pub unsafe fn hipStreamUpdateCaptureDependencies(
        &self,
        stream: hipStream_t,
        dependencies: *mut hipGraphNode_t,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipStreamUpdateCaptureDependencies.as_ref().expect("Expected function, got error."))(
            stream,
            dependencies,
            numDependencies,
            flags,
        )
    }
    pub unsafe fn hipThreadExchangeStreamCaptureMode(&self, mode: *mut hipStreamCaptureMode) -> hipError_t {
        (self.hipThreadExchangeStreamCaptureMode.as_ref().expect("Expected function, got error."))(mode)
    }
    pub unsafe fn hipGraphDestroy(&self, graph: hipGraph_t) -> hipError_t {
        (self.hipGraphDestroy.as_ref().expect("Expected function, got error."))(graph)
    }
    pub unsafe fn hipGraphInstantiateWithFlags(
        &self,
        pGraphExec: *mut hipGraphExec_t,
        graph: hipGraph_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t {
        (self.hipGraphInstantiateWithFlags.as_ref().expect("Expected function, got error."))(pGraphExec, graph, flags)
    }
    pub unsafe fn hipGraphLaunch(&self, graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t {
        (self.hipGraphLaunch.as_ref().expect("Expected function, got error."))(graphExec, stream)
    }
    pub unsafe fn hipGraphUpload(&self, graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t {
        (self.hipGraphUpload.as_ref().expect("Expected function, got error."))(graphExec, stream)
    }
    pub unsafe fn hipGraphExecDestroy(&self, graphExec: hipGraphExec_t) -> hipError_t {
        (self.hipGraphExecDestroy.as_ref().expect("Expected function, got error."))(graphExec)
    }
    pub unsafe fn hipGraphAddChildGraphNode(
        &self,
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        childGraph: hipGraph_t,
    ) -> hipError_t {
        (self.hipGraphAddChildGraphNode.as_ref().expect("Expected function, got error."))(
            pGraphNode,
            graph,
            pDependencies,
            numDependencies,
            childGraph,
        )
    }
    pub unsafe fn hipGraphDebugDotPrint(
        &self,
        graph: hipGraph_t,
        path: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t {
        (self.hipGraphDebugDotPrint.as_ref().expect("Expected function, got error."))(graph, path, flags)
    }
    pub unsafe fn hipCreateSurfaceObject(
        &self,
        pSurfObject: *mut hipSurfaceObject_t,
        pResDesc: *const hipResourceDesc,
    ) -> hipError_t {
        (self.hipCreateSurfaceObject.as_ref().expect("Expected function, got error."))(pSurfObject, pResDesc)
    }
    pub unsafe fn hipDestroySurfaceObject(&self, surfaceObject: hipSurfaceObject_t) -> hipError_t {
        (self.hipDestroySurfaceObject.as_ref().expect("Expected function, got error."))(surfaceObject)
    }
}
