//! Images, textures and surfaces of the host: memory, and descriptions that `include/detail/images.h` reads.

use cuproxide_hal::{Channels, Error, ImageCopy, ImageEnd, ImageSpec, Result, Sampling, TextureSource};

/// Flag of an image over which surfaces may be made.
const SURFACES: u32 = 2;

/// An image. Its handle is its address; a surface's handle is that of its image.
#[repr(C)]
struct Image {
    view: View,
    /// Owns what the view shows.
    data: Vec<u128>,
    flags: u32,
}

/// Elements in memory; the other side of `__cpx::image`.
#[repr(C)]
#[derive(Clone, Copy)]
struct View {
    data: u64,
    width: u64,
    height: u64,
    depth: u64,
    /// Bytes between rows and between planes.
    pitch: u64,
    slice: u64,
    /// Bits of a channel, and how many there are.
    bits: u32,
    channels: u32,
    /// 0 signed, 1 unsigned, 2 floating point.
    kind: u32,
    unused: u32,
}

/// The other side of `__cpx::texture`.
#[repr(C)]
struct Texture {
    view: View,
    address: [u32; 3],
    filter: u32,
    read: u32,
    normalized: u32,
    srgb: u32,
    unused: u32,
    border: [f32; 4],
}

fn refused(what: impl Into<String>) -> Error {
    Error::Call { call: "image", code: 1, name: "invalid value".to_owned(), message: what.into() }
}

fn checked(channels: &Channels) -> Result<(u32, u32, u32)> {
    if !channels.is_valid() {
        return Err(refused(format!(
            "elements have 1, 2 or 4 channels of the same 8, 16 or 32 bits, not {:?} of kind {}",
            channels.bits, channels.kind
        )));
    }
    Ok((channels.bits[0], channels.count() as u32, channels.kind))
}

/// A new image, of zeros.
///
/// # Errors
/// Elements that no device knows, an image without elements, too little memory.
pub fn create(spec: &ImageSpec) -> Result<u64> {
    let (bits, channels, kind) = checked(&spec.channels)?;
    let ImageSpec { width, height, depth, flags, .. } = *spec;
    if width == 0 || (height == 0 && depth > 0) {
        return Err(refused(format!("an image of {width} x {height} x {depth} elements")));
    }
    let pitch = width * spec.channels.bytes();
    let slice = pitch * height.max(1);
    let words = slice.checked_mul(depth.max(1)).ok_or_else(|| refused("an image larger than any memory"))?.div_ceil(16);
    let mut data = Vec::new();
    if data.try_reserve_exact(words).is_err() {
        return Err(refused(format!("the host has no memory for an image of {width} x {height} x {depth} elements")));
    }
    data.resize(words, 0u128);
    let view = View {
        data: data.as_ptr() as u64,
        width: width as u64,
        height: height as u64,
        depth: depth as u64,
        pitch: pitch as u64,
        slice: slice as u64,
        bits,
        channels,
        kind,
        unused: 0,
    };
    Ok(Box::into_raw(Box::new(Image { view, data, flags })) as u64)
}

/// Takes an image back.
///
/// # Safety
/// It came from [`create`] and is used no more.
pub unsafe fn destroy(image: u64) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(image as *mut Image) });
}

/// Address of a box's first byte, bytes between its rows and between its planes.
unsafe fn place(end: &ImageEnd) -> (u64, u64, u64) {
    match *end {
        ImageEnd::Image { handle, at: [x, y, z] } => {
            // SAFETY: the caller's image lives.
            let view = unsafe { &(*(handle as *const Image)).view };
            let offset = x as u64 + y as u64 * view.pitch + z as u64 * view.slice;
            (view.data + offset, view.pitch, view.slice)
        }
        ImageEnd::Memory { ptr, pitch, rows } => (ptr, pitch as u64, (pitch * rows) as u64),
    }
}

/// Copies a box.
///
/// # Safety
/// The images live, and the box lies within them and within the memory.
pub unsafe fn copy(copy: &ImageCopy) {
    // SAFETY: the caller's promise.
    unsafe {
        let (src, src_pitch, src_slice) = place(&copy.src);
        let (dst, dst_pitch, dst_slice) = place(&copy.dst);
        for plane in 0..copy.depth as u64 {
            for row in 0..copy.height as u64 {
                let from = (src + plane * src_slice + row * src_pitch) as *const u8;
                let to = (dst + plane * dst_slice + row * dst_pitch) as *mut u8;
                std::ptr::copy(from, to, copy.width);
            }
        }
    }
}

/// A texture.
///
/// # Errors
/// Elements that no device knows, a way of sampling that makes no sense for them.
///
/// # Safety
/// What it samples lives longer than the texture.
pub unsafe fn create_texture(source: &TextureSource, sampling: &Sampling) -> Result<u64> {
    let flat = |channels: &Channels| -> Result<View> {
        let (bits, count, kind) = checked(channels)?;
        let view =
            View { data: 0, width: 0, height: 0, depth: 0, pitch: 0, slice: 0, bits, channels: count, kind, unused: 0 };
        Ok(view)
    };
    let view = match *source {
        // SAFETY: the caller's image lives.
        TextureSource::Image(image) => unsafe { (*(image as *const Image)).view },
        TextureSource::Line { ptr, bytes, channels } => {
            let width = (bytes / channels.bytes().max(1)) as u64;
            View { data: ptr, width, pitch: bytes as u64, slice: bytes as u64, ..flat(&channels)? }
        }
        TextureSource::Rows { ptr, channels, width, height, pitch } => {
            let (width, height, pitch) = (width as u64, height as u64, pitch as u64);
            View { data: ptr, width, height, pitch, slice: pitch * height, ..flat(&channels)? }
        }
    };
    if view.kind != 2 && sampling.read == 0 && sampling.filter == 1 {
        return Err(refused("only floating-point values and normalised integers can be interpolated"));
    }
    if view.kind != 2 && sampling.read == 1 && view.bits == 32 {
        return Err(refused("integers of 32 bits cannot be read as fractions"));
    }
    let texture = Texture {
        view,
        address: sampling.address,
        filter: sampling.filter,
        read: sampling.read,
        normalized: sampling.normalized.into(),
        srgb: sampling.srgb.into(),
        unused: 0,
        border: sampling.border,
    };
    Ok(Box::into_raw(Box::new(texture)) as u64)
}

/// Takes a texture back.
///
/// # Safety
/// It came from [`create_texture`] and is used no more.
pub unsafe fn destroy_texture(texture: u64) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(texture as *mut Texture) });
}

/// A surface over an image.
///
/// # Errors
/// An image that was not made for surfaces.
///
/// # Safety
/// The image lives longer than the surface.
pub unsafe fn create_surface(image: u64) -> Result<u64> {
    // SAFETY: the caller's promise.
    if unsafe { (*(image as *const Image)).flags } & SURFACES == 0 {
        return Err(refused("a surface needs an image that was made with the flag for surfaces"));
    }
    Ok(image)
}
