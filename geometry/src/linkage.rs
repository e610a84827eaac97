//! Agglomerative clustering of a condensed matrix of distances.
//!
//! Single linkage is a minimum spanning tree (Prim); complete, average, weighted and Ward's linkage follow chains of
//! nearest neighbours; centroid and median linkage, whose distances may decrease, keep a candidate for each cluster.
//! Ties are resolved as SciPy does in the first two.

use crate::trees::Linkage;

/// How the distance to a merged cluster follows from those to its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The smaller one.
    Single,
    /// The larger one.
    Complete,
    /// Their mean, by the numbers of members.
    Average,
    /// That of the centroids.
    Centroid,
    /// That of the middles of the centroids of both parts.
    Median,
    /// The growth of the variance.
    Ward,
    /// Their mean.
    Weighted,
}

impl Method {
    /// The method of a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "single" => Self::Single,
            "complete" => Self::Complete,
            "average" => Self::Average,
            "centroid" => Self::Centroid,
            "median" => Self::Median,
            "ward" => Self::Ward,
            "weighted" => Self::Weighted,
            _ => return None,
        })
    }

    /// The distance of a cluster of `ni` members to the union of two of `nx` and `ny`, which are `xy` apart.
    #[inline(always)]
    fn joined(self, xi: f64, yi: f64, xy: f64, nx: f64, ny: f64, ni: f64) -> f64 {
        match self {
            Self::Single => xi.min(yi),
            Self::Complete => xi.max(yi),
            Self::Average => (nx * xi + ny * yi) / (nx + ny),
            Self::Weighted => 0.5 * (xi + yi),
            Self::Centroid => ((nx * xi * xi + ny * yi * yi - nx * ny * xy * xy / (nx + ny)) / (nx + ny)).sqrt(),
            Self::Median => (0.5 * (xi * xi + yi * yi) - 0.25 * xy * xy).sqrt(),
            Self::Ward => {
                let share = 1.0 / (nx + ny + ni);
                ((ni + nx) * share * xi * xi + (ni + ny) * share * yi * yi - ni * share * xy * xy).sqrt()
            }
        }
    }
}

/// Distances of all pairs, in the order of rows of the upper triangle.
struct Condensed {
    values: Vec<f64>,
    count: usize,
}

impl Condensed {
    #[inline(always)]
    fn index(&self, i: usize, j: usize) -> usize {
        let (i, j) = if i < j { (i, j) } else { (j, i) };
        self.count * i - i * (i + 1) / 2 + j - i - 1
    }

    #[inline(always)]
    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[self.index(i, j)]
    }

    /// Calls a function with each other cluster and the distance of `x` to it.
    #[inline(always)]
    fn for_each(&self, x: usize, mut call: impl FnMut(usize, f64)) {
        let mut index = x.wrapping_sub(1);
        for i in 0..x {
            call(i, self.values[index]);
            index = index.wrapping_add(self.count - i - 2);
        }
        let first = self.count * x - x * (x + 1) / 2;
        for (i, distance) in (x + 1..self.count).zip(&self.values[first.min(self.values.len())..]) {
            call(i, *distance);
        }
    }

    /// Replaces the distances of all clusters to `y` by those to the union of `x` and `y`.
    fn merge(&mut self, x: usize, y: usize, distance: f64, sizes: &[usize], nx: usize, ny: usize, method: Method) {
        for i in 0..self.count {
            if sizes[i] != 0 && i != y {
                let (at_x, at_y) = (self.index(i, x), self.index(i, y));
                let (xi, yi) = (self.values[at_x], self.values[at_y]);
                self.values[at_y] = method.joined(xi, yi, distance, nx as f64, ny as f64, sizes[i] as f64);
            }
        }
    }
}

/// The linkage of `count` observations.
pub fn linkage(distances: Vec<f64>, count: usize, method: Method) -> Linkage {
    let distances = Condensed { values: distances, count };
    match method {
        Method::Single => labelled(spanning_tree(&distances), count),
        Method::Centroid | Method::Median => nearest_pairs(distances, method),
        _ => labelled(chains(distances, method), count),
    }
}

fn spanning_tree(distances: &Condensed) -> Vec<(usize, usize, f64)> {
    let count = distances.count;
    let (mut merged, mut nearest) = (vec![false; count], vec![f64::INFINITY; count]);
    let (mut merges, mut x) = (Vec::with_capacity(count - 1), 0);
    for _ in 1..count {
        merged[x] = true;
        let (mut y, mut least) = (0, f64::INFINITY);
        distances.for_each(x, |i, distance| {
            if !merged[i] {
                nearest[i] = nearest[i].min(distance);
                if nearest[i] < least {
                    (y, least) = (i, nearest[i]);
                }
            }
        });
        merges.push((x, y, least));
        x = y;
    }
    merges
}

fn chains(mut distances: Condensed, method: Method) -> Vec<(usize, usize, f64)> {
    let count = distances.count;
    let mut sizes = vec![1_usize; count];
    let (mut merges, mut chain) = (Vec::with_capacity(count - 1), Vec::with_capacity(count));
    for _ in 1..count {
        if chain.is_empty() {
            chain.push(sizes.iter().position(|size| *size > 0).unwrap_or(0));
        }
        let (mut x, mut y, least) = loop {
            let x = chain[chain.len() - 1];
            let before = (chain.len() > 1).then(|| chain[chain.len() - 2]);
            // The one before wins ties, so that chains end.
            let (mut y, mut least) = before.map_or((0, f64::INFINITY), |y| (y, distances.at(x, y)));
            distances.for_each(x, |i, distance| {
                if distance < least && sizes[i] != 0 {
                    (y, least) = (i, distance);
                }
            });
            if before == Some(y) {
                break (x, y, least);
            }
            chain.push(y);
        };
        chain.truncate(chain.len() - 2);
        if x > y {
            std::mem::swap(&mut x, &mut y);
        }
        let (nx, ny) = (sizes[x], sizes[y]);
        merges.push((x, y, least));
        (sizes[x], sizes[y]) = (0, nx + ny);
        distances.merge(x, y, least, &sizes, nx, ny, method);
    }
    merges
}

/// Merges by distance, with numbers of clusters instead of those of one member each.
fn labelled(mut merges: Vec<(usize, usize, f64)>, count: usize) -> Linkage {
    merges.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut parents: Vec<usize> = (0..2 * count - 1).collect();
    let mut sizes = vec![1.0; 2 * count - 1];
    let mut rows = Vec::with_capacity(count - 1);
    for (step, (x, y, distance)) in merges.into_iter().enumerate() {
        let (a, b) = (root(&mut parents, x), root(&mut parents, y));
        let size = sizes[a] + sizes[b];
        rows.push([a.min(b) as f64, a.max(b) as f64, distance, size]);
        (parents[a], parents[b], sizes[count + step]) = (count + step, count + step, size);
    }
    Linkage { rows }
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

fn nearest_pairs(mut distances: Condensed, method: Method) -> Linkage {
    let count = distances.count;
    let mut sizes = vec![1_usize; count];
    let mut numbers: Vec<usize> = (0..count).collect();
    // Of each cluster the nearest one behind it: a lower bound once one of them has changed.
    let mut nearest = vec![(count, f64::INFINITY); count];
    for (x, candidate) in nearest.iter_mut().enumerate() {
        *candidate = behind(&distances, &sizes, x);
    }
    let mut rows = Vec::with_capacity(count - 1);
    for step in 0..count - 1 {
        let (x, y, distance) = loop {
            let mut x = 0;
            let mut least = f64::INFINITY;
            let mut found = false;
            for i in 0..count {
                if sizes[i] != 0 && nearest[i].0 < count && (nearest[i].1 < least || !found) {
                    (x, least, found) = (i, nearest[i].1, true);
                }
            }
            let (y, bound) = nearest[x];
            if sizes[y] != 0 && bound.to_bits() == distances.at(x, y).to_bits() {
                break (x, y, bound);
            }
            nearest[x] = behind(&distances, &sizes, x);
        };
        let (nx, ny) = (sizes[x], sizes[y]);
        let (a, b) = (numbers[x].min(numbers[y]), numbers[x].max(numbers[y]));
        rows.push([a as f64, b as f64, distance, (nx + ny) as f64]);
        (sizes[x], sizes[y], numbers[y]) = (0, nx + ny, count + step);
        distances.merge(x, y, distance, &sizes, nx, ny, method);
        for z in 0..y {
            if sizes[z] != 0 {
                let now = distances.at(z, y);
                if now < nearest[z].1 {
                    nearest[z] = (y, now);
                } else if nearest[z].0 == x {
                    nearest[z].0 = y;
                }
            }
        }
        nearest[y] = behind(&distances, &sizes, y);
    }
    Linkage { rows }
}

/// The nearest of the clusters behind one.
fn behind(distances: &Condensed, sizes: &[usize], x: usize) -> (usize, f64) {
    let mut found = (distances.count, f64::INFINITY);
    for i in x + 1..distances.count {
        if sizes[i] != 0 {
            let distance = distances.at(x, i);
            if distance < found.1 || found.0 == distances.count {
                found = (i, distance);
            }
        }
    }
    found
}
