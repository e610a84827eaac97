//! Tables of the vendor functions that are used, with statuses as plain integers.

pub mod collectives;
pub mod driver;
pub mod random;
pub mod rtc;
pub mod solver;
pub mod sparse;
pub mod types;

use cuproxide_hal::{Error, host};

use crate::loader::Library;

/// Declares a struct of function addresses, filled from a library, and one checked method a function. A function that
/// the library lacks is an error of the call, not of the loading. Functions that take the same arguments share a row.
#[macro_export]
macro_rules! table {
    (@ function ($($argument:ident: $type:ty),* $(,)?)) => { unsafe extern "C" fn($($type),*) -> i32 };
    (@ method $name:ident $symbol:ident ($($argument:ident: $type:ty),* $(,)?)) => {
        /// Calls the vendor's function of this name.
        ///
        /// # Safety
        /// As the vendor documents it.
        #[allow(dead_code, reason = "the table is complete for its area")]
        pub unsafe fn $name(&self, $($argument: $type),*) -> cuproxide_hal::Result<()> {
            let Some(function) = self.$name else {
                return Err(self.lacking(stringify!($name), stringify!($symbol)));
            };
            // SAFETY: the caller's promise.
            match $crate::api::call(|| unsafe { function($($argument),*) }) {
                0 => Ok(()),
                code => Err(self.failure(self.called(stringify!($name), stringify!($symbol)), code)),
            }
        }
    };
    ($(#[$doc:meta])* $table:ident {
        $(fn $name:ident = $symbol:ident $arguments:tt $(, $alike:ident = $other:ident)*;)*
    }) => {
        $crate::table! {
            @ table $(#[$doc])* $table { $([$name = $symbol $(, $alike = $other)*] $arguments)* }
        }
    };
    (@ table $(#[$doc:meta])* $table:ident { $([$($name:ident = $symbol:ident),+] $arguments:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $table {
            /// Where the functions come from.
            pub library: $crate::loader::Library,
            /// What the library calls things, for messages.
            pub names: $crate::api::Names,
            $($(
                #[doc = concat!("`", stringify!($symbol), "`")]
                pub $name: Option<$crate::table!(@ function $arguments)>,
            )+)*
        }

        impl $table {
            /// Looks every function up.
            pub fn new(library: $crate::loader::Library) -> $table {
                $table {
                    // SAFETY: the signatures are those of the vendor's headers; enums and handles are passed as the
                    // integers and pointers that they are.
                    $($($name: library.symbol(stringify!($symbol)).map(|address| unsafe {
                        std::mem::transmute::<*const std::ffi::c_void, $crate::table!(@ function $arguments)>(address)
                    }),)+)*
                    library,
                    names: $crate::api::Names::default(),
                }
            }

            /// The table of a library that has the same functions by the names in `names`.
            #[allow(dead_code, reason = "few libraries differ by names alone")]
            pub fn named(library: $crate::loader::Library, names: $crate::api::Names) -> $table {
                let find = |name: &str| names.functions.iter().find(|(own, _)| *own == name).and_then(|(_, called)| library.symbol(called));
                $table {
                    // SAFETY: the signatures are those of the vendor's headers.
                    $($($name: find(stringify!($name)).map(|address| unsafe {
                        std::mem::transmute::<*const std::ffi::c_void, $crate::table!(@ function $arguments)>(address)
                    }),)+)*
                    names,
                    library,
                }
            }

            /// A table without functions, to be filled; `names` tells what the functions are called there.
            pub fn empty(library: $crate::loader::Library, names: $crate::api::Names) -> $table {
                $table { $($($name: None,)+)* library, names }
            }

            /// What a function is called in the library.
            #[cold]
            fn called(&self, name: &str, symbol: &'static str) -> &'static str {
                self.names.functions.iter().find(|(own, _)| *own == name).map_or(symbol, |(_, called)| called)
            }

            /// The error for a function that is not there: another version may have it, or no version of this vendor.
            #[cold]
            fn lacking(&self, name: &str, symbol: &'static str) -> cuproxide_hal::Error {
                if self.names.foreign(name) {
                    let what = format!("what {symbol} does elsewhere");
                    return cuproxide_hal::Error::unsupported(self.library.name, what);
                }
                $crate::api::missing(&self.library, self.called(name, symbol))
            }

            $($($crate::table! { @ method $name $symbol $arguments })+)*
        }
    };
}

/// What a library calls things, where a table has other names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names {
    /// Functions, by the names that the table gives them.
    pub functions: &'static [(&'static str, &'static str)],
    /// Name and meaning of a status.
    pub status: Option<fn(i32) -> (&'static str, &'static str)>,
}

impl Names {
    /// Whether the library has other names and none for this function.
    pub fn foreign(&self, name: &str) -> bool {
        !self.functions.is_empty() && self.functions.iter().all(|(own, _)| *own != name)
    }
}

/// Makes a call, without the interpreter's lock if a device may be waiting for it.
#[inline]
pub fn call(function: impl FnOnce() -> i32) -> i32 {
    if host::is_awaited() { call_released(function) } else { function() }
}

#[cold]
fn call_released(function: impl FnOnce() -> i32) -> i32 {
    struct Call<F>(F);

    // SAFETY: the thread that makes the call is the one that asked for it.
    unsafe impl<F> Send for Call<F> {}

    impl<F: FnOnce() -> i32> Call<F> {
        fn make(self) -> i32 {
            (self.0)()
        }
    }

    let call = Call(function);
    host::released(move || call.make())
}

/// The error for a function that a library lacks.
#[cold]
pub fn missing(library: &Library, symbol: &str) -> Error {
    Error::MissingSymbol { library: library.name.to_owned(), path: library.path.clone(), symbol: symbol.to_owned() }
}
