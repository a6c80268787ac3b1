//! Reads the journals of LRU maps from a design's ports ([`hardpath_blocks::interface::Journal`]).
//!
//! Each map has a journal of its own, in the order of its commits: a *turn* for each packet that entered the program, and for
//! each operation of the host on this map that could change it. What belongs to one packet is put together by counting where turns
//! begin with a strobe, and by waiting where they end with one.

use crate::dut::{Dut, Port, PortDirection, Words};
use hardpath_blocks::interface::{Interface, JournalOut, Turns};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{KeyMove, Move};
use hardpath_ir::MapId;
use hardpath_registers::{Foreign, HostOperation};
use hardpath_rtl::signals::Signals;
use std::collections::VecDeque;

/// The journals of a design, as far as nobody has taken what they say.
pub struct Journals {
    maps: Vec<MapJournal>,
    /// Packets that were taken.
    taken: u64,
}

/// A design whose journals are read at every clock.
pub struct Journaled<'a> {
    dut: &'a mut dyn Dut,
    /// What they said up to the last clock, as far as nobody has taken it.
    pub journals: Journals,
}

impl<'a> Journaled<'a> {
    /// # Errors
    /// As [`Journals::new`].
    pub fn new(dut: &'a mut dyn Dut, interface: &Interface) -> Result<Journaled<'a>, Diagnostic> {
        let journals = Journals::new(dut, interface)?;
        Ok(Journaled { dut, journals })
    }
}

impl Dut for Journaled<'_> {
    fn port(&self, name: &str) -> Option<Port> {
        self.dut.port(name)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        self.dut.set(port, limbs);
    }

    fn get(&self, port: Port) -> &[u64] {
        self.dut.get(port)
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.dut.step()?;
        self.journals.observe(&*self.dut);
        Ok(())
    }

    fn clocks(&self) -> u64 {
        self.dut.clocks()
    }

    fn foreign(&self) -> &Foreign {
        self.dut.foreign()
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        self.dut.foreign_mut()
    }

    fn memory(&self, path: &str) -> Option<Words<'_>> {
        self.dut.memory(path)
    }

    fn skip_sweep(&mut self) -> bool {
        self.dut.skip_sweep()
    }
}

struct MapJournal {
    map: MapId,
    key_bytes: usize,
    ports: JournalOut<Port>,
    /// Of turns that begin: the clocks of one, and those since the last packet's began.
    clocks: u32,
    since: u32,
    /// Of turns that end: what came since the last one.
    open: Option<Vec<KeyMove>>,
    /// Packets of which everything is known.
    packets: u64,
    turns: VecDeque<Turn>,
}

#[derive(Default)]
struct Turn {
    of_host: bool,
    moves: Vec<KeyMove>,
}

impl Journals {
    /// # Errors
    /// The design does not have the ports that its interface names.
    pub fn new(dut: &dyn Dut, interface: &Interface) -> Result<Journals, Diagnostic> {
        let mut maps = Vec::new();
        for (map, port) in interface.maps.iter().enumerate() {
            let Some(journal) = &port.journal else {
                continue;
            };
            let mut missing = None;
            let ports = port.journal_widths().map(&mut |signal, _, width| {
                let name = format!("{}_{signal}", journal.name);
                let found = dut.required(&name, width, PortDirection::Output);
                found.map_err(|error| missing = Some(error)).ok()
            });
            if let Some(error) = missing {
                return Err(error);
            }
            let clocks = match journal.turns {
                Turns::Begin { clocks } => clocks,
                Turns::End => 0,
            };
            maps.push(MapJournal {
                map: MapId::from_u32(map as u32),
                key_bytes: port.key_bytes as usize,
                ports: ports.map(&mut |_, _, port| port.expect("none is missing")),
                clocks,
                since: clocks,
                open: (journal.turns == Turns::End).then(Vec::new),
                packets: 0,
                turns: VecDeque::new(),
            });
        }
        Ok(Journals { maps, taken: 0 })
    }

    /// Looks at the ports after a step.
    pub fn observe(&mut self, dut: &dyn Dut) {
        for journal in &mut self.maps {
            journal.observe(dut);
        }
    }

    /// Of how many packets everything is known, in all maps; `None`: there are no journals.
    pub fn packets(&self) -> Option<u64> {
        self.maps.iter().map(|journal| journal.packets).min()
    }

    /// Whether everything is known of the next packet.
    pub fn has_packet(&self) -> bool {
        self.packets().is_none_or(|packets| packets > self.taken)
    }

    /// What the next operation of the host changed; nothing where its map has no journal.
    pub fn take_host(&mut self, operation: &HostOperation) -> Vec<KeyMove> {
        let map = match operation {
            // These have no turn.
            HostOperation::Dump { .. } | HostOperation::Next { .. } => return Vec::new(),
            other => other.map(),
        };
        let map = map.map(|map| MapId::from_u32(map as u32));
        let mut journals = self.maps.iter_mut();
        let journal = journals.find(|journal| Some(journal.map) == map);
        journal.and_then(MapJournal::take_host).unwrap_or_default()
    }

    /// What operations of the host changed that came before the next packet's turn.
    pub fn take_all_of_host(&mut self) -> Vec<KeyMove> {
        let mut moves = Vec::new();
        for journal in &mut self.maps {
            while let Some(turn) = journal.take_host() {
                moves.extend(turn);
            }
        }
        moves
    }

    /// What the next packet changed, in all maps; each map's in their order. All of them have had the packet's turn
    /// ([`Journals::packets`]), and what the host did before it was taken.
    pub fn take_packet(&mut self) -> Vec<KeyMove> {
        let mut moves = Vec::new();
        self.taken += 1;
        for journal in &mut self.maps {
            let turn = journal.turns.pop_front();
            debug_assert!(turn.as_ref().is_some_and(|turn| !turn.of_host));
            moves.extend(turn.into_iter().flat_map(|turn| turn.moves));
        }
        moves
    }
}

impl MapJournal {
    fn take_host(&mut self) -> Option<Vec<KeyMove>> {
        match self.turns.front() {
            Some(turn) if turn.of_host => self.turns.pop_front().map(|turn| turn.moves),
            _ => None,
        }
    }

    fn observe(&mut self, dut: &dyn Dut) {
        let [packet, host, put, removed] = [
            self.ports.packet,
            self.ports.host,
            self.ports.put,
            self.ports.removed,
        ]
        .map(|port| dut.get_bit(port));
        let moved = (put || removed).then(|| self.key_move(dut, put));
        if host {
            self.turns.push_back(Turn {
                of_host: true,
                moves: Vec::new(),
            });
        }
        match &mut self.open {
            Some(open) => {
                match self.turns.back_mut().filter(|_| host) {
                    Some(of_host) => of_host.moves.extend(moved),
                    None => open.extend(moved),
                }
                if packet {
                    self.packets += 1;
                    self.turns.push_back(Turn {
                        of_host: false,
                        moves: std::mem::take(open),
                    });
                }
            }
            None => self.observe_begun(packet, moved),
        }
    }

    /// Where turns begin with their strobe.
    fn observe_begun(&mut self, packet: bool, moved: Option<KeyMove>) {
        if packet {
            self.since = 0;
            self.turns.push_back(Turn::default());
        }
        // What belongs to nobody would be a defect of the design: it is then laid to the host, who did nothing.
        if self.turns.is_empty() && moved.is_some() {
            self.turns.push_back(Turn {
                of_host: true,
                moves: Vec::new(),
            });
        }
        if let Some(turn) = self.turns.back_mut() {
            turn.moves.extend(moved);
        }
        if self.since < self.clocks {
            self.since += 1;
            self.packets += u64::from(self.since == self.clocks);
        }
    }

    /// A key comes or goes.
    fn key_move(&self, dut: &dyn Dut, put: bool) -> KeyMove {
        let what = match put {
            true => Move::Put {
                forgets: dut.get_bit(self.ports.forgot),
            },
            false => Move::Removed,
        };
        let limbs = dut.get(self.ports.key);
        let key = (0..self.key_bytes).map(|index| (limbs[index / 8] >> (8 * (index % 8))) as u8);
        KeyMove {
            map: self.map,
            key: key.collect(),
            slot: dut.get_u64(self.ports.slot) as u32,
            what,
        }
    }
}
