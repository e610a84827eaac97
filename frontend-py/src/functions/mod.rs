//! The functions of the module, one file a subject, and the table of what each file gives it.

pub mod arrays;
pub mod counting;
pub mod creation;
pub mod dnn;
pub mod fft;
pub mod fusion;
pub mod geometry;
pub mod hierarchy;
pub mod linalg;
pub mod pairs;
pub mod random;
pub mod segments;
pub mod settings;
pub mod sparse;
pub mod structured;
pub mod tensors;
pub mod testing;
pub mod types;
pub mod views;

use pyo3::prelude::*;

pub use arrays::{apply, argsort, clip, nonzero, put, round, take};

/// Declares the table: files, their classes and their functions.
macro_rules! members {
    ($($file:ident: [$($class:ident),*] [$($function:ident),* $(,)?];)*) => {
        /// Gives the module all classes and functions of these files.
        pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(
                $(module.add_class::<$file::$class>()?;)*
                $(module.add_function(wrap_pyfunction!($file::$function, module)?)?;)*
            )*
            Ok(())
        }
    };
}

members! {
    arrays: [] [
        reduce, accumulate, concatenate, fast_concatenate, matmul, fast_dot, r#where, fast_where, clip, take_function,
        put_function, reads_at_once, scatter, nonzero_function, sort, argsort_below, sort_carrying, argsort_function, copyto,
    ];
    counting: [] [bincount, histogram, distinct, window_ranks, searchsorted, pack_bits, unpack_bits];
    creation: [] [
        array, asnumpy, from_dlpack, from_capsule, empty, zeros, full, empty_like, zeros_like, full_like,
        arange,
    ];
    dnn: [] [dnn_version, dnn_run, dnn_sizes, dnn_rnn_places];
    fft: [FftPlan] [
        fourier_transform, fft_plan_stats, set_fft_plan_capacity, clear_fft_plans, set_fft_plan_bytes,
        make_fft_plan,
    ];
    fusion: [] [
        evaluate, fusion_history, fusion_counts, clear_fusion_history, is_eager, set_fusing, set_eager,
        wait_for_compiler, shut_down,
    ];
    geometry: [] [delaunay, convex_hull, voronoi, stars];
    hierarchy: [] [
        linkage, linkage_leaves, linkage_cophenetic, linkage_inconsistent, linkage_largest, linkage_flat,
        linkage_leaders, linkage_cut, linkage_ordered,
    ];
    linalg: [] [
        cholesky, sliding_products, lu_factor, lu_solve, solve, inverse, qr_factor, qr_vectors, svd,
        dense_advantage, eigen_tridiagonal, polar_from, double_from, eigen_hermitian, eigen, solve_triangular,
        unitary_form, set_compute_type, compute_type,
    ];
    pairs: [] [pair_distances, nearest_rows];
    random: [] [random_draw, random_words, random_sequential, random_twist, random_sequence];
    segments: [] [reduceat, update_at, pad_edges];
    settings: [] [
        setting, check_settings, settings_table, set_deterministic, is_deterministic, set_following_cupy,
        set_index_wrapping, set_waiting,
    ];
    sparse: [SparseFactors, SparseDirect, SparseAnalysis] [
        sparse_factor, sparse_direct_takes, sparse_direct_factor, sparse_library, sparse_times, sparse_multiply,
        sparse_transposed, sparse_analyse, sparse_explicit_lu,
    ];
    structured: [StructuredHandle, StructuredPart] [structured_is_there, structured_status_text];
    tensors: [TensorOperation] [clear_tensor_plans, tensor_plan_stats, tensor_versions, tensors_are_there];
    testing: [] [host_transfers, set_fault_plan, fault_counts, provoke_panic];
    types: [] [dtype, promote_types, result_type, can_cast];
    views: [] [
        broadcast_to, broadcast_shapes, as_strided, expand_dims, moveaxis, may_share_memory, normalize_one_axis,
        normalize_all_axes,
    ];
}
