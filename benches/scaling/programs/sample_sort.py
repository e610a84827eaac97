"""Sample sort: ranks agree on splitters, deal out keys to the buckets between them, exchange buckets, and sort them.

A rank gets several neighbouring buckets. Each is sorted while the next one travels on a stream of its own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import cuproxide as cp
import numpy

from ..program import Program, Rates, Shape, made, part, require, rounded, total

SAMPLES = 8192  # of each rank
TURNS = 4  # buckets of a rank, which travel one after the other
#: Buckets begin at multiples of so many keys: whole lines of memory, and what libraries copy fast.
LINE = 32
LARGEST = 0xFFFFFFFF
THREADS, KEYS = 512, 16  # of a block of threads, of a thread
MOST = 256  # buckets

KERNELS = cp.RawModule(
    code=f"enum {{ THREADS = {THREADS}, KEYS = {KEYS}, TILE = THREADS * KEYS, MOST = {MOST} }};"
    + r"""
typedef unsigned long long Position;

struct Splitters {
    unsigned keys[MOST], count, top;

    __device__ void load(const unsigned* from, unsigned number) {
        for (unsigned i = threadIdx.x; i < number; i += THREADS) keys[i] = from[i];
        if (threadIdx.x > 0) return;
        count = number;
        for (top = 1; 2 * top <= number; top *= 2) {}
    }

    // How many of them are not greater than the key.
    __device__ unsigned bucket(unsigned key) const {
        unsigned found = 0;
        for (unsigned step = top; step; step /= 2) {
            if (found + step <= count && keys[found + step - 1] <= key) found += step;
        }
        return found;
    }
};

// Counts the keys of each bucket.
extern "C" __global__ void count_keys(
    const unsigned* keys, Position length, const unsigned* from, unsigned number, Position* counts
) {
    __shared__ Splitters splitters;
    __shared__ unsigned found[MOST];
    splitters.load(from, number);
    for (unsigned i = threadIdx.x; i <= number; i += THREADS) found[i] = 0;
    __syncthreads();
    for (Position begin = (Position)blockIdx.x * TILE; begin < length; begin += (Position)gridDim.x * TILE) {
        unsigned held[KEYS];
        #pragma unroll
        for (unsigned i = 0; i < KEYS; ++i) {
            const Position at = begin + i * THREADS + threadIdx.x;
            held[i] = at < length ? keys[at] : 0;
        }
        #pragma unroll
        for (unsigned i = 0; i < KEYS; ++i) {
            if (begin + i * THREADS + threadIdx.x < length) atomicAdd(&found[splitters.bucket(held[i])], 1u);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i <= number; i += THREADS) atomicAdd(&counts[i], (Position)found[i]);
}

// Writes the keys of each bucket one after another, in any order; `next` is the next free position of each.
extern "C" __global__ void deal_keys(
    const unsigned* keys, Position length, const unsigned* from, unsigned number, Position* next, unsigned* dealt
) {
    __shared__ Splitters splitters;
    __shared__ unsigned found[MOST], begins[MOST], ordered[TILE];
    __shared__ Position places[MOST];
    splitters.load(from, number);
    for (unsigned i = threadIdx.x; i <= number; i += THREADS) found[i] = 0;
    __syncthreads();
    const Position begin = (Position)blockIdx.x * TILE;
    const unsigned live = length - begin < TILE ? (unsigned)(length - begin) : (unsigned)TILE;
    unsigned held[KEYS], slots[KEYS];
    #pragma unroll
    for (unsigned i = 0; i < KEYS; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        held[i] = at < live ? keys[begin + at] : 0;
    }
    #pragma unroll
    for (unsigned i = 0; i < KEYS; ++i) {
        slots[i] = 0;
        if (i * THREADS + threadIdx.x < live) {
            const unsigned bucket = splitters.bucket(held[i]);
            slots[i] = bucket << 16 | atomicAdd(&found[bucket], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i <= number; ++i) {
            begins[i] = sum;
            sum += found[i];
        }
    }
    for (unsigned i = threadIdx.x; i <= number; i += THREADS) places[i] = atomicAdd(&next[i], (Position)found[i]);
    __syncthreads();
    #pragma unroll
    for (unsigned i = 0; i < KEYS; ++i) {
        if (i * THREADS + threadIdx.x < live) ordered[begins[slots[i] >> 16] + (slots[i] & 0xffff)] = held[i];
    }
    __syncthreads();
    // Neighbours in a bucket are written together.
    for (unsigned at = threadIdx.x; at < live; at += THREADS) {
        const unsigned bucket = splitters.bucket(ordered[at]);
        dealt[places[bucket] + (at - begins[bucket])] = ordered[at];
    }
}
"""
)


class SampleSort(Program):
    name, title, unit, tiny = "sort", "sample sort of uint32", "keys", Fraction(1, 1 << 15)

    def __init__(self, group: Any, shape: Shape) -> None:
        super().__init__(group, shape)
        first, last = part(shape[0], group)
        rng = cp.random.default_rng(group.rank)
        self.keys = made(rng.integers(0, 1 << 32, last - first, dtype="uint32"))
        self.travel = cp.cuda.Stream(non_blocking=True, priority=-1)

    @staticmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        return (rounded((1 << 31) * scale / most, 1) * int(share * most),)

    @staticmethod
    def work(shape: Shape) -> float:
        return shape[0]

    @staticmethod
    def need(shape: Shape, count: int) -> float:
        # Keys, in order, received, the result, and what sorting takes besides.
        return 6.5 * 4 * shape[0] / count

    @staticmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """A radix sort of four bytes reads and writes each key four times, while the rest of the keys travel; dealing
        them out reads each twice and writes it once."""
        held = 4 * shape[0] / count
        deal = 0 if count == 1 else 3 * held / rates.memory
        return deal + max(4 * 2 * held / rates.memory, held * (count - 1) / count / rates.link)

    def splitters(self) -> Any:
        """Keys between buckets, the same on all ranks."""
        mine = self.keys[cp.arange(SAMPLES) * len(self.keys) // SAMPLES]
        everything = cp.empty(self.group.size * SAMPLES, mine.dtype)
        self.group.all_gather(mine, everything, SAMPLES)
        return made(cp.ascontiguousarray(cp.sort(everything)[SAMPLES // TURNS :: SAMPLES // TURNS]))

    def dealt(self, splitters: Any) -> tuple[Any, list[list[int]]]:
        """The keys by buckets, each filled up to whole lines, and the numbers of keys of all ranks' buckets."""
        buckets, travel = len(splitters) + 1, self.travel
        require(buckets <= MOST, f"{self.group.size} ranks have {buckets} buckets, more than {MOST}")
        table, counts = cp.empty((self.group.size, buckets), "uint64"), cp.zeros(buckets, "uint64")
        tiles = -(-len(self.keys) // (THREADS * KEYS))
        given = (self.keys, numpy.uint64(len(self.keys)), splitters, numpy.uint32(buckets - 1))
        KERNELS.get_function("count_keys")((min(tiles, 4096),), (THREADS,), (*given, counts))
        counted = cp.cuda.get_current_stream().record()
        room = -(-counts.astype("int64") // LINE) * LINE
        begins = room.cumsum() - room
        keys = cp.empty(len(self.keys) + (buckets + 1) * LINE, "uint32")
        following = made(begins.astype("uint64"))
        KERNELS.get_function("deal_keys")((tiles,), (THREADS,), (*given, following, keys))
        # The last element is in no bucket.
        gaps = (begins + counts.astype("int64"))[:, None] + cp.arange(LINE)
        keys[cp.where(gaps < (begins + room)[:, None], gaps, len(keys) - 1)] = LARGEST
        cp.evaluate(keys)
        # Keys are dealt out while ranks tell each other the numbers and the host reads them.
        travel.wait_event(counted)
        self.group.all_gather(counts, table, buckets, stream=travel)
        with travel:
            return keys, table.tolist()

    def step(self) -> None:
        """Leaves keys in order in several arrays, one after the other."""
        group, travel, current = self.group, self.travel, cp.cuda.get_current_stream()
        if group.size == 1:
            self.result = [made(cp.sort(self.keys))]
            return
        keys, counts = self.dealt(self.splitters())
        rooms = [[-(-count // LINE) * LINE for count in row] for row in counts]
        begins = list(accumulate(rooms[group.rank], initial=0))
        received, landed = [], []
        for turn in range(TURNS):
            mine = group.rank * TURNS + turn
            ends = list(accumulate((row[mine] for row in rooms), initial=0))
            received.append(cp.empty(ends[-1], keys.dtype))
            begin = begins[mine]
            received[-1][ends[group.rank] : ends[group.rank + 1]] = keys[begin : begins[mine + 1]]
            cp.evaluate(received[-1])
            travel.wait_event(current.record())
            others = [rank for rank in range(group.size) if rank != group.rank]
            sends = [rank * TURNS + turn for rank in range(group.size)]
            group.exchange(
                [(rank, keys[begins[sends[rank]] : begins[sends[rank] + 1]]) for rank in others],
                [(rank, received[-1][ends[rank] : ends[rank + 1]]) for rank in others],
                stream=travel,
            )
            landed.append(travel.record())
        self.result = []
        for turn, (bucket, event) in enumerate(zip(received, landed, strict=True)):
            current.wait_event(event)
            # What fills lines up is as large as a key can be, and so comes last.
            own = sum(row[group.rank * TURNS + turn] for row in counts)
            self.result.append(made(cp.sort(bucket)[:own]))

    def check(self) -> str:
        """In order within each rank and from rank to rank; count, sum and sum of squares are those before."""
        parts, group = [keys for keys in self.result if len(keys)], self.group
        for keys in parts:
            require(bool((keys[1:] >= keys[:-1]).all()), f"rank {group.rank} is not in order")
        # First and last keys of all parts; a rank without keys tells those that change nothing.
        mine = [int(keys[end]) for keys in parts for end in (0, -1)]
        require(mine == sorted(mine), f"parts of rank {group.rank} are not in order: {mine}")
        told = cp.asarray([len(parts) > 0, mine[0] if parts else 0, mine[-1] if parts else 0], "int64")
        everyone = cp.empty((group.size, 3), "int64")
        group.all_gather(told, everyone, 3)
        ends = [end for some, *pair in everyone.tolist() if some for end in pair]
        require(ends == sorted(ends), f"ranks are not in order: {ends}")
        count = total(group, sum(map(len, parts)))
        require(count == self.shape[0], f"{count} keys of {self.shape[0]} are left")
        sums = [[total(group, self.sums(keys, power)) for power in (1, 2)] for keys in ([self.keys], parts)]
        require(sums[0] == sums[1], f"sums of keys and of squares were {sums[0]}, and are {sums[1]}")
        return f"in order, {count} keys, sums of keys and squares unchanged"

    @staticmethod
    def sums(arrays: list[Any], power: int) -> Any:
        """Of powers of the keys, modulo 2^64."""
        found = cp.zeros((), "uint64")
        for keys in arrays:
            for begin in range(0, len(keys), 1 << 28):
                found = found + (keys[begin : begin + (1 << 28)].astype("uint64") ** power).sum(dtype="uint64")
        return found
