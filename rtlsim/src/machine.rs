//! Machine code of a schedule, made in memory with Cranelift.

mod emit;

use crate::code::Code;
use crate::regions::Regions;
use crate::schedule::Schedule;
use crate::SimError;
use cranelift_codegen::ir::{types, AbiParam, MemFlagsData, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, Module};
use emit::Emitter;
use std::sync::{Mutex, PoisonError};

/// One chunk: gets the address of the arena.
type Chunk = unsafe extern "C" fn(*mut u8);

/// The functions of one clock.
pub struct Machine {
    chunks: Vec<Chunk>,
    /// Owns the code; `None` only while being dropped. The lock is for simulators in several threads that share it: nobody takes it.
    module: Mutex<Option<JITModule>>,
}

impl Machine {
    /// Compiles for the processor that this runs on.
    pub fn compile(
        code: &Code,
        regions: &Regions,
        schedule: &Schedule,
    ) -> Result<Machine, SimError> {
        let mut module = JITModule::new(builder()?);
        let mut context = module.make_context();
        let mut frontend = FunctionBuilderContext::new();
        let mut signature = module.make_signature();
        signature.params.push(AbiParam::new(types::I64));
        let mut emitter = Emitter::new(code, regions, schedule);
        let mut ids = Vec::new();
        for (index, steps) in schedule.chunks.iter().enumerate() {
            context.func.signature = signature.clone();
            context.func.name = UserFuncName::user(0, index as u32);
            let mut builder = FunctionBuilder::new(&mut context.func, &mut frontend);
            let block = builder.create_block();
            builder.append_block_params_for_function_params(block);
            builder.switch_to_block(block);
            builder.seal_block(block);
            emitter.chunk(&mut builder, block, steps);
            builder.finalize(module.target_config());
            let id = module
                .declare_anonymous_function(&signature)
                .map_err(failed)?;
            module.define_function(id, &mut context).map_err(failed)?;
            module.clear_context(&mut context);
            ids.push(id);
        }
        module.finalize_definitions().map_err(failed)?;
        let chunks = ids
            .into_iter()
            .map(|id| {
                let address = module.get_finalized_function(id);
                // SAFETY: the function was declared with this signature and calling convention.
                unsafe { std::mem::transmute::<*const u8, Chunk>(address) }
            })
            .collect();
        Ok(Machine {
            chunks,
            module: Mutex::new(Some(module)),
        })
    }

    /// Evaluates one clock, without the moves of its edge.
    ///
    /// # Safety
    /// `arena` must point to as many writable bytes as the schedule's end says.
    pub unsafe fn run(&self, arena: *mut u8) {
        for chunk in &self.chunks {
            chunk(arena);
        }
    }

    /// Evaluates some of the chunks.
    ///
    /// # Safety
    /// As [`Machine::run`].
    pub unsafe fn run_chunks(&self, chunks: std::ops::Range<usize>, arena: *mut u8) {
        for chunk in &self.chunks[chunks] {
            chunk(arena);
        }
    }

    /// Number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let module = self.module.get_mut();
        if let Some(module) = module.unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: the only pointers into the code are in `self.chunks`, which is dropped with it.
            unsafe { module.free_memory() };
        }
    }
}

fn builder() -> Result<JITBuilder, SimError> {
    let mut flags = settings::builder();
    let options = [
        // Operations are already folded and shared.
        ("opt_level", "none"),
        ("enable_verifier", "false"),
        ("enable_alias_analysis", "false"),
        ("unwind_info", "false"),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
    ];
    for (name, value) in options {
        flags.set(name, value).map_err(failed)?;
    }
    let isa = cranelift_native::builder()
        .map_err(|reason| SimError::Compile(reason.into()))?
        .finish(settings::Flags::new(flags))
        .map_err(failed)?;
    Ok(JITBuilder::with_isa(isa, default_libcall_names()))
}

fn failed(error: impl std::fmt::Display) -> SimError {
    SimError::Compile(error.to_string())
}

/// The arena is always mapped; places in it need not be aligned.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
