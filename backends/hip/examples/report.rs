//! What the backend finds on this machine: `cargo run -p cuproxide-hip --example report [gfx942 ...]`.

fn main() {
    let backend = cuproxide_hip::backend();
    println!("devices: {:?}", backend.device_count());
    if let Err(error) = backend.device(0) {
        println!("device 0: {error}");
    }
    let report = backend.report();
    for library in &report.libraries {
        match &library.found {
            Ok((path, version)) => println!("{}: {version} at {path}", library.name),
            Err(missing) => {
                println!("{}: missing after {} attempts: {}", library.name, missing.attempts.len(), missing.hint);
            }
        }
    }
    for (name, value) in &report.facts {
        println!("{name}: {value}");
    }
    let text = "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] *= 2; }";
    for target in std::env::args().skip(1) {
        match cuproxide_hip::compile_text("f", text, &target) {
            Ok(code) => println!("{target}: {} bytes", code.len()),
            Err(error) => println!("{target}: {}", error.to_string().lines().take(3).collect::<Vec<_>>().join(" | ")),
        }
    }
}
