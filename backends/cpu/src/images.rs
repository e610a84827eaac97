//! Images of the host, in the order of streams.

use cuproxide_hal::{ImageCopy, ImageSpec, Images, Result, Sampling, Stream, TextureSource};
use cuproxide_simt::images;

use crate::graph;

/// The images of the CPU.
pub struct CpuImages;

impl Images for CpuImages {
    fn create(&self, spec: &ImageSpec) -> Result<u64> {
        images::create(spec)
    }

    unsafe fn destroy(&self, image: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { images::destroy(image) };
        Ok(())
    }

    unsafe fn copy(&self, stream: &dyn Stream, copy: &ImageCopy) -> Result<()> {
        let copy = *copy;
        graph::run_or_record(stream, "copy of an image", move || {
            // SAFETY: the caller's promise.
            unsafe { images::copy(&copy) };
            Ok(())
        })
    }

    unsafe fn create_texture(&self, source: &TextureSource, sampling: &Sampling) -> Result<u64> {
        // SAFETY: the caller's promise.
        unsafe { images::create_texture(source, sampling) }
    }

    unsafe fn destroy_texture(&self, texture: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { images::destroy_texture(texture) };
        Ok(())
    }

    unsafe fn create_surface(&self, image: u64) -> Result<u64> {
        // SAFETY: the caller's promise.
        unsafe { images::create_surface(image) }
    }

    unsafe fn destroy_surface(&self, _surface: u64) -> Result<()> {
        // The handle is that of the image.
        Ok(())
    }
}
