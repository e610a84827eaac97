//! Tables of the vendor functions that are used, with statuses as plain integers.

pub(crate) mod cublas;
pub(crate) mod cufft;
pub(crate) mod cusolver;
pub(crate) mod driver;
pub(crate) mod nvrtc;

use cuproxide_hal::Error;

use crate::loader::Library;

/// Declares a struct of function addresses, filled from a library, and one checked method a function. A function that
/// the library lacks is an error of the call, not of the loading.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident { $(fn $name:ident = $symbol:ident($($argument:ident: $type:ty),* $(,)?);)* }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $table {
            pub library: $crate::loader::Library,
            $(pub $name: Option<unsafe extern "C" fn($($type),*) -> i32>,)*
        }

        impl $table {
            /// Looks every function up.
            pub fn new(library: $crate::loader::Library) -> $table {
                $table {
                    // SAFETY: the signatures are those of the vendor's headers; enums and handles are passed as the
                    // integers and pointers that they are.
                    $($name: library.symbol(stringify!($symbol)).map(|address| unsafe {
                        std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C" fn($($type),*) -> i32>(address)
                    }),)*
                    library,
                }
            }

            $(
                /// Calls the vendor's function of this name.
                ///
                /// # Safety
                /// As the vendor documents it.
                #[allow(dead_code, reason = "the table is complete for its area")]
                pub unsafe fn $name(&self, $($argument: $type),*) -> cuproxide_hal::Result<()> {
                    let Some(function) = self.$name else {
                        return Err($crate::api::missing(&self.library, stringify!($symbol)));
                    };
                    // SAFETY: the caller's promise.
                    match unsafe { function($($argument),*) } {
                        0 => Ok(()),
                        code => Err(self.failure(stringify!($symbol), code)),
                    }
                }
            )*
        }
    };
}
pub(crate) use table;

/// The error for a function that a library lacks.
#[cold]
pub(crate) fn missing(library: &Library, symbol: &str) -> Error {
    Error::MissingSymbol { library: library.name.to_owned(), path: library.path.clone(), symbol: symbol.to_owned() }
}
