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

/// Adds all classes and functions to the module that Python imports, and hands devices to the core.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
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
    functions::register(module)?;
    register_functions(module)
}

fn register_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! add {
        ($($function:path),* $(,)?) => { $(module.add_function(wrap_pyfunction!($function, module)?)?;)* };
    }
    add!(
        fork::before_fork,
        fork::after_fork_in_parent,
        fork::after_fork_in_child,
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
        timeline::start_recording,
        timeline::stop_recording,
        timeline::is_recording,
        timeline::recording_time,
        timeline::record_range,
        collectives::collectives_version,
        collectives::collectives_id,
        collectives::settled_pointer,
        collectives::collectives_group,
    );
    Ok(())
}
