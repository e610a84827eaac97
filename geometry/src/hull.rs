//! Convex hulls by Quickhull: each facet keeps the points beyond it, and the farthest one of them is added next.
//!
//! Which facets a point sees is decided exactly, so no facet is flat and none is lost. Facets of more vertices than a
//! simplex has stay divided.

use std::cmp::Ordering;

use crate::complex::Complex;
use crate::delaunay::Triangulation;
use crate::pause::pause;
use crate::points::Points;
use crate::start::first_simplex;
use crate::{DIMENSIONS, Failure, for_size};

/// A hull, in arrays as SciPy has them.
#[derive(Default)]
pub struct Hull {
    /// The vertices of the facets, seen from outside in one direction.
    pub facets: Vec<i32>,
    /// The facet opposite to each vertex.
    pub neighbors: Vec<i32>,
    /// The outward normal of each facet and its offset, from the origin.
    pub equations: Vec<f64>,
    /// For each facet the first one in the same hyperplane.
    pub planes: Vec<i32>,
    /// The points that are vertices, in the order of the points.
    pub vertices: Vec<i32>,
    /// The surface.
    pub area: f64,
    /// What is inside.
    pub volume: f64,
}

/// The hull of points of so many coordinates, one after another.
pub fn convex_hull(coordinates: &[f64], dimension: usize) -> Result<Hull, Failure> {
    if !DIMENSIONS.contains(&dimension) {
        return Err(Failure::Dimension);
    }
    let points = Points::new(coordinates, dimension);
    let mut among: Vec<u32> = (0..points.count() as u32).collect();
    loop {
        let (hull, between) = for_size!(dimension, built(&points, &among))?;
        if between.is_empty() {
            return Ok(hull);
        }
        // Points that were corners for a while and then came to lie between others: without them.
        among.retain(|point| between.binary_search(point).is_err());
    }
}

/// The triangulation whose spheres contain all points: the upper side of the hull of the points on a paraboloid.
///
/// Only corners of the hull are vertices.
pub fn furthest(coordinates: &[f64], dimension: usize) -> Result<Triangulation, Failure> {
    if !DIMENSIONS.contains(&dimension) {
        return Err(Failure::Dimension);
    }
    let points = Points::new(coordinates, dimension).lifted();
    let among: Vec<u32> = (0..points.count() as u32).collect();
    for_size!(dimension + 1, upper(&points, &among))
}

fn upper<const V: usize>(points: &Points, among: &[u32]) -> Result<Triangulation, Failure> {
    let (hull, _) = built::<V>(points, among)?;
    let Some(base) = &points.base else { return Err(Failure::Dimension) };
    // All points are in the spheres of facets whose corners below are of positive orientation.
    let mut numbers = vec![-1_i32; hull.facets.len() / V];
    let mut kept = Vec::new();
    for (facet, corners) in hull.facets.as_chunks::<V>().0.iter().enumerate() {
        if base.orientation(&corners.map(|corner| corner as u32)) == Ordering::Greater {
            numbers[facet] = kept.len() as i32;
            kept.push(facet);
        }
    }
    let mut result = Triangulation::default();
    for facet in &kept {
        let corners = &hull.facets[facet * V..(facet + 1) * V];
        result.simplices.extend(corners);
        result.spheres.push(numbers[hull.planes[*facet] as usize]);
        for (slot, neighbor) in hull.neighbors[facet * V..(facet + 1) * V].iter().enumerate() {
            let number = numbers[*neighbor as usize];
            result.neighbors.push(number);
            if number < 0 {
                result.hull.extend(corners.iter().enumerate().filter(|(i, _)| *i != slot).map(|(_, corner)| *corner));
            }
        }
    }
    Ok(result)
}

/// A hyperplane in floating point, to find points that are far beyond it.
#[derive(Clone, Copy)]
struct Plane<const V: usize> {
    normal: [f64; V],
    offset: f64,
    /// The length of the normal before it was scaled to one.
    size: f64,
    /// The error that a distance to it may have.
    doubt: f64,
}

impl<const V: usize> Plane<V> {
    /// Through V points, with the orientation of their order.
    fn through(points: &[&[f64]]) -> Self {
        let mut edges = [[0.0; V]; V];
        for (edge, point) in edges.iter_mut().zip(&points[1..]) {
            for d in 0..V {
                edge[d] = point[d] - points[0][d];
            }
        }
        let mut normal = [0.0; V];
        for (d, along) in normal.iter_mut().enumerate() {
            let minor = without_column::<V>(&edges, d);
            *along = if d & 1 == 0 { minor } else { -minor };
        }
        let size = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        for along in &mut normal {
            *along /= size;
        }
        let offset = -normal.iter().zip(points[0]).map(|(n, x)| n * x).sum::<f64>();
        // Edges are at most four long: so large may the minors be, and their errors in roundings; of small facets these are
        // large beside the normal.
        let doubt = 1e-14 * (V * V) as f64 * 4.0_f64.powi(V as i32) / size;
        Self { normal, offset, size, doubt: if doubt.is_nan() { f64::INFINITY } else { doubt } }
    }

    #[inline(always)]
    fn distance(&self, point: &[f64]) -> f64 {
        self.normal.iter().zip(point).map(|(n, x)| n * x).sum::<f64>() + self.offset
    }
}

/// The determinant of the first V - 1 rows without a column, by elimination.
fn without_column<const V: usize>(edges: &[[f64; V]; V], column: usize) -> f64 {
    let size = V - 1;
    let mut matrix = [[0.0; V]; V];
    for (row, edge) in matrix.iter_mut().zip(&edges[..size]) {
        for (slot, d) in (0..V).filter(|d| *d != column).enumerate() {
            row[slot] = edge[d];
        }
    }
    let mut determinant = 1.0;
    for at in 0..size {
        let pivot = (at..size).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs())).unwrap_or(at);
        if matrix[pivot][at] == 0.0 {
            return 0.0;
        }
        if pivot != at {
            matrix.swap(pivot, at);
            determinant = -determinant;
        }
        determinant *= matrix[at][at];
        for row in at + 1..size {
            let factor = matrix[row][at] / matrix[at][at];
            let (above, below) = matrix.split_at_mut(row);
            for (element, pivot) in below[0][at..size].iter_mut().zip(&above[at][at..size]) {
                *element -= factor * pivot;
            }
        }
    }
    determinant
}

struct Builder<'a, const V: usize> {
    points: &'a Points,
    complex: Complex<V>,
    planes: Vec<Plane<V>>,
    /// The points beyond each facet.
    beyond: Vec<Vec<u32>>,
}

fn built<const V: usize>(points: &Points, among: &[u32]) -> Result<(Hull, Vec<u32>), Failure> {
    let start = first_simplex(points, among)?;
    let complex = Complex::<V>::boundary_of(&start);
    let mut builder = Builder { points, complex, planes: Vec::new(), beyond: Vec::new() };
    let first: Vec<u32> = (0..=V as u32).collect();
    builder.prepare(&first);
    builder.share(among.iter().copied().filter(|p| !start.contains(p)), &first);
    let mut pending = first;
    let (mut hole, mut left) = (Vec::new(), Vec::new());
    while let Some(facet) = pending.pop() {
        if !builder.complex.is_cell(facet) || builder.beyond[facet as usize].is_empty() {
            continue;
        }
        pause();
        let apex = builder.farthest(facet);
        let (shared, planes) = (builder.points, &builder.planes);
        builder.complex.region(facet, &mut hole, |complex, cell| sees(shared, complex, planes, cell, apex));
        left.clear();
        for cell in &hole {
            left.append(&mut builder.beyond[*cell as usize]);
        }
        builder.complex.replace(&hole, apex);
        let made = std::mem::take(&mut builder.complex.made);
        builder.prepare(&made);
        builder.share(left.iter().copied().filter(|p| *p != apex), &made);
        pending.extend_from_slice(&made);
        builder.complex.made = made;
    }
    Ok(builder.finish())
}

/// Whether a point is strictly beyond a facet: by floating point where that is clear.
#[inline(always)]
fn sees<const V: usize>(points: &Points, complex: &Complex<V>, planes: &[Plane<V>], cell: u32, point: u32) -> bool {
    let plane = &planes[cell as usize];
    let distance = plane.distance(points.at(point));
    // A plane of no size has no distances either.
    if distance.abs() > plane.doubt {
        return distance > 0.0;
    }
    let mut simplex = [point; 11];
    simplex[..V].copy_from_slice(&complex.cells[cell as usize].vertices);
    // Facets have the inside on their positive side.
    points.orientation(&simplex[..=V]) == Ordering::Less
}

impl<const V: usize> Builder<'_, V> {
    /// Planes of new facets.
    fn prepare(&mut self, made: &[u32]) {
        for cell in made {
            let at = *cell as usize;
            let corners = self.complex.cells[at].vertices.map(|v| self.points.at(v));
            let plane = Plane::through(&corners);
            if at >= self.planes.len() {
                self.planes.resize(at + 1, plane);
                self.beyond.resize_with(at + 1, Vec::new);
            }
            self.planes[at] = plane;
        }
    }

    /// Gives each point to a facet that it is beyond, if there is one.
    fn share(&mut self, points: impl Iterator<Item = u32>, facets: &[u32]) {
        for point in points {
            let found = facets.iter().find(|cell| sees(self.points, &self.complex, &self.planes, **cell, point));
            if let Some(cell) = found {
                self.beyond[*cell as usize].push(point);
            }
        }
    }

    fn farthest(&self, facet: u32) -> u32 {
        let plane = &self.planes[facet as usize];
        let points = &self.beyond[facet as usize];
        let mut best = (points[0], f64::NEG_INFINITY);
        for point in points {
            let distance = plane.distance(self.points.at(*point));
            if distance > best.1 {
                best = (*point, distance);
            }
        }
        best.0
    }

    /// The arrays, and the vertices that are no corners.
    fn finish(&self) -> (Hull, Vec<u32>) {
        let complex = &self.complex;
        let mut numbers = vec![-1_i32; complex.cells.len()];
        let facets: Vec<u32> = complex.numbers().collect();
        for (number, cell) in facets.iter().enumerate() {
            numbers[*cell as usize] = number as i32;
        }
        let planes = crate::delaunay::grouped(
            &facets,
            |cell, facet| {
                let neighbor = complex.cells[cell as usize].neighbors[facet];
                let opposite = complex.cells[neighbor as usize].vertices[complex.facet_of(neighbor, cell)];
                let mut simplex = [opposite; 11];
                simplex[..V].copy_from_slice(&complex.cells[cell as usize].vertices);
                (self.points.orientation(&simplex[..=V]) == Ordering::Equal).then_some(numbers[neighbor as usize])
            },
            V,
        );
        let mut hull = Hull { planes, ..Hull::default() };
        // A corner is where at least as many hyperplanes meet as there are dimensions.
        let mut met: Vec<Vec<i32>> = vec![Vec::new(); self.points.count()];
        for (cell, plane) in facets.iter().zip(&hull.planes) {
            for vertex in complex.cells[*cell as usize].vertices {
                if !met[vertex as usize].contains(plane) {
                    met[vertex as usize].push(*plane);
                }
            }
        }
        let between: Vec<u32> = (0..met.len() as u32).filter(|v| (1..V).contains(&met[*v as usize].len())).collect();
        if !between.is_empty() {
            return (hull, between);
        }
        hull.vertices = (0..met.len() as i32).filter(|v| !met[*v as usize].is_empty()).collect();
        let middle: Vec<f64> = (0..V)
            .map(|d| hull.vertices.iter().map(|v| self.points.at(*v as u32)[d] / hull.vertices.len() as f64).sum())
            .collect();
        let factorial: f64 = (1..V).map(|i| i as f64).product();
        // In the units of the points, in which nothing overflows.
        let unit = self.points.unit;
        let (mut area, mut volume) = (0.0, 0.0);
        for number in &facets {
            let cell = &complex.cells[*number as usize];
            // A facet that rounding makes one of no size lies in the plane of a neighbour.
            let own = &self.planes[*number as usize];
            let beside = cell.neighbors.iter().map(|n| &self.planes[*n as usize]).find(|plane| plane.size > 0.0);
            let plane = if own.size > 0.0 { own } else { beside.unwrap_or(own) };
            hull.facets.extend(cell.vertices.map(|v| v as i32));
            hull.neighbors.extend(cell.neighbors.map(|n| numbers[n as usize]));
            hull.equations.extend(plane.normal);
            hull.equations.push(plane.offset * unit);
            if own.size > 0.0 {
                let size = own.size / factorial;
                area += size;
                volume += size * own.distance(&middle).abs() / V as f64;
            }
        }
        hull.area = (1..V).fold(area, |area, _| area * unit);
        hull.volume = (0..V).fold(volume, |volume, _| volume * unit);
        (hull, between)
    }
}
