//! Structs that the driver's functions take, laid out as CUDA's headers have them.

use std::ffi::c_void;

use cuproxide_hal::SharedHandle;

/// The driver's memory of a device or of the host, as `CUmemLocation` lays it out.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

impl Location {
    pub(crate) fn of(device: Option<usize>) -> Location {
        match device {
            Some(ordinal) => Location { kind: 1, id: ordinal as i32 },
            None => Location { kind: 2, id: 0 },
        }
    }
}

/// `CUmemPoolProps`.
#[repr(C)]
pub struct PoolProperties {
    pub(crate) allocation: i32,
    pub(crate) handles: i32,
    pub(crate) location: Location,
    pub(crate) security: *mut c_void,
    pub(crate) max_size: usize,
    pub(crate) usage: u16,
    pub(crate) reserved: [u8; 54],
}

/// `CUDA_MEMCPY2D_v2`.
#[repr(C)]
pub struct Copy2D {
    pub(crate) src_x: usize,
    pub(crate) src_y: usize,
    pub(crate) src_kind: u32,
    pub(crate) src_host: u64,
    pub(crate) src_device: u64,
    pub(crate) src_array: u64,
    pub(crate) src_pitch: usize,
    pub(crate) dst_x: usize,
    pub(crate) dst_y: usize,
    pub(crate) dst_kind: u32,
    pub(crate) dst_host: u64,
    pub(crate) dst_device: u64,
    pub(crate) dst_array: u64,
    pub(crate) dst_pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Copy2D {
    /// Address and bytes between lines of the target, then of the source; width and number of the lines.
    pub fn lines(&self) -> ((u64, usize), (u64, usize), [usize; 2]) {
        ((self.dst_device, self.dst_pitch), (self.src_device, self.src_pitch), [self.width, self.height])
    }
}

/// A handle that is passed by value.
#[repr(C)]
pub struct Handle(pub SharedHandle);

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
pub struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

/// `CUDA_MEMCPY3D_v2`'s half that describes one end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyEnd {
    /// Bytes of a row before the box.
    pub x: usize,
    /// Rows before it.
    pub y: usize,
    /// Planes before it.
    pub z: usize,
    pub(crate) level: usize,
    /// [`KIND_HOST`] and so on: which of the addresses counts.
    pub kind: u32,
    /// Address in host memory.
    pub host: u64,
    /// Address that the driver knows.
    pub device: u64,
    /// Handle of an image.
    pub array: u64,
    pub(crate) reserved: u64,
    /// Bytes between rows of memory.
    pub pitch: usize,
    /// Rows between planes of memory.
    pub rows: usize,
}

/// `CUDA_MEMCPY3D_v2`.
#[repr(C)]
pub struct Copy3D {
    /// Source.
    pub src: CopyEnd,
    /// Target.
    pub dst: CopyEnd,
    /// Bytes of a row of the box.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// `CUDA_RESOURCE_DESC`: a kind, a union of 128 bytes, flags.
#[repr(C)]
pub struct Resource {
    pub(crate) kind: u32,
    pub(crate) place: Place,
    pub(crate) flags: u32,
}

impl Resource {
    /// The image, if it is one.
    pub fn image(&self) -> Option<u64> {
        (self.kind == RESOURCE_ARRAY).then_some(self.place.address)
    }
}

/// The parts of that union that are used, which all begin with an address or handle.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    pub(crate) address: u64,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    /// Bytes of a line, or elements of a row.
    pub(crate) extent: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
    pub(crate) reserved: [u64; 11],
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TextureDescriptor {
    pub(crate) address: [u32; 3],
    pub(crate) filter: u32,
    pub(crate) flags: u32,
    /// Most samples of an anisotropic filter; 0 is one.
    pub max_anisotropy: u32,
    pub(crate) mipmap: [u32; 4],
    pub(crate) border: [f32; 4],
    pub(crate) reserved: [i32; 12],
}

const _: () = {
    assert!(size_of::<Copy3D>() == 200);
    assert!(size_of::<Resource>() == 144);
    assert!(size_of::<TextureDescriptor>() == 104);
};

/// An end of a copy in host memory that the driver does not know.
pub const KIND_HOST: u32 = 1;
/// An end of a copy in an image.
pub const KIND_ARRAY: u32 = 3;
/// An end of a copy in memory that the driver knows.
pub const KIND_UNIFIED: u32 = 4;
/// A resource that is an image.
pub(crate) const RESOURCE_ARRAY: u32 = 0;
