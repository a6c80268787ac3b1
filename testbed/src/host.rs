//! The host's side of a design: registers and map commands over the AXI4-Lite port, as
//! `hardpath_blocks::interface` lays them out.

use crate::axilite::{Access, AxiLite};
use crate::dut::{Dut, PortDirection};
use hardpath_blocks::interface::{command, register, Interface, MapPort, MAGIC};
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::maps::{Entries, Image};

/// Something that the host asks of a design. `map` is the map's place in [`Interface::maps`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostOperation {
    ReadRegister {
        address: u32,
    },
    WriteRegister {
        address: u32,
        data: u32,
    },
    Lookup {
        map: usize,
        key: Vec<u8>,
    },
    /// `flags`: 0 any, 1 `BPF_NOEXIST`, 2 `BPF_EXIST`.
    Update {
        map: usize,
        key: Vec<u8>,
        value: Vec<u8>,
        flags: u32,
    },
    Delete {
        map: usize,
        key: Vec<u8>,
    },
    Dump {
        map: usize,
        slot: u32,
    },
}

/// What came of an operation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostAnswer {
    /// 0, or the positive errno of a map command.
    pub errno: u32,
    /// Of a register read.
    pub data: u32,
    /// Of a dump.
    pub key: Vec<u8>,
    /// Of a lookup or a dump.
    pub value: Vec<u8>,
}

/// `errno` values of map commands (include/uapi/asm-generic/errno-base.h).
pub mod errno {
    pub const ENOENT: u32 = 2;
    pub const E2BIG: u32 = 7;
    pub const EEXIST: u32 = 17;
    pub const EINVAL: u32 = 22;

    pub fn name(errno: u32) -> String {
        match errno {
            ENOENT => "ENOENT".into(),
            E2BIG => "E2BIG (the map is full)".into(),
            EEXIST => "EEXIST".into(),
            EINVAL => "EINVAL".into(),
            other => format!("errno {other}"),
        }
    }
}

/// The counters of a design since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    pub packets_in: u64,
    pub dropped_bad: u64,
    pub dropped_length: u64,
    /// ABORTED, DROP, PASS, TX, REDIRECT.
    pub verdicts: [u64; 5],
}

/// Clocks after which an operation counts as lost.
const OPERATION_CLOCKS: u64 = 100_000;

/// Performs operations one after another. While packets run, [`Host::drive`] and [`Host::observe`] go along with
/// the streams; otherwise the methods that take a `dut` step the clock themselves.
pub struct Host<'a> {
    interface: &'a Interface,
    master: AxiLite,
    running: Option<Running>,
}

/// An operation as register accesses; `at` is the one on its way.
struct Running {
    operation: HostOperation,
    /// The operation is one on a key that the design does not store: [`crate::foreign`].
    is_foreign: bool,
    accesses: Vec<Access>,
    at: usize,
    /// The access that is repeated until the command is done.
    poll: Option<usize>,
    words: Vec<u32>,
    errno: u32,
}

impl<'a> Host<'a> {
    pub fn new(dut: &mut dyn Dut, interface: &'a Interface) -> Result<Host<'a>, Diagnostic> {
        Ok(Host {
            interface,
            master: AxiLite::new(dut)?,
            running: None,
        })
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// What the host waits for, for messages.
    pub fn pending(&self) -> Option<String> {
        let running = self.running.as_ref()?;
        let access = self.master.pending().unwrap_or_default();
        Some(format!(
            "{} ({access})",
            describe(self.interface, &running.operation)
        ))
    }

    /// Begins an operation; the host must be idle. Sizes of key and value are checked.
    pub fn start(&mut self, dut: &dyn Dut, operation: HostOperation) -> Result<(), Diagnostic> {
        debug_assert!(self.is_idle(), "one operation at a time");
        let (mut accesses, mut poll) = register_accesses(self.interface, &operation)?;
        let asked = dut.foreign().asked(self.interface, &operation);
        if let Some(asked) = &asked {
            (accesses, poll) = register_accesses(self.interface, asked)?;
        }
        self.running = Some(Running {
            operation,
            is_foreign: asked.is_some(),
            accesses,
            at: 0,
            poll,
            words: Vec::new(),
            errno: 0,
        });
        Ok(())
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        match &self.running {
            Some(running) if self.master.is_idle() => {
                self.master.start(running.accesses[running.at]);
            }
            Some(_) => {}
            None if self.master.is_idle() => return,
            None => {}
        }
        self.master.drive(dut);
    }

    /// Looks at the ports after a step: the answer, when the operation is done.
    pub fn observe(&mut self, dut: &mut dyn Dut) -> Result<Option<HostAnswer>, Diagnostic> {
        let Some(word) = self.master.observe(dut)? else {
            return Ok(None);
        };
        self.master.drive(dut);
        let Some(running) = &mut self.running else {
            return Ok(None);
        };
        if running.take(word) {
            return Ok(None);
        }
        let Some(running) = self.running.take() else {
            return Ok(None);
        };
        match running.is_foreign {
            true => {
                let foreign = dut.foreign_mut();
                foreign.answer(running.operation, running.errno).map(Some)
            }
            false => Ok(Some(running.answer(self.interface))),
        }
    }

    /// Performs one operation while no packet is driven.
    pub fn perform(
        &mut self,
        dut: &mut dyn Dut,
        operation: HostOperation,
    ) -> Result<HostAnswer, Diagnostic> {
        self.start(dut, operation)?;
        for _ in 0..OPERATION_CLOCKS {
            self.drive(dut);
            dut.step()?;
            if let Some(answer) = self.observe(dut)? {
                return Ok(answer);
            }
        }
        let pending = self.pending().unwrap_or_default();
        Err(Diagnostic::defect(
            "host-port-hangs",
            format!(
                "the design does not answer the host within {OPERATION_CLOCKS} clocks: {pending}"
            ),
        )
        .help("this is a defect of the generated design: please report it with the program"))
    }

    pub fn read_register(&mut self, dut: &mut dyn Dut, address: u32) -> Result<u32, Diagnostic> {
        let answer = self.perform(dut, HostOperation::ReadRegister { address })?;
        Ok(answer.data)
    }

    pub fn write_register(
        &mut self,
        dut: &mut dyn Dut,
        address: u32,
        data: u32,
    ) -> Result<(), Diagnostic> {
        self.perform(dut, HostOperation::WriteRegister { address, data })?;
        Ok(())
    }

    /// Reads a 64-bit counter: the low word latches the high one.
    pub fn read_counter(&mut self, dut: &mut dyn Dut, address: u32) -> Result<u64, Diagnostic> {
        let low = self.read_register(dut, address)?;
        let high = self.read_register(dut, address + 4)?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    pub fn counters(&mut self, dut: &mut dyn Dut) -> Result<Counters, Diagnostic> {
        let mut counters = Counters {
            packets_in: self.read_counter(dut, register::PACKETS_IN)?,
            dropped_bad: self.read_counter(dut, register::DROPPED_BAD)?,
            dropped_length: self.read_counter(dut, register::DROPPED_LENGTH)?,
            verdicts: [0; 5],
        };
        for (index, counter) in counters.verdicts.iter_mut().enumerate() {
            *counter = self.read_counter(dut, register::VERDICTS + 8 * index as u32)?;
        }
        Ok(counters)
    }

    /// Checks that the design is one of this version of hardpath and made for this program.
    pub fn identify(&mut self, dut: &mut dyn Dut) -> Result<(), Diagnostic> {
        let magic = self.read_register(dut, register::MAGIC)?;
        let version = self.read_register(dut, register::VERSION)?;
        let design = self.read_register(dut, register::DESIGN_ID)?;
        let known = self.interface.version();
        let wrong = if magic != MAGIC {
            format!("its identification is {magic:#010x}, not {MAGIC:#010x}")
        } else if version >> 16 != known >> 16 {
            format!("its interface has version {version:#010x}, not {known:#010x}")
        } else if design != self.interface.design_id {
            let expected = self.interface.design_id;
            format!("its program is {design:#010x}, not {expected:#010x}")
        } else {
            return Ok(());
        };
        Err(Diagnostic::defect(
            "not-this-design",
            format!("the design is another one: {wrong}"),
        )
        .help("compile the program again"))
    }

    /// Sets the ifindex of an ingress port (0 to 15) and the number that is added to its queues.
    pub fn set_port(
        &mut self,
        dut: &mut dyn Dut,
        port: u8,
        ifindex: u32,
        first_queue: u32,
    ) -> Result<(), Diagnostic> {
        if port > 15 {
            return Err(Diagnostic::input(
                "port-out-of-range",
                format!("ingress port {port} does not exist: the port table has 16 entries"),
            ));
        }
        let entry = register::PORT_TABLE + 8 * u32::from(port);
        self.write_register(dut, entry, ifindex)?;
        self.write_register(dut, entry + 4, first_queue)
    }

    /// Writes entries into the design's maps.
    pub fn load_image(&mut self, dut: &mut dyn Dut, image: &Image) -> Result<(), Diagnostic> {
        self.load_image_with(dut, image, |_| ())
    }

    /// The same; `progress` is told how many entries are written.
    pub fn load_image_with(
        &mut self,
        dut: &mut dyn Dut,
        image: &Image,
        mut progress: impl FnMut(usize),
    ) -> Result<(), Diagnostic> {
        let mut written = 0;
        for (name, entries) in image {
            let map = self.map_named(name)?;
            for (key, value) in entries {
                let update = HostOperation::Update {
                    map,
                    key: key.clone(),
                    value: value.clone(),
                    flags: 0,
                };
                let answer = self.perform(dut, update)?;
                if answer.errno != 0 {
                    return Err(Diagnostic::input(
                        "map-update-failed",
                        format!(
                            "the design does not take key {key:02x?} of map {name}: {}",
                            errno::name(answer.errno)
                        ),
                    )
                    .help("give fewer entries, or a larger map with --max-entries"));
                }
                written += 1;
                progress(written);
            }
        }
        Ok(())
    }

    /// Every entry of every map.
    pub fn dump_image(&mut self, dut: &mut dyn Dut) -> Result<Image, Diagnostic> {
        let mut image = Image::new();
        for (map, port) in self.interface.maps.iter().enumerate() {
            let mut entries = Entries::new();
            for slot in 0..port.slots {
                let answer = self.perform(dut, HostOperation::Dump { map, slot })?;
                match answer.errno {
                    0 => {
                        if entries.insert(answer.key.clone(), answer.value).is_some() {
                            return Err(key_twice(port, &answer.key));
                        }
                    }
                    errno::ENOENT => {}
                    other => {
                        return Err(Diagnostic::defect(
                            "map-dump-failed",
                            format!("slot {slot} of map {}: {}", port.name, errno::name(other)),
                        ));
                    }
                }
            }
            let foreign = dut.foreign().entries(map);
            entries.extend(foreign.map(|(key, value)| (key.clone(), value.clone())));
            image.insert(port.name.clone(), entries);
        }
        Ok(image)
    }

    fn map_named(&self, name: &str) -> Result<usize, Diagnostic> {
        let maps = &self.interface.maps;
        maps.iter().position(|map| map.name == name).ok_or_else(|| {
            let names: Vec<&str> = maps.iter().map(|map| map.name.as_str()).collect();
            Diagnostic::input("unknown-map", format!("the design has no map {name}"))
                .help(suggest::known(name, names, "its maps:", "it has none"))
        })
    }
}

pub(crate) fn key_twice(port: &MapPort, key: &[u8]) -> Diagnostic {
    Diagnostic::defect(
        "map-key-twice",
        format!("map {} holds key {key:02x?} twice", port.name),
    )
    .help("this is a defect of the generated design: please report it")
}

/// Resets the design and waits until it takes packets. Gives the clocks that this took.
pub fn reset(dut: &mut dyn Dut, interface: &Interface) -> Result<u64, Diagnostic> {
    let rst = dut.required("rst", 1, PortDirection::Input)?;
    let valid = dut.required("s_axis_tvalid", 1, PortDirection::Input)?;
    let ready = dut.required("m_axis_tready", 1, PortDirection::Input)?;
    let mut host = Host::new(dut, interface)?;
    dut.set_u64(valid, 0);
    dut.set_u64(ready, 1);
    dut.set_u64(rst, 1);
    let mut clocks = 4;
    for _ in 0..clocks {
        dut.step()?;
    }
    dut.set_u64(rst, 0);
    dut.skip_sweep();
    dut.foreign_mut().clear();

    // Maps are cleared word by word: a few clocks a slot are far more than any of them needs.
    let slots: u64 = interface.maps.iter().map(|map| u64::from(map.slots)).sum();
    let limit = 10_000 + 16 * slots;
    while clocks < limit {
        let address = register::STATUS;
        host.start(dut, HostOperation::ReadRegister { address })?;
        while clocks < limit {
            host.drive(dut);
            dut.step()?;
            clocks += 1;
            match host.observe(dut)? {
                Some(answer) if answer.data & 1 != 0 => return Ok(clocks),
                Some(_) => break,
                None => {}
            }
        }
    }
    Err(Diagnostic::defect(
        "design-hangs",
        format!("the design does not become ready within {limit} clocks after reset"),
    )
    .help("this is a defect of the generated design: please report it with the program"))
}

impl Running {
    /// Takes the answer of the access that is on its way. True: there is another access.
    fn take(&mut self, word: u32) -> bool {
        if Some(self.at) == self.poll {
            if word >> 31 != 0 {
                return true;
            }
            self.errno = word & 0xffff;
            if self.errno != 0 {
                return false;
            }
        } else if matches!(self.accesses[self.at], Access::Read { .. }) {
            self.words.push(word);
        }
        self.at += 1;
        self.at < self.accesses.len()
    }

    fn answer(self, interface: &Interface) -> HostAnswer {
        let mut answer = HostAnswer {
            errno: self.errno,
            ..HostAnswer::default()
        };
        if self.errno != 0 {
            return answer;
        }
        match self.operation {
            HostOperation::ReadRegister { .. } => answer.data = self.words[0],
            HostOperation::Lookup { map, .. } => {
                answer.value = bytes(&self.words, interface.maps[map].value_bytes);
            }
            HostOperation::Dump { map, .. } => {
                let port = &interface.maps[map];
                let (key, value) = self.words.split_at(port.key_bytes.div_ceil(4) as usize);
                answer.key = bytes(key, port.key_bytes);
                answer.value = bytes(value, port.value_bytes);
            }
            _ => {}
        }
        answer
    }
}

/// An operation as register accesses, and which of them is repeated until the command is done.
fn register_accesses(
    interface: &Interface,
    operation: &HostOperation,
) -> Result<(Vec<Access>, Option<usize>), Diagnostic> {
    let write = |address, data| Access::Write { address, data };
    let (map, number) = match operation {
        HostOperation::ReadRegister { address } => {
            return Ok((vec![Access::Read { address: *address }], None));
        }
        HostOperation::WriteRegister { address, data } => {
            return Ok((vec![write(*address, *data)], None));
        }
        HostOperation::Lookup { map, .. } => (*map, command::LOOKUP),
        HostOperation::Update { map, .. } => (*map, command::UPDATE),
        HostOperation::Delete { map, .. } => (*map, command::DELETE),
        HostOperation::Dump { map, .. } => (*map, command::DUMP),
    };
    let port = interface.maps.get(map).ok_or_else(|| {
        let count = interface.maps.len();
        Diagnostic::input(
            "unknown-map",
            format!("map number {map} of a design with {count} maps"),
        )
    })?;
    let mut all = vec![write(register::MAP_SELECT, map as u32)];
    match operation {
        HostOperation::Lookup { key, .. } | HostOperation::Delete { key, .. } => {
            all.extend(write_bytes(
                port,
                "key",
                key,
                port.key_bytes,
                register::KEY,
            )?);
        }
        HostOperation::Update {
            key, value, flags, ..
        } => {
            all.extend(write_bytes(
                port,
                "key",
                key,
                port.key_bytes,
                register::KEY,
            )?);
            all.extend(write_bytes(
                port,
                "value",
                value,
                port.value_bytes,
                register::VALUE,
            )?);
            all.push(write(register::MAP_FLAGS, *flags));
        }
        HostOperation::Dump { slot, .. } => all.push(write(register::MAP_SLOT, *slot)),
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => {}
    }
    all.push(write(register::MAP_COMMAND, number));
    let poll = all.len();
    all.push(Access::Read {
        address: register::MAP_STATUS,
    });
    if number == command::DUMP {
        all.extend(reads(register::KEY, port.key_bytes));
    }
    if number == command::DUMP || number == command::LOOKUP {
        all.extend(reads(register::VALUE, port.value_bytes));
    }
    Ok((all, Some(poll)))
}

fn write_bytes(
    port: &MapPort,
    what: &str,
    given: &[u8],
    expected: u32,
    base: u32,
) -> Result<Vec<Access>, Diagnostic> {
    if given.len() != expected as usize {
        return Err(Diagnostic::input(
            "map-size",
            format!(
                "map {}: a {what} has {expected} bytes, not {}",
                port.name,
                given.len()
            ),
        ));
    }
    let words = given.chunks(4).enumerate().map(|(index, chunk)| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        Access::Write {
            address: base + 4 * index as u32,
            data: u32::from_le_bytes(word),
        }
    });
    Ok(words.collect())
}

fn reads(base: u32, bytes: u32) -> impl Iterator<Item = Access> {
    (0..bytes.div_ceil(4)).map(move |index| Access::Read {
        address: base + 4 * index,
    })
}

fn bytes(words: &[u32], count: u32) -> Vec<u8> {
    let mut all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    all.truncate(count as usize);
    all
}

fn describe(interface: &Interface, operation: &HostOperation) -> String {
    let name = |map: &usize| {
        interface
            .maps
            .get(*map)
            .map_or("?", |port| port.name.as_str())
    };
    match operation {
        HostOperation::ReadRegister { address } => format!("read of register {address:#06x}"),
        HostOperation::WriteRegister { address, .. } => format!("write of register {address:#06x}"),
        HostOperation::Lookup { map, .. } => format!("lookup in map {}", name(map)),
        HostOperation::Update { map, .. } => format!("update of map {}", name(map)),
        HostOperation::Delete { map, .. } => format!("delete from map {}", name(map)),
        HostOperation::Dump { map, slot } => format!("dump of slot {slot} of map {}", name(map)),
    }
}
