//! The compiled half of the Python package: classes and functions over `core`, with NumPy's semantics at the edge.
//!
//! Python code in the package around it writes compositions; what runs in a hot path is here. Nothing is opened on
//! import: the first operation that needs a device asks the registry of backends for one.

mod arguments;
mod authored;
mod collectives;
mod contents;
mod device;
mod dlpack;
mod dtypes;
mod empty_slices;
mod errors;
mod event;
mod foreign;
mod fork;
mod functions;
mod fused;
mod graph;
mod images;
mod interop;
mod interruption;
mod ir_builder;
mod kernel_values;
mod kernels;
mod making;
mod memory;
mod ndarray;
mod numpy;
mod package;
mod pinned;
mod plain;
mod pools;
mod precompile;
mod raised;
mod records;
mod reductions;
mod scalars;
mod settings;
mod stream;
mod stream_work;
mod system;
mod timeline;
mod traced_number;
mod ufunc;
mod wait;

use pyo3::prelude::*;

/// Recording an operation hands out a few small blocks of memory and takes them back much later, all at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Drops what is kept for later calls, and arrays that only reference cycles keep alive, when a pool is out of memory.
fn make_room() {
    wait::attached(|py| {
        pools::release_kept(py);
        let collected = py.import("gc").and_then(|gc| gc.call_method0("collect"));
        if let Err(error) = collected {
            error.write_unraisable(py, None);
        }
    });
}

#[pymodule(gil_used = false)]
fn _cuproxide(module: &Bound<'_, PyModule>) -> PyResult<()> {
    cuproxide_core::context::set_default_device(cuproxide_backends::default_device);
    cuproxide_core::memory::set_pressure_hook(make_room);
    cuproxide_core::detach::set_detach(wait::detach);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    pools::register();
    interruption::register(module.py())?;
    errors::register(module)?;

    module.add_class::<ndarray::NdArray>()?;
    module.add_class::<ndarray::Flags>()?;
    module.add_class::<ufunc::PyUfunc>()?;
    module.add_class::<device::Device>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<stream::ExternalStream>()?;
    module.add_class::<event::Event>()?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<fused::FusedFunction>()?;
    module.add_class::<memory::Memory>()?;
    module.add_class::<memory::MemoryPointer>()?;
    module.add_class::<contents::Contents>()?;
    module.add_class::<functions::fft::FftPlan>()?;
    module.add_class::<functions::sparse::SparseFactors>()?;
    module.add_class::<functions::sparse::SparseDirect>()?;
    module.add_class::<functions::sparse::SparseAnalysis>()?;
    module.add_class::<functions::structured::StructuredHandle>()?;
    module.add_class::<functions::structured::StructuredPart>()?;
    module.add_class::<functions::tensors::TensorOperation>()?;
    module.add_class::<memory::ManagedMemory>()?;
    module.add_class::<memory::MemoryAsync>()?;
    module.add_class::<memory::UnownedMemory>()?;
    module.add_class::<pinned::PinnedMemory>()?;
    module.add_class::<pinned::PinnedMemoryPointer>()?;
    module.add_class::<pools::MemoryPool>()?;
    module.add_class::<pools::PinnedMemoryPool>()?;
    module.add_class::<system::System>()?;
    module.add_class::<images::Images>()?;
    module.add_class::<collectives::Communicator>()?;
    module.add_class::<kernels::KernelModule>()?;
    module.add_class::<kernels::KernelFunction>()?;
    module.add_class::<kernel_values::ByValue>()?;
    module.add_class::<authored::PyKernel>()?;
    module.add_class::<ir_builder::KernelProgram>()?;
    ufunc::document(module.py())?;
    register_functions(module)
}

fn register_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! add {
        ($($function:path),* $(,)?) => { $(module.add_function(wrap_pyfunction!($function, module)?)?;)* };
    }
    add!(
        functions::creation::array,
        functions::creation::asnumpy,
        functions::creation::from_dlpack,
        functions::creation::from_capsule,
        functions::creation::empty,
        functions::creation::zeros,
        functions::creation::full,
        functions::creation::empty_like,
        functions::creation::zeros_like,
        functions::creation::full_like,
        functions::creation::arange,
        functions::reduce,
        functions::accumulate,
        functions::concatenate,
        functions::matmul,
        functions::r#where,
        functions::clip,
        functions::take_function,
        functions::put_function,
        functions::set_following_cupy,
        functions::set_index_wrapping,
        functions::set_waiting,
        functions::reads_at_once,
        functions::scatter,
        functions::nonzero_function,
        functions::sort,
        functions::argsort_below,
        functions::sort_carrying,
        functions::argsort_function,
        functions::counting::bincount,
        functions::counting::histogram,
        functions::counting::distinct,
        functions::counting::window_ranks,
        functions::counting::searchsorted,
        functions::pairs::pair_distances,
        functions::pairs::nearest_rows,
        functions::segments::reduceat,
        functions::segments::update_at,
        functions::segments::pad_edges,
        functions::copyto,
        functions::fft::fourier_transform,
        functions::fft::fft_plan_stats,
        functions::fft::set_fft_plan_capacity,
        functions::fft::clear_fft_plans,
        functions::fusion::evaluate,
        functions::fusion::fusion_history,
        functions::fusion::fusion_counts,
        functions::fusion::clear_fusion_history,
        functions::fusion::is_eager,
        functions::fusion::set_fusing,
        functions::fusion::set_eager,
        functions::fusion::wait_for_compiler,
        functions::fusion::shut_down,
        fork::before_fork,
        fork::after_fork_in_parent,
        fork::after_fork_in_child,
        functions::fft::set_fft_plan_bytes,
        functions::fft::make_fft_plan,
        functions::views::broadcast_to,
        functions::views::broadcast_shapes,
        functions::views::as_strided,
        functions::views::expand_dims,
        functions::views::moveaxis,
        functions::views::may_share_memory,
        functions::views::normalize_one_axis,
        functions::views::normalize_all_axes,
        functions::types::dtype,
        functions::types::promote_types,
        functions::types::result_type,
        functions::types::can_cast,
        functions::random::random_draw,
        functions::random::random_words,
        functions::random::random_sequential,
        functions::random::random_twist,
        functions::random::random_sequence,
        functions::geometry::delaunay,
        functions::geometry::convex_hull,
        functions::geometry::voronoi,
        functions::geometry::stars,
        functions::hierarchy::linkage,
        functions::hierarchy::linkage_leaves,
        functions::hierarchy::linkage_cophenetic,
        functions::hierarchy::linkage_inconsistent,
        functions::hierarchy::linkage_largest,
        functions::hierarchy::linkage_flat,
        functions::hierarchy::linkage_leaders,
        functions::hierarchy::linkage_cut,
        functions::hierarchy::linkage_ordered,
        functions::linalg::cholesky,
        functions::linalg::sliding_products,
        functions::linalg::lu_factor,
        functions::linalg::lu_solve,
        functions::linalg::solve,
        functions::linalg::inverse,
        functions::linalg::qr_factor,
        functions::linalg::qr_vectors,
        functions::linalg::svd,
        functions::linalg::dense_advantage,
        functions::linalg::eigen_tridiagonal,
        functions::linalg::polar_from,
        functions::linalg::double_from,
        functions::linalg::eigen_hermitian,
        functions::linalg::eigen,
        functions::linalg::solve_triangular,
        functions::linalg::unitary_form,
        functions::linalg::set_compute_type,
        functions::linalg::compute_type,
        functions::sparse::sparse_factor,
        functions::sparse::sparse_direct_takes,
        functions::sparse::sparse_direct_factor,
        functions::sparse::sparse_library,
        functions::sparse::sparse_times,
        functions::sparse::sparse_multiply,
        functions::sparse::sparse_transposed,
        functions::sparse::sparse_analyse,
        functions::sparse::sparse_explicit_lu,
        functions::structured::structured_is_there,
        functions::structured::structured_status_text,
        functions::tensors::clear_tensor_plans,
        functions::tensors::tensor_plan_stats,
        functions::tensors::tensor_versions,
        functions::tensors::tensors_are_there,
        functions::testing::host_transfers,
        functions::testing::set_fault_plan,
        functions::testing::fault_counts,
        functions::testing::provoke_panic,
        ndarray::rebuild,
        ufunc::ufuncs,
        ufunc::ufunc_named,
        ufunc::ufunc_facts,
        device::available_devices,
        device::device_count,
        device::backends,
        device::reports,
        precompile::precompile,
        precompile::list_used_kernels,
        stream::get_current_stream,
        stream::note_destroyed,
        stream::was_destroyed,
        event::get_elapsed_time,
        authored::kernel_stores,
        ir_builder::kernel_loop,
        kernel_values::kernel_array,
        kernel_values::kernel_indexer,
        kernel_values::kernel_line,
        kernel_values::kernel_type,
        dtypes::element_types,
        memory::alloc,
        pools::get_default_memory_pool,
        pools::get_default_pinned_memory_pool,
        pools::set_global_allocator,
        pools::set_thread_allocator,
        pools::current_allocator,
        pools::set_memory_hooks,
        system::configure,
        settings::setting,
        settings::check_settings,
        settings::settings_table,
        settings::set_deterministic,
        settings::is_deterministic,
        timeline::start_recording,
        timeline::stop_recording,
        timeline::is_recording,
        timeline::recording_time,
        timeline::record_range,
        collectives::collectives_version,
        collectives::collectives_id,
        collectives::settled_pointer,
        collectives::collectives_group,
        functions::dnn::dnn_version,
        functions::dnn::dnn_run,
        functions::dnn::dnn_sizes,
        functions::dnn::dnn_rnn_places,
    );
    Ok(())
}
