//! Opens hipRAND, whose functions are cuRAND's by other names.

use cuproxide_gpu::api::Names;
use cuproxide_gpu::api::random::RandomTable;
use cuproxide_gpu::{Driver, Sequences};
use cuproxide_hal::Result;

use crate::api::library::{Kind, kind};

/// hipRAND.
pub(crate) const KIND: Kind = kind!("hipRAND", "hiprand", 1, 1, 1, "hiprandGetVersion", "hiprand");

/// What the functions of the table are called here.
const CALLED: &[(&str, &str)] = &[
    ("create", "hiprandCreateGenerator"),
    ("destroy", "hiprandDestroyGenerator"),
    ("set_stream", "hiprandSetStream"),
    ("set_seed", "hiprandSetPseudoRandomGeneratorSeed"),
    ("set_offset", "hiprandSetGeneratorOffset"),
    ("set_ordering", "hiprandSetGeneratorOrdering"),
    ("set_dimensions", "hiprandSetQuasiRandomGeneratorDimensions"),
    ("generate", "hiprandGenerate"),
    ("generate_wide", "hiprandGenerateLongLong"),
];

/// Opens the library.
pub(crate) fn open(_driver: &Driver) -> Result<Sequences> {
    let names = Names { functions: CALLED, status: None };
    Ok(Sequences { table: RandomTable::named(KIND.open()?, names), kinds: [401, 402, 502, 504] })
}
