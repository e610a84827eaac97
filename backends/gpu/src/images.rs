//! Images, textures and surfaces by the driver.

use std::ffi::c_void;
use std::ptr::null;

use cuproxide_hal::{Channels, Error, ImageCopy, ImageEnd, ImageSpec, Images, Result, Sampling, Stream, TextureSource};

use crate::api::driver::Driver;
use crate::api::types::{
    ArrayDescriptor, Copy3D, CopyEnd, KIND_ARRAY, KIND_HOST, KIND_UNIFIED, Place, RESOURCE_ARRAY, Resource,
    TextureDescriptor,
};
use crate::context::Primary;
use crate::graph::Unrestricted;

const RESOURCE_LINE: u32 = 2;
const RESOURCE_ROWS: u32 = 3;
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED_COORDINATES: u32 = 2;
const SRGB: u32 = 16;
const FORMAT_DEPENDS: u32 = 0;

/// The driver's number of an element's type, and how many channels there are.
fn format(channels: &Channels, backend: &'static str) -> Result<(u32, u32)> {
    if !channels.is_valid() {
        return Err(Error::unsupported(
            backend,
            format!("images of channels {:?} of kind {}", channels.bits, channels.kind),
        ));
    }
    let format = match (channels.kind, channels.bits[0]) {
        (1, 8) => 0x01,
        (1, 16) => 0x02,
        (1, _) => 0x03,
        (0, 8) => 0x08,
        (0, 16) => 0x09,
        (0, _) => 0x0a,
        (_, 16) => 0x10,
        _ => 0x20,
    };
    Ok((format, channels.count() as u32))
}

/// The images of one device.
pub(crate) struct GpuImages {
    pub backend: &'static str,
    pub driver: &'static Driver,
    pub primary: Primary,
}

impl GpuImages {
    fn enter(&self) -> Result<&'static Driver> {
        self.primary.enter(self.driver)?;
        Ok(self.driver)
    }

    fn end(&self, end: &ImageEnd) -> CopyEnd {
        let nothing = CopyEnd {
            x: 0,
            y: 0,
            z: 0,
            level: 0,
            kind: KIND_ARRAY,
            host: 0,
            device: 0,
            array: 0,
            reserved: 0,
            pitch: 0,
            rows: 0,
        };
        match *end {
            ImageEnd::Image { handle, at: [x, y, z] } => CopyEnd { x, y, z, array: handle, ..nothing },
            ImageEnd::Memory { ptr, pitch, rows } => {
                let mut kind = 0u32;
                // SAFETY: the driver writes one integer.
                let known = unsafe { self.driver.pointer_attribute((&raw mut kind).cast(), 2, ptr) }.is_ok();
                let kind = if known { KIND_UNIFIED } else { KIND_HOST };
                CopyEnd { kind, host: ptr, device: ptr, pitch, rows, ..nothing }
            }
        }
    }

    fn channels(&self, image: u64) -> Result<ArrayDescriptor> {
        let mut found = ArrayDescriptor { width: 0, height: 0, depth: 0, format: 0, channels: 0, flags: 0 };
        // SAFETY: the driver writes one descriptor.
        unsafe { self.enter()?.array_descriptor(&mut found, image) }?;
        Ok(found)
    }
}

impl Images for GpuImages {
    fn create(&self, spec: &ImageSpec) -> Result<u64> {
        let driver = self.enter()?;
        let _capturing = Unrestricted::enter(driver);
        let (format, channels) = format(&spec.channels, self.backend)?;
        let ImageSpec { width, height, depth, flags, .. } = *spec;
        let descriptor = ArrayDescriptor { width, height, depth, format, channels, flags };
        let mut image = 0;
        // SAFETY: the driver reads the descriptor and writes one handle.
        unsafe { driver.array_create(&mut image, &descriptor) }?;
        Ok(image)
    }

    unsafe fn destroy(&self, image: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.enter()?.array_destroy(image) }
    }

    unsafe fn copy(&self, stream: &dyn Stream, copy: &ImageCopy) -> Result<()> {
        let driver = self.enter()?;
        let ImageCopy { width, height, depth, .. } = *copy;
        let request = Copy3D { src: self.end(&copy.src), dst: self.end(&copy.dst), width, height, depth };
        // SAFETY: the caller's promise.
        unsafe { driver.copy_3d(&request, stream.raw()) }
    }

    unsafe fn create_texture(&self, source: &TextureSource, sampling: &Sampling) -> Result<u64> {
        let driver = self.enter()?;
        let _capturing = Unrestricted::enter(driver);
        let (kind, place, number) = match *source {
            TextureSource::Image(image) => {
                let place = Place { address: image, ..Place::default() };
                (RESOURCE_ARRAY, place, self.channels(image)?.format)
            }
            TextureSource::Line { ptr, bytes, channels } => {
                let (number, count) = format(&channels, self.backend)?;
                let place = Place { address: ptr, format: number, channels: count, extent: bytes, ..Place::default() };
                (RESOURCE_LINE, place, number)
            }
            TextureSource::Rows { ptr, channels, width, height, pitch } => {
                let (number, count) = format(&channels, self.backend)?;
                let (extent, reserved) = (width, [0; 11]);
                let place = Place { address: ptr, format: number, channels: count, extent, height, pitch, reserved };
                (RESOURCE_ROWS, place, number)
            }
        };
        let integers = number < 0x10;
        let mut flags = if integers && sampling.read == 0 { READ_AS_INTEGER } else { 0 };
        flags |= if sampling.normalized { NORMALIZED_COORDINATES } else { 0 };
        flags |= if sampling.srgb { SRGB } else { 0 };
        let resource = Resource { kind, place, flags: 0 };
        let texture = TextureDescriptor {
            address: sampling.address,
            filter: sampling.filter,
            flags,
            max_anisotropy: sampling.max_anisotropy,
            mipmap: [0; 4],
            border: sampling.border,
            reserved: [0; 12],
        };
        let mut handle = 0;
        // SAFETY: the driver reads both descriptions and writes one handle; what they name lives, the caller promises.
        unsafe { driver.texture_create(&mut handle, &resource, &texture, null::<c_void>()) }?;
        Ok(handle)
    }

    unsafe fn destroy_texture(&self, texture: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.enter()?.texture_destroy(texture) }
    }

    unsafe fn create_surface(&self, image: u64) -> Result<u64> {
        let driver = self.enter()?;
        let _capturing = Unrestricted::enter(driver);
        let place = Place { address: image, format: FORMAT_DEPENDS, ..Place::default() };
        let resource = Resource { kind: RESOURCE_ARRAY, place, flags: 0 };
        let mut handle = 0;
        // SAFETY: as for textures.
        unsafe { driver.surface_create(&mut handle, &resource) }?;
        Ok(handle)
    }

    unsafe fn destroy_surface(&self, surface: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.enter()?.surface_destroy(surface) }
    }
}
