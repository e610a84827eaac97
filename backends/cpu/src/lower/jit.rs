//! The Cranelift module around compiled functions, and the lifetime of their memory.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, FuncRef, Signature, UserFuncName};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use cuproxide_hal::ir::{Function, Kernel, Value};
use cuproxide_hal::{Error, Result};

use super::emit::Emitter;
use super::group::scalar_type;
use super::host::{POINTER, host_convention, isa};
use super::{Entry, Span, wide};

/// A module under construction.
pub struct Compiler<'k> {
    module: JITModule,
    kernel: &'k Kernel,
    context: Context,
    frontend: FunctionBuilderContext,
    functions: Vec<FuncId>,
    /// The kernel's own functions, which those that drivers call may call.
    callees: Vec<FuncId>,
    /// Bytes of scratch memory that the functions need.
    pub scratch: usize,
}

/// Executable memory with the functions of one kernel.
pub struct Code {
    module: Option<JITModule>,
    entries: Vec<Entry>,
    /// A map in vectors of the processor's width, in place of functions.
    wide: Option<Box<wide::program::Program>>,
    /// Bytes of scratch memory that the functions need.
    pub scratch: usize,
}

// SAFETY: after compilation the module is only kept for its memory; the functions in it are plain code.
unsafe impl Send for Code {}
// SAFETY: as above; nothing is reachable through a shared reference but the function pointers.
unsafe impl Sync for Code {}

impl Code {
    /// A function that needs no compiler.
    pub fn ready(entry: Entry) -> Code {
        Code { module: None, entries: vec![entry], wide: None, scratch: 0 }
    }

    /// A map in vectors of the processor's width, and the bytes of scratch memory that it needs.
    pub fn wide(program: wide::program::Program, scratch: usize) -> Code {
        Code { module: None, entries: vec![], wide: Some(Box::new(program)), scratch }
    }

    /// Whether it is a map in vectors of the processor's width.
    #[cfg(test)]
    pub fn is_wide(&self) -> bool {
        self.wide.is_some()
    }

    /// Runs a rectangle of a map.
    ///
    /// # Safety
    /// The span describes a launch that fits the kernel, with the scratch memory that the code asks for.
    pub unsafe fn run(&self, span: &Span) {
        // SAFETY: the caller's promise.
        unsafe {
            match &self.wide {
                Some(program) => program.run(span),
                None => self.entry(0)(span),
            }
        }
    }

    /// Function number `position`, in the order of compilation. It lives as long as `self`.
    pub fn entry(&self, position: usize) -> Entry {
        self.entries[position]
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the owner of a kernel outlives its launches, so no function of the module is running.
            unsafe { module.free_memory() };
        }
    }
}

impl<'k> Compiler<'k> {
    /// Starts a module for `kernel` (legalised).
    pub fn new(kernel: &'k Kernel) -> Result<Compiler<'k>> {
        let isa = isa().map_err(|log| failure(kernel, log))?;
        let module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
        let context = module.make_context();
        let frontend = FunctionBuilderContext::new();
        let mut compiler =
            Compiler { module, kernel, context, frontend, functions: vec![], callees: vec![], scratch: 0 };
        for function in &kernel.functions {
            compiler.callee(function)?;
        }
        Ok(compiler)
    }

    /// Adds a function whose body `write` emits.
    pub fn function(&mut self, write: impl FnOnce(Emitter<'k, '_>)) -> Result<()> {
        let mut signature = Signature::new(host_convention());
        signature.params.push(AbiParam::new(POINTER));
        let name = format!("f{}", self.functions.len());
        let (kernel, config) = (self.kernel, self.module.target_config());
        let id = self.define(&name, Linkage::Export, signature, |builder, callees| {
            write(Emitter::new(kernel, builder, config, callees));
        })?;
        self.functions.push(id);
        Ok(())
    }

    /// Adds a function of the kernel's own. One result is returned, several are written to an address that comes last.
    fn callee(&mut self, function: &'k Function) -> Result<()> {
        let mut signature = Signature::new(host_convention());
        let types = |values: &[Value]| -> Vec<_> {
            values.iter().map(|&value| AbiParam::new(scalar_type(self.kernel.dtype(value)))).collect()
        };
        signature.params = types(&function.lambda.params);
        match types(&function.lambda.results)[..] {
            [one] => signature.returns.push(one),
            _ => signature.params.push(AbiParam::new(POINTER)),
        }
        let name = format!("c{}", self.callees.len());
        let (kernel, config) = (self.kernel, self.module.target_config());
        let id = self.define(&name, Linkage::Local, signature, |builder, callees| {
            Emitter::write_callee(kernel, builder, config, callees, &function.lambda);
        })?;
        self.callees.push(id);
        Ok(())
    }

    fn define(
        &mut self,
        name: &str,
        linkage: Linkage,
        signature: Signature,
        write: impl FnOnce(FunctionBuilder<'_>, Vec<FuncRef>),
    ) -> Result<FuncId> {
        let declared = self.module.declare_function(name, linkage, &signature);
        let id = declared.map_err(|error| failure(self.kernel, &error.to_string()))?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let callees = self.declared_callees();
        write(FunctionBuilder::new(&mut self.context.func, &mut self.frontend), callees);
        let text = tracing::enabled!(tracing::Level::TRACE).then(|| self.context.func.display().to_string());
        self.module
            .define_function(id, &mut self.context)
            .map_err(|error| failure(self.kernel, &format!("{error:?}\n{}", self.context.func.display())))?;
        if let Some(text) = text {
            tracing::trace!(kernel = self.kernel.name, "{text}");
        }
        self.module.clear_context(&mut self.context);
        Ok(id)
    }

    /// The kernel's own functions, for the function that is written next.
    fn declared_callees(&mut self) -> Vec<FuncRef> {
        let function = &mut self.context.func;
        let declare = |&id: &FuncId| {
            let callee = self.module.declare_func_in_func(id, function);
            // Parts of a module may lie further apart in memory than a relative call reaches.
            function.dfg.ext_funcs[callee].colocated = false;
            callee
        };
        self.callees.iter().map(declare).collect()
    }

    /// Makes the functions callable.
    pub fn finish(mut self) -> Result<Code> {
        self.module.finalize_definitions().map_err(|error| failure(self.kernel, &error.to_string()))?;
        let entry = |&id: &FuncId| {
            // SAFETY: the function was defined with this signature.
            unsafe { std::mem::transmute::<*const u8, Entry>(self.module.get_finalized_function(id)) }
        };
        let entries = self.functions.iter().map(entry).collect();
        Ok(Code { module: Some(self.module), entries, wide: None, scratch: self.scratch })
    }
}

fn failure(kernel: &Kernel, log: &str) -> Error {
    Error::Compile { kernel: kernel.name.clone(), log: log.to_owned(), source_text: kernel.to_string() }
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::DType;
    use cuproxide_hal::ir::Builder;

    use super::*;

    #[test]
    fn functions_are_called_by_their_whole_address() {
        let b = Builder::new("calls");
        b.function("twice", &[DType::F64], |v| vec![v[0] + v[0]]);
        let kernel = b.finish_map();
        let mut compiler = Compiler::new(&kernel).unwrap();
        let callees = compiler.declared_callees();
        assert_eq!(callees.len(), 1);
        assert!(callees.iter().all(|&callee| !compiler.context.func.dfg.ext_funcs[callee].colocated));
    }
}
