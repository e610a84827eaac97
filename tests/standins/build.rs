//! Binds the calls within the library to its own functions.

fn main() {
    // Otherwise the functions for HIP find those for CUDA by name, and a test takes names away.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
    println!("cargo:rerun-if-changed=build.rs");
}
