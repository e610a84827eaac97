//! The hand-written kernels: sorting, searching, selecting by flags, counting by bins, joining,
//! ranks in windows.

mod distinct;
mod histogram;
mod join;
mod place;
mod ranks;
mod search;
mod select;
mod sort;
mod widening;
mod words;

use std::sync::Arc;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Libraries, Library};

pub(crate) use place::Place;
pub(crate) use words::Words;

/// The texts worth precompiling, by name, without the dialect's prelude: all but those for more than four billion elements.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    let mut texts =
        vec![("select", select::text()), ("join", join::text()), ("ranks", ranks::text()), ("philox", words::text())];
    texts.extend(DType::ALL.map(|dtype| ("sort", sort::text(dtype, false, None))));
    // Indices of 32 bits with elements: what sparse arrays carry along.
    texts.extend([4, 8].map(|size| ("sort", sort::text(DType::I32, false, Some([4, size])))));
    let searched = [DType::I32, DType::I64, DType::F32, DType::F64];
    texts.extend(searched.map(|dtype| ("search", search::text(dtype))));
    texts.extend(searched.map(|dtype| ("distinct", distinct::text(dtype))));
    texts.extend([DType::I32, DType::I64].map(|dtype| ("histogram", histogram::text(dtype, None))));
    texts.extend([DType::F32, DType::F64].map(|dtype| ("histogram", histogram::text(dtype, Some(dtype)))));
    texts
}

/// The hand-written kernels of one device in its table of libraries; each text is compiled on first use.
pub(crate) fn installed(place: Place, others: Libraries) -> Libraries {
    Libraries {
        sorting: Library::ready(Arc::new(sort::Sorter::new(place))),
        compaction: Library::ready(Arc::new(select::Selector::new(place))),
        binning: Library::ready(Arc::new(histogram::Histograms::new(place))),
        joining: Library::ready(Arc::new(join::Joiner::new(place))),
        searching: Library::ready(Arc::new(search::Searcher::new(place))),
        distinct: Library::ready(Arc::new(distinct::Distincts::new(place))),
        ranking: Library::ready(Arc::new(ranks::Ranker::new(place))),
        ..others
    }
}
