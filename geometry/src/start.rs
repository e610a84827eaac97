//! A first simplex.

use crate::Failure;
use crate::points::Points;
use std::cmp::Ordering;

/// Points of those in `among` that are a simplex of positive orientation, far apart from one another.
pub fn first_simplex(points: &Points, among: &[u32]) -> Result<Vec<u32>, Failure> {
    let (count, dimension) = (among.len(), points.dimension);
    if count < dimension + 1 {
        return Err(Failure::TooFew);
    }
    let first = among.iter().copied().min_by(|a, b| points.at(*a)[0].total_cmp(&points.at(*b)[0])).unwrap_or(among[0]);
    let mut chosen = vec![first];
    let base = points.at(first).to_vec();
    // What is left of each point without the directions that are chosen.
    let mut rest = Vec::with_capacity(count * dimension);
    for point in among {
        rest.extend(points.at(*point).iter().zip(&base).map(|(x, b)| x - b));
    }
    // Widths below the roundings of the coordinates do not count, as Qhull has it.
    let least = 8.0 * dimension as f64 * f64::EPSILON;
    for _ in 0..dimension {
        let length = |i: usize| rest[i * dimension..(i + 1) * dimension].iter().map(|x| x * x).sum::<f64>();
        let (mut best, mut longest) = (0, 0.0);
        for i in 0..count {
            let square = length(i);
            if square > longest {
                (best, longest) = (i, square);
            }
        }
        let longest = longest.sqrt();
        if longest.is_nan() || longest <= least {
            return Err(Failure::Flat);
        }
        chosen.push(among[best]);
        let direction: Vec<f64> = rest[best * dimension..(best + 1) * dimension].iter().map(|x| x / longest).collect();
        for row in rest.chunks_exact_mut(dimension) {
            let along: f64 = row.iter().zip(&direction).map(|(x, d)| x * d).sum();
            for (x, d) in row.iter_mut().zip(&direction) {
                *x -= along * d;
            }
        }
    }
    match points.orientation(&chosen) {
        Ordering::Greater => {}
        Ordering::Less => chosen.swap(0, 1),
        Ordering::Equal => return Err(Failure::Flat),
    }
    Ok(chosen)
}
