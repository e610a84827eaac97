//! Images, textures and surfaces of both drivers, as the host's engine for kernels has them. The structures are CUDA's; AMD's
//! lie alike but for the copy of a box and a surface's description.

use std::ffi::{c_int, c_uint, c_void};

use cuproxide_hal::{Channels, Error, ImageCopy, ImageEnd, ImageSpec, Sampling, TextureSource};
use cuproxide_hip_sys::hip;
use cuproxide_simt::images;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::hip::{architecture, checked};
use crate::memory;
use crate::queue::{self, Work};
use crate::status::*;

/// What each image was made as, by its handle.
static IMAGES: Mutex<Option<FxHashMap<u64, Descriptor>>> = Mutex::new(None);

/// `CUDA_ARRAY3D_DESCRIPTOR`, `HIP_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Descriptor {
    width: usize,
    height: usize,
    depth: usize,
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

/// `CUDA_RESOURCE_DESC`, `HIP_RESOURCE_DESC`.
#[repr(C)]
pub(crate) struct Resource {
    kind: c_uint,
    address: u64,
    format: c_uint,
    channels: c_uint,
    /// Bytes of a line, or elements of a row.
    extent: usize,
    height: usize,
    pitch: usize,
    reserved: [u64; 11],
    flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`, `HIP_TEXTURE_DESC`.
#[repr(C)]
pub(crate) struct TextureDescriptor {
    address: [c_uint; 3],
    filter: c_uint,
    flags: c_uint,
    max_anisotropy: c_uint,
    mipmap: [c_uint; 4],
    border: [f32; 4],
    reserved: [c_int; 12],
}

/// Half of `CUDA_MEMCPY3D`.
#[repr(C)]
pub(crate) struct End {
    at: [usize; 3],
    level: usize,
    kind: c_uint,
    host: u64,
    device: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    rows: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub(crate) struct Copy3D {
    ends: [End; 2],
    width: usize,
    height: usize,
    depth: usize,
}

/// An end of a copy of a box: its kind in CUDA's numbers, the address that counts, where, and the distances.
struct Side {
    kind: c_uint,
    address: u64,
    at: [usize; 3],
    pitch: usize,
    rows: usize,
}

const KIND_ARRAY: c_uint = 3;
const RESOURCES: [c_uint; 3] = [0, 2, 3];

/// Formats by number: bits, and 0 for signed, 1 for unsigned, 2 for floating-point elements.
const FORMATS: [(c_uint, u32, u32); 8] =
    [(1, 8, 1), (2, 16, 1), (3, 32, 1), (8, 8, 0), (9, 16, 0), (10, 32, 0), (16, 16, 2), (32, 32, 2)];

fn channels(format: c_uint, count: c_uint) -> Outcome<Channels> {
    let (_, bits, kind) = FORMATS.into_iter().find(|(known, ..)| *known == format).ok_or(INVALID_VALUE)?;
    let mut channels = Channels { bits: [0; 4], kind };
    channels.bits.get_mut(..count as usize).ok_or(INVALID_VALUE)?.fill(bits);
    if channels.is_valid() { Ok(channels) } else { Err(INVALID_VALUE) }
}

fn refused<T>(result: Result<T, Error>) -> Outcome<T> {
    result.map_err(|_| INVALID_VALUE)
}

fn known(image: u64) -> Outcome<Descriptor> {
    IMAGES.lock().as_ref().and_then(|images| images.get(&image)).copied().ok_or(INVALID_HANDLE)
}

/// AMD's newer processors for computing have nothing that samples.
pub(crate) fn amd_has_images() -> bool {
    !["gfx94", "gfx95"].iter().any(|family| architecture().starts_with(family))
}

fn amd_samples() -> Outcome {
    if amd_has_images() { Ok(()) } else { Err(NOT_SUPPORTED) }
}

/// The end of a copy, which lies within its image or its memory; whether it is pageable memory.
fn end(side: &Side, [width, height, depth]: [usize; 3]) -> Outcome<(ImageEnd, bool)> {
    let Side { kind, address, at, pitch, rows } = *side;
    if kind == KIND_ARRAY {
        let image = known(address)?;
        let row = image.width * channels(image.format, image.channels)?.bytes();
        let fits = [(width, row), (height, image.height.max(1)), (depth, image.depth.max(1))];
        if fits.into_iter().zip(at).any(|((length, whole), at)| at + length > whole) {
            return Err(INVALID_VALUE);
        }
        return Ok((ImageEnd::Image { handle: address, at }, false));
    }
    let start = address + (at[0] + at[1] * pitch + at[2] * pitch * rows) as u64;
    if pitch < width || (depth > 1 && rows < height) {
        return Err(INVALID_VALUE);
    }
    let block = memory::check(start, ((depth - 1) * rows + height - 1) * pitch + width)?;
    Ok((ImageEnd::Memory { ptr: start, pitch, rows }, block.is_none()))
}

fn copy([src, dst]: [Side; 2], extent: [usize; 3], stream: u64) -> Outcome {
    if extent.contains(&0) {
        return Ok(());
    }
    let ((src, from_host), (dst, to_host)) = (end(&src, extent)?, end(&dst, extent)?);
    let [width, height, depth] = extent;
    let place = queue::submit(stream, Work::Box(ImageCopy { src, dst, width, height, depth }))?;
    if from_host || to_host { queue::wait(place) } else { Ok(()) }
}

impl End {
    fn side(&self) -> Side {
        let address = match self.kind {
            KIND_ARRAY => self.array,
            1 => self.host,
            _ => self.device,
        };
        Side { kind: self.kind, address, at: self.at, pitch: self.pitch, rows: self.rows }
    }
}

export! {
    Context => {
        fn cuArray3DCreate_v2(array: *mut u64, descriptor: *const Descriptor) {
            let wanted = *descriptor;
            let Descriptor { width, height, depth, flags, .. } = wanted;
            let channels = channels(wanted.format, wanted.channels)?;
            let image = refused(images::create(&ImageSpec { width, height, depth, channels, flags }))?;
            IMAGES.lock().get_or_insert_default().insert(image, wanted);
            give(array, image)?;
        }
        fn cuArray3DGetDescriptor_v2(descriptor: *mut Descriptor, array: u64) {
            give(descriptor, known(array)?)?;
        }
        fn cuArrayDestroy(array: u64) {
            let found = IMAGES.lock().as_mut().and_then(|images| images.remove(&array));
            found.ok_or(INVALID_HANDLE)?;
            images::destroy(array);
        }
        fn cuMemcpy3DAsync_v2(request: *const Copy3D, stream: u64) {
            let Copy3D { ends: [src, dst], width, height, depth } = &*request;
            copy([src.side(), dst.side()], [*width, *height, *depth], stream)?;
        }
        fn cuTexObjectCreate(
            texture: *mut u64,
            resource: *const Resource,
            sampling: *const TextureDescriptor,
            _view: *const c_void,
        ) {
            let (resource, wanted) = (&*resource, &*sampling);
            let Resource { address: ptr, extent, height, pitch, .. } = *resource;
            let elements = || channels(resource.format, resource.channels);
            let [image, line, _] = RESOURCES;
            let (source, kind) = if resource.kind == image {
                let found = known(ptr)?;
                (TextureSource::Image(ptr), channels(found.format, found.channels)?.kind)
            } else if resource.kind == line {
                memory::check_device(ptr, extent)?;
                (TextureSource::Line { ptr, bytes: extent, channels: elements()? }, elements()?.kind)
            } else {
                memory::check_device(ptr, (height - 1) * pitch + extent * elements()?.bytes())?;
                let source = TextureSource::Rows { ptr, channels: elements()?, width: extent, height, pitch };
                (source, elements()?.kind)
            };
            let as_they_are = kind == 2 || wanted.flags & 1 != 0;
            let sampling = Sampling {
                address: wanted.address,
                filter: wanted.filter,
                read: (!as_they_are).into(),
                normalized: wanted.flags & 2 != 0,
                srgb: wanted.flags & 16 != 0,
                border: wanted.border,
                max_anisotropy: wanted.max_anisotropy,
            };
            give(texture, refused(images::create_texture(&source, &sampling))?)?;
        }
        fn cuTexObjectDestroy(texture: u64) {
            images::destroy_texture(texture);
        }
        fn cuSurfObjectCreate(surface: *mut u64, resource: *const Resource) {
            known((*resource).address)?;
            give(surface, refused(images::create_surface((*resource).address))?)?;
        }
        fn cuSurfObjectDestroy(_surface: u64) {}
    }
    Device => {
        fn hipArray3DCreate(array: *mut u64, descriptor: *const Descriptor) {
            amd_samples()?;
            checked(cuArray3DCreate_v2(array, descriptor))?;
        }
        fn hipArray3DGetDescriptor(descriptor: *mut Descriptor, array: u64) {
            checked(cuArray3DGetDescriptor_v2(descriptor, array))?;
        }
        fn hipArrayDestroy(array: u64) {
            checked(cuArrayDestroy(array))?;
        }
        fn hipDrvMemcpy3DAsync(request: *const hip::HIP_MEMCPY3D, stream: u64) {
            let r = &*request;
            let side = |kind, host: u64, device: u64, array: u64, at, pitch, rows| match kind {
                hip::hipMemoryTypeArray => Side { kind: KIND_ARRAY, address: array, at, pitch, rows },
                hip::hipMemoryTypeHost => Side { kind, address: host, at, pitch, rows },
                _ => Side { kind: 4, address: device, at, pitch, rows },
            };
            let (src_at, dst_at) = ([r.srcXInBytes, r.srcY, r.srcZ], [r.dstXInBytes, r.dstY, r.dstZ]);
            let (host, device, array) = (r.srcHost as u64, r.srcDevice as u64, r.srcArray as u64);
            let src = side(r.srcMemoryType, host, device, array, src_at, r.srcPitch, r.srcHeight);
            let (host, device, array) = (r.dstHost as u64, r.dstDevice as u64, r.dstArray as u64);
            let dst = side(r.dstMemoryType, host, device, array, dst_at, r.dstPitch, r.dstHeight);
            copy([src, dst], [r.WidthInBytes, r.Height, r.Depth], stream)?;
        }
        fn hipTexObjectCreate(
            texture: *mut u64,
            resource: *const Resource,
            sampling: *const TextureDescriptor,
            view: *const c_void,
        ) {
            amd_samples()?;
            if (*sampling).max_anisotropy != 0 {
                return Err(NOT_SUPPORTED);
            }
            checked(cuTexObjectCreate(texture, resource, sampling, view))?;
        }
        fn hipTexObjectDestroy(texture: u64) {
            checked(cuTexObjectDestroy(texture))?;
        }
        fn hipCreateSurfaceObject(surface: *mut u64, resource: *const hip::hipResourceDesc) {
            if (*resource).resType != hip::hipResourceTypeArray {
                return Err(INVALID_VALUE);
            }
            let image = (*resource).res.array.array as u64;
            known(image)?;
            give(surface, refused(images::create_surface(image))?)?;
        }
        fn hipDestroySurfaceObject(surface: u64) {
            checked(cuSurfObjectDestroy(surface))?;
        }
    }
}
