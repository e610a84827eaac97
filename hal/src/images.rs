//! Images: arrays in the layout that a device samples from, and the textures and surfaces over them.
//!
//! Numbers of kinds, modes and flags are those of the run-time interface that programs know.

use crate::error::Result;
use crate::stream::Stream;

/// What the elements of an image are: up to four channels of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Bits of the channels x, y, z, w; those that are not there have 0.
    pub bits: [u32; 4],
    /// 0 for signed integers, 1 for unsigned ones, 2 for floating point.
    pub kind: u32,
}

impl Channels {
    /// How many channels there are.
    pub fn count(&self) -> usize {
        self.bits.iter().take_while(|&&bits| bits > 0).count()
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> usize {
        self.count() * self.bits[0] as usize / 8
    }

    /// Whether devices know such elements: one, two or four channels of the same 8, 16 or 32 bits, floats from 16 on.
    pub fn is_valid(&self) -> bool {
        let count = self.count();
        let alike = self.bits[..count].iter().all(|&bits| bits == self.bits[0]);
        let rest = self.bits[count..].iter().all(|&bits| bits == 0);
        let size = matches!((self.kind, self.bits[0]), (0..=2, 16 | 32) | (0 | 1, 8));
        matches!(count, 1 | 2 | 4) && alike && rest && size
    }
}

/// An image to make. Lengths that are 0 are directions that it does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageSpec {
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes.
    pub depth: usize,
    /// The elements.
    pub channels: Channels,
    /// Bit 1: surfaces may be made over it.
    pub flags: u32,
}

/// One end of a copy of a box of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageEnd {
    /// An image, from a position on: in bytes, rows and planes.
    Image {
        /// Its handle.
        handle: u64,
        /// Where the box begins.
        at: [usize; 3],
    },
    /// Memory that the device can reach, the host's included.
    Memory {
        /// Address of the first byte of the box.
        ptr: u64,
        /// Bytes between rows.
        pitch: usize,
        /// Rows between planes.
        rows: usize,
    },
}

/// A copy of a box between images and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageCopy {
    /// Source.
    pub src: ImageEnd,
    /// Target.
    pub dst: ImageEnd,
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane, at least 1.
    pub height: usize,
    /// Planes, at least 1.
    pub depth: usize,
}

/// What a texture samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureSource {
    /// An image.
    Image(u64),
    /// A line of elements in device memory.
    Line {
        /// Address.
        ptr: u64,
        /// Size.
        bytes: usize,
        /// The elements.
        channels: Channels,
    },
    /// Rows of elements in device memory.
    Rows {
        /// Address.
        ptr: u64,
        /// The elements.
        channels: Channels,
        /// Elements of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes between rows.
        pitch: usize,
    },
}

/// How a texture samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampling {
    /// What lies outside, in each direction: 0 wraps around, 1 repeats the edge, 2 mirrors, 3 is the border color.
    pub address: [u32; 3],
    /// 0 takes the nearest element, 1 interpolates.
    pub filter: u32,
    /// 0 gives elements as they are, 1 integers as fractions of their range.
    pub read: u32,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// Whether colors are decoded from sRGB.
    pub srgb: bool,
    /// The color outside.
    pub border: [f32; 4],
    /// Most samples of an anisotropic filter.
    pub max_anisotropy: u32,
}

/// Makes images, and textures and surfaces over them. Handles are plain numbers, as kernels take them.
pub trait Images: Send + Sync {
    /// A new image of undefined content.
    fn create(&self, spec: &ImageSpec) -> Result<u64>;

    /// Takes an image back.
    ///
    /// # Safety
    /// It came from `create`, is destroyed once, and neither work nor a texture or surface uses it.
    unsafe fn destroy(&self, image: u64) -> Result<()>;

    /// Queues a copy of a box.
    ///
    /// # Safety
    /// The images live, and the box lies within them and within the memory, until the copy is done.
    unsafe fn copy(&self, stream: &dyn Stream, copy: &ImageCopy) -> Result<()>;

    /// A texture.
    ///
    /// # Safety
    /// What it samples lives longer than the texture.
    unsafe fn create_texture(&self, source: &TextureSource, sampling: &Sampling) -> Result<u64>;

    /// Takes a texture back.
    ///
    /// # Safety
    /// It came from `create_texture`, is destroyed once, and no work uses it.
    unsafe fn destroy_texture(&self, texture: u64) -> Result<()>;

    /// A surface over an image that was made for it.
    ///
    /// # Safety
    /// The image lives longer than the surface.
    unsafe fn create_surface(&self, image: u64) -> Result<u64>;

    /// Takes a surface back.
    ///
    /// # Safety
    /// It came from `create_surface`, is destroyed once, and no work uses it.
    unsafe fn destroy_surface(&self, surface: u64) -> Result<()>;
}
