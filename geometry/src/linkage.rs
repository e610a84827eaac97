//! Agglomerative clustering of a condensed matrix of distances.
//!
//! Single linkage is a minimum spanning tree (Prim); complete, average, weighted and Ward's linkage follow chains of
//! nearest neighbours; centroid and median linkage, whose distances may decrease, keep a candidate for each cluster.
//! Ties are resolved as SciPy does in the first two.

use crate::pause::pause;
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

    /// Where the distances of a cluster to those behind it begin.
    #[inline(always)]
    fn first(&self, x: usize) -> usize {
        self.count * x - x * (x + 1) / 2
    }

    /// The distances of `x` to all others; infinity to itself.
    fn row(&self, x: usize, row: &mut [f64]) {
        let mut index = x.wrapping_sub(1);
        for (i, place) in row[..x].iter_mut().enumerate() {
            *place = self.values[index];
            index = index.wrapping_add(self.count - i - 2);
        }
        row[x] = f64::INFINITY;
        let behind = &mut row[x + 1..];
        let first = self.first(x).min(self.values.len());
        behind.copy_from_slice(&self.values[first..first + behind.len()]);
    }

    /// Replaces the distances of all clusters to `y` by those to the union of `x` and `y`, which comes later.
    fn merge(&mut self, x: usize, y: usize, distance: f64, sizes: &[f64], nx: f64, ny: f64, method: Method) {
        // Of clusters that are gone something is computed, too: so loops have no branches.
        let joined = |xi, yi, i: usize| method.joined(xi, yi, distance, nx, ny, sizes[i]);
        let mut index = x.wrapping_sub(1);
        for i in 0..x {
            self.values[index + y - x] = joined(self.values[index], self.values[index + y - x], i);
            index = index.wrapping_add(self.count - i - 2);
        }
        let first = self.first(x);
        for i in x + 1..y {
            let place = self.index(i, y);
            self.values[place] = joined(self.values[first + i - x - 1], self.values[place], i);
        }
        let middle = self.first(y).min(self.values.len());
        let (from_x, to_y) = self.values.split_at_mut(middle);
        let behind = &from_x[first + y - x..first + self.count - x - 1];
        for (i, (xi, yi)) in (y + 1..).zip(behind.iter().zip(to_y)) {
            *yi = joined(*xi, *yi, i);
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

/// The least of some values and its place; the first one of equal ones.
fn least(values: &[f64]) -> (usize, f64) {
    // Several minima at a time, which become vectors.
    let mut lanes = [f64::INFINITY; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if *value < *lane { *value } else { *lane };
        }
    }
    let found =
        lanes.iter().chain(rest).fold(f64::INFINITY, |least, value| if *value < least { *value } else { least });
    (values.iter().position(|value| *value == found).unwrap_or(0), found)
}

/// Puts infinity where clusters are gone.
fn hide(row: &mut [f64], sizes: &[f64]) {
    for (distance, size) in row.iter_mut().zip(sizes) {
        *distance = if *size > 0.0 { *distance } else { f64::INFINITY };
    }
}

fn spanning_tree(distances: &Condensed) -> Vec<(usize, usize, f64)> {
    let count = distances.count;
    let (mut sizes, mut nearest) = (vec![1.0; count], vec![f64::INFINITY; count]);
    let (mut row, mut merges, mut x) = (vec![0.0; count], Vec::with_capacity(count - 1), 0);
    for _ in 1..count {
        pause();
        (sizes[x], nearest[x]) = (0.0, f64::INFINITY);
        distances.row(x, &mut row);
        hide(&mut row, &sizes);
        for (nearest, distance) in nearest.iter_mut().zip(&row) {
            *nearest = if *distance < *nearest { *distance } else { *nearest };
        }
        let (y, distance) = least(&nearest);
        merges.push((x, y, distance));
        x = y;
    }
    merges
}

fn chains(mut distances: Condensed, method: Method) -> Vec<(usize, usize, f64)> {
    let count = distances.count;
    let (mut sizes, mut row) = (vec![1.0; count], vec![0.0; count]);
    let (mut merges, mut chain) = (Vec::with_capacity(count - 1), Vec::with_capacity(count));
    for _ in 1..count {
        if chain.is_empty() {
            chain.push(sizes.iter().position(|size| *size > 0.0).unwrap_or(0));
        }
        let (mut x, mut y, distance) = loop {
            let x: usize = chain[chain.len() - 1];
            pause();
            let before = (chain.len() > 1).then(|| chain[chain.len() - 2]);
            distances.row(x, &mut row);
            hide(&mut row, &sizes);
            let (nearest, distance) = least(&row);
            match before {
                // The one before wins ties, so that chains end.
                Some(y) if row[y] <= distance || row[y].is_nan() => break (x, y, row[y]),
                _ => chain.push(nearest),
            }
        };
        chain.truncate(chain.len() - 2);
        if x > y {
            std::mem::swap(&mut x, &mut y);
        }
        let (nx, ny) = (sizes[x], sizes[y]);
        merges.push((x, y, distance));
        (sizes[x], sizes[y]) = (0.0, nx + ny);
        distances.merge(x, y, distance, &sizes, nx, ny, method);
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
    let mut sizes = vec![1.0; count];
    let mut numbers: Vec<usize> = (0..count).collect();
    // Of each cluster the nearest one behind it: a lower bound once one of them has changed.
    let mut nearest = vec![(count, f64::INFINITY); count];
    for (x, candidate) in nearest.iter_mut().enumerate() {
        *candidate = behind(&distances, &sizes, x);
    }
    let mut rows = Vec::with_capacity(count - 1);
    for step in 0..count - 1 {
        let (x, y, distance) = loop {
            pause();
            let mut x = 0;
            let mut least = f64::INFINITY;
            let mut found = false;
            for i in 0..count {
                if sizes[i] > 0.0 && nearest[i].0 < count && (nearest[i].1 < least || !found) {
                    (x, least, found) = (i, nearest[i].1, true);
                }
            }
            let (y, bound) = nearest[x];
            if sizes[y] > 0.0 && bound.to_bits() == distances.at(x, y).to_bits() {
                break (x, y, bound);
            }
            nearest[x] = behind(&distances, &sizes, x);
        };
        let (nx, ny) = (sizes[x], sizes[y]);
        let (a, b) = (numbers[x].min(numbers[y]), numbers[x].max(numbers[y]));
        rows.push([a as f64, b as f64, distance, nx + ny]);
        (sizes[x], sizes[y], numbers[y]) = (0.0, nx + ny, count + step);
        distances.merge(x, y, distance, &sizes, nx, ny, method);
        for z in 0..y {
            if sizes[z] > 0.0 {
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
fn behind(distances: &Condensed, sizes: &[f64], x: usize) -> (usize, f64) {
    let mut found = (distances.count, f64::INFINITY);
    for i in x + 1..distances.count {
        if sizes[i] > 0.0 {
            let distance = distances.at(x, i);
            if distance < found.1 || found.0 == distances.count {
                found = (i, distance);
            }
        }
    }
    found
}
