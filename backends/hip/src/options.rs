//! Options of NVIDIA's compiler, which programs written for CUDA name.

/// Names, without dashes, of those that mean nothing to hiprtc.
const LEFT_OUT: [&str; 41] = [
    "arch",
    "gpu-architecture",
    "builtin-initializer-list",
    "builtin-move-forward",
    "default-device",
    "device-as-default-execution-space",
    "device-int128",
    "device-float128",
    "device-stack-protector",
    "diag-error",
    "diag-suppress",
    "diag-warn",
    "display-error-number",
    "no-display-error-number",
    "dlink-time-opt",
    "dlto",
    "dopt",
    "extensible-whole-program",
    "ewp",
    "extra-device-vectorization",
    "ftz",
    "gen-opt-lto",
    "generate-line-info",
    "lineinfo",
    "jump-table-density",
    "maxrregcount",
    "minimal",
    "modify-stack-limit",
    "no-cache",
    "no-source-include",
    "optimization-info",
    "opt-info",
    "prec-div",
    "prec-sqrt",
    "ptxas-options",
    "Xptxas",
    "relocatable-device-code",
    "rdc",
    "restrict",
    "split-compile",
    "use_fast_math",
];
/// Those of them whose value may be the next argument.
const WITH_VALUE: [&str; 8] =
    ["arch", "gpu-architecture", "diag-error", "diag-suppress", "diag-warn", "maxrregcount", "ptxas-options", "Xptxas"];
/// What others, that take a value, are called here.
const CALLED: [(&str, &str); 4] =
    [("include-path", "-I"), ("define-macro", "-D"), ("undefine-macro", "-U"), ("pre-include", "-include")];

/// The options as hiprtc knows them; those that only NVIDIA's compiler has are left out.
pub fn translated<'o>(options: impl IntoIterator<Item = &'o String>) -> Vec<String> {
    let mut given = options.into_iter().peekable();
    let mut result = vec![];
    while let Some(option) = given.next() {
        let bare = option.trim_start_matches('-');
        let (name, value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
        let mut value = || value.map(str::to_owned).or_else(|| given.next_if(|next| !next.starts_with('-')).cloned());
        if bare.len() == option.len() {
            result.push(option.clone());
        } else if LEFT_OUT.contains(&name) {
            if WITH_VALUE.contains(&name) {
                value();
            }
        } else if name == "fmad" {
            let contract = if value().as_deref() == Some("false") { "off" } else { "fast" };
            result.push(format!("-ffp-contract={contract}"));
        } else if name == "device-debug" || name == "G" {
            result.push("-g".to_owned());
        } else if let Some((_, own)) = CALLED.iter().find(|(theirs, _)| *theirs == name) {
            result.push(format!("{own}{}", value().unwrap_or_default()));
        } else {
            result.push(option.clone());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &[&str]) -> Vec<String> {
        translated(&options.iter().map(|&option| option.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_only_cuda_has_is_left_out() {
        assert!(of(&["--ftz=true", "-arch", "sm_70", "--maxrregcount=32", "--use_fast_math", "-rdc=true"]).is_empty());
        assert_eq!(of(&["-arch", "-DX=1", "--gpu-architecture=compute_90"]), ["-DX=1"]);
    }

    #[test]
    fn what_both_have_gets_the_name_it_has_here() {
        assert_eq!(of(&["--include-path=/a", "--define-macro", "N=2"]), ["-I/a", "-DN=2"]);
        assert_eq!(of(&["--fmad=false"]), ["-ffp-contract=off"]);
        assert_eq!(of(&["-fmad", "true", "--device-debug"]), ["-ffp-contract=fast", "-g"]);
        assert_eq!(of(&["-std=c++17", "-I/b", "-O2", "--std=c++14"]), ["-std=c++17", "-I/b", "-O2", "--std=c++14"]);
    }
}
