//! Tells the crate what PyO3 knows of the interpreter that it is built for, such as that it is free-threaded.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
