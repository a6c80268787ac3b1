//! The C++ text between a Verilator model and this process: a few functions with C names over one array of limbs.
//!
//! The array holds all ports in their order, each in 64-bit limbs. `hardpath_step` copies the inputs from it into
//! the model, evaluates with the clock low, copies the outputs back, and then raises the clock: so the array shows
//! the outputs as they stood just before the edge. `hardpath_memory` shows the words of a memory.

use crate::dut::Port;
use hardpath_rtl::{Design, MemData};
use std::fmt::Write;

/// Names of the clocks of the top.
pub fn clock_names(design: &Design) -> Vec<String> {
    let clocks = design.modules[design.top()].clocks.values();
    clocks.map(|clock| clock.name.clone()).collect()
}

/// First limb of each port, and the number of limbs in all: with several clocks, one more.
pub fn limb_offsets(ports: &[(String, Port)], clocks: usize) -> (Vec<usize>, usize) {
    let mut next = 0;
    let offsets = ports.iter().map(|(_, port)| {
        let offset = next;
        next += port.limbs();
        offset
    });
    let offsets = offsets.collect();
    (offsets, next + usize::from(clocks > 1))
}

/// Makes the memories of all modules visible to `hardpath_memory`, as a configuration file of Verilator.
pub fn visible_memories(design: &Design) -> String {
    let mut text = String::from("`verilator_config\n");
    for module in design.modules.values() {
        for memory in module.mems.values().flat_map(MemData::printed_names) {
            let module = &module.name;
            let _ = writeln!(
                text,
                "public_flat_rd -module \"{module}\" -var \"{memory}\""
            );
        }
    }
    text
}

/// Declares the function that Verilator's run-time library prints with, in front of every file.
pub const PRINTING: &str = "\
#pragma once
int hardpath_printf(const char* format, ...);
";

/// The wrapper for a model `Vdut` with these ports and clocks.
pub fn source(ports: &[(String, Port)], clocks: &[String]) -> String {
    let (offsets, limbs) = limb_offsets(ports, clocks.len());
    let mut loads = String::new();
    let mut stores = String::new();
    let (mut lower, mut raise) = (String::new(), String::new());
    for (index, name) in clocks.iter().enumerate() {
        let member = member(name);
        let _ = writeln!(lower, "    instance->top.{member} = 0;");
        let edge = match clocks.len() {
            1 => "1".to_string(),
            _ => format!("instance->limbs[{}] >> {index} & 1", limbs - 1),
        };
        let _ = writeln!(raise, "    instance->top.{member} = {edge};");
    }
    for ((name, port), offset) in ports.iter().zip(&offsets) {
        let member = member(name);
        let (text, function) = match port.is_input {
            true => (&mut loads, "load"),
            false => (&mut stores, "store"),
        };
        let _ = writeln!(
            text,
            "    {function}(instance->top.{member}, instance->limbs + {offset});"
        );
    }
    let head = HEAD.replace("LIMBS", &limbs.max(1).to_string());
    // The same at the start, one step deeper.
    let lower_at_start: String = lower.lines().map(|line| format!("    {line}\n")).collect();
    let head = head.replace("        LOWER\n", &lower_at_start);
    let tail = TAIL.replace("    RAISE\n", &raise);
    head + &lower + &loads + MIDDLE + &stores + &tail
}

/// What Verilator calls a port: it writes two underscores in a row as ___05F.
fn member(name: &str) -> String {
    name.replace("__", "___05F")
}

const HEAD: &str = r#"#include "Vdut.h"
#include "verilated.h"
#include "verilated_syms.h"
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

// What the design says and whether it stopped, of the model that this thread steps.
static thread_local std::string printed;
static thread_local bool stopped = false;

int hardpath_printf(const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (printed.size() < 4096) printed += text;
    return length;
}

// A failed assertion ends the run with an error, not the process.
void vl_stop(const char*, int, const char*) { stopped = true; }
void vl_finish(const char*, int, const char*) { stopped = true; }
void vl_fatal(const char*, int, const char*, const char* message) {
    printed += message;
    stopped = true;
}

namespace {

struct Instance {
    VerilatedContext context;
    Vdut top;
    uint64_t limbs[LIMBS] = {};
    std::string error;
    Instance() : top{&context, "top"} {}
};

template <typename T> void load(T& port, const uint64_t* limbs) { port = static_cast<T>(limbs[0]); }
template <std::size_t N> void load(VlWide<N>& port, const uint64_t* limbs) {
    for (std::size_t i = 0; i < N; ++i) port[i] = static_cast<EData>(limbs[i / 2] >> (32 * (i % 2)));
}
template <typename T> void store(const T& port, uint64_t* limbs) { limbs[0] = port; }
template <std::size_t N> void store(const VlWide<N>& port, uint64_t* limbs) {
    for (std::size_t i = 0; i < N; i += 2) {
        const uint64_t high = i + 1 < N ? port[i + 1] : 0;
        limbs[i / 2] = high << 32 | port[i];
    }
}

}  // namespace

extern "C" void* hardpath_create() {
    try {
        auto instance = std::make_unique<Instance>();
        instance->context.fatalOnError(false);
        LOWER
        instance->top.eval();
        return instance.release();
    } catch (...) {
        return nullptr;
    }
}

extern "C" void hardpath_destroy(void* model) { delete static_cast<Instance*>(model); }

extern "C" uint64_t* hardpath_limbs(void* model) { return static_cast<Instance*>(model)->limbs; }

extern "C" const char* hardpath_error(void* model) {
    return static_cast<Instance*>(model)->error.c_str();
}

// The words of a memory, one behind the other, the bytes and bits of a word, and all bytes; null: there is none of that name.
extern "C" const void* hardpath_memory(
    void* model, const char* scope, const char* name, uint64_t* stride, uint64_t* bits, uint64_t* bytes) {
    const VerilatedScope* const place = static_cast<Instance*>(model)->context.scopeFind(scope);
    const VerilatedVar* const memory = place ? place->varFind(name) : nullptr;
    if (!memory) return nullptr;
    *stride = memory->entSize();
    *bits = memory->entBits();
    *bytes = memory->totalSize();
    return memory->datap();
}

// 0: good. 1: the design stopped, see hardpath_error.
extern "C" int hardpath_step(void* model) {
    auto* const instance = static_cast<Instance*>(model);
    printed.clear();
    stopped = false;
"#;

const MIDDLE: &str = "    instance->top.eval();
";

const TAIL: &str = "    instance->context.timeInc(1);
    RAISE
    instance->top.eval();
    instance->context.timeInc(1);
    if (!stopped) return 0;
    instance->error = printed;
    return 1;
}
";
