//! The text form: how a program is written down. [`crate::parse`] reads it; what is printed, read and printed again is
//! the same text.
//!
//! ```text
//! program "count" control-flow
//!
//! limits headroom 216 tail 3520
//! output "verdict" 3 values "aborted", "drop", "pass"
//!
//! map @stats array key 4 value 8 entries 256 as "percpu_array"
//! map @"my map" exact key 16 value 4 entries 1024 forgets
//!
//! place0 slot 7 file "count.c" line 21 source "if (data + 14 > data_end)"
//!
//! block0:
//!     v0:16 "length" = input length
//!     v1:16 = const 0xe
//!     v2:1 = ult v0, v1 at place0
//!     v3:32 = const 0x1
//!     branch v2, block1(v3), block2
//! …
//!     v6:1 "hit", v7:32 = map.lookup @stats v5
//!     v8:64 = map.atomic add @stats v7, v9, v10 if v6 stage 3 at place0
//!     v11:8 = slice v10, 4
//!     emit v12 to v13, v14 with v15
//! ```
//!
//! * One thing a line. `;` starts a comment. The printer puts the source line above the instructions that come from
//!   it, as a comment.
//! * A value is defined with its width in bits and, in quotes, its name; it is used by its number. Numbers of values,
//!   blocks and places are kept. Values and blocks that are not in the text are dead.
//! * `slice v, lo`. Constants are hexadecimal or decimal. Behind a ternary table stand its `fields "ternary 32, range 16"` and, where they are few, its `masks 16`, the
//!   first one in the lowest bits. Behind a map stands, in this order, what is not usual: it `forgets` a key when it is full, is updated `in-place`, is written `host-only`, packets are `broadcast` to the
//!   destinations in it, it is known elsewhere `as "a kind of map"`, and `initial "00ff"`, its first value as hexadecimal bytes in
//!   memory order ([`crate::MapDecl`]).
//! * Behind the head of a program stand its `limits`, in bytes (`shortest`, `longest`, `headroom`, `tail`, `stack`), as far as they are
//!   not usual ([`Limits`]), its own inputs, `input "mark" 12`, each with its width, and its outputs, each with its width and, where they have names, its `values` from 0 on.
//! * `emit FORWARDED`, behind it in this order, each only if it is there: `to CLASS, INDEX`; the outputs, `with v, v`; what leaves,
//!   `from v end v zeros v` and `front BYTES length v`; `each @table if v not-back v`, any number of times; `copy if v`, any number
//!   of times, each with `to`, `with` and `from` of its own ([`Emit`]). Behind `from` and `front` may stand where that `begins -4, 0`
//!   ([`crate::Sent::begins`]).
//! * Behind an instruction: `if` its guard, `stage` its stage, `at` its place, in this order.
//! * The blocks stand in the program's order. A block without a terminator is unfinished.
//!
//! The structured phase has more:
//!
//! ```text
//! block1(v3:16) loop up-to 16 at place0:
//!     v4:16 "sum" = call @add v3, v1
//!     v5:16 = checksum packet up-to 1480 v6, v4, v7
//!     copy packet stack up-to 64 v6, v8, v4
//! …
//! function @add returns 16
//!
//! block7(v10:16, v11:16):
//!     v12:16 = add v10, v11
//!     return v12
//! ```
//!
//! * A block is the head of a `loop`, to which control goes back `exactly` so often, `up-to` so often, or an `unknown` number of
//!   times.
//! * Behind the line of a function stand its blocks, up to the next one. The parameters of the first are the function's;
//!   behind `returns` stand the widths of its results, if it has any.
//! * `checksum MEMORY up-to BYTES offset, length, seed`; `copy FROM TO up-to BYTES from, to, length`.

use crate::structure::{Function, FunctionData, Whole};
use crate::syntax::{
    is_word_character, op_word, quote, word_for, ATOMICS, INPUTS, LIMITS, MEMORIES, PHASES,
};
use crate::{
    Block, Each, Emit, Field, Front, Input, Inst, Leaving, Limits, MapDecl, MapId, Match, Op,
    Output, OwnInput, Place, PlaceId, Program, Sent, Target, Terminator, To, Value,
};
use cranelift_entity::PrimaryMap;
use std::fmt::{self, Display, Formatter};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let phase = word_for(&PHASES, &self.phase);
        writeln!(f, "program {} {phase}", quote(&self.name))?;
        let declarations = Declarations {
            limits: self.limits,
            inputs: &self.inputs,
            outputs: &self.outputs,
            maps: &self.maps,
        };
        write!(f, "{declarations}")?;
        if !self.places.is_empty() {
            writeln!(f)?;
        }
        for (id, place) in &self.places {
            write_place(f, id, place)?;
        }
        for &block in &self.order {
            writeln!(f)?;
            write_block(f, self, block)?;
        }
        for function in self.functions.values() {
            write_function(f, self, function)?;
        }
        Ok(())
    }
}

impl Program {
    /// An instruction as it stands in the text form, without indentation.
    pub fn display_inst(&self, inst: Inst) -> impl Display + '_ {
        Displayed(move |f: &mut Formatter<'_>| write_inst(f, self, inst))
    }

    /// Where a place is, for people: `count.c:21: if (…)`, or `slot 7` without debug information.
    pub fn display_place(&self, place: PlaceId) -> impl Display + '_ {
        Displayed(move |f: &mut Formatter<'_>| match self.places.get(place) {
            Some(place) => f.write_str(&in_comment(place)),
            None => write!(f, "{place}"),
        })
    }
}

/// A place as it stands in a comment: `count.c:21: if (…)`, or `slot 7` without debug information.
pub fn in_comment(place: &Place) -> String {
    let printable = |text: &str| text.trim().replace(char::is_control, " ");
    let Place { slot, line, .. } = place;
    match (line, printable(&place.file), printable(&place.source)) {
        (0, ..) => format!("slot {slot}"),
        (_, file, source) if source.is_empty() => format!("{file}:{line}"),
        (_, file, source) => format!("{file}:{line}: {source}"),
    }
}

/// A closure that writes, as a thing that can be displayed.
struct Displayed<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Displayed<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0(f)
    }
}

/// What a program declares, as it stands behind the head of a text: each kind behind an empty line, if there is any.
pub struct Declarations<'a> {
    /// Printed as far as they are not usual.
    pub limits: Limits,
    /// Its own inputs.
    pub inputs: &'a [OwnInput],
    /// Its outputs.
    pub outputs: &'a [Output],
    /// Its tables.
    pub maps: &'a PrimaryMap<MapId, MapDecl>,
}

impl Display for Declarations<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_edges(f, self)?;
        if !self.maps.is_empty() {
            writeln!(f)?;
        }
        let mut maps = self.maps.values();
        maps.try_for_each(|decl| write_map(f, decl))
    }
}

/// Limits, inputs and outputs, as far as they are not usual.
fn write_edges(f: &mut Formatter<'_>, program: &Declarations) -> fmt::Result {
    let (mut limits, mut usual) = (program.limits, Limits::default());
    let mut words = Vec::new();
    for (word, field) in LIMITS {
        let bytes = *field(&mut limits);
        if bytes != *field(&mut usual) {
            words.push(format!("{word} {bytes}"));
        }
    }
    if !(words.is_empty() && program.inputs.is_empty() && program.outputs.is_empty()) {
        writeln!(f)?;
    }
    if !words.is_empty() {
        writeln!(f, "limits {}", words.join(" "))?;
    }
    for input in program.inputs {
        writeln!(f, "input {} {}", quote(&input.name), input.width)?;
    }
    for output in program.outputs {
        write!(f, "output {} {}", quote(&output.name), output.width)?;
        if !output.values.is_empty() {
            let values: Vec<String> = output.values.iter().map(|value| quote(value)).collect();
            write!(f, " values {}", values.join(", "))?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn write_map(f: &mut Formatter<'_>, decl: &MapDecl) -> fmt::Result {
    write!(
        f,
        "map {} {} key {} value {} entries {}",
        reference(&decl.name),
        decl.find,
        decl.key_bytes,
        decl.value_bytes,
        decl.max_entries
    )?;
    if !decl.fields.is_empty() {
        let shown = |field: &Field| format!("{} {}", word_for(&Match::ALL, &field.by), field.bits);
        let fields: Vec<String> = decl.fields.iter().map(shown).collect();
        write!(f, " fields \"{}\"", fields.join(", "))?;
    }
    if let Some(masks) = decl.most_masks {
        write!(f, " masks {masks}")?;
    }
    let usual = MapDecl::new(&decl.name, decl.find, (1, 1), 1);
    for (differs, word) in [
        (decl.forgets, "forgets"),
        (decl.in_place != usual.in_place, "in-place"),
        (decl.packets_write != usual.packets_write, "host-only"),
        (decl.broadcast, "broadcast"),
    ] {
        if differs {
            write!(f, " {word}")?;
        }
    }
    if decl.outside != usual.outside {
        write!(f, " as {}", quote(&decl.outside))?;
    }
    if let Some(initial) = &decl.initial {
        let digits: String = initial.iter().map(|byte| format!("{byte:02x}")).collect();
        write!(f, " initial \"{digits}\"")?;
    }
    writeln!(f)
}

fn write_place(f: &mut Formatter<'_>, id: PlaceId, place: &Place) -> fmt::Result {
    write!(f, "{id} slot {}", place.slot)?;
    if !place.file.is_empty() {
        write!(f, " file {}", quote(&place.file))?;
    }
    if place.line != 0 {
        write!(f, " line {}", place.line)?;
    }
    if !place.source.is_empty() {
        write!(f, " source {}", quote(&place.source))?;
    }
    writeln!(f)
}

fn write_function(f: &mut Formatter<'_>, program: &Program, data: &FunctionData) -> fmt::Result {
    write!(f, "\nfunction {}", reference(&data.name))?;
    if !data.results.is_empty() {
        let widths: Vec<String> = data.results.iter().map(u32::to_string).collect();
        write!(f, " returns {}", widths.join(", "))?;
    }
    writeln!(f)?;
    for &block in &data.order {
        writeln!(f)?;
        write_block(f, program, block)?;
    }
    Ok(())
}

fn write_block(f: &mut Formatter<'_>, program: &Program, block: Block) -> fmt::Result {
    let data = &program.blocks[block];
    write!(f, "{block}")?;
    if !data.params.is_empty() {
        let params: Vec<String> = data
            .params
            .iter()
            .map(|v| definition(program, *v))
            .collect();
        write!(f, "({})", params.join(", "))?;
    }
    if let Some(bound) = data.bound {
        write!(f, " loop {bound}")?;
    }
    if let Some(place) = data.place {
        write!(f, " at {place}")?;
    }
    writeln!(f, ":")?;
    let mut shown = None;
    for &inst in &data.insts {
        let place = program.insts[inst].place;
        if place.is_some() && place != shown {
            shown = place;
            write_source_comment(f, program, place)?;
        }
        writeln!(f, "    {}", program.display_inst(inst))?;
    }
    match &data.terminator {
        Terminator::Jump(target) => writeln!(f, "    jump {}", target_text(target)),
        Terminator::Branch { cond, yes, no } => writeln!(
            f,
            "    branch {cond}, {}, {}",
            target_text(yes),
            target_text(no)
        ),
        Terminator::Emit(emit) => write_emit(f, program, emit),
        Terminator::Return(results) if results.is_empty() => writeln!(f, "    return"),
        Terminator::Return(results) => writeln!(f, "    return {}", values_text(results)),
        Terminator::None => writeln!(f, "    ; unfinished"),
    }
}

fn write_emit(f: &mut Formatter<'_>, program: &Program, emit: &Emit) -> fmt::Result {
    write!(f, "    emit {}", emit.forwarded)?;
    write_sent(f, &emit.packet)?;
    for Each {
        when,
        table,
        not_back,
    } in &emit.each
    {
        let table = map_name(program, *table);
        write!(f, " each {table} if {when} not-back {not_back}")?;
    }
    for copy in &emit.copies {
        write!(f, " copy if {}", copy.when)?;
        write_sent(f, &copy.sent)?;
    }
    writeln!(f)
}

fn write_sent(f: &mut Formatter<'_>, sent: &Sent) -> fmt::Result {
    if let Some(To { class, index }) = sent.to {
        write!(f, " to {class}, {index}")?;
    }
    if !sent.outputs.is_empty() {
        write!(f, " with {}", values_text(&sent.outputs))?;
    }
    if let Some(Leaving {
        from,
        end,
        zeros,
        front,
    }) = sent.leaves
    {
        write!(f, " from {from} end {end} zeros {zeros}")?;
        if let Some(Front { bytes, length }) = front {
            write!(f, " front {bytes} length {length}")?;
        }
    }
    if !sent.begins.is_empty() {
        let begins: Vec<String> = sent.begins.iter().map(i16::to_string).collect();
        write!(f, " begins {}", begins.join(", "))?;
    }
    Ok(())
}

/// The source line above the instructions that come from it; nothing without debug information.
fn write_source_comment(
    f: &mut Formatter<'_>,
    program: &Program,
    place: Option<PlaceId>,
) -> fmt::Result {
    let known = |place: &PlaceId| program.places.get(*place).is_some_and(|p| p.line != 0);
    match place.filter(known) {
        Some(place) => writeln!(f, "    ; {}", program.display_place(place)),
        None => Ok(()),
    }
}

/// As it stands behind `input`, of a program with these inputs of its own.
pub fn input_word(own: &[OwnInput], input: &Input) -> String {
    match *input {
        Input::Own { lo, width } => quote(OwnInput::name(own, lo, width).unwrap_or("?")),
        ref usual => word_for(&INPUTS, usual).into(),
    }
}

fn write_inst(f: &mut Formatter<'_>, program: &Program, inst: Inst) -> fmt::Result {
    let data = &program.insts[inst];
    let results: Vec<String> = data
        .results
        .iter()
        .map(|v| definition(program, *v))
        .collect();
    if !results.is_empty() {
        write!(f, "{} = ", results.join(", "))?;
    }
    write!(f, "{}", op_word(&data.op))?;
    match &data.op {
        Op::Const(bits) => write!(f, " {bits:x}")?,
        Op::Input(input) => write!(f, " {}", input_word(&program.inputs, input))?,
        Op::MapAtomic(_, atomic) => write!(f, " {}", word_for(&ATOMICS, atomic))?,
        Op::Call(function) => write!(f, " {}", function_name(program, *function))?,
        Op::Whole(Whole::Checksum { memory, up_to }) => {
            write!(f, " {} up-to {up_to}", word_for(&MEMORIES, memory))?;
        }
        Op::Whole(Whole::Copy { from, to, up_to }) => {
            let [from, to] = [from, to].map(|memory| word_for(&MEMORIES, memory));
            write!(f, " {from} {to} up-to {up_to}")?;
        }
        _ => {}
    }
    if let Some(map) = data.op.map() {
        write!(f, " {}", map_name(program, map))?;
    }
    if !data.args.is_empty() {
        write!(f, " {}", values_text(&data.args))?;
    }
    if let Op::Slice { lo } = data.op {
        write!(f, ", {lo}")?;
    }
    if let Some(guard) = data.guard {
        write!(f, " if {guard}")?;
    }
    if let Some(stage) = data.stage {
        write!(f, " stage {stage}")?;
    }
    if let Some(place) = data.place {
        write!(f, " at {place}")?;
    }
    Ok(())
}

fn definition(program: &Program, value: Value) -> String {
    // A broken program must be printable too: the verifier shows it.
    match program.values.get(value) {
        Some(data) => match &data.name {
            Some(name) => format!("{value}:{} {}", data.width, quote(name)),
            None => format!("{value}:{}", data.width),
        },
        None => format!("{value}:?"),
    }
}

fn target_text(target: &Target) -> String {
    if target.args.is_empty() {
        target.block.to_string()
    } else {
        format!("{}({})", target.block, values_text(&target.args))
    }
}

fn values_text(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.join(", ")
}

fn map_name(program: &Program, map: MapId) -> String {
    match program.maps.get(map) {
        Some(decl) => reference(&decl.name),
        None => format!("@?{map}"),
    }
}

fn function_name(program: &Program, function: Function) -> String {
    match program.functions.get(function) {
        Some(data) => reference(&data.name),
        None => format!("@?{function}"),
    }
}

/// The name of a map or function.
pub fn reference(name: &str) -> String {
    if !name.is_empty() && name.chars().all(is_word_character) {
        format!("@{name}")
    } else {
        format!("@{}", quote(name))
    }
}
