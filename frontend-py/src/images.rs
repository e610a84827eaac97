//! Images, textures and surfaces, as plain calls for the Python module that gives them their names.

use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::memory::capture;
use cuproxide_hal as hal;
use cuproxide_hal::{Channels, ImageCopy, ImageEnd, ImageSpec, Sampling, TextureSource};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::device;
use crate::errors::{Result, value_error};
use crate::stream::Stream;
use crate::{system, wait};

/// What a device can do with images. Handles and addresses are plain numbers.
#[pyclass(module = "cuproxide", frozen)]
pub struct Images {
    context: Arc<Context>,
}

/// Kind (0 signed, 1 unsigned, 2 floating point) and bits of each channel.
type Format = (u32, [u32; 4]);

/// One end of a copy: ("image", handle, x in bytes, y, z) or ("memory", address, bytes of a row, rows of a plane, 0).
type End = (String, u64, usize, usize, usize);

fn channels((kind, bits): Format) -> Channels {
    Channels { bits, kind }
}

fn end((what, handle, x, y, z): End) -> Result<ImageEnd> {
    match what.as_str() {
        "image" => Ok(ImageEnd::Image { handle, at: [x, y, z] }),
        "memory" => Ok(ImageEnd::Memory { ptr: handle, pitch: x, rows: y }),
        _ => Err(value_error(format!("{what:?} is not an end of a copy"))),
    }
}

impl Images {
    fn get(&self) -> hal::Result<&dyn hal::Images> {
        self.context.device().images()
    }
}

#[pymethods]
impl Images {
    #[new]
    #[pyo3(signature = (device=None))]
    fn __new__(device: Option<&Bound<'_, PyAny>>) -> Result<Images> {
        Ok(Images { context: device::parse_id(device)? })
    }

    fn create(&self, format: Format, width: usize, height: usize, depth: usize, flags: u32) -> Result<u64> {
        Ok(self.get()?.create(&ImageSpec { width, height, depth, channels: channels(format), flags })?)
    }

    fn destroy(&self, py: Python<'_>, image: u64) -> Result<()> {
        // SAFETY: the Python module destroys what it created, once; no work is left that uses it.
        self.end(py, |images| unsafe { images.destroy(image) })
    }

    /// Copies a box of `width` bytes, `height` rows and `depth` planes. A capture keeps `owners`.
    #[expect(clippy::too_many_arguments, reason = "two ends and a box")]
    #[pyo3(signature = (stream, src, dst, width, height, depth, owners=None))]
    fn copy(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, Stream>,
        src: End,
        dst: End,
        width: usize,
        height: usize,
        depth: usize,
        owners: Option<Py<PyTuple>>,
    ) -> Result<()> {
        let stream = stream.get().resolve()?.1;
        let copy = ImageCopy { src: end(src)?, dst: end(dst)?, width, height: height.max(1), depth: depth.max(1) };
        for end in [&copy.src, &copy.dst] {
            if let ImageEnd::Memory { ptr, pitch, rows } = *end {
                // Planes follow each other after all rows of the one before.
                let lines = (copy.depth - 1).saturating_mul(rows).saturating_add(copy.height);
                system::check_rows(&self.context, ptr, copy.width, pitch, lines)?;
            }
        }
        let images = self.get()?;
        self.context.flush_onto(stream.as_ref())?;
        // SAFETY: the Python module checks the box against its images and vouches for addresses.
        wait::long(py, || Ok(unsafe { images.copy(stream.as_ref(), &copy) }?))?;
        if let Some(owners) = owners
            && let Some(hold) = capture::of(self.context.id(), stream.as_ref())
        {
            hold.keep(Arc::new(owners));
        }
        Ok(())
    }

    /// A texture of an image: `sampling` is (address modes, filter, read mode, normalised, sRGB, border, anisotropy).
    fn texture_of_image(&self, image: u64, sampling: SamplingTuple) -> Result<u64> {
        self.texture(&TextureSource::Image(image), sampling)
    }

    /// A texture of a line of elements.
    fn texture_of_line(&self, ptr: u64, bytes: usize, format: Format, sampling: SamplingTuple) -> Result<u64> {
        self.texture(&TextureSource::Line { ptr, bytes, channels: channels(format) }, sampling)
    }

    /// A texture of rows of elements.
    fn texture_of_rows(
        &self,
        ptr: u64,
        format: Format,
        width: usize,
        height: usize,
        pitch: usize,
        sampling: SamplingTuple,
    ) -> Result<u64> {
        self.texture(&TextureSource::Rows { ptr, channels: channels(format), width, height, pitch }, sampling)
    }

    fn destroy_texture(&self, py: Python<'_>, texture: u64) -> Result<()> {
        // SAFETY: as for images.
        self.end(py, |images| unsafe { images.destroy_texture(texture) })
    }

    fn surface(&self, image: u64) -> Result<u64> {
        // SAFETY: the Python object of the surface keeps its image.
        Ok(unsafe { self.get()?.create_surface(image) }?)
    }

    fn destroy_surface(&self, py: Python<'_>, surface: u64) -> Result<()> {
        // SAFETY: as for images.
        self.end(py, |images| unsafe { images.destroy_surface(surface) })
    }
}

type SamplingTuple = ([u32; 3], u32, u32, bool, bool, [f32; 4], u32);

impl Images {
    fn texture(&self, source: &TextureSource, sampling: SamplingTuple) -> Result<u64> {
        let (address, filter, read, normalized, srgb, border, max_anisotropy) = sampling;
        let sampling = Sampling { address, filter, read, normalized, srgb, border, max_anisotropy };
        // SAFETY: the Python object of the texture keeps what it samples.
        Ok(unsafe { self.get()?.create_texture(source, &sampling) }?)
    }

    /// Destroys something when no work can use it any more.
    fn end(&self, py: Python<'_>, destroy: impl FnOnce(&dyn hal::Images) -> hal::Result<()> + Send) -> Result<()> {
        wait::long(py, || {
            self.context.device().synchronize()?;
            Ok(destroy(self.get()?)?)
        })
    }
}
