//! Triangulations and hulls of points, checked by what they must be.

use cuproxide_geometry::{Failure, convex_hull, furthest, triangulate};

/// Numbers that look random.
fn random(count: usize) -> Vec<f64> {
    let mut state = 12345_u64;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
        .collect()
}

fn volume(points: &[f64], simplex: &[i32], dimension: usize) -> f64 {
    let at = |i: usize, d: usize| points[simplex[i] as usize * dimension + d];
    let mut matrix: Vec<Vec<f64>> =
        (1..=dimension).map(|i| (0..dimension).map(|d| at(i, d) - at(0, d)).collect()).collect();
    let mut product = 1.0;
    for k in 0..dimension {
        let pivot = (k..dimension).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs())).unwrap();
        matrix.swap(k, pivot);
        product *= matrix[k][k] / (k + 1) as f64;
        for i in k + 1..dimension {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..dimension {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    product.abs()
}

#[test]
fn simplices_fill_the_hull() {
    for dimension in 2..=6 {
        let points = random(60 * dimension);
        let found = triangulate(&points, dimension, true).unwrap();
        let hull = convex_hull(&points, dimension).unwrap();
        let total: f64 = found.simplices.chunks(dimension + 1).map(|s| volume(&points, s, dimension)).sum();
        assert!((total - hull.volume).abs() < 1e-12, "{dimension}: {total} {}", hull.volume);
        for (cell, neighbors) in found.neighbors.chunks(dimension + 1).enumerate() {
            for n in neighbors.iter().filter(|n| **n >= 0) {
                let back = &found.neighbors[*n as usize * (dimension + 1)..][..=dimension];
                assert!(back.contains(&(cell as i32)));
            }
        }
    }
}

#[test]
fn grids_have_no_flat_simplices() {
    for dimension in 2..=4 {
        let side = [0, 0, 12, 5, 3][dimension];
        let count = usize::pow(side, dimension as u32);
        let points: Vec<f64> = (0..count)
            .flat_map(|i| (0..dimension).map(move |d| (i / usize::pow(side, d as u32) % side) as f64 * 0.1))
            .collect();
        let found = triangulate(&points, dimension, true).unwrap();
        let total: f64 = found
            .simplices
            .chunks(dimension + 1)
            .map(|s| volume(&points, s, dimension))
            .inspect(|v| assert!(*v > 1e-7))
            .sum();
        let expected = ((side - 1) as f64 * 0.1).powi(dimension as i32);
        assert!((total - expected).abs() < 1e-10);
        assert_eq!(found.coplanar.len(), 0);
        let hull = convex_hull(&points, dimension).unwrap();
        assert!(hull.vertices.len() >= 1 << dimension);
        assert!((hull.volume - expected).abs() < 1e-10);
    }
}

#[test]
fn corners_only() {
    // Whole numbers, so that faces are flat.
    let points: Vec<f64> = (0..125).flat_map(|i| [(i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64]).collect();
    let hull = convex_hull(&points, 3).unwrap();
    assert_eq!(hull.vertices, [0, 4, 20, 24, 100, 104, 120, 124]);
    assert_eq!((hull.facets.len(), hull.area, hull.volume), (36, 96.0, 64.0));
    let mut planes = hull.planes;
    planes.sort_unstable();
    planes.dedup();
    assert_eq!(planes.len(), 6);
}

#[test]
fn twins_and_flat_points() {
    let points = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    assert_eq!(triangulate(&points, 2, false).unwrap().coplanar.len(), 3);
    assert_eq!(triangulate(&[0.0, 0.0, 1.0, 1.0, 2.0, 2.0], 2, false).err(), Some(Failure::Flat));
    assert_eq!(convex_hull(&[0.0, 0.0, 1.0, 1.0], 2).err(), Some(Failure::TooFew));
    assert_eq!(convex_hull(&[0.0; 12], 1).err(), Some(Failure::Dimension));
}

#[test]
fn extreme_magnitudes() {
    for scale in [1e-300, 1.0, 1e300] {
        let points: Vec<f64> = random(200).iter().map(|x| x * scale).collect();
        let found = triangulate(&points, 2, false).unwrap();
        assert_eq!(found.simplices, triangulate(&random(200), 2, false).unwrap().simplices);
    }
    let mut wide = random(100);
    wide.iter_mut().step_by(7).for_each(|x| *x *= 1e-200);
    assert!(!triangulate(&wide, 2, true).unwrap().simplices.is_empty());
}

#[test]
fn furthest_spheres_contain_all_points() {
    for dimension in 2..=4 {
        let points = random(60 * dimension);
        let found = furthest(&points, dimension).unwrap();
        let hull = convex_hull(&points, dimension).unwrap();
        let total: f64 = found.simplices.chunks(dimension + 1).map(|s| volume(&points, s, dimension)).sum();
        assert!((total - hull.volume).abs() < 1e-12, "{dimension}: {total} {}", hull.volume);
        let mut corners = found.simplices.clone();
        corners.sort_unstable();
        corners.dedup();
        assert_eq!(corners, hull.vertices);
    }
}

#[test]
fn small_facets_beside_large_ones() {
    // Corners that are cut off by less than rounding errors of the planes of large facets.
    let mut points = Vec::new();
    for corner in 0..8 {
        let at = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        for cut in 0..3 {
            points.extend((0..3).map(|d| at(d) * if d == cut { 1.0 - 1e-13 } else { 1.0 }));
        }
    }
    let hull = convex_hull(&points, 3).unwrap();
    assert_eq!(hull.vertices.len(), 24);
    assert_eq!(hull.facets.len() / 3, 44);
    assert!((hull.volume - 8.0).abs() < 1e-12);
}

#[test]
fn units_do_not_matter() {
    let points = random(90);
    let hull = convex_hull(&points, 3).unwrap();
    for exponent in [-300, -1, 300] {
        let unit = 2.0_f64.powi(exponent);
        let scaled: Vec<f64> = points.iter().map(|x| x * unit).collect();
        let found = convex_hull(&scaled, 3).unwrap();
        assert_eq!(found.facets, hull.facets);
        assert_eq!(found.area, hull.area * unit * unit);
        assert_eq!(found.equations[2].to_bits(), hull.equations[2].to_bits());
        assert_eq!(found.equations[3], hull.equations[3] * unit);
    }
}

#[test]
fn facets_that_are_flat_but_for_rounding() {
    // Nearly on one line, so that some facets have no size in floating point.
    let points = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0 + f64::EPSILON, 0.0, 3.0, 1e-200, 3.0];
    let hull = convex_hull(&points, 2).unwrap();
    assert!(hull.area.is_finite() && hull.volume.is_finite());
    assert!(hull.equations.iter().all(|x| x.is_finite()));
}
