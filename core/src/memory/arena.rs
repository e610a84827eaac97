//! Best-fit free lists with splitting and merging, for the blocks of one stream.
//!
//! Programs ask for the same few small sizes again and again, so small blocks that come back wait in *quick lists* by
//! size, unmerged, until the same size is asked for again or memory is short.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Blocks are multiples of this size, as in CuPy, and so are their addresses within a segment.
pub const GRANULE: usize = 512;

/// Largest block that a quick list takes.
pub const QUICK_BYTES: usize = 64 * 1024;
/// Longest quick list.
const QUICK_LENGTH: usize = 64;

struct Piece {
    bytes: usize,
    /// Address of the segment (one allocation of the device) that the piece belongs to.
    segment: u64,
    free: bool,
}

/// The blocks that one stream allocated, cached for reuse by the same stream.
#[derive(Default)]
pub struct Arena {
    /// All pieces by address; neighbours in a segment are neighbours here.
    pieces: BTreeMap<u64, Piece>,
    /// Free pieces by (size, address).
    free: BTreeSet<(usize, u64)>,
    segments: HashMap<u64, usize>,
    /// Addresses of returned small blocks, by size in granules. Their pieces are not free yet.
    quick: Vec<Vec<u64>>,
}

impl Arena {
    /// Takes a block of `bytes`, a multiple of the granule.
    pub fn take(&mut self, bytes: usize) -> Option<u64> {
        self.take_waiting(bytes).or_else(|| self.take_best_fit(bytes)).or_else(|| {
            self.settle();
            self.take_best_fit(bytes)
        })
    }

    /// Takes a block of exactly `bytes` from its quick list.
    #[inline]
    pub fn take_waiting(&mut self, bytes: usize) -> Option<u64> {
        self.quick.get_mut(bytes / GRANULE)?.pop()
    }

    /// Takes the smallest free piece that is large enough and splits off the rest.
    fn take_best_fit(&mut self, bytes: usize) -> Option<u64> {
        let &(size, ptr) = self.free.range((bytes, 0)..).next()?;
        self.free.remove(&(size, ptr));
        let piece = self.pieces.get_mut(&ptr).expect("free pieces are listed");
        piece.free = false;
        if size > bytes {
            piece.bytes = bytes;
            let rest = Piece { bytes: size - bytes, segment: piece.segment, free: true };
            self.free.insert((rest.bytes, ptr + bytes as u64));
            self.pieces.insert(ptr + bytes as u64, rest);
        }
        Some(ptr)
    }

    /// Takes back a block of `bytes`.
    #[inline]
    pub fn give_back(&mut self, ptr: u64, bytes: usize) {
        if bytes <= QUICK_BYTES {
            if self.quick.is_empty() {
                self.quick.resize_with(QUICK_BYTES / GRANULE + 1, Vec::new);
            }
            let list = &mut self.quick[bytes / GRANULE];
            if list.len() < QUICK_LENGTH {
                list.push(ptr);
                return;
            }
        }
        self.merge(ptr);
    }

    /// Merges the blocks of the quick lists.
    fn settle(&mut self) {
        let waiting: Vec<u64> = self.quick.iter_mut().flat_map(|list| list.drain(..)).collect();
        waiting.into_iter().for_each(|ptr| self.merge(ptr));
    }

    /// Adds a segment that the device just allocated; all of it is in use.
    pub fn add_segment(&mut self, ptr: u64, bytes: usize) {
        self.segments.insert(ptr, bytes);
        self.pieces.insert(ptr, Piece { bytes, segment: ptr, free: false });
    }

    /// Frees a piece and merges it with free neighbours.
    fn merge(&mut self, ptr: u64) {
        let Some(piece) = self.pieces.get(&ptr) else { return };
        let (mut start, mut bytes, segment) = (ptr, piece.bytes, piece.segment);
        let next = ptr + bytes as u64;
        if let Some(after) = self.pieces.get(&next).filter(|p| p.free && p.segment == segment) {
            let size = after.bytes;
            self.free.remove(&(size, next));
            self.pieces.remove(&next);
            bytes += size;
        }
        let before = self.pieces.range(..ptr).next_back().filter(|(_, p)| p.free && p.segment == segment);
        if let Some((&address, piece)) = before {
            let size = piece.bytes;
            self.free.remove(&(size, address));
            self.pieces.remove(&ptr);
            start = address;
            bytes += size;
        }
        let merged = self.pieces.get_mut(&start).expect("the merged piece is listed");
        merged.bytes = bytes;
        merged.free = true;
        self.free.insert((bytes, start));
    }

    /// Removes the segments that are wholly free and returns their (address, size).
    pub fn drain_free_segments(&mut self) -> Vec<(u64, usize)> {
        self.settle();
        let whole: Vec<(u64, usize)> = self
            .segments
            .iter()
            .filter(|&(ptr, bytes)| self.pieces.get(ptr).is_some_and(|p| p.free && p.bytes == *bytes))
            .map(|(&ptr, &bytes)| (ptr, bytes))
            .collect();
        for &(ptr, bytes) in &whole {
            self.segments.remove(&ptr);
            self.pieces.remove(&ptr);
            self.free.remove(&(bytes, ptr));
        }
        whole
    }

    /// Whether the arena holds nothing, free or in use.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Number of free pieces.
    pub fn free_blocks(&mut self) -> usize {
        self.settle();
        self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_split_and_merge() {
        let mut arena = Arena::default();
        arena.add_segment(0x1000, 2048);
        assert_eq!(arena.take(512), None);
        arena.give_back(0x1000, 2048);
        let a = arena.take(512).unwrap();
        let b = arena.take(512).unwrap();
        let c = arena.take(1024).unwrap();
        assert_eq!([a, b, c], [0x1000, 0x1200, 0x1400]);
        arena.give_back(a, 512);
        arena.give_back(c, 1024);
        assert_eq!(arena.free_blocks(), 2);
        assert!(arena.drain_free_segments().is_empty());
        arena.give_back(b, 512);
        assert_eq!(arena.free_blocks(), 1);
        assert_eq!(arena.drain_free_segments(), [(0x1000, 2048)]);
        assert_eq!(arena.free_blocks(), 0);
    }

    #[test]
    fn the_best_fit_is_taken() {
        let mut arena = Arena::default();
        for (ptr, bytes) in [(0x10000, 4096), (0x20000, 1024), (0x30000, 2048)] {
            arena.add_segment(ptr, bytes);
            arena.give_back(ptr, bytes);
        }
        assert_eq!(arena.take(1024), Some(0x20000));
        assert_eq!(arena.take(1024), Some(0x30000));
    }

    #[test]
    fn neighbouring_segments_do_not_merge() {
        let mut arena = Arena::default();
        for ptr in [0x1000, 0x1200] {
            arena.add_segment(ptr, 512);
            arena.give_back(ptr, 512);
        }
        assert_eq!(arena.take(1024), None);
        assert_eq!(arena.drain_free_segments().len(), 2);
    }
}
