//! The dialects side by side: each name that kernels are written in, and what each vendor makes of it.
//! `CUPROXIDE_UPDATE_SNAPSHOTS=1 cargo test` rewrites the file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use cuproxide_codegen::Dialect;
use cuproxide_codegen::samples::{Layout, all_operators, program, scatters, walks};
use cuproxide_gpu::hand_written;
use cuproxide_hal::DType;
use cuproxide_kernels_cuda::DIALECT;
use cuproxide_kernels_hip::{WAVE32, WAVE64};

/// What a prelude says besides comments: declarations by the name that each declares.
fn declarations(prelude: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for line in prelude.lines().filter(|line| !line.starts_with("//") && !line.trim().is_empty()) {
        let (name, text) = match open.take() {
            Some((name, text)) => (name, text + "\n" + line),
            None => match name_of(line) {
                Some(name) => (name, line.to_owned()),
                None => continue,
            },
        };
        let depth = |sign: char| text.matches(sign).count();
        if depth('{') == depth('}') && !line.ends_with('\\') {
            found.entry(name).or_default().push(text);
        } else {
            open = Some((name, text));
        }
    }
    found
}

/// The name that a line declares: a macro, a type, a constant or a function.
fn name_of(line: &str) -> Option<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    if let Some(rest) = line.strip_prefix("#define ") {
        return Some(word(rest));
    }
    if let Some(rest) = line.strip_prefix("enum { ") {
        return Some(word(rest));
    }
    if line.starts_with("typedef ") {
        return line.trim_end_matches(';').split_whitespace().last().map(str::to_owned);
    }
    let function = line.find("DEVICE ").map(|at| &line[at..])?;
    let head = function.split('(').next()?;
    head.split_whitespace().last().map(str::to_owned)
}

/// The dialect's own part of a prelude, or of another text that kernels may take.
fn own<'p>(text: &'p str, common: &str) -> &'p str {
    text.strip_suffix(common).expect("the common part comes last")
}

const COMMON: &str = include_str!("../../kernels-cuda/src/common.cuh");
const LOGARITHM: &str = include_str!("../../kernels-cuda/src/logarithm.cuh");

#[test]
fn dialects_have_the_same_names() {
    let names =
        |dialect: &Dialect| declarations(&[own(dialect.prelude, COMMON), own(dialect.logarithm, LOGARITHM)].join("\n"));
    let [cuda, narrow, wide] = [&DIALECT, &WAVE32, &WAVE64].map(names);
    assert!(cuda.len() > 20 && cuda.keys().eq(narrow.keys()) && narrow.keys().eq(wide.keys()), "{cuda:?}\n{wide:?}");
    let mut text =
        "// What each name of the kernels is in CUDA's dialect and in HIP's, for 64 threads in step.\n".to_owned();
    for (name, spelled) in &cuda {
        let _ = writeln!(text, "\n== {name}");
        for (dialect, lines) in [("cuda", spelled), ("hip", &wide[name])] {
            for line in lines.iter().flat_map(|text| text.lines()) {
                let _ = writeln!(text, "{dialect:>4} | {line}");
            }
        }
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/dialects.txt");
    if cuproxide_hal::settings::UPDATE_SNAPSHOTS.is_on() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder of the snapshots");
        std::fs::write(&path, &text).expect("a writable snapshot");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, wanted, "{} differs; set CUPROXIDE_UPDATE_SNAPSHOTS=1 to accept", path.display());
}

/// Every hand-written text and every walk of generated ones, without what each dialect has of its own.
fn bodies(dialect: &Dialect) -> Vec<String> {
    let mut texts: Vec<String> = hand_written(dialect).into_iter().map(|(_, text)| text).collect();
    for dtype in DType::ALL {
        let kernels = all_operators(dtype).into_iter().chain(walks(dtype)).chain(scatters(dtype));
        for kernel in kernels.filter(|kernel| kernel.validate().is_ok()) {
            for layout in [Layout::Contiguous, Layout::Strided, Layout::Wide] {
                texts.push(program(&kernel, layout, dialect).expect("a program").text().to_owned());
            }
        }
    }
    let body = |text: String| {
        let text = text.strip_prefix(dialect.prelude).expect("the prelude comes first");
        text.replace(own(dialect.logarithm, LOGARITHM), "")
    };
    texts.into_iter().map(body).collect()
}

#[test]
fn kernels_differ_in_the_prelude_alone() {
    let texts = [&DIALECT, &WAVE32, &WAVE64].map(bodies);
    assert!(texts[0].len() > 200);
    assert!(texts[0] == texts[1] && texts[1] == texts[2]);
}

#[test]
fn kernels_name_nothing_of_one_vendor() {
    // Functions of the hardware that both vendors spell alike.
    let shared =
        ["__umulhi", "__umul64hi", "__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", "__syncthreads"];
    for text in bodies(&WAVE64).iter().map(String::as_str).chain([COMMON]) {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let foreign: Vec<&str> = words.filter(|word| word.starts_with("__") && !shared.contains(word)).collect();
        assert!(foreign.is_empty(), "{foreign:?} in {text}");
    }
}
