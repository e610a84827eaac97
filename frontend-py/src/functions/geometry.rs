//! Triangulations and hulls, which the host computes.
//!
//! Coordinates and results pass as bytes, which NumPy reads in place.

use cuproxide_geometry as geometry;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::errors::Result;
use crate::wait;

/// Coordinates from the bytes of float64.
pub(super) fn coordinates(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|x| f64::from_ne_bytes(*x)).collect()
}

/// Integers from the bytes of int32.
pub(super) fn numbers(bytes: &[u8]) -> Vec<i32> {
    bytes.as_chunks().0.iter().map(|x| i32::from_ne_bytes(*x)).collect()
}

/// Bytes of int32.
pub(super) fn integers<'py>(py: Python<'py>, values: &[i32]) -> Bound<'py, PyBytes> {
    bytes(py, values, i32::to_ne_bytes)
}

/// Bytes of float64.
pub(super) fn doubles<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    bytes(py, values, f64::to_ne_bytes)
}

/// The bytes of all elements.
fn bytes<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    values: &[T],
    convert: impl Fn(T) -> [u8; SIZE],
) -> Bound<'py, PyBytes> {
    let fill = |place: &mut [u8]| {
        for (place, value) in place.as_chunks_mut().0.iter_mut().zip(values) {
            *place = convert(*value);
        }
        Ok(())
    };
    PyBytes::new_with(py, size_of_val(values), fill).expect("filling does not fail")
}

/// What is said instead of a result.
fn reason(py: Python<'_>, failure: geometry::Failure) -> Bound<'_, PyAny> {
    let text = match failure {
        geometry::Failure::TooFew => "too few",
        geometry::Failure::Flat => "flat",
        geometry::Failure::Dimension => "dimension",
    };
    PyString::new(py, text).into_any()
}

/// A Delaunay triangulation: simplices, neighbours, hull, coplanar points, and by `groups` spheres and planes; or why there
/// is none.
#[pyfunction]
pub fn delaunay<'py>(
    py: Python<'py>,
    points: &[u8],
    dimension: usize,
    groups: bool,
    furthest: bool,
) -> Result<Bound<'py, PyAny>> {
    let points = coordinates(points);
    let find = || match furthest {
        true => geometry::furthest(&points, dimension),
        false => geometry::triangulate(&points, dimension, groups),
    };
    match wait::interruptible(py, find)? {
        Err(failure) => Ok(reason(py, failure)),
        Ok(t) => {
            let arrays = [&t.simplices, &t.neighbors, &t.hull, &t.coplanar, &t.spheres, &t.planes];
            Ok(PyTuple::new(py, arrays.map(|values| integers(py, values)))?.into_any())
        }
    }
}

/// A convex hull: facets, neighbours, equations, planes, vertices, area and volume; or why there is none.
#[pyfunction]
pub fn convex_hull<'py>(py: Python<'py>, points: &[u8], dimension: usize) -> Result<Bound<'py, PyAny>> {
    let points = coordinates(points);
    match wait::interruptible(py, || geometry::convex_hull(&points, dimension))? {
        Err(failure) => Ok(reason(py, failure)),
        Ok(h) => {
            let parts = (
                integers(py, &h.facets),
                integers(py, &h.neighbors),
                doubles(py, &h.equations),
                integers(py, &h.planes),
                integers(py, &h.vertices),
                h.area,
                h.volume,
            );
            Ok(parts.into_pyobject(py)?.into_any())
        }
    }
}

/// The Voronoi diagram of a triangulation: pairs of points, vertices of ridges, their ends, vertices of regions, their ends.
#[pyfunction]
pub fn voronoi<'py>(
    py: Python<'py>,
    simplices: &[u8],
    neighbors: &[u8],
    spheres: &[u8],
    planes: &[u8],
    dimension: usize,
    count: usize,
) -> Result<Bound<'py, PyTuple>> {
    let [simplices, neighbors, spheres, planes] = [simplices, neighbors, spheres, planes].map(numbers);
    let d = wait::interruptible(py, || geometry::diagram(&simplices, &neighbors, &spheres, &planes, dimension, count))?;
    let arrays = [&d.ridge_points, &d.ridges.elements, &d.ridges.ends, &d.regions.elements, &d.regions.ends];
    Ok(PyTuple::new(py, arrays.map(|values| integers(py, values)))?)
}

/// The simplices around each of so many points, and where each row of them ends.
#[pyfunction]
pub fn stars<'py>(
    py: Python<'py>,
    simplices: &[u8],
    neighbors: &[u8],
    size: usize,
    count: usize,
) -> Result<Bound<'py, PyTuple>> {
    let [simplices, neighbors] = [simplices, neighbors].map(numbers);
    let rows = wait::interruptible(py, || geometry::stars(&simplices, &neighbors, size, count))?;
    Ok(PyTuple::new(py, [integers(py, &rows.elements), integers(py, &rows.ends)])?)
}
