//! Trees of clusters, which the host makes and goes over. Arrays pass as bytes, distances as an array.

use cuproxide_core::ops::transfer;
use cuproxide_geometry as geometry;
use cuproxide_hal::{DType, interrupt};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::geometry::{coordinates, doubles, integers};
use crate::arguments;
use crate::errors::{Result, value_error};
use crate::wait;

/// The merges of `count` observations, from their condensed distances.
#[pyfunction]
pub fn linkage<'py>(distances: &Bound<'py, PyAny>, count: usize, method: &str) -> Result<Bound<'py, PyBytes>> {
    let py = distances.py();
    let method = geometry::Method::named(method).ok_or_else(|| value_error(format!("Invalid method: {method}")))?;
    let distances = arguments::array(distances)?.clone();
    if count < 2 || distances.size() != count * (count - 1) / 2 {
        return Err(value_error(format!("{} distances are not those of {count} observations", distances.size())));
    }
    let tree = wait::long(py, || {
        let values = transfer::to_words(&distances, DType::F64)?.into_iter().map(f64::from_bits).collect();
        Ok(interrupt::caught(|| Ok(geometry::linkage(values, count, method)))?)
    })?;
    Ok(doubles(py, tree.rows.as_flattened()))
}

/// The observations from left to right.
#[pyfunction]
pub fn linkage_leaves<'py>(py: Python<'py>, tree: &[u8]) -> Bound<'py, PyBytes> {
    let tree = geometry::Linkage::new(&coordinates(tree));
    integers(py, &wait::detached(py, || tree.leaves()))
}

/// For each pair of observations the distance at which they are merged.
#[pyfunction]
pub fn linkage_cophenetic<'py>(py: Python<'py>, tree: &[u8]) -> Result<Bound<'py, PyBytes>> {
    let tree = geometry::Linkage::new(&coordinates(tree));
    Ok(doubles(py, &wait::interruptible(py, || tree.cophenetic())?))
}

/// Statistics of the merges down to a depth.
#[pyfunction]
pub fn linkage_inconsistent<'py>(py: Python<'py>, tree: &[u8], depth: usize) -> Bound<'py, PyBytes> {
    let tree = geometry::Linkage::new(&coordinates(tree));
    doubles(py, &wait::detached(py, || tree.inconsistent(depth)))
}

/// For each merge the largest value of it and those below it.
#[pyfunction]
pub fn linkage_largest<'py>(py: Python<'py>, tree: &[u8], values: &[u8]) -> Bound<'py, PyBytes> {
    let (tree, values) = (geometry::Linkage::new(&coordinates(tree)), coordinates(values));
    doubles(py, &wait::detached(py, || tree.largest(&values)))
}

/// Flat clusters by a limit of a criterion, or at most so many.
#[pyfunction]
#[pyo3(signature = (tree, criterion, limit, most))]
pub fn linkage_flat<'py>(
    py: Python<'py>,
    tree: &[u8],
    criterion: &[u8],
    limit: f64,
    most: Option<i64>,
) -> Bound<'py, PyBytes> {
    let (tree, criterion) = (geometry::Linkage::new(&coordinates(tree)), coordinates(criterion));
    let clusters = wait::detached(py, || match most {
        None => tree.flat(&criterion, limit),
        Some(most) => tree.flat_at_most(&criterion, most),
    });
    integers(py, &clusters)
}

/// The subtrees that flat clusters are, and the numbers of these.
#[pyfunction]
pub fn linkage_leaders<'py>(py: Python<'py>, tree: &[u8], clusters: &[u8]) -> Result<Bound<'py, PyTuple>> {
    let (tree, clusters) = (geometry::Linkage::new(&coordinates(tree)), super::geometry::numbers(clusters));
    let (leaders, numbers) = wait::detached(py, || tree.leaders(&clusters)).map_err(|failure| {
        value_error(format!(
            "T is not a valid assignment vector. Error found when examining linkage node {} (< 2n-1).",
            failure.0
        ))
    })?;
    Ok(PyTuple::new(py, [integers(py, &leaders), integers(py, &numbers)])?)
}

/// The clusters of all observations after so many merges each, as int64.
#[pyfunction]
pub fn linkage_cut<'py>(py: Python<'py>, tree: &[u8], wanted: Vec<i64>) -> Result<Bound<'py, PyBytes>> {
    let tree = geometry::Linkage::new(&coordinates(tree));
    let groups = wait::interruptible(py, || tree.cut(&wanted))?;
    Ok(PyBytes::new(py, &groups.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>()))
}

/// The tree with the shortest way along its leaves.
#[pyfunction]
pub fn linkage_ordered<'py>(py: Python<'py>, tree: &[u8], distances: &[u8]) -> Result<Bound<'py, PyBytes>> {
    let (tree, distances) = (geometry::Linkage::new(&coordinates(tree)), coordinates(distances));
    let ordered = wait::interruptible(py, || tree.ordered(&distances))?;
    Ok(doubles(py, ordered.rows.as_flattened()))
}
