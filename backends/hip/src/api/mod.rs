//! AMD's functions behind the tables that the GPU backends share: adapters of the same signature, each checked against
//! AMD's headers by the types of `cuproxide-hip-sys`.

pub(crate) mod attributes;
pub(crate) mod driver;
pub(crate) mod hiprtc;
pub(crate) mod hipsolver;
pub(crate) mod library;
pub(crate) mod miopen;

/// An address as a pointer of whatever type the callee wants.
pub(crate) fn pointer<T>(address: u64) -> *mut T {
    address as *mut T
}

/// Declares adapters and what fills a table with them: those whose function the library has. A table's function that no
/// line names stays missing.
macro_rules! adapters {
    (@ one $name:ident $symbols:ident $symbol:ident
        ($($argument:ident: $type:ty),* $(,)?) ($($passed:expr),* $(,)?)
    ) => {
        unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            let Ok(function) = &$symbols().$symbol else { return $crate::api::MISSING };
            // SAFETY: the caller keeps what the table's function demands, and this one demands the same.
            unsafe { function($($passed),*) as i32 }
        }
    };
    (
        $install:ident: $table:ty, $symbols:ident: $library:ty;
        $(fn $name:ident = $symbol:ident $arguments:tt -> $passed:tt $(, $alike:ident = $other:ident)*;)*
    ) => {
        $crate::api::adapters! {
            @ all $install: $table, $symbols: $library;
            $([$name = $symbol $(, $alike = $other)*] $arguments $passed)*
        }
    };
    (
        @ all $install:ident: $table:ty, $symbols:ident: $library:ty;
        $([$($name:ident = $symbol:ident),+] $arguments:tt $passed:tt)*
    ) => {
        $($($crate::api::adapters! { @ one $name $symbols $symbol $arguments $passed })+)*

        /// What the functions are called here.
        const CALLED: &[(&str, &str)] = &[$($((stringify!($name), stringify!($symbol))),+),*];

        fn $install(table: &mut $table, library: &$library) {
            $($(if library.$symbol.is_ok() {
                table.$name = Some($name);
            })+)*
        }
    };
}
pub(crate) use adapters;

/// Status of an adapter without its function, which never is in a table: `hipErrorSymbolNotFound`.
pub(crate) const MISSING: i32 = 500;
