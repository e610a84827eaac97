//! Voronoi diagrams: what lies around the vertices and edges of a triangulation.

use crate::pause::pause;

/// Rows of different lengths, one after another.
#[derive(Default)]
pub struct Rows {
    /// The elements of all rows.
    pub elements: Vec<i32>,
    /// Where each row ends.
    pub ends: Vec<i32>,
}

impl Rows {
    fn push(&mut self, row: impl IntoIterator<Item = i32>) {
        self.elements.extend(row);
        self.ends.push(self.elements.len() as i32);
    }
}

/// Ridges and regions, in arrays as SciPy has them.
#[derive(Default)]
pub struct Diagram {
    /// The two points that each ridge lies between.
    pub ridge_points: Vec<i32>,
    /// The vertices of each ridge, in their order in two and three dimensions, with -1 for one at infinity.
    pub ridges: Rows,
    /// The vertices of the region of each point, in their order in two dimensions.
    pub regions: Rows,
}

/// Simplices with their neighbours, and the vertex of the diagram that each one is.
struct Mesh<'a> {
    simplices: &'a [i32],
    neighbors: &'a [i32],
    vertex: &'a [i32],
    planes: &'a [i32],
    /// How many vertices there are.
    distinct: usize,
    size: usize,
}

/// The diagram of a triangulation of `count` points: `spheres` numbers the simplices with one vertex of the diagram,
/// `planes` (in more than three dimensions) the facets of the hull with one hyperplane.
pub fn diagram(
    simplices: &[i32],
    neighbors: &[i32],
    spheres: &[i32],
    planes: &[i32],
    dimension: usize,
    count: usize,
) -> Diagram {
    let distinct = spheres.iter().max().map_or(0, |most| *most as usize + 1);
    let mesh = Mesh { simplices, neighbors, vertex: spheres, planes, distinct, size: dimension + 1 };
    Diagram { regions: mesh.regions(count), ..mesh.ridges() }
}

/// For each of `count` points the simplices around it; in their order if they are triangles.
pub fn stars(simplices: &[i32], neighbors: &[i32], size: usize, count: usize) -> Rows {
    let own: Vec<i32> = (0..(simplices.len() / size) as i32).collect();
    Mesh { simplices, neighbors, vertex: &own, planes: &[], distinct: own.len(), size }.regions(count)
}

impl Mesh<'_> {
    fn count(&self) -> usize {
        self.simplices.len() / self.size
    }

    fn corners(&self, simplex: usize) -> &[i32] {
        &self.simplices[simplex * self.size..][..self.size]
    }

    /// Turns round all but two vertices of a simplex: the simplices in order, and whether the turn ends at the hull.
    fn ring(&self, first: usize, fixed: &[i32]) -> (Vec<usize>, bool) {
        let others: Vec<usize> = (0..self.size).filter(|i| !fixed.contains(&self.corners(first)[*i])).collect();
        let (mut ring, ends) = self.turn(first, others[0], others[1]);
        if !ends {
            return (ring, false);
        }
        // Against the hull: the other half from where it began.
        let (mut back, _) = self.turn(first, others[1], others[0]);
        back.reverse();
        back.pop();
        back.append(&mut ring);
        (back, true)
    }

    /// Leaves a simplex through the facet opposite to `leave`, and turns round what is left of it without `keep`.
    fn turn(&self, first: usize, mut leave: usize, mut keep: usize) -> (Vec<usize>, bool) {
        let (mut at, mut passed) = (first, vec![first]);
        loop {
            let next = self.neighbors[at * self.size + leave];
            if next < 0 {
                return (passed, true);
            }
            let next = next as usize;
            if next == first {
                return (passed, false);
            }
            let kept = self.corners(at)[keep];
            let new = (0..self.size).find(|i| !self.corners(at).contains(&self.corners(next)[*i])).unwrap_or(0);
            leave = self.corners(next).iter().position(|v| *v == kept).unwrap_or(0);
            keep = new;
            at = next;
            passed.push(at);
        }
    }

    fn regions(&self, count: usize) -> Rows {
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); count];
        for simplex in 0..self.count() {
            for vertex in self.corners(simplex) {
                around[*vertex as usize].push(simplex);
            }
        }
        let mut rows = Rows::default();
        for (point, simplices) in around.iter().enumerate() {
            let point = point as i32;
            let mut row = Vec::new();
            if self.size == 3 && !simplices.is_empty() {
                let (ring, ends) = self.ring(simplices[0], &[point]);
                row.extend(ends.then_some(-1));
                row.extend(ring.iter().map(|s| self.vertex[*s]));
                row.dedup();
                if row.len() > 1 && row.first() == row.last() {
                    row.pop();
                }
            } else {
                row.extend(simplices.iter().map(|s| self.vertex[*s]));
                if simplices.iter().any(|s| self.opens(*s, &[point])) {
                    row.push(-1);
                }
                row.sort_unstable();
                row.dedup();
            }
            rows.push(row);
        }
        rows
    }

    /// Whether a facet of the hull has these vertices.
    fn opens(&self, simplex: usize, vertices: &[i32]) -> bool {
        (0..self.size)
            .any(|i| self.neighbors[simplex * self.size + i] < 0 && !vertices.contains(&self.corners(simplex)[i]))
    }

    fn ridges(&self) -> Diagram {
        let mut edges = Vec::new();
        for simplex in 0..self.count() {
            let corners = self.corners(simplex);
            for (i, a) in corners.iter().enumerate() {
                edges.extend(corners[i + 1..].iter().map(|b| (*a.min(b), *a.max(b), simplex)));
            }
        }
        edges.sort_unstable();
        let mut result = Diagram::default();
        let corners = self.corners_of_faces();
        for edge in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            pause();
            let ends = [edge[0].0, edge[0].1];
            let all: Vec<usize> = edge.iter().map(|(_, _, simplex)| *simplex).collect();
            let opens = all.iter().any(|simplex| self.opens(*simplex, &ends));
            let all_faces = if self.size > 4 { all.clone() } else { Vec::new() };
            let ring = if self.size == 4 { self.ring(all[0], &ends).0 } else { all };
            let mut row: Vec<i32> = ring.iter().map(|s| self.vertex[*s]).collect();
            row.dedup();
            if self.size > 4 {
                row.sort_unstable();
                row.dedup();
            } else if row.len() > 1 && row.first() == row.last() {
                row.pop();
            }
            // Of cospherical points some edges are within one vertex of the diagram. As Qhull has it, a face needs as many
            // vertices as there are dimensions, where infinity counts as one.
            let faces = || all_faces.iter().flat_map(|simplex| self.faces_at(*simplex, &ends));
            if row.len() + usize::from(opens) >= self.size - 1
                && (self.planes.is_empty() || is_edge(&corners, faces(), &ends))
            {
                if opens {
                    row.insert(0, -1);
                }
                result.ridge_points.extend(ends);
                result.ridges.push(row);
            }
        }
        result
    }

    /// The points of each sphere, and behind them those of each hyperplane of the hull.
    fn corners_of_faces(&self) -> Vec<Vec<i32>> {
        let spheres = self.distinct;
        let planes = self.planes.iter().max().map_or(0, |most| (*most + 1) as usize);
        let mut corners = vec![Vec::new(); if self.size > 4 { spheres + planes } else { 0 }];
        if self.size > 4 {
            for simplex in 0..self.count() {
                for face in self.faces_at(simplex, &[]) {
                    corners[face].extend(self.corners(simplex).iter().enumerate().filter_map(|(i, corner)| {
                        let plane = self.planes.get(simplex * self.size + i).copied().unwrap_or(-1);
                        let is_opposite = face >= spheres && plane >= 0 && spheres + plane as usize == face;
                        (!is_opposite).then_some(*corner)
                    }));
                }
            }
        }
        for points in &mut corners {
            points.sort_unstable();
            points.dedup();
        }
        corners
    }

    /// The sphere of a simplex, and the hyperplanes of its facets on the hull that have some vertices.
    fn faces_at(&self, simplex: usize, vertices: &[i32]) -> Vec<usize> {
        let mut faces = vec![self.vertex[simplex] as usize];
        for i in 0..self.size {
            let plane = self.planes.get(simplex * self.size + i).copied().unwrap_or(-1);
            if plane >= 0 && !vertices.contains(&self.corners(simplex)[i]) {
                faces.push(self.distinct + plane as usize);
            }
        }
        faces
    }
}

/// Whether no other points than both ends are in all the faces around an edge: else it is a diagonal of a larger face.
fn is_edge(corners: &[Vec<i32>], mut faces: impl Iterator<Item = usize>, ends: &[i32; 2]) -> bool {
    let mut common: Vec<i32> = faces.next().map_or(Vec::new(), |face| corners[face].clone());
    for face in faces {
        common.retain(|point| corners[face].binary_search(point).is_ok());
        if common.len() == 2 {
            return true;
        }
    }
    common.iter().all(|point| ends.contains(point))
}
