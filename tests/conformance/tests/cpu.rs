//! The CPU backend passes the suite.

#[test]
fn cpu_conforms() {
    let device = cuproxide_backends::device("cpu").expect("a CPU is always there");
    let summary = cuproxide_conformance::run(device);
    println!("{summary}");
    assert!(summary.passed(), "{summary}");
}
