//! Kernels that a program writes as text, and the images that only they can sample. Devices whose machine has no compiler
//! say so.

use std::sync::Arc;

use cuproxide_hal::{
    Channels, Error, FunctionAttribute, ImageCopy, ImageEnd, ImageSpec, Module, RawLaunch, Result, Sampling,
    SourceText, TextureSource,
};

use super::Test;
use crate::rig::{Check, Rig, ensure};

pub const TESTS: &[Test] = &[
    ("functions and variables", functions),
    ("instances of templates", templates),
    ("blocks that share memory", blocks),
    ("mistakes", mistakes),
];

pub const IMAGES: &[Test] = &[("copies", copies), ("textures", textures), ("surfaces", surfaces)];

const TEXT: &str = r#"
__device__ int offset = 5;

extern "C" __global__ void scale(const float* in, float* out, int count, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] * factor + offset;
}

extern "C" __global__ void reverse(int* data) {
    extern __shared__ int tile[];
    int* block = data + blockIdx.x * blockDim.x;
    tile[threadIdx.x] = block[threadIdx.x];
    __syncthreads();
    block[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

template <class T> __global__ void twice(T* data) { data[threadIdx.x] *= 2; }
"#;

fn compile(rig: &Rig, text: &str, expressions: &[String]) -> Result<Arc<dyn Module>> {
    rig.device.compile_text(&SourceText { name: "conformance", text, options: &[], expressions })
}

/// Launches a function with the addresses of its arguments.
fn launch(rig: &Rig, module: &dyn Module, name: &str, geometry: RawLaunch, arguments: &mut [*mut u8]) -> Result<()> {
    // SAFETY: each test passes what the function of its text takes.
    unsafe { module.function(name)?.launch(&*rig.stream, geometry, arguments) }
}

fn line(blocks: u32, threads: u32, shared: u32) -> RawLaunch {
    RawLaunch { grid: [blocks, 1, 1], block: [threads, 1, 1], shared, cooperative: false }
}

/// The address of an argument.
fn argument<T>(value: &mut T) -> *mut u8 {
    std::ptr::from_mut(value).cast()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn functions(rig: &Rig) -> Check {
    let module = compile(rig, TEXT, &[])?;
    let numbers: Vec<f32> = (0..1000).map(|number| number as f32).collect();
    let (source, target) = (rig.upload(&floats(&numbers))?, rig.empty(4000)?);
    let run = |expected_offset: f32| -> Check {
        let (mut from, mut to, mut count, mut factor) = (source.ptr(), target.ptr(), 1000i32, 0.5f32);
        let mut arguments = [argument(&mut from), argument(&mut to), argument(&mut count), argument(&mut factor)];
        launch(rig, &*module, "scale", line(8, 128, 0), &mut arguments)?;
        let expected: Vec<f32> = numbers.iter().map(|number| number * 0.5 + expected_offset).collect();
        ensure(target.download()? == floats(&expected), || "the function computes something else".to_owned())
    };
    run(5.0)?;
    let (variable, bytes) = module.global("offset")?;
    ensure(bytes == 4, || format!("the variable has {bytes} bytes"))?;
    let new = 9i32.to_le_bytes();
    // SAFETY: the variable has as many bytes; pageable memory is read before the call returns.
    unsafe { rig.device.copy_from_host(&*rig.stream, variable, new.as_ptr(), new.len())? };
    run(9.0)?;
    let function = module.function("scale")?;
    if let Some(sizes) = function.parameters() {
        ensure(sizes == [8, 8, 4, 4], || format!("parameters of {sizes:?} bytes"))?;
    }
    let threads = function.attribute(FunctionAttribute::MaxThreadsPerBlock)?;
    ensure(threads >= 128, || format!("{threads} threads in a block"))
}

fn templates(rig: &Rig) -> Check {
    let names = ["twice<int>".to_owned(), "twice<double>".to_owned()];
    let module = compile(rig, TEXT, &names)?;
    let whole = rig.upload(&[1i32, 2, 3].map(i32::to_le_bytes).concat())?;
    let real = rig.upload(&[0.5f64, 4.0, -1.0].map(f64::to_le_bytes).concat())?;
    for (name, at) in names.iter().zip([whole.ptr(), real.ptr()]) {
        let mut at = at;
        launch(rig, &*module, name, line(1, 3, 0), &mut [argument(&mut at)])?;
    }
    ensure(whole.download()? == [2i32, 4, 6].map(i32::to_le_bytes).concat(), || names[0].clone())?;
    ensure(real.download()? == [1.0f64, 8.0, -2.0].map(f64::to_le_bytes).concat(), || names[1].clone())
}

fn blocks(rig: &Rig) -> Check {
    let module = compile(rig, TEXT, &[])?;
    let numbers: Vec<i32> = (0..5 * 96).collect();
    let data = rig.upload(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())?;
    let mut at = data.ptr();
    launch(rig, &*module, "reverse", line(5, 96, 4 * 96), &mut [argument(&mut at)])?;
    let expected = numbers.chunks(96).flat_map(|block| block.iter().rev()).flat_map(|number| number.to_le_bytes());
    ensure(data.download()? == expected.collect::<Vec<u8>>(), || "threads did not wait for each other".to_owned())
}

fn mistakes(rig: &Rig) -> Check {
    match compile(rig, "extern \"C\" __global__ void broken() { this is no C++; }", &[]) {
        Err(Error::Compile { log, .. }) => ensure(!log.is_empty(), || "the compiler says nothing".to_owned())?,
        Err(other) => return Err(other.into()),
        Ok(_) => return Err("nonsense compiles".to_owned().into()),
    }
    let module = compile(rig, TEXT, &[])?;
    for (what, found) in [("function", module.function("missing").err()), ("variable", module.global("missing").err())]
    {
        ensure(matches!(found, Some(Error::NoSuchSymbol { .. })), || format!("a missing {what}: {found:?}"))?;
    }
    Ok(())
}

const FLOAT: Channels = Channels { bits: [32, 0, 0, 0], kind: 2 };
const WIDTH: usize = 7;
const HEIGHT: usize = 5;

fn picture() -> Vec<f32> {
    (0..WIDTH * HEIGHT).map(|at| at as f32 * 1.5 - 3.0).collect()
}

fn whole(handle: u64, ptr: u64, into: bool) -> ImageCopy {
    let image = ImageEnd::Image { handle, at: [0; 3] };
    let memory = ImageEnd::Memory { ptr, pitch: 4 * WIDTH, rows: HEIGHT };
    let (src, dst) = if into { (memory, image) } else { (image, memory) };
    ImageCopy { src, dst, width: 4 * WIDTH, height: HEIGHT, depth: 1 }
}

/// Runs `test` with the handle of an image that has the picture.
fn with_image(rig: &Rig, flags: u32, test: impl FnOnce(u64) -> Check) -> Check {
    let images = rig.device.images()?;
    let handle = images.create(&ImageSpec { width: WIDTH, height: HEIGHT, depth: 0, channels: FLOAT, flags })?;
    let source = rig.upload(&floats(&picture()))?;
    // SAFETY: image and memory have the size of the box.
    unsafe { images.copy(&*rig.stream, &whole(handle, source.ptr(), true))? };
    let outcome = test(handle);
    rig.stream.synchronize()?;
    // SAFETY: nothing uses the image any more.
    unsafe { images.destroy(handle)? };
    outcome
}

fn copies(rig: &Rig) -> Check {
    with_image(rig, 0, |handle| {
        let images = rig.device.images()?;
        let target = rig.upload(&floats(&[0.0; WIDTH * HEIGHT]))?;
        // SAFETY: image and memory have the size of the box.
        unsafe { images.copy(&*rig.stream, &whole(handle, target.ptr(), false))? };
        ensure(target.download()? == floats(&picture()), || "an image gives back something else".to_owned())?;
        // Three elements of two rows, from element 2 of row 1 on.
        let part = ImageCopy {
            src: ImageEnd::Image { handle, at: [8, 1, 0] },
            dst: ImageEnd::Memory { ptr: target.ptr(), pitch: 12, rows: 2 },
            width: 12,
            height: 2,
            depth: 1,
        };
        // SAFETY: the box lies within the image, and the memory is larger.
        unsafe { images.copy(&*rig.stream, &part)? };
        let picture = picture();
        let expected = [&picture[WIDTH + 2..WIDTH + 5], &picture[2 * WIDTH + 2..2 * WIDTH + 5]].concat();
        ensure(target.download()?[..24] == floats(&expected), || "a box of an image".to_owned())
    })
}

const SAMPLE: &str = r#"
extern "C" __global__ void sample(cudaTextureObject_t texture, float* out, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D<float>(texture, x - 0.5f, y - 0.5f);
}
extern "C" __global__ void scale(cudaSurfaceObject_t surface, float factor) {
    int x = threadIdx.x, y = blockIdx.x;
    float value;
    surf2Dread(&value, surface, x * 4, y);
    surf2Dwrite(value * factor, surface, x * 4, y);
}
"#;

/// The nearest elements of a picture that ends in its edges, one beyond it in each direction.
fn textures(rig: &Rig) -> Check {
    with_image(rig, 0, |handle| {
        let images = rig.device.images()?;
        let module = compile(rig, SAMPLE, &[])?;
        let sampling = Sampling { address: [1; 3], ..Sampling::default() };
        // SAFETY: the image outlives the texture, which outlives the launch.
        let texture = unsafe { images.create_texture(&TextureSource::Image(handle), &sampling)? };
        let (columns, rows) = (WIDTH + 2, HEIGHT + 2);
        let out = rig.empty(4 * columns * rows)?;
        let (mut sampled, mut to, mut width, mut height) = (texture, out.ptr(), WIDTH as i32, HEIGHT as i32);
        let mut arguments = [argument(&mut sampled), argument(&mut to), argument(&mut width), argument(&mut height)];
        launch(rig, &*module, "sample", line(rows as u32, columns as u32, 0), &mut arguments)?;
        let picture = picture();
        let inside = |at: usize, length: usize| at.clamp(1, length) - 1;
        let value = |at: usize| picture[inside(at / columns, HEIGHT) * WIDTH + inside(at % columns, WIDTH)];
        let found = out.download()?;
        // SAFETY: the launch is done.
        unsafe { images.destroy_texture(texture)? };
        ensure(found == floats(&(0..columns * rows).map(value).collect::<Vec<f32>>()), || "samples".to_owned())
    })
}

fn surfaces(rig: &Rig) -> Check {
    const FOR_SURFACES: u32 = 2;
    with_image(rig, FOR_SURFACES, |handle| {
        let images = rig.device.images()?;
        let module = compile(rig, SAMPLE, &[])?;
        // SAFETY: the image outlives the surface, which outlives the launch.
        let surface = unsafe { images.create_surface(handle)? };
        let (mut written, mut factor) = (surface, -2.0f32);
        let mut arguments = [argument(&mut written), argument(&mut factor)];
        launch(rig, &*module, "scale", line(HEIGHT as u32, WIDTH as u32, 0), &mut arguments)?;
        let target = rig.empty(4 * WIDTH * HEIGHT)?;
        // SAFETY: image and memory have the size of the box.
        unsafe { images.copy(&*rig.stream, &whole(handle, target.ptr(), false))? };
        let found = target.download()?;
        // SAFETY: the launch is done.
        unsafe { images.destroy_surface(surface)? };
        let expected: Vec<f32> = picture().iter().map(|value| value * -2.0).collect();
        ensure(found == floats(&expected), || "what a surface wrote".to_owned())
    })
}
