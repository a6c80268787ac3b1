//! The models of foreign modules, and their places in the clock.
//!
//! The chunks of machine code before a call store what the model must see; the call writes an output's value into the arena, and the
//! chunks behind it load it from there. At the edge each model sees all its inputs.

use crate::code::{mask, Code};
use crate::layout::Layout;
use crate::machine::Machine;
use crate::netlist::Netlist;
use crate::schedule::Schedule;
use cranelift_entity::EntityRef;
use hardpath_rtl::foreign::{MakeModel, Model, Values};

/// All models of a design; there is at least one.
pub struct Models {
    instances: Vec<Instance>,
    calls: Vec<Call>,
}

struct Instance {
    make: MakeModel,
    model: Box<dyn Model>,
    /// By clock of the module, the simulator's.
    clocks: Vec<usize>,
    /// First limb in the arena, and number of limbs.
    inputs: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct Call {
    /// How many chunks are executed before.
    chunks: usize,
    instance: usize,
    output: usize,
    follows: Vec<(usize, usize)>,
    /// First limb of the output in the arena.
    first: usize,
    /// A place for its limbs.
    value: Vec<u64>,
    width: u32,
}

impl Models {
    /// New models, in their first state. `None`: the design has no foreign modules.
    pub fn new(
        netlist: &Netlist,
        layout: &Layout,
        code: &Code,
        schedule: &Schedule,
    ) -> Option<Models> {
        let limbs = |width: u32| width.div_ceil(64) as usize;
        let mut instances = Vec::new();
        for (foreign, data) in &netlist.foreign {
            let places = &layout.foreign[foreign].inputs;
            let inputs = data.inputs.iter().zip(places).map(|(signal, offset)| {
                let count = limbs(netlist.signals[*signal].width);
                (*offset as usize / 8, count)
            });
            instances.push(Instance {
                make: data.model.clone(),
                model: data.model.make(),
                clocks: data.clocks.iter().map(|clock| clock.index()).collect(),
                inputs: inputs.collect(),
            });
        }
        let call = |(chunks, number): &(usize, usize)| {
            let call = &code.calls[*number];
            let (instance, output) = (call.foreign.index(), call.output as usize);
            let (width, follows) = &netlist.foreign[call.foreign].outputs[output];
            let inputs: &[(usize, usize)] = &instances[instance].inputs;
            Call {
                chunks: *chunks,
                instance,
                output,
                follows: follows
                    .iter()
                    .map(|input| inputs[*input as usize])
                    .collect(),
                first: layout.foreign[call.foreign].outputs[output] as usize / 8,
                value: vec![0; limbs(*width)],
                width: *width,
            }
        };
        let calls = schedule.calls.iter().map(call).collect();
        (!instances.is_empty()).then_some(Models { instances, calls })
    }

    /// The same ones in their first state.
    pub fn fresh(&self) -> Models {
        let instances = self.instances.iter().map(|instance| Instance {
            make: instance.make.clone(),
            model: instance.make.make(),
            clocks: instance.clocks.clone(),
            inputs: instance.inputs.clone(),
        });
        Models {
            instances: instances.collect(),
            calls: self.calls.clone(),
        }
    }

    /// Evaluates one clock.
    ///
    /// # Safety
    /// The arena is as large as the machine's schedule says.
    pub unsafe fn run(&mut self, machine: &Machine, arena: &mut [u64]) {
        let mut done = 0;
        for call in &mut self.calls {
            machine.run_chunks(done..call.chunks, arena.as_mut_ptr().cast());
            done = call.chunks;
            call.value.fill(0);
            let follows = Values::new(arena, &call.follows);
            let model = &self.instances[call.instance].model;
            model.output(call.output, &follows, &mut call.value);
            if let Some(top) = call.value.last_mut() {
                *top &= mask((call.width - 1) % 64 + 1);
            }
            arena[call.first..call.first + call.value.len()].copy_from_slice(&call.value);
        }
        machine.run_chunks(done..machine.chunk_count(), arena.as_mut_ptr().cast());
    }

    /// The edges of a step. `edge` and `reset`: of the simulator's clocks, in this step.
    pub fn edge(
        &mut self,
        arena: &[u64],
        edge: impl Fn(usize) -> bool,
        reset: impl Fn(usize) -> bool,
    ) {
        for instance in &mut self.instances {
            let clocks = instance.clocks.iter().enumerate();
            let clocks = clocks.filter(|(_, clock)| edge(**clock));
            let clocks: Vec<usize> = clocks.map(|(own, _)| own).collect();
            if clocks.is_empty() {
                continue;
            }
            let inputs = Values::new(arena, &instance.inputs);
            instance.model.edge(&clocks, &inputs);
            for clock in clocks {
                if reset(instance.clocks[clock]) {
                    instance.model.reset(clock);
                }
            }
        }
    }
}
