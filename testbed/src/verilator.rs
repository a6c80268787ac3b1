//! The Verilator engine: the printed SystemVerilog, compiled by Verilator and a C++ compiler to a shared library
//! and loaded into this process. What was built is kept in a cache folder, by the content that went in.

mod build;
mod tool;
mod wrapper;

pub use tool::{find, Tool};

use crate::dut::{store_limbs, top_ports, ClockPin, Column, Dut, Port, Words};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_registers::Foreign;
use hardpath_rtl::{bank_name, Design};
use libloading::{Library, Symbol};
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::PathBuf;

/// How a design is built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerilatorOptions {
    /// The C++ compiler's `-O` for the model, 0 to 3. Verilator itself always runs with `-O3`.
    pub cxx_optimization: u8,
    /// `verilator_bin`. `None`: looked for, see [`find`].
    pub executable: Option<PathBuf>,
    /// Where built models are kept. `None`: `hardpath/verilator` in the user's cache folder.
    pub cache: Option<PathBuf>,
}

impl Default for VerilatorOptions {
    fn default() -> Self {
        VerilatorOptions {
            cxx_optimization: 3,
            executable: None,
            cache: None,
        }
    }
}

/// A design in Verilator. Assertions of the design are checked.
pub struct Verilator {
    /// Made by the library's `hardpath_create`; null after `drop`.
    model: *mut c_void,
    step: unsafe extern "C" fn(*mut c_void) -> c_int,
    destroy: unsafe extern "C" fn(*mut c_void),
    error: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    find_memory: FindMemory,
    /// Where the top stands in the model's hierarchy.
    top: String,
    clocks: u64,
    /// The limbs of all ports in their order, shared with the model.
    limbs: *mut u64,
    limb_count: usize,
    ports: Vec<(String, Port)>,
    /// Names of the clocks. Where there are several, the last limb says which of them have an edge in a step.
    clock_names: Vec<String>,
    /// First limb of each port.
    offsets: Vec<usize>,
    foreign: Foreign,
    /// Keeps the code loaded as long as the model lives.
    _library: Library,
}

/// Model, scope, name; bytes of a word and of all words. Null: there is no such memory.
type FindMemory = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    *const c_char,
    *mut u64,
    *mut u64,
    *mut u64,
) -> *const u8;

impl Verilator {
    /// Builds the design (seconds to minutes; nothing when the cache has it) and loads it.
    pub fn new(design: &Design, options: &VerilatorOptions) -> Result<Verilator, Diagnostic> {
        let ports = top_ports(design);
        let clock_names = wrapper::clock_names(design);
        let path = build::library(design, &ports, options)?;
        let failed = |error: libloading::Error| {
            Diagnostic::input(
                "verilator-load",
                format!("cannot load the built model: {error}"),
            )
            .at(Place::of_file(path.display()))
            .help("delete this file and try again")
        };
        // SAFETY: the library was built from the text of `wrapper` and Verilator's output; loading it runs only
        // the static constructors of these and of the C++ library. The symbols have the types that `wrapper`
        // declares.
        let (library, create, limbs, destroy, step, error, find_memory) = unsafe {
            let library = Library::new(&path).map_err(failed)?;
            let create: Symbol<unsafe extern "C" fn() -> *mut c_void> =
                library.get(b"hardpath_create").map_err(failed)?;
            let limbs: Symbol<unsafe extern "C" fn(*mut c_void) -> *mut u64> =
                library.get(b"hardpath_limbs").map_err(failed)?;
            let destroy: Symbol<unsafe extern "C" fn(*mut c_void)> =
                library.get(b"hardpath_destroy").map_err(failed)?;
            let step: Symbol<unsafe extern "C" fn(*mut c_void) -> c_int> =
                library.get(b"hardpath_step").map_err(failed)?;
            let error: Symbol<unsafe extern "C" fn(*mut c_void) -> *const c_char> =
                library.get(b"hardpath_error").map_err(failed)?;
            let find_memory: Symbol<FindMemory> =
                library.get(b"hardpath_memory").map_err(failed)?;
            let functions = (*create, *limbs, *destroy, *step, *error, *find_memory);
            let (create, limbs, destroy, step, error, find_memory) = functions;
            (library, create, limbs, destroy, step, error, find_memory)
        };
        // SAFETY: as declared in `wrapper`: `create` gives a model or null, `limbs` an array that lives as long as
        // the model and is never null.
        let (model, limbs) = unsafe {
            let model = create();
            if model.is_null() {
                return Err(
                    Diagnostic::input("verilator-load", "the built model does not start")
                        .at(Place::of_file(path.display())),
                );
            }
            (model, limbs(model))
        };
        let (offsets, limb_count) = wrapper::limb_offsets(&ports, clock_names.len());
        Ok(Verilator {
            model,
            step,
            destroy,
            error,
            find_memory,
            top: format!("top.{}", design.modules[design.top()].name),
            clocks: 0,
            limbs,
            limb_count,
            ports,
            clock_names,
            offsets,
            foreign: Foreign::default(),
            _library: library,
        })
    }

    fn range(&self, port: Port) -> std::ops::Range<usize> {
        let start = self.offsets[port.index as usize];
        let range = start..start + port.limbs();
        assert!(range.end <= self.limb_count, "a port of this design");
        range
    }

    /// A memory of the text, which is a bank of one of the design where that is divided.
    fn printed_memory(&self, path: &str) -> Option<Column<'_>> {
        let (scope, name) = path.rsplit_once('.')?;
        let scope = CString::new(format!("{}.{scope}", self.top)).ok()?;
        let name = CString::new(name).ok()?;
        let (mut stride, mut width, mut length) = (0, 0, 0);
        // SAFETY: the model lives until `drop`; the strings end with a zero byte and live until the function returns.
        let words = unsafe {
            (self.find_memory)(
                self.model,
                scope.as_ptr(),
                name.as_ptr(),
                &mut stride,
                &mut width,
                &mut length,
            )
        };
        if words.is_null() || stride == 0 {
            return None;
        }
        // SAFETY: as declared in `wrapper`, so many bytes stand there as long as the model lives; they change only in a
        // step, which borrows the model mutably.
        let bytes = unsafe { std::slice::from_raw_parts(words, length as usize) };
        Some(Column {
            banks: vec![bytes],
            stride: stride as usize,
            width: width as u32,
        })
    }
}

impl Dut for Verilator {
    fn port(&self, name: &str) -> Option<Port> {
        let (_, port) = self.ports.iter().find(|(port, _)| port == name)?;
        Some(*port)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        debug_assert!(port.is_input, "only inputs are set");
        let range = self.range(port);
        // SAFETY: the range lies within the model's limbs (`range`), and `&mut self` makes the access the only one.
        let to =
            unsafe { std::slice::from_raw_parts_mut(self.limbs.add(range.start), range.len()) };
        store_limbs(to, port.width, limbs);
    }

    fn get(&self, port: Port) -> &[u64] {
        let range = self.range(port);
        // SAFETY: the range lies within the model's limbs; they change only through `&mut self`.
        unsafe { std::slice::from_raw_parts(self.limbs.add(range.start), range.len()) }
    }

    fn clocks(&self) -> u64 {
        self.clocks
    }

    fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        &mut self.foreign
    }

    fn memory(&self, path: &str) -> Option<Words<'_>> {
        Words::find(path, |path| {
            if let Some(whole) = self.printed_memory(path) {
                return Some(whole);
            }
            let banks = (0..).map_while(|bank| self.printed_memory(&bank_name(path, bank)));
            banks.reduce(|mut all, bank| {
                all.banks.extend(bank.banks);
                all
            })
        })
    }

    fn clock(&self, name: &str) -> Option<ClockPin> {
        let clock = self.clock_names.iter().position(|clock| clock == name)?;
        Some(ClockPin(clock as u32))
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.set_edges(u64::MAX);
        self.raise_clocks()
    }

    fn step_on(&mut self, clocks: &[ClockPin]) -> Result<(), Diagnostic> {
        let edges = clocks.iter().fold(0, |all, clock| all | 1 << clock.0);
        self.set_edges(edges);
        if edges == 0 && self.clock_names.len() == 1 {
            return Ok(());
        }
        self.raise_clocks()
    }
}

impl Verilator {
    /// Says which clocks have an edge in the next step.
    fn set_edges(&mut self, edges: u64) {
        if self.clock_names.len() > 1 {
            // SAFETY: the last of the model's limbs; `&mut self` makes the access the only one.
            unsafe { *self.limbs.add(self.limb_count - 1) = edges };
        }
    }

    fn raise_clocks(&mut self) -> Result<(), Diagnostic> {
        self.clocks += 1;
        // SAFETY: the model lives until `drop`.
        if unsafe { (self.step)(self.model) } == 0 {
            return Ok(());
        }
        // SAFETY: `error` gives a string that ends with a zero byte and lives until the next step.
        let text = unsafe { CStr::from_ptr((self.error)(self.model)) };
        let text = text.to_string_lossy();
        Err(Diagnostic::defect(
            "assertion-failed",
            format!("an assertion of the design failed: {}", text.trim()),
        )
        .help("this is a defect of the generated design: please report it with the program"))
    }
}

impl Drop for Verilator {
    fn drop(&mut self) {
        // SAFETY: the model was made by this library and is not used after this.
        unsafe { (self.destroy)(self.model) };
        self.model = std::ptr::null_mut();
    }
}
