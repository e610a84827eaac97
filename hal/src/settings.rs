//! The environment variables of the library: one table, and the one parser that every reader shares.
//!
//! A reader names its row: `settings::EAGER.is_on()`. `docs/environment.md` is written from [`SECTIONS`], and [`check`]
//! reports a value without a meaning before anything is computed.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Error, Result};

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no: `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`, in any case.
    Flag,
    /// A whole number within bounds.
    Count {
        /// The least.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A whole number.
    Integer,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A version such as `1.0`.
    Version,
    /// An amount of memory: bytes, or a part of a device's such as `50%`.
    Memory,
    /// A file or a folder.
    Path,
    /// Folders, separated as the system separates those in `PATH`.
    Paths,
    /// Anything; its reader checks it.
    Text,
}

impl Kind {
    /// What is expected, for messages and the documentation.
    pub fn expected(self) -> String {
        match self {
            Kind::Flag => "0, 1, true, false, yes, no, on or off".to_owned(),
            Kind::Count { least, most: u32::MAX } => format!("a whole number, at least {least}"),
            Kind::Count { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Integer => "a whole number".to_owned(),
            Kind::Choice(words) => words.join(" or "),
            Kind::Version => "a version such as 1.0".to_owned(),
            Kind::Memory => "bytes, or a percentage such as 50%".to_owned(),
            Kind::Path => "a path".to_owned(),
            Kind::Paths => "paths, separated by colons".to_owned(),
            Kind::Text => "text".to_owned(),
        }
    }

    /// The value of a text, if it has one.
    fn parse(self, text: &str) -> Option<Value> {
        match self {
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Some(Value::Flag(true)),
                "0" | "false" | "no" | "off" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Count { least, most } => {
                let number = text.parse().ok().filter(|number| (i128::from(least)..=most.into()).contains(number));
                number.map(Value::Integer)
            }
            Kind::Integer => text.parse().ok().map(Value::Integer),
            Kind::Choice(words) => {
                words.iter().find(|word| word.eq_ignore_ascii_case(text)).map(|word| Value::Text((*word).to_owned()))
            }
            Kind::Version => {
                let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
                Some(Value::Version(major.parse().ok()?, minor.parse().ok()?))
            }
            Kind::Memory => match text.strip_suffix('%') {
                Some(percent) => {
                    let percent: f64 = percent.trim().parse().ok()?;
                    (0.0..=100.0).contains(&percent).then(|| Value::Fraction(percent / 100.0))
                }
                None => text.parse::<u64>().ok().map(|bytes| Value::Integer(bytes.into())),
            },
            Kind::Path | Kind::Paths | Kind::Text => Some(Value::Text(text.to_owned())),
        }
    }
}

/// What a variable was set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Integer(i128),
    /// A part of a whole.
    Fraction(f64),
    /// Major and minor number.
    Version(u32, u32),
    /// A text.
    Text(String),
}

/// One environment variable: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The name that is read where the first is not set.
    pub fallback: Option<&'static str>,
    /// What it holds.
    pub kind: Kind,
    /// What holds where it is not set, for people.
    pub default: &'static str,
    /// The folder of this repository whose code reads it; empty where nothing does.
    pub reader: &'static str,
    /// What it does, as Markdown.
    pub meaning: &'static str,
}

impl Variable {
    /// The name that is set and the content; one that is set to nothing counts as unset.
    fn set(&self) -> Option<(&'static str, OsString)> {
        let filled = |name: &'static str| {
            let content = std::env::var_os(name)?;
            let blank = content.to_str().is_some_and(|text| text.trim().is_empty());
            (!blank).then_some((name, content))
        };
        filled(self.name).or_else(|| filled(self.fallback?))
    }

    /// The content as it is, for paths.
    pub fn content(&self) -> Option<OsString> {
        self.set().map(|(_, content)| content)
    }

    /// The content as a path.
    pub fn path(&self) -> Option<PathBuf> {
        self.content().map(PathBuf::from)
    }

    /// The content without blanks around it.
    pub fn text(&self) -> Option<String> {
        self.content().map(|content| content.to_string_lossy().trim().to_owned())
    }

    /// What it is set to, if it is.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a value without a meaning.
    pub fn value(&self) -> Result<Option<Value>> {
        let Some((setting, content)) = self.set() else { return Ok(None) };
        let text = content.to_string_lossy();
        match self.kind.parse(text.trim()) {
            Some(value) => Ok(Some(value)),
            None => {
                let reason = format!("{} is expected", self.kind.expected());
                Err(Error::InvalidSetting { setting, value: text.into_owned(), reason })
            }
        }
    }

    /// Whether a flag is set to yes. Where the value has no meaning, the default holds: [`check`] has reported it.
    pub fn is_on(&self) -> bool {
        match self.value() {
            Ok(Some(Value::Flag(yes))) => yes,
            _ => self.default == ON,
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    pub fn count(&self) -> Result<Option<usize>> {
        Ok(match self.value()? {
            Some(Value::Integer(number)) => usize::try_from(number).ok(),
            _ => None,
        })
    }

    /// One of the words of a choice.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    pub fn choice(&self) -> Result<Option<String>> {
        Ok(match self.value()? {
            Some(Value::Text(word)) => Some(word),
            _ => None,
        })
    }
}

/// Variables of one subject.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The subject.
    pub title: &'static str,
    /// What holds for all of them, as Markdown; may be empty.
    pub opening: &'static str,
    /// The variables.
    pub variables: &'static [Variable],
}

const ON: &str = "on";

/// Every variable.
pub fn all() -> impl Iterator<Item = &'static Variable> {
    SECTIONS.iter().flat_map(|section| section.variables)
}

/// The variable of a name.
pub fn find(name: &str) -> Option<&'static Variable> {
    all().find(|variable| variable.name == name)
}

/// Checks every variable that is set.
///
/// # Errors
/// [`Error::InvalidSetting`] for the first whose value has no meaning.
pub fn check() -> Result<()> {
    all().try_for_each(|variable| variable.value().map(drop))
}

macro_rules! optional {
    () => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}

macro_rules! variables {
    ($($title:literal, $opening:literal {
        $($id:ident: $name:literal $(or $fallback:literal)?, $kind:expr, $default:expr, $reader:literal, $meaning:literal;)*
    })*) => {
        $($(
            #[doc = concat!("`", $name, "`: see its meaning.")]
            pub const $id: Variable = Variable {
                name: $name,
                fallback: optional!($($fallback)?),
                kind: $kind,
                default: $default,
                reader: $reader,
                meaning: $meaning,
            };
        )*)*
        /// The table, by subject.
        pub const SECTIONS: &[Section] =
            &[$(Section { title: $title, opening: $opening, variables: &[$($id),*] }),*];
    };
}

variables! {
    "Choosing a device", "" {
        BACKEND: "CUPROXIDE_BACKEND", Kind::Text, "auto", "backends/registry",
            "The backend or device to use when a program chooses none: `cuda`, `cuda:1`, `hip`, `cpu`, `noop`. `auto`: the \
             first device of the first backend that has one, in the order cuda, hip, cpu. A name that cannot be used is an \
             error that says why; there is no silent fallback.";
        CPU_DEVICES: "CUPROXIDE_CPU_DEVICES", Kind::Count { least: 1, most: 64 }, "1", "backends/cpu",
            "The processor counts as so many devices (`cpu:0`, `cpu:1`, ...), which share its memory and threads: a program \
             for several devices can be tried without any.";
        NUM_THREADS: "CUPROXIDE_NUM_THREADS", Kind::Count { least: 1, most: 1024 }, "those of the machine",
            "backends/cpu", "Threads of the CPU backend. Where the system starts fewer, there are fewer.";
        CPU_VECTORS: "CUPROXIDE_CPU_VECTORS", Kind::Choice(&["128", "256", "512"]), "the widest of the processor", "backends/cpu",
            "Bits of the vectors that chains of operations are compiled for on an x86-64 processor, at most those that it has. Results \
             are the same bits for all of them, except which of several NaN is kept.";
    }
    "Deferred evaluation", "" {
        CONTRACT: "CUPROXIDE_CONTRACT", Kind::Flag, "off", "core",
            "Lets fused kernels round a product and the sum that takes it once, as compilers' `-ffp-contract=fast` does: \
             faster where arithmetic is the limit, but not NumPy's last bit; see [performance.md](performance.md).";
        FUSED_KERNELS: "CUPROXIDE_FUSED_KERNELS", Kind::Count { least: 16, most: u32::MAX }, "4096", "core",
            "The most fused kernels that a process keeps: those that have not been used for longest make room. One takes about \
             10 KB on the CPU.";
        EAGER: "CUPROXIDE_EAGER", Kind::Flag, "off", "core",
            "Runs every operation at once instead of fusing chains; see [performance.md](performance.md).";
    }
    "Arithmetic", "" {
        DETERMINISTIC: "CUPROXIDE_DETERMINISTIC", Kind::Flag, "off", "core",
            "Updates through repeated indices (`add.at`, `scatter_add`, `bincount` and `histogram` with weights, \
             assignments) give the same bits at every call on GPUs too, at the price of sorting the indices; see \
             [guide/differences.md](guide/differences.md). On the CPU they always do. \
             `cuproxide.set_deterministic` does the same.";
        SPARSE: "CUPROXIDE_SPARSE", Kind::Choice(&["auto", "own", "library"]), "auto", "core",
            "What multiplies and transposes sparse arrays and solves triangular systems: `own` kernels, the device's `library` \
             wherever it can, or by a table of what benchmarks show faster; see [sparse.md](sparse.md).";
        SPARSE_SOLVER: "CUPROXIDE_SPARSE_SOLVER", Kind::Choice(&["auto", "own", "library"]), "auto", "core",
            "What factors sparse matrices on a GPU: the `own` solver on the host, the vendor's `library` wherever it can, or the \
             library where benchmarks show it faster; see [sparse-linalg.md](sparse-linalg.md).";
        TF32: "CUPROXIDE_TF32" or "CUPY_TF32", Kind::Flag, "off", "frontend-py",
            "Lets products of float32 and complex64 use TensorFloat-32 where the device has it: faster, with 10 bits of \
             mantissa. `cuproxide.linalg.set_compute_type` does the same for one dtype.";
        ACCELERATORS: "CUPROXIDE_ACCELERATORS" or "CUPY_ACCELERATORS", Kind::Text, "none", "frontend-py",
            "Names of libraries, separated by commas. `cutensor` lets `einsum` and `tensordot` contract by the device's library for              tensors where a matrix product would need its operands copied, if that library is there \
             ([libraries.md](libraries.md)). `cub` and `cutensornet` mean something to CuPy and nothing here.";
    }
    "Memory, streams, numbers", "" {
        GPU_MEMORY_LIMIT: "CUPROXIDE_GPU_MEMORY_LIMIT" or "CUPY_GPU_MEMORY_LIMIT", Kind::Memory, "no limit", "frontend-py",
            "The most that the pool of each device holds. `MemoryPool.set_limit` changes it.";
        PER_THREAD_DEFAULT_STREAM: "CUPROXIDE_CUDA_PER_THREAD_DEFAULT_STREAM" or "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM",
            Kind::Flag, "off", "frontend-py",
            "Lets each thread start on a default stream of its own (`cuda.Stream.ptds`).";
        SEED: "CUPROXIDE_SEED" or "CUPY_SEED", Kind::Integer, "from the system", "frontend-py",
            "Seed of `random.RandomState` and of the functions of `random` where a program gives none.";
    }
    "Kernels of a program's own", "" {
        SAVE_SOURCE: "CUPROXIDE_CACHE_SAVE_CUDA_SOURCE" or "CUPY_CACHE_SAVE_CUDA_SOURCE", Kind::Flag, "off", "backends/codegen",
            "Keeps each text that is compiled beside its machine code in the cache, as a file `.cu`.";
        DUMP_SOURCE: "CUPROXIDE_DUMP_CUDA_SOURCE_ON_ERROR" or "CUPY_DUMP_CUDA_SOURCE_ON_ERROR", Kind::Flag, "off",
            "frontend-py",
            "Prints a text that does not compile, and the compiler's log, to `sys.stderr` as well as raising \
             `CompileError`, which holds both in any case.";
        DEBUG: "CUPROXIDE_CUDA_COMPILE_WITH_DEBUG" or "CUPY_CUDA_COMPILE_WITH_DEBUG", Kind::Flag, "off", "backends",
            "Compiles for debuggers: `--device-debug --generate-line-info`, on the CPU `-g -O0`, on AMD `-g`.";
        COMPILE_WITH_PTX: "CUPROXIDE_COMPILE_WITH_PTX" or "CUPY_COMPILE_WITH_PTX", Kind::Flag, "off", "backends/cuda",
            "Compiles to PTX, which the driver finishes, instead of machine code.";
        USE_PCH: "CUPROXIDE_NVRTC_USE_PCH" or "CUPY_NVRTC_USE_PCH", Kind::Flag, "off", "backends/cuda",
            "Lets NVRTC keep precompiled headers (from CUDA 12.8 on).";
        CXX: "CXX", Kind::Text, "`g++`, `clang++` or `c++` of the path, else that of the package `ziglang`", "backends/simt",
            "The C++ compiler for kernels that run on the CPU ([guide/kernels.md](guide/kernels.md)).";
    }
    "On a cluster", "" {
        DISTRIBUTED_CHECK: "CUPROXIDE_DISTRIBUTED_CHECK", Kind::Flag, "off", "frontend-py",
            "Ranks tell each other what they are about to do before each collective operation: different operations, shapes, \
             dtypes, operators or roots are an error on every rank instead of a hang or a wrong result. Slow; for debugging \
             ([cluster.md](cluster.md)).";
        DISTRIBUTED_TIMEOUT: "CUPROXIDE_DISTRIBUTED_TIMEOUT", Kind::Count { least: 1, most: u32::MAX }, "300", "frontend-py",
            "Seconds that a rank waits for the others when a group starts and in each operation, where a program says nothing.";
        DISTRIBUTED_TOKEN: "CUPROXIDE_DISTRIBUTED_TOKEN", Kind::Text, "a secret file in the user's home", "frontend-py",
            "The secret that processes of one job show each other before they exchange anything.";
    }
    "Exchange with other libraries", "" {
        INTERFACE_SYNC: "CUPROXIDE_CUDA_ARRAY_INTERFACE_SYNC" or "CUPY_CUDA_ARRAY_INTERFACE_SYNC", Kind::Flag, ON,
            "frontend-py",
            "`0` neither waits for the stream that another library's `__cuda_array_interface__` names, nor names one.";
        INTERFACE_VERSION: "CUPROXIDE_CUDA_ARRAY_INTERFACE_EXPORT_VERSION" or "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
            Kind::Choice(&["2", "3"]), "3", "frontend-py",
            "The version of the protocol that is exported; version 2 names no stream.";
        DLPACK_VERSION: "CUPROXIDE_DLPACK_EXPORT_VERSION" or "CUPY_DLPACK_EXPORT_VERSION", Kind::Version, "1.1",
            "frontend-py",
            "A version below 1, such as `0.6`, exports DLPack capsules without a version even to libraries that ask for one.";
    }
    "Finding vendor libraries", "" {
        LIBRARY_PATH: "CUPROXIDE_LIBRARY_PATH", Kind::Paths, "", "backends",
            "Folders that are searched before all others: with libraries, or with folders `nvidia` or `_rocm_sdk_...` as pip \
             makes them.";
        CUDA_ROOT: "CUPROXIDE_CUDA_PATH", Kind::Path, "", "backends/cuda",
            "Root of a CUDA toolkit that is searched before `CUDA_PATH` and `CUDA_HOME`.";
        CUDA_DRIVER_PATH: "CUPROXIDE_CUDA_DRIVER_PATH", Kind::Path, "", "backends/cuda",
            "Folder of the driver's library `libcuda.so.1`, where the system's loader does not know it.";
        ROCM_ROOT: "CUPROXIDE_ROCM_PATH", Kind::Path, "", "backends/hip",
            "Root of a ROCm that is searched before `ROCM_PATH` and `HIP_PATH`.";
        NVRTC: "CUPROXIDE_NVRTC", Kind::Path, "", "backends/cuda", "Path of the NVRTC library to use, and no other.";
        CUDA_PATH: "CUDA_PATH", Kind::Path, "", "backends/cuda", "Root of a CUDA toolkit.";
        CUDA_HOME: "CUDA_HOME", Kind::Path, "", "backends/cuda", "Root of a CUDA toolkit.";
        ROCM_PATH: "ROCM_PATH", Kind::Path, "", "backends/hip", "Root of a ROCm.";
        HIP_PATH: "HIP_PATH", Kind::Path, "", "backends/hip", "Root of a ROCm.";
        CUTENSOR_PATH: "CUTENSOR_PATH", Kind::Path, "", "backends/cuda",
            "Folder of cuTENSOR.";
        VIRTUAL_ENV: "VIRTUAL_ENV", Kind::Path, "", "backends", "Root of a Python environment whose packages are searched.";
        CONDA_PREFIX: "CONDA_PREFIX", Kind::Path, "", "backends", "Root of a conda environment that is searched.";
    }
    "Kernel cache",
    "Kernels that the package does not bring are compiled and kept on disk, named by their text and the architecture. A \
     folder that cannot be read or written is no error; kernels are then compiled again by each process. The same holds for \
     precompiled kernels: a file that is missing, damaged or of another version only means more compiling. The folder is \
     made for its user alone. One that belongs to another user than root, or that the group or others can write, is not \
     used, with a `RuntimeWarning` that says what to do ([SECURITY.md](../SECURITY.md))." {
        CACHE_DIR: "CUPROXIDE_CACHE_DIR" or "CUPY_CACHE_DIR", Kind::Path, "`~/.cuproxide/kernel_cache`", "backends/codegen",
            "The folder of the cache.";
        CACHE_IN_MEMORY: "CUPROXIDE_CACHE_IN_MEMORY" or "CUPY_CACHE_IN_MEMORY", Kind::Flag, "off", "backends/codegen",
            "Keeps nothing on disk.";
        KERNEL_PACK: "CUPROXIDE_KERNEL_PACK", Kind::Path, "the one in the package", "backends/gpu",
            "The file of precompiled kernels; a file that does not exist turns them off.";
    }
    "Without an effect", "These mean something to CuPy and nothing here; setting them does no harm." {
        JITIFY: "CUPY_DISABLE_JITIFY_CACHE", Kind::Text, "", "",
            "There is no Jitify: headers of the C++ library are found where they are installed.";
        SLICE_COPY: "CUPY_EXPERIMENTAL_SLICE_COPY", Kind::Text, "", "", "`a[:] = array_of_numpy` always copies.";
        CUDA_PYTHON: "CUPY_USE_CUDA_PYTHON", Kind::Text, "", "", "Drivers are called directly.";
        NVCC: "NVCC", Kind::Text, "", "",
            "Kernels are compiled by the run-time compiler only, also with `backend=\"nvcc\"`.";
        INSTALL_USE_HIP: "CUPY_INSTALL_USE_HIP", Kind::Text, "", "", "Nothing is compiled when the package is installed.";
        NVCC_GENERATE_CODE: "CUPY_NVCC_GENERATE_CODE", Kind::Text, "", "",
            "Nothing is compiled when the package is installed.";
        NUM_BUILD_JOBS: "CUPY_NUM_BUILD_JOBS", Kind::Text, "", "", "Nothing is compiled when the package is installed.";
        NUM_NVCC_THREADS: "CUPY_NUM_NVCC_THREADS", Kind::Text, "", "",
            "Nothing is compiled when the package is installed.";
    }
    "Testing", "" {
        FAULT: "CUPROXIDE_FAULT", Kind::Text, "", "backends/registry",
            "Makes calls of the devices fail. Rules separated by commas: `oom@17` fails the 17th allocation, `oom@17+` that \
             one and all later ones, `oom@17x3` three from there, `launch%5` every fifth launch. The sites are `oom`, \
             `compile`, `launch`, `copy`, `stream`, `sync`, `lost` (the device is lost at the n-th call of any kind) and `slow` \
             (a fused kernel takes long to compile, and its operations run one by one meanwhile). `off` fails nothing but lets a test set a plan later.";
        TEST_CASES: "CUPROXIDE_TEST_CASES", Kind::Count { least: 0, most: u32::MAX }, "few", "tests",
            "How many programs and cases the long modes of the differential tests draw.";
        TEST_SMALL: "CUPROXIDE_TEST_SMALL", Kind::Count { least: 0, most: u32::MAX }, "0", "tests",
            "At most so many sets of parameters of each test, and few drawn cases \
             ([testing.md](testing.md)); 0 for all.";
        TEST_FULL: "CUPROXIDE_TEST_FULL", Kind::Flag, "off", "tests",
            "Runs exhaustive sets of parameters whole, of which a seeded sample runs otherwise ([testing.md](testing.md)).";
        KEEP_REFERENCES: "CUPROXIDE_KEEP_REFERENCES", Kind::Flag, "off", "tests",
            "Tests write the references that take mpmath seconds ([testing.md](testing.md)) instead of looking them up.";
        TEST_FULL_COMBINATION: "CUPROXIDE_TEST_FULL_COMBINATION", Kind::Flag, "off", "frontend-py",
            "Lets the `for_*_combination` decorators of `cuproxide.testing` run every combination of dtypes instead of a \
             covering few.";
        TEST_ROCM: "CUPROXIDE_TEST_ROCM", Kind::Paths, "", "backends/hip",
            "Folders of ROCm libraries that the tests of the HIP loader open (`ci/check_rocm_loader` sets it).";
        HIP_TEST_CHILD: "CUPROXIDE_HIP_TEST_CHILD", Kind::Text, "", "backends/hip",
            "Set by those tests for the processes that they start.";
        HIP_TARGETS: "CUPROXIDE_HIP_TARGETS", Kind::Text, "gfx90a,gfx942,gfx1100,gfx1201", "backends/hip",
            "The architectures that the tests of the compiler compile every kernel for, separated by commas.";
        HIP_WHOLE: "CUPROXIDE_HIP_WHOLE", Kind::Flag, "off", "backends/hip",
            "Every kernel is compiled for each of these architectures, not only for the one that its name chooses.";
        HIP_SHARE: "CUPROXIDE_HIP_SHARE", Kind::Text, "1/1", "backends/hip",
            "`1/2` compiles the first of two shares of the kernels, so that each of two compilers sees other ones.";
        TEXTS: "CUPROXIDE_TEXTS", Kind::Path, "", "backends/codegen",
            "The folder of the tables of kernel texts that run-time compilers took before; the tests of the compilers compile \
             only other texts, and all of them without it.";
        TEXTS_RECORD: "CUPROXIDE_TEXTS_RECORD", Kind::Path, "", "backends/codegen",
            "The folder that these tests write such tables to.";
        UPDATE_SNAPSHOTS: "CUPROXIDE_UPDATE_SNAPSHOTS", Kind::Flag, "off", "backends/codegen",
            "The snapshot tests of generated kernel text accept what they find.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_eight_spellings() {
        for (text, value) in
            [("1", true), ("TRUE", true), ("Yes", true), ("on", true), ("false", false), ("Off", false)]
        {
            assert_eq!(Kind::Flag.parse(text), Some(Value::Flag(value)), "{text}");
        }
        for text in ["2", "perhaps", "", "-1", "truee"] {
            assert_eq!(Kind::Flag.parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_bounds() {
        let count = Kind::Count { least: 1, most: 64 };
        assert_eq!(count.parse("64"), Some(Value::Integer(64)));
        for text in ["0", "65", "-1", "abc", "1.5", "99999999999999999999999999999999999999999999"] {
            assert_eq!(count.parse(text), None, "{text}");
        }
        assert_eq!(Kind::Memory.parse("50%"), Some(Value::Fraction(0.5)));
        for text in ["150%", "-1", "much", "nan%", "%"] {
            assert_eq!(Kind::Memory.parse(text), None, "{text}");
        }
        assert_eq!(Kind::Version.parse("0.6"), Some(Value::Version(0, 6)));
        assert_eq!(Kind::Version.parse("one"), None);
    }

    #[test]
    fn each_name_stands_once() {
        let mut names: Vec<&str> = all().flat_map(|row| [Some(row.name), row.fallback]).flatten().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
