//! Sorting of rows.
//!
//! Elements become unsigned integers in the same order, so that comparing is one instruction and an unstable sort of
//! (key, position) pairs is a stable sort. Where keys alone are wanted they are sorted in place in the result; elements
//! that share a key but not their bits (zeros of both signs, NaNs) are put back in their old order afterwards.

use std::ops::{Range, RangeInclusive};

use cuproxide_hal::libraries::{Sort, Sorting};
use cuproxide_hal::{DType, Error, Result, Stream};
use rayon::prelude::{IndexedParallelIterator, ParallelIterator, ParallelSliceMut};

use crate::elements::{by_number, narrow_types};
use crate::quicksort::Word;
use crate::truth::Truth;
use crate::{counting, graph, pool};

/// Elements from which one row is sorted by several threads.
const PARALLEL: usize = 64 << 10;
/// Elements that a task of several rows should have.
const TASK: usize = 16 << 10;

/// The part of the elements below which positions are selected rather than sorted.
const SELECTED: usize = 8;

/// Elements up to which more passes over them cost more than they save.
const SHORT: usize = 20;

/// The algorithms of the CPU.
pub struct CpuPrimitives;

/// An element and its sort key.
pub trait Element: Copy + Send + Sync {
    type Key: Word;
    /// What positions are sorted by, in the order of keys: one type for all real elements, since a sort is compiled for each.
    type Rank: Ord + Copy + Send;
    /// The key.
    fn key(self) -> Self::Key;
    /// The element with a key, where that tells the element.
    fn from_key(key: Self::Key) -> Self;
    /// The rank.
    fn rank(self) -> Self::Rank;
    /// Whether the element is its key.
    const PLAIN: bool = false;
    /// The bits of a rank, if it is a number.
    const BITS: u32 = 0;
    /// The rank, if it is a number.
    fn number(self) -> u64 {
        0
    }
    /// The element as a result has it.
    fn written(self) -> Self {
        self
    }
    /// Whether different elements may share a key, and whether this one may.
    const AMBIGUOUS: bool = false;
    fn is_ambiguous(self) -> bool {
        false
    }
    /// Whether every processor compares it as a float as its key is compared, in all its modes.
    fn is_plain_float(self) -> bool {
        false
    }
}

macro_rules! integers {
    ($($type:ty as $key:ty, $flip:expr, $digits:expr;)*) => {
        $(impl Element for $type {
            type Key = $key;
            type Rank = u64;
            fn key(self) -> $key { self as $key ^ $flip }
            fn rank(self) -> u64 { $digits(self.key()) as u64 }
            fn from_key(key: $key) -> $type { (key ^ $flip) as $type }
            const PLAIN: bool = $flip == 0;
            const BITS: u32 = <$key>::BITS;
            fn number(self) -> u64 { self.rank() }
        })*
    };
}

integers! {
    u8 as u8, 0, u8::from; u16 as u16, 0, u16::from; u32 as u32, 0, u32::from; u64 as u64, 0, u64::from;
    i8 as u8, 1 << 7, u8::from; i16 as i16, 0, |key: i16| key as u16 ^ 1 << 15; i32 as i32, 0, |key: i32| key as u32 ^ 1 << 31;
    i64 as i64, 0, |key: i64| key as u64 ^ 1 << 63;
}

/// Every byte but 0 is the same key, and becomes the same element.
impl Element for Truth {
    type Key = u8;
    type Rank = u64;
    fn key(self) -> u8 {
        self.holds().into()
    }
    fn rank(self) -> u64 {
        self.key().into()
    }
    fn from_key(key: u8) -> Truth {
        Truth::from_byte(key)
    }
    const BITS: u32 = 8;
    fn number(self) -> u64 {
        self.rank()
    }
    fn written(self) -> Truth {
        self.holds().into()
    }
}

/// A float by its bits: sign, then exponent and fraction.
macro_rules! floats {
    ($($type:ty: $bits:ty, $atomic:ty;)*) => {
        $(impl Element for $type {
            type Key = $bits;
            type Rank = u64;
            fn rank(self) -> u64 {
                self.key() as u64
            }
            fn key(self) -> $bits {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                let bits = self.to_bits();
                let magnitude = bits & !SIGN;
                // Selections, since nobody foresees signs.
                let key = bits ^ if bits & SIGN == 0 { SIGN } else { <$bits>::MAX };
                let key = if magnitude == 0 { SIGN } else { key };
                if magnitude > <$type>::INFINITY.to_bits() { <$bits>::MAX } else { key }
            }
            fn from_key(key: $bits) -> $type {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                <$type>::from_bits(key ^ if key & SIGN != 0 { SIGN } else { <$bits>::MAX })
            }
            const BITS: u32 = <$bits>::BITS;
            fn number(self) -> u64 {
                self.rank()
            }
            const AMBIGUOUS: bool = true;
            fn is_ambiguous(self) -> bool {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                self.to_bits() == SIGN || self.to_bits() & !SIGN > <$type>::INFINITY.to_bits()
            }
            fn is_plain_float(self) -> bool {
                const LEAST: $bits = <$type>::MIN_POSITIVE.to_bits();
                let magnitude = self.to_bits() & <$bits>::MAX >> 1;
                self.to_bits() == 0 || magnitude.wrapping_sub(LEAST) <= <$type>::INFINITY.to_bits() - LEAST
            }
        })*
    };
}

narrow_types!(floats);
floats! { f32: u32, AtomicU32; f64: u64, AtomicU64; }

/// A complex number: NumPy puts those with a NaN last, by which part is one.
#[derive(Clone, Copy)]
#[repr(C)]
struct Pair<T>(T, T);

impl<T: Element<Key: From<u8> + Eq>> Element for Pair<T>
where
    T::Key: Bounded,
    (u8, T::Key, T::Key): Word,
{
    type Key = (u8, T::Key, T::Key);
    type Rank = Self::Key;
    fn rank(self) -> Self::Rank {
        self.key()
    }
    fn key(self) -> Self::Key {
        let (re, im) = (self.0.key(), self.1.key());
        (2 * u8::from(re == T::Key::MAX) + u8::from(im == T::Key::MAX), re, im)
    }
    fn from_key(key: Self::Key) -> Pair<T> {
        Pair(T::from_key(key.1), T::from_key(key.2))
    }
    const AMBIGUOUS: bool = true;
    fn is_ambiguous(self) -> bool {
        self.0.is_ambiguous() || self.1.is_ambiguous()
    }
}

/// Keys with a largest value, which stands for NaN.
trait Bounded {
    const MAX: Self;
}

impl Bounded for u32 {
    const MAX: u32 = u32::MAX;
}

impl Bounded for u64 {
    const MAX: u64 = u64::MAX;
}

impl Sorting for CpuPrimitives {
    fn scratch_bytes(&self, _sort: &Sort) -> usize {
        0
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        let sort = *sort;
        macro_rules! of {
            ($type:ty) => {
                rows::<$type>
            };
        }
        let run: unsafe fn(&Sort) -> Result<()> =
            by_number!(sort.dtype, of, Truth, DType::C64 => of!(Pair<f32>), DType::C128 => of!(Pair<f64>),);
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "sort", move || unsafe { run(&sort) })
    }
}

/// Sorts every row.
unsafe fn rows<T: Element>(sort: &Sort) -> Result<()> {
    let Sort { rows, length, wanted, keys, sorted, indices, .. } = *sort;
    let wanted = wanted.0..wanted.1;
    if rows == 0 || length == 0 {
        return Ok(());
    }
    let one = |row: usize, parallel: bool| {
        let at = row * length;
        // SAFETY: rows are disjoint parts of the caller's arrays; a zero address means that a result is not wanted.
        unsafe {
            let keys = std::slice::from_raw_parts((keys as *const T).add(at), length);
            let sorted = (sorted != 0).then(|| std::slice::from_raw_parts_mut((sorted as *mut T).add(at), length));
            let indices = (indices != 0).then(|| std::slice::from_raw_parts_mut((indices as *mut i64).add(at), length));
            match (sorted, indices) {
                (sorted, Some(indices)) => with_positions(keys, sorted, indices, wanted.clone(), parallel),
                (Some(sorted), None) => {
                    keys_only(keys, sorted, wanted.clone(), parallel);
                    Ok(())
                }
                (None, None) => Ok(()),
            }
        }
    };
    if length >= PARALLEL {
        return (0..rows).try_for_each(|row| one(row, true));
    }
    let share = (TASK / length).clamp(1, rows);
    let failure = parking_lot::Mutex::new(None);
    let task = |task: usize| {
        for row in task * share..rows.min((task + 1) * share) {
            if let Err(error) = one(row, false) {
                *failure.lock() = Some(error);
            }
        }
    };
    if rows <= share {
        task(0);
    } else {
        pool::run(rows.div_ceil(share), task);
    }
    failure.into_inner().map_or(Ok(()), Err)
}

/// Sorts what is wanted of a slice, by all threads if asked to.
fn sort_slice<K: Ord + Send>(slice: &mut [K], wanted: Range<usize>, parallel: bool) {
    let mut slice = slice;
    if wanted.end < slice.len() {
        slice.select_nth_unstable(wanted.end);
        slice = &mut slice[..wanted.end];
    }
    if wanted.start > 0 {
        slice.select_nth_unstable(wanted.start);
        slice = &mut slice[wanted.start..];
    }
    match pool::pool() {
        Some(pool) if parallel && pool::threads() > 1 => pool::inside(pool, || slice.par_sort_unstable()),
        _ => slice.sort_unstable(),
    }
}

/// Sorts what is wanted of keys, by the fastest way that there is.
fn sort_keys<K: Word>(keys: &mut [K], wanted: Range<usize>, parallel: bool) {
    let sorted = K::sort(keys, wanted.clone(), parallel);
    // Constants, here and below: the compiler leaves out what a type does not need.
    if const { !K::COUNTED } && !sorted {
        sort_slice(keys, wanted, parallel);
    }
}

/// Work that is compiled for vectors of AVX2, which compare words of 64 bits, where the processor has them.
#[cfg(target_arch = "x86_64")]
fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "avx2")]
    fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the feature.
        unsafe { with_avx2(work) }
    } else {
        work()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn wide<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Whether `work` says so of some part of the words; it gets the part and where it starts.
fn in_parts<K: Word>(words: &mut [K], parallel: bool, work: impl Fn(&mut [K], usize) -> bool + Sync) -> bool {
    match pool::pool() {
        Some(pool) if parallel && pool::threads() > 1 => pool::inside(pool, || {
            let parts = words.par_chunks_mut(TASK).enumerate();
            parts.map(|(number, part)| wide(|| work(part, number * TASK))).reduce(|| false, |a, b| a | b)
        }),
        _ => wide(|| work(words, 0)),
    }
}

/// Brings the keys of elements to `words` and sorts what is wanted of them. Whether some are ambiguous.
fn sort_keys_of<T: Element>(keys: &[T], words: &mut [T::Key], wanted: Range<usize>, parallel: bool) -> bool {
    if T::PLAIN {
        // SAFETY: such elements are of the type of their keys, but for its name.
        let keys = unsafe { std::slice::from_raw_parts(keys.as_ptr().cast::<T::Key>(), keys.len()) };
        let sorted = T::Key::sort_from(keys, words, wanted.clone(), parallel);
        if const { !T::Key::COUNTED } && !sorted {
            sort_slice(words, wanted, parallel);
        }
        return false;
    }
    let ambiguous = in_parts(words, parallel, |words, start| {
        let mut ambiguous = false;
        for (word, &element) in words.iter_mut().zip(&keys[start..]) {
            ambiguous |= element.is_ambiguous();
            *word = element.key();
        }
        ambiguous
    });
    sort_keys(words, wanted, parallel);
    ambiguous
}

/// Copies floats to `words` and sorts what is wanted of them as they are, if they compare so and this processor can do it.
fn sort_bits_of<T: Element>(keys: &[T], words: &mut [T::Key], wanted: Range<usize>, parallel: bool) -> bool {
    // Asked with an empty slice, it only says whether the processor can.
    if !T::Key::sort_bits(&mut [], 0..0, false) {
        return false;
    }
    // SAFETY: a key has the size and at most the alignment of the element, and every bit pattern is valid in it.
    let bits = unsafe { std::slice::from_raw_parts(keys.as_ptr().cast::<T::Key>(), keys.len()) };
    if wanted.len() < keys.len() / SELECTED {
        // The first partition copies them.
        let special = in_parts(words, parallel, |words, start| {
            keys[start..][..words.len()].iter().fold(false, |special, element| special | !element.is_plain_float())
        });
        return !special && T::Key::sort_bits_from(bits, words, wanted, parallel);
    }
    let special = in_parts(words, parallel, |words, start| {
        let mut special = false;
        for ((word, &bits), element) in words.iter_mut().zip(&bits[start..]).zip(&keys[start..]) {
            special |= !element.is_plain_float();
            *word = bits;
        }
        special
    });
    !special && T::Key::sort_bits(words, wanted, parallel)
}

/// Sorts elements without their positions.
fn keys_only<T: Element>(keys: &[T], sorted: &mut [T], wanted: Range<usize>, parallel: bool) {
    let mut whole = wanted.len() == keys.len();
    let ambiguous;
    if const { size_of::<T>() == size_of::<T::Key>() } {
        // SAFETY: a key has the size and at most the alignment of the element, and every bit pattern is valid in both.
        let words = unsafe { std::slice::from_raw_parts_mut(sorted.as_mut_ptr().cast::<T::Key>(), sorted.len()) };
        if const { T::AMBIGUOUS } && keys.len() > SHORT && sort_bits_of(keys, words, wanted.clone(), parallel) {
            return;
        }
        ambiguous = sort_keys_of(keys, words, wanted, parallel);
        if T::PLAIN {
            return;
        }
        in_parts(words, parallel, |words, _| {
            for word in words {
                let element = T::from_key(*word);
                // SAFETY: as above; the word is read before the element takes its place.
                unsafe { (word as *mut T::Key).cast::<T>().write(element) };
            }
            false
        });
    } else {
        ambiguous = keys.iter().any(|element| element.is_ambiguous());
        let mut words: Vec<T::Key> = keys.iter().map(|element| element.key()).collect();
        // Many keys may be ambiguous: what shares one has to lie together.
        sort_keys(&mut words, 0..keys.len(), parallel);
        whole = true;
        sorted.iter_mut().zip(words).for_each(|(element, word)| *element = T::from_key(word));
    }
    if const { T::AMBIGUOUS } && ambiguous {
        restore(keys, sorted, whole);
    }
}

/// Puts elements whose bits the key does not tell back in their old order, where `whole` says that all are sorted.
fn restore<T: Element>(keys: &[T], sorted: &mut [T], whole: bool) {
    let mut shared: Vec<T::Key> =
        keys.iter().filter(|element| element.is_ambiguous()).map(|element| element.key()).collect();
    shared.sort_unstable();
    shared.dedup();
    let first = |key: &T::Key| if whole { sorted.partition_point(|element| element.key() < *key) } else { 0 };
    let mut next: Vec<usize> = shared.iter().map(first).collect();
    for &element in keys {
        if let Ok(class) = shared.binary_search(&element.key()) {
            let place = &mut next[class];
            while sorted[*place].key() != shared[class] {
                *place += 1;
            }
            sorted[*place] = element;
            *place += 1;
        }
    }
}

/// Pairs of ranks and positions, where there is memory for them.
fn pairs<R, P>(pairs: impl ExactSizeIterator<Item = (R, P)>) -> Result<Vec<(R, P)>> {
    let mut all = vec![];
    all.try_reserve_exact(pairs.len()).map_err(|_| out_of_memory(pairs.len() * size_of::<(R, P)>()))?;
    all.extend(pairs);
    Ok(all)
}

/// Sorts pairs and writes their positions.
fn write_sorted<R: Ord + Send, P: Ord + Send>(
    mut pairs: Vec<(R, P)>,
    indices: &mut [i64],
    wanted: Range<usize>,
    parallel: bool,
    index: impl Fn(P) -> i64,
) {
    sort_slice(&mut pairs, wanted, parallel);
    indices.iter_mut().zip(pairs).for_each(|(to, (_, from))| *to = index(from));
}

/// Sorts positions by their elements.
fn with_positions<T: Element>(
    keys: &[T],
    sorted: Option<&mut [T]>,
    indices: &mut [i64],
    wanted: Range<usize>,
    parallel: bool,
) -> Result<()> {
    if sorted.is_none() && wanted.len() <= keys.len() / SELECTED {
        return selected(keys, indices, wanted, parallel);
    }
    let ranks = keys.iter().map(|element| element.rank()).enumerate();
    let few = u32::try_from(keys.len()).is_ok();
    if const { size_of::<T>() <= 2 } {
        let counted = if const { size_of::<T>() == 1 } {
            counting::argsort(|at| keys[at].number() as u8, indices)
        } else {
            counting::argsort(|at| keys[at].number() as u16, indices)
        };
        counted.map_err(|_| out_of_memory(size_of_val(indices)))?;
    } else if const { T::BITS > 0 } && few && (T::BITS <= 32 || keys.len() > SHORT) {
        // SAFETY: both are integers of 64 bits.
        let words = unsafe { std::slice::from_raw_parts_mut(indices.as_mut_ptr().cast::<u64>(), indices.len()) };
        in_parts(words, parallel, |words, start| {
            words.iter_mut().zip(&keys[start..]).for_each(|(word, element)| *word = element.number());
            false
        });
        positions(words, T::BITS, wanted, parallel, &|at| keys[at].number())?;
    } else {
        let pairs = pairs(ranks.map(|(at, rank)| (rank, at as i64)))?;
        write_sorted(pairs, indices, wanted, parallel, |at| at);
    }
    if let Some(sorted) = sorted {
        sorted.iter_mut().zip(&*indices).for_each(|(to, &from)| *to = keys[from as usize].written());
    }
    Ok(())
}

/// Turns the ranks of elements into their positions in order, those of equal ranks as they were. A word is sorted that has
/// the leading bits of a rank and the position behind them: all bits that differ, or as many as there is room for; where
/// those are equal, words of the trailing bits are sorted. Positions have 32 bits, so that these always have room.
fn positions(
    words: &mut [u64],
    bits: u32,
    wanted: Range<usize>,
    parallel: bool,
    rank: &(dyn Fn(usize) -> u64 + Sync),
) -> Result<()> {
    if words.is_sorted() {
        words.iter_mut().zip(0..).for_each(|(word, at)| *word = at);
        return Ok(());
    }
    let place_bits = |count: usize| count.max(2).next_power_of_two().ilog2();
    let places = place_bits(words.len());
    let (least, bits) = if bits <= 32 { (0, bits) } else { spread(words) };
    let rest = (bits + places).saturating_sub(u64::BITS);
    let number = |word: u64| (word & ((1 << places) - 1)) as usize;
    in_parts(words, parallel, |words, start| {
        words.iter_mut().zip(start as u64..).for_each(|(word, at)| *word = (*word - least) >> rest << places | at);
        false
    });
    if rest == 0 {
        sort_keys(words, wanted, parallel);
        in_parts(words, parallel, |words, _| {
            words.iter_mut().for_each(|word| *word = number(*word) as u64);
            false
        });
        return Ok(());
    }
    let count = words.len();
    sort_keys(words, 0..count, parallel);
    let mut trailing: Vec<u64> = vec![];
    let mut words = words;
    while let Some(&first) = words.first() {
        let equal = words.iter().take_while(|&&word| (word ^ first) >> places == 0).count();
        let (run, others) = words.split_at_mut(equal);
        run.iter_mut().for_each(|word| *word = number(*word) as u64);
        words = others;
        if run.len() == 1 {
            continue;
        }
        trailing.clear();
        trailing.try_reserve(run.len()).map_err(|_| out_of_memory(size_of_val(run)))?;
        let places = place_bits(run.len());
        let tail = |&at: &u64| (rank(at as usize) - least) & ((1 << rest) - 1);
        trailing.extend(run.iter().zip(0..).map(|(at, place)| tail(at) << places | place));
        let whole = 0..run.len();
        sort_keys(&mut trailing, whole, parallel && run.len() >= PARALLEL);
        // The positions take the place of the trailing bits, and then that of the run.
        trailing.iter_mut().for_each(|word| *word = run[(*word & ((1 << places) - 1)) as usize]);
        run.copy_from_slice(&trailing);
    }
    Ok(())
}

/// The least word, and how many bits the distance of the greatest has.
fn spread(words: &[u64]) -> (u64, u32) {
    let (least, greatest) =
        wide(|| words.iter().fold((u64::MAX, 0), |(least, greatest), &word| (word.min(least), word.max(greatest))));
    (least, u64::BITS - (greatest - least).leading_zeros())
}

/// Puts the wanted positions in order, those of lesser elements before them and those of greater ones behind. The wanted
/// elements are found without positions, and tell on which side each of the others lies.
fn selected<T: Element>(keys: &[T], indices: &mut [i64], wanted: Range<usize>, parallel: bool) -> Result<()> {
    if wanted.is_empty() {
        indices.iter_mut().zip(0..).for_each(|(to, at)| *to = at);
        return Ok(());
    }
    let mut owned: Vec<T::Key> = vec![];
    let words = if size_of::<T::Key>() <= size_of::<i64>() {
        // SAFETY: keys of this size are integers, of at most the alignment of positions, which are written later.
        unsafe { std::slice::from_raw_parts_mut(indices.as_mut_ptr().cast::<T::Key>(), keys.len()) }
    } else {
        owned.try_reserve_exact(keys.len()).map_err(|_| out_of_memory(keys.len() * size_of::<T::Key>()))?;
        owned.extend(keys.iter().map(|element| element.key()));
        &mut owned[..]
    };
    sort_keys_of(keys, words, wanted.clone(), parallel);
    let (low, high) = (words[wanted.start], words[wanted.end - 1]);
    let below = wide(|| words[..wanted.start].iter().filter(|&&word| word < low).count());
    let above = wide(|| words[wanted.end..].iter().filter(|&&word| word > high).count());
    distribute(keys, low..=high, [0, below, keys.len() - above], indices);
    // Equal elements are in order already.
    if low != high {
        let within = &mut indices[below..keys.len() - above];
        let pairs = pairs(within.iter().map(|&at| (keys[at as usize].rank(), at)))?;
        let whole = 0..within.len();
        write_sorted(pairs, within, whole, false, |at| at);
    }
    Ok(())
}

/// Writes the positions of the elements whose keys are below, within and above `bounds`, each kind in order from its place in
/// `next` on. There is room for all of a kind.
fn distribute<T: Element>(keys: &[T], bounds: RangeInclusive<T::Key>, next: [usize; 3], indices: &mut [i64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has the features.
        return unsafe { compressed::distribute(keys, bounds, next, indices) };
    }
    distribute_from(0, keys, &bounds, next, indices);
}

/// [`distribute`], one element after the other, from a position on.
fn distribute_from<T: Element>(
    first: usize,
    keys: &[T],
    bounds: &RangeInclusive<T::Key>,
    mut next: [usize; 3],
    indices: &mut [i64],
) {
    for (at, element) in keys.iter().enumerate().skip(first) {
        let key = element.key();
        let side = 1 + usize::from(key > *bounds.end()) - usize::from(key < *bounds.start());
        indices[next[side]] = at as i64;
        next[side] += 1;
    }
}

#[cfg(target_arch = "x86_64")]
mod compressed {
    use std::arch::x86_64::*;
    use std::ops::RangeInclusive;

    use super::{Element, distribute_from};

    /// Elements that are compared at once.
    const BLOCK: usize = 64;
    /// Positions of a register.
    const LANES: usize = 8;

    /// Writes the chosen positions of a register to where `next` says.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    fn put(positions: __m512i, chosen: __mmask8, next: &mut usize, indices: &mut [i64]) {
        let count = chosen.count_ones() as usize;
        let to = &mut indices[*next..*next + count];
        // SAFETY: the mask leaves out what is behind the slice.
        unsafe {
            let some = ((1u32 << count) - 1) as __mmask8;
            _mm512_mask_storeu_epi64(to.as_mut_ptr(), some, _mm512_maskz_compress_epi64(chosen, positions));
        }
        *next += count;
    }

    /// Which bytes are not 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    fn mask(bytes: &[u8; BLOCK]) -> __mmask64 {
        // SAFETY: the array has the size of a register.
        let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        _mm512_test_epi8_mask(bytes, bytes)
    }

    /// [`super::distribute`], a register of positions after the other.
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    pub fn distribute<T: Element>(keys: &[T], bounds: RangeInclusive<T::Key>, next: [usize; 3], indices: &mut [i64]) {
        let (low, high) = (*bounds.start(), *bounds.end());
        let [mut below, mut within, mut above] = next;
        let (blocks, rest) = keys.as_chunks::<BLOCK>();
        let mut positions = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        for block in blocks {
            let (mut less, mut greater) = ([0; BLOCK], [0; BLOCK]);
            for (lane, element) in block.iter().enumerate() {
                let key = element.key();
                less[lane] = u8::from(key < low);
                greater[lane] = u8::from(key > high);
            }
            let (less, greater) = (mask(&less), mask(&greater));
            for part in 0..BLOCK / LANES {
                let [less, greater] = [less, greater].map(|mask| (mask >> (LANES * part)) as __mmask8);
                put(positions, less, &mut below, indices);
                put(positions, greater, &mut above, indices);
                if less | greater != __mmask8::MAX {
                    put(positions, !(less | greater), &mut within, indices);
                }
                positions = _mm512_add_epi64(positions, _mm512_set1_epi64(LANES as i64));
            }
        }
        distribute_from(keys.len() - rest.len(), keys, &bounds, [below, within, above], indices);
    }
}

fn out_of_memory(requested: usize) -> Error {
    crate::memory::out_of_memory(requested)
}
