//! Print: what [`super::layout`] collected, section after section.

use super::constant;
use super::expression::{Level, Use};
use super::layout::{Body, Layout, RegisterText, REGISTERS};
use super::text;
use crate::print::lines::{self, fill, COLUMNS};
use crate::print::outline::{heading, outputs_section, section_index, Place};
use crate::print::plan::{Signal, SignalKind};
use crate::{Clock, Copied, Mem, NodeOp, Reg};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeMap;

/// Deeper memories get their zeros in simulation only: FPGA memories start as zeros anyway, and some synthesizers
/// unroll the loop.
const LONGEST_INITIAL_LOOP: u32 = 1024;
/// Likewise those of a module with more words than this in all its memories.
const MOST_INITIAL_WORDS: u64 = 8192;

impl Layout<'_> {
    /// Where each signal is read first.
    fn first_uses(&self) -> SecondaryMap<Signal, Option<Place>> {
        let mut first: SecondaryMap<Signal, Option<Place>> = SecondaryMap::new();
        let mut note = |uses: &[Use], place: Place| {
            for read in uses {
                let known = &mut first[read.signal];
                *known = Some(known.map_or(place, |known| known.min(place)));
            }
        };
        for statement in &self.statements {
            note(&statement.uses, statement.place);
        }
        for register in &self.registers {
            note(&register.uses, (register.section, REGISTERS, 0));
        }
        for memory in &self.memories {
            note(&memory.uses, (memory.section, REGISTERS, 0));
        }
        first
    }

    pub fn print_sections(&self, out: &mut Vec<String>) {
        let first = self.first_uses();
        // Nets that are declared at the head of a section, by section.
        let mut early: BTreeMap<usize, Vec<Signal>> = BTreeMap::new();
        for statement in &self.statements {
            for signal in &statement.declares {
                if let Some(place) = first[*signal].filter(|place| *place < statement.place) {
                    early.entry(place.0).or_default().push(*signal);
                }
            }
        }
        let mut variables: BTreeMap<usize, Vec<Reg>> = BTreeMap::new();
        for register in &self.registers {
            if let SignalKind::Register(reg) = self.plan.signals[register.signal].kind {
                let own = section_index(self.legal.module.regs[reg].section);
                let read = first[register.signal].map_or(own, |place| place.0);
                variables.entry(own.min(read)).or_default().push(reg);
            }
        }
        let memories = self.memory_sections(&first);
        for section in 0..=outputs_section(self.legal) {
            let mut groups: Vec<Vec<String>> = Vec::new();
            let early = early.get(&section).map_or(&[][..], Vec::as_slice);
            groups.push(self.early_nets(early));
            groups.push(self.variables(variables.get(&section).map_or(&[][..], Vec::as_slice)));
            for (mem, _) in memories.iter().filter(|(_, at)| **at == section) {
                groups.push(self.memory_declaration(*mem));
            }
            groups.extend(self.logic(section, &first));
            groups.push(self.initial_values(section));
            for clock in self.legal.module.clocks.keys() {
                groups.push(self.always(section, clock, false));
                groups.push(self.always(section, clock, true));
            }
            for memory in self
                .memories
                .iter()
                .filter(|memory| memory.section == section)
            {
                groups.push(self.memory_zeros(memory.mem));
                for (clock, lines) in &memory.lines {
                    groups.push(text::always(self.clk(*clock), lines));
                }
            }
            let heading = heading(self.legal, section).map(|text| text::heading(&text));
            lines::section(out, heading, groups);
        }
    }

    /// Where each memory is declared: in its section, or where it is read first.
    fn memory_sections(&self, first: &SecondaryMap<Signal, Option<Place>>) -> BTreeMap<Mem, usize> {
        let mut sections: BTreeMap<Mem, usize> = self
            .memories
            .iter()
            .map(|memory| {
                let section = self.legal.module.mems[memory.mem].section;
                (memory.mem, section_index(section))
            })
            .collect();
        for (node, data) in self.legal.module.nodes.iter() {
            let NodeOp::MemRead(mem, _) = data.op else {
                continue;
            };
            if let (Some(signal), Some(at)) = (self.plan.nodes[node], sections.get_mut(&mem)) {
                let read = first[signal].map_or(usize::MAX, |place| place.0);
                *at = (*at).min(section_index(data.section)).min(read);
            }
        }
        sections
    }

    fn early_nets(&self, signals: &[Signal]) -> Vec<String> {
        if signals.is_empty() {
            return Vec::new();
        }
        let rows = signals.iter().map(|signal| {
            let data = &self.plan.signals[*signal];
            let declaration = format!("{};", data.name);
            (
                "wire".to_string(),
                text::range(data.width),
                declaration,
                String::new(),
            )
        });
        let mut lines = vec!["  // Driven further down.".to_string()];
        lines.extend(text::declarations(rows.collect()));
        lines
    }

    fn variables(&self, regs: &[Reg]) -> Vec<String> {
        let rows = regs.iter().filter_map(|reg| {
            let data = &self.legal.module.regs[*reg];
            let signal = &self.plan.signals[self.plan.regs[*reg]?];
            let comment = data.comment.clone().unwrap_or_default();
            let declaration = format!("{};", signal.name);
            let kind = match (data.is_apart, self.legal.attributes.copy()) {
                _ if data.is_synchronizer => {
                    let (name, value) = self.legal.attributes.synchronizer();
                    format!("(* {name} = \"{value}\" *) logic")
                }
                (false, _) => "logic".to_string(),
                (true, (name, Copied::Flag)) => format!("(* {name} *) logic"),
                (true, (name, Copied::Text(value))) => format!("(* {name} = \"{value}\" *) logic"),
            };
            Some((kind, text::range(data.width), declaration, comment))
        });
        text::declarations(rows.collect())
    }

    fn memory_declaration(&self, mem: Mem) -> Vec<String> {
        let data = &self.legal.module.mems[mem];
        let name = self.plan.mems[mem].clone().unwrap_or_default();
        let mut lines: Vec<String> = Vec::new();
        if let Some(comment) = &data.comment {
            lines.push(format!("  // {}", lines::comment(comment)));
        }
        let attributes = self.legal.attributes;
        if let Some(style) = attributes.value(data.style) {
            lines.push(format!("  (* {} = \"{style}\" *)", attributes.name()));
        }
        let last = self.legal.depth[mem] - 1;
        let range = text::range(data.width);
        let word = text::declarations(vec![(
            "logic".to_string(),
            range,
            format!("{name} [0:{last}];"),
            String::new(),
        )]);
        lines.extend(word);
        let reads = self
            .plan
            .signals
            .values()
            .filter(|signal| matches!(signal.kind, SignalKind::ReadData(of, _) if of == mem));
        let rows = reads.map(|signal| {
            let declaration = format!("{};", signal.name);
            (
                "logic".to_string(),
                text::range(signal.width),
                declaration,
                String::new(),
            )
        });
        lines.extend(text::declarations(rows.collect()));
        lines
    }

    fn memory_zeros(&self, mem: Mem) -> Vec<String> {
        let data = &self.legal.module.mems[mem];
        let name = self.plan.mems[mem].clone().unwrap_or_default();
        let depth = self.legal.depth[mem];
        let zero = constant::text(&[0], data.width);
        let mut lines = Vec::new();
        let depths = self.legal.depth.values();
        let all: u64 = depths.map(|depth| u64::from(*depth)).sum();
        let guard = depth > LONGEST_INITIAL_LOOP || all > MOST_INITIAL_WORDS;
        if guard {
            lines.push("`ifndef SYNTHESIS".to_string());
        }
        lines.push("  initial begin".to_string());
        lines.push(format!(
            "    for (int i = 0; i < {depth}; i = i + 1) {name}[i] = {zero};"
        ));
        lines.push("  end".to_string());
        if guard {
            lines.push("`endif".to_string());
        }
        lines
    }

    /// The logic of a section; an instance is a group of its own.
    fn logic(
        &self,
        section: usize,
        first: &SecondaryMap<Signal, Option<Place>>,
    ) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = vec![Vec::new()];
        let statements = || self.statements.iter().filter(|s| s.place.0 == section);
        let is_early = |signal: Signal, place: Place| first[signal].is_some_and(|at| at < place);
        // Ranges stand in a column.
        let column = statements()
            .flat_map(|statement| statement.declares.iter().map(move |s| (statement, *s)))
            .filter(|(statement, signal)| !is_early(*signal, statement.place))
            .map(|(_, signal)| text::range(self.plan.signals[signal].width).len())
            .max()
            .unwrap_or(0);
        for statement in statements() {
            match &statement.body {
                Body::Drive {
                    signal,
                    expression,
                    comment,
                } => {
                    let data = &self.plan.signals[*signal];
                    let declares =
                        data.kind == SignalKind::Wire && !is_early(*signal, statement.place);
                    let head = match (declares, column) {
                        (false, _) => format!("assign {} =", data.name),
                        (true, 0) => format!("wire {} =", data.name),
                        (true, _) => {
                            format!("wire {:column$} {} =", text::range(data.width), data.name)
                        }
                    };
                    let lines = text::assignment(&head, expression);
                    let lines = text::with_comment(lines, comment.as_deref());
                    if let Some(group) = groups.last_mut() {
                        group.extend(lines);
                    }
                }
                Body::Instance { comment, lines } => {
                    let new = statement.declares.iter().copied();
                    let new = new.filter(|signal| !is_early(*signal, statement.place));
                    let mut group = self.wires(new);
                    if let Some(comment) = comment {
                        group.push(format!("  // {}", lines::comment(comment)));
                    }
                    group.extend(lines.iter().cloned());
                    groups.push(group);
                    groups.push(Vec::new());
                }
            }
        }
        groups
    }

    /// Declarations of signals that something else than an assignment drives.
    fn wires(&self, signals: impl Iterator<Item = Signal>) -> Vec<String> {
        let rows = signals.map(|signal| {
            let data = &self.plan.signals[signal];
            (
                "wire".to_string(),
                text::range(data.width),
                format!("{};", data.name),
                String::new(),
            )
        });
        text::declarations(rows.collect())
    }

    /// What the registers of a section hold before the first clock.
    fn initial_values(&self, section: usize) -> Vec<String> {
        let mut items = Vec::new();
        for register in self.registers.iter().filter(|r| r.section == section) {
            let signal = &self.plan.signals[register.signal];
            let zero = constant::text(&[0], signal.width);
            let value = register.reset.as_ref().unwrap_or(&zero);
            items.push(format!("{} = {value};", signal.name));
        }
        for memory in self
            .memories
            .iter()
            .filter(|memory| memory.section == section)
        {
            for signal in self.plan.signals.values() {
                if matches!(signal.kind, SignalKind::ReadData(mem, _) if mem == memory.mem) {
                    let zero = constant::text(&[0], signal.width);
                    items.push(format!("{} = {zero};", signal.name));
                }
            }
        }
        if items.is_empty() {
            return Vec::new();
        }
        let mut lines = vec!["  initial begin".to_string()];
        let filled = lines::fill_items(&items, COLUMNS - 4);
        lines.extend(filled.into_iter().map(|line| format!("    {line}")));
        lines.push("  end".to_string());
        lines
    }

    fn clk(&self, clock: Clock) -> &str {
        &self.plan.signals[self.plan.clocks[clock].0].name
    }

    /// The next values of the registers of a section and clock, copies or others; those with the same enable stand together.
    fn always(&self, section: usize, clock: Clock, copies: bool) -> Vec<String> {
        let registers: Vec<&RegisterText> = self
            .registers
            .iter()
            .filter(|r| r.section == section && r.clock == clock && r.is_apart == copies)
            .collect();
        let mut enables: Vec<&Option<String>> = Vec::new();
        for register in &registers {
            if !enables.contains(&&register.enable) {
                enables.push(&register.enable);
            }
        }
        let mut body = Vec::new();
        for enable in enables {
            let mut lines = Vec::new();
            for register in registers.iter().filter(|r| r.enable == *enable) {
                let head = format!("{} <=", self.plan.signals[register.signal].name);
                let mut next = register.next.clone();
                if next.level == Level::Order && next.text.contains("<=") {
                    // `a <= b <= c` is legal, but nobody wants to read it.
                    next.text = format!("({})", next.text);
                    next.lines = vec![next.text.clone()];
                }
                lines.extend(text::assignment(&head, &next));
            }
            body.extend(text::guarded(enable.clone(), lines));
        }
        let resets = registers.iter().filter_map(|register| {
            let name = &self.plan.signals[register.signal].name;
            register
                .reset
                .as_ref()
                .map(|reset| format!("  {name} <= {reset};"))
        });
        let resets: Vec<String> = resets.collect();
        if !resets.is_empty() {
            let rst = &self.plan.signals[self.plan.clocks[clock].1].name;
            body.extend(text::guarded(Some(rst.clone()), resets));
        }
        let mut lines = text::always(self.clk(clock), &body);
        if copies && !lines.is_empty() {
            // Yosys takes the attribute of the process over to its flip-flops, and no other.
            lines.insert(0, "  (* keep *)".to_string());
        }
        lines
    }

    /// Bits that no text reads: they are collected in one net, so that tools which warn of unread signals warn of
    /// real mistakes only.
    pub fn unread_bits(&self, out: &mut Vec<String>) {
        let mut read: SecondaryMap<Signal, Vec<(u32, u32)>> = SecondaryMap::new();
        let all = self
            .statements
            .iter()
            .map(|statement| &statement.uses)
            .chain(self.registers.iter().map(|register| &register.uses))
            .chain(self.memories.iter().map(|memory| &memory.uses))
            .chain([&self.tail_uses]);
        for item in all.flatten() {
            read[item.signal].push((item.lo, item.lo + item.width));
        }
        let mut items = vec!["1'b0".to_string()];
        for (signal, data) in self.plan.signals.iter() {
            if matches!(data.kind, SignalKind::Output | SignalKind::UnusedOutput) {
                continue;
            }
            read[signal].sort_unstable();
            let mut next = 0;
            let end = (data.width, data.width);
            for (lo, hi) in read[signal].clone().into_iter().chain([end]) {
                if lo > next {
                    items.push(match (lo - next, data.width) {
                        (bits, all) if bits == all => data.name.clone(),
                        (1, _) => format!("{}[{next}]", data.name),
                        _ => format!("{}[{}:{next}]", data.name, lo - 1),
                    });
                }
                next = next.max(hi);
            }
        }
        if items.len() == 1 {
            return;
        }
        out.push("  // Bits that nobody reads.".to_string());
        let single = format!("  wire _unused_ok = &{{{}}};", items.join(", "));
        if single.len() <= COLUMNS {
            out.push(single);
        } else {
            out.push("  wire _unused_ok = &{".to_string());
            let lines = fill(&items, COLUMNS - 4);
            out.extend(lines.into_iter().map(|line| format!("    {line}")));
            out.push("  };".to_string());
        }
        out.push(String::new());
    }
}
