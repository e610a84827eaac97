//! Delaunay triangulations: points are inserted one after another, each into the hole of the cells whose spheres contain
//! it (Bowyer and Watson).
//!
//! Beyond each facet of the hull lies a cell with the vertex [`INFINITY`]. Only strictly positive signs count, so cells
//! of cospherical points are triangulated in some way, and none of them is flat: if a new cell were, the point would
//! lie strictly inside the sphere of the cell behind that facet as well.

use std::cmp::Ordering;

use crate::complex::Complex;
use crate::pause::pause;
use crate::points::Points;
use crate::start::first_simplex;
use crate::{DIMENSIONS, Failure, for_size};

/// The vertex of the cells beyond the hull.
const INFINITY: u32 = u32::MAX;

/// Points between two pauses.
const PAUSES: usize = 32;

/// A triangulation, in arrays as SciPy has them.
#[derive(Default)]
pub struct Triangulation {
    /// The vertices of the simplices, of positive orientation.
    pub simplices: Vec<i32>,
    /// The simplex opposite to each vertex, -1 for none.
    pub neighbors: Vec<i32>,
    /// The facets of the hull.
    pub hull: Vec<i32>,
    /// Points that are no vertex, each with a simplex and a vertex near it.
    pub coplanar: Vec<i32>,
    /// For each simplex the first one with the same sphere.
    pub spheres: Vec<i32>,
    /// For each simplex and facet on the hull the first hull facet in the same hyperplane, else -1; in more than three
    /// dimensions.
    pub planes: Vec<i32>,
}

struct Builder<'a, const V: usize> {
    points: &'a Points,
    complex: Complex<V>,
    last: u32,
    random: u32,
}

/// The triangulation of points of so many coordinates, one after another; with `groups` also which simplices have one
/// sphere.
pub fn triangulate(coordinates: &[f64], dimension: usize, groups: bool) -> Result<Triangulation, Failure> {
    if !DIMENSIONS.contains(&dimension) {
        return Err(Failure::Dimension);
    }
    let points = Points::new(coordinates, dimension);
    for_size!(dimension + 1, built(&points, groups))
}

fn built<const V: usize>(points: &Points, groups: bool) -> Result<Triangulation, Failure> {
    // With a vertex at infinity a simplex is closed: its first V vertices are the last cell.
    let all: Vec<u32> = (0..points.count() as u32).collect();
    let mut start = first_simplex(points, &all)?;
    start.push(INFINITY);
    let complex = Complex::<V>::boundary_of(&start);
    let mut builder = Builder { points, complex, last: V as u32, random: 1 };
    let mut coplanar = Vec::new();
    let mut hole = Vec::new();
    for (number, point) in insertion_order(points).into_iter().enumerate() {
        if number % PAUSES == 0 {
            pause();
        }
        if !start.contains(&point) {
            builder.insert(point, &mut hole, &mut coplanar);
        }
    }
    Ok(builder.finish(&mut coplanar, groups))
}

/// The position of the vertex at infinity.
#[inline(always)]
fn infinite<const V: usize>(complex: &Complex<V>, cell: u32) -> Option<usize> {
    complex.cells[cell as usize].vertices.iter().position(|v| *v == INFINITY)
}

/// On which side of a facet a point is: `Greater` where the cell is.
#[inline(always)]
fn side<const V: usize>(points: &Points, complex: &Complex<V>, cell: u32, facet: usize, point: u32) -> Ordering {
    let mut simplex = complex.cells[cell as usize].vertices;
    simplex[facet] = point;
    points.orientation(&simplex)
}

/// Whether a point is inside the sphere of a cell without infinity.
#[inline(always)]
fn sphere<const V: usize>(points: &Points, complex: &Complex<V>, cell: u32, point: u32) -> Ordering {
    let mut all = [point; 11];
    all[..V].copy_from_slice(&complex.cells[cell as usize].vertices);
    points.in_sphere(&all[..=V])
}

/// Whether a cell goes when a point comes.
#[inline(always)]
fn conflicts<const V: usize>(points: &Points, complex: &Complex<V>, cell: u32, point: u32) -> bool {
    match infinite(complex, cell) {
        None => sphere(points, complex, cell, point) == Ordering::Greater,
        Some(at) => match side(points, complex, cell, at, point) {
            Ordering::Greater => true,
            Ordering::Less => false,
            // In the hyperplane of the hull's facet: the sphere cuts out of it what that of the cell inside does.
            Ordering::Equal => {
                let inside = complex.cells[cell as usize].neighbors[at];
                sphere(points, complex, inside, point) == Ordering::Greater
            }
        },
    }
}

impl<const V: usize> Builder<'_, V> {
    /// A cell that contains a point, or the one at infinity beyond a facet that it is outside of.
    ///
    /// Walks through facets that have the point behind them, in no fixed order, which could go in circles.
    fn locate(&mut self, point: u32) -> u32 {
        let complex = &self.complex;
        let mut cell = self.last;
        if let Some(at) = infinite(complex, cell) {
            cell = complex.cells[cell as usize].neighbors[at];
        }
        let mut from = u32::MAX;
        'walk: loop {
            if infinite(complex, cell).is_some() {
                return cell;
            }
            self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let offset = (self.random >> 16) as usize % V;
            for turn in 0..V {
                let facet = if turn + offset < V { turn + offset } else { turn + offset - V };
                let behind = complex.cells[cell as usize].neighbors[facet];
                if behind != from && side(self.points, complex, cell, facet, point) == Ordering::Less {
                    from = cell;
                    cell = behind;
                    continue 'walk;
                }
            }
            return cell;
        }
    }

    fn insert(&mut self, point: u32, hole: &mut Vec<u32>, coplanar: &mut Vec<(u32, u32)>) {
        let cell = self.locate(point);
        let found = self.complex.cells[cell as usize].vertices;
        let here = self.points.at(point);
        if let Some(twin) = found.iter().find(|v| **v != INFINITY && self.points.at(**v) == here) {
            coplanar.push((point, *twin));
            return;
        }
        let points = self.points;
        self.complex.region(cell, hole, |complex, cell| conflicts(points, complex, cell, point));
        self.complex.replace(hole, point);
        self.last = self.complex.made[0];
    }

    fn finish(&self, coplanar: &mut [(u32, u32)], groups: bool) -> Triangulation {
        let complex = &self.complex;
        let mut result = Triangulation::default();
        let mut numbers = vec![-1_i32; complex.cells.len()];
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for cell in complex.numbers() {
            if infinite(complex, cell).is_some() {
                outside.push(cell);
            } else {
                numbers[cell as usize] = inside.len() as i32;
                inside.push(cell);
            }
        }
        let mut at_vertex = vec![0_i32; self.points.count()];
        for (number, cell) in inside.iter().enumerate() {
            let cell = &complex.cells[*cell as usize];
            for (vertex, neighbor) in cell.vertices.iter().zip(cell.neighbors) {
                result.simplices.push(*vertex as i32);
                result.neighbors.push(numbers[neighbor as usize]);
                at_vertex[*vertex as usize] = number as i32;
            }
        }
        for cell in &outside {
            let vertices = complex.cells[*cell as usize].vertices;
            result.hull.extend(vertices.iter().filter(|v| **v != INFINITY).map(|v| *v as i32));
        }
        coplanar.sort_unstable();
        for (point, twin) in coplanar {
            result.coplanar.extend([*point as i32, at_vertex[*twin as usize], *twin as i32]);
        }
        if groups {
            result.spheres = grouped(
                &inside,
                |cell, facet| {
                    let neighbor = complex.cells[cell as usize].neighbors[facet];
                    let opposite = complex.cells[neighbor as usize].vertices[complex.facet_of(neighbor, cell)];
                    let number = numbers[neighbor as usize];
                    (number >= 0 && sphere(self.points, complex, cell, opposite) == Ordering::Equal).then_some(number)
                },
                V,
            );
        }
        if groups && V > 4 {
            result.planes = self.planes(&inside, &outside);
        }
        result
    }

    /// Which facets of the hull have one hyperplane, for all facets of simplices.
    fn planes(&self, inside: &[u32], outside: &[u32]) -> Vec<i32> {
        let complex = &self.complex;
        let mut numbers = vec![-1_i32; complex.cells.len()];
        for (number, cell) in outside.iter().enumerate() {
            numbers[*cell as usize] = number as i32;
        }
        let planes = grouped(
            outside,
            |cell, facet| {
                let at = infinite(complex, cell)?;
                let neighbor = complex.cells[cell as usize].neighbors[facet];
                let opposite = complex.cells[neighbor as usize].vertices[complex.facet_of(neighbor, cell)];
                let flat = facet != at && side(self.points, complex, cell, at, opposite) == Ordering::Equal;
                flat.then_some(numbers[neighbor as usize])
            },
            V,
        );
        let plane = |neighbor: u32| usize::try_from(numbers[neighbor as usize]).map_or(-1, |number| planes[number]);
        inside.iter().flat_map(|cell| complex.cells[*cell as usize].neighbors.map(plane)).collect()
    }
}

/// For each cell the first one of its group; `joined` says which cell behind a facet is of the same one.
pub(crate) fn grouped(cells: &[u32], joined: impl Fn(u32, usize) -> Option<i32>, facets: usize) -> Vec<i32> {
    let mut first: Vec<i32> = (0..cells.len() as i32).collect();
    fn root(first: &mut [i32], mut at: i32) -> i32 {
        while first[at as usize] != at {
            first[at as usize] = first[first[at as usize] as usize];
            at = first[at as usize];
        }
        at
    }
    for (number, cell) in cells.iter().enumerate() {
        for facet in 0..facets {
            if let Some(other) = joined(*cell, facet) {
                let (a, b) = (root(&mut first, number as i32), root(&mut first, other));
                first[a.max(b) as usize] = a.min(b);
            }
        }
    }
    (0..cells.len() as i32).map(|at| root(&mut first, at)).collect()
}

/// In rounds that double, so that holes stay small for any input, and in each along a curve that fills space, so that the
/// way to the next point is short.
fn insertion_order(points: &Points) -> Vec<u32> {
    let (count, dimension) = (points.count(), points.dimension);
    let bits = (57 / dimension).min(16) as u32;
    let (mut low, mut high) = (vec![f64::INFINITY; dimension], vec![f64::NEG_INFINITY; dimension]);
    for point in points.coordinates.chunks_exact(dimension) {
        for d in 0..dimension {
            low[d] = low[d].min(point[d]);
            high[d] = high[d].max(point[d]);
        }
    }
    let width = (0..dimension).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    let scale = if width > 0.0 { f64::from((1_u32 << bits) - 1) / width } else { 0.0 };
    let mut axes = [0; *DIMENSIONS.end()];
    let axes = &mut axes[..dimension];
    let mut order: Vec<(u64, u32)> = (0..count as u32)
        .map(|i| {
            for (axis, (x, low)) in axes.iter_mut().zip(points.at(i).iter().zip(&low)) {
                *axis = ((x - low) * scale) as u32;
            }
            // A multiplicative hash: half of the points are in the last round, a quarter in the one before.
            let hash = i.wrapping_add(1).wrapping_mul(0x9e37_79b1);
            let round = 24 - (hash >> 8).trailing_zeros().min(24);
            let position = match *axes {
                [x, y] => along_plane_curve(x, y, bits),
                _ => along_curve(axes, bits),
            };
            (u64::from(round) << 57 | position, i)
        })
        .collect();
    sort(&mut order);
    order.into_iter().map(|(_, i)| i).collect()
}

/// Sorts by the first number, digit by digit; stable.
fn sort(order: &mut Vec<(u64, u32)>) {
    const BITS: u32 = 11;
    let all = |join: fn(u64, u64) -> u64| order.iter().map(|(key, _)| *key).reduce(join).unwrap_or(0);
    let varying = all(|x, y| x | y) & !all(|x, y| x & y);
    let mut other = vec![(0, 0); order.len()];
    for shift in (0..u64::BITS).step_by(BITS as usize) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << BITS) - 1);
        if digit(varying) == 0 {
            continue;
        }
        let mut places = [0_u32; 1 << BITS];
        for (key, _) in &*order {
            places[digit(*key)] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for pair in &*order {
            let place = &mut places[digit(pair.0)];
            other[*place as usize] = *pair;
            *place += 1;
        }
        std::mem::swap(order, &mut other);
    }
}

/// The position of a cell of a plane grid along Hilbert's curve, quarter by quarter.
fn along_plane_curve(mut x: u32, mut y: u32, bits: u32) -> u64 {
    let mut position = 0;
    for level in (0..bits).rev() {
        let (right, upper) = (x >> level & 1, y >> level & 1);
        position = position << 2 | u64::from((3 * right) ^ upper);
        if upper == 0 {
            // The curve runs through the lower quarters turned round, in the right one backwards.
            let turn = right.wrapping_neg();
            (x, y) = (y ^ turn, x ^ turn);
        }
    }
    position
}

/// The position of a cell of a grid along Hilbert's curve (Skilling, Programming the Hilbert curve, 2004).
fn along_curve(axes: &mut [u32], bits: u32) -> u64 {
    let count = axes.len();
    let mut bit = 1_u32 << (bits - 1);
    while bit > 1 {
        for i in 0..count {
            if axes[i] & bit != 0 {
                axes[0] ^= bit - 1;
            } else {
                let swapped = (axes[0] ^ axes[i]) & (bit - 1);
                axes[0] ^= swapped;
                axes[i] ^= swapped;
            }
        }
        bit >>= 1;
    }
    for i in 1..count {
        axes[i] ^= axes[i - 1];
    }
    let mut flips = 0;
    let mut bit = 1_u32 << (bits - 1);
    while bit > 1 {
        if axes[count - 1] & bit != 0 {
            flips ^= bit - 1;
        }
        bit >>= 1;
    }
    let mut position = 0;
    for level in (0..bits).rev() {
        for axis in &*axes {
            position = position << 1 | u64::from((axis ^ flips) >> level & 1);
        }
    }
    position
}
