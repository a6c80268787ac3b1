//! The judge's own thread: what it holds and does.

use super::control::Control;
use super::event_maps::EventMaps;
use super::maps::{ifindex_of, CpuSlot, KernelMap};
use super::mtu::{self, MtuTable};
use super::network::{Network, Provided};
use super::stand_ins::StandIns;
use super::syscall::{self, XdpContext};
use super::tail_calls::{self, is_program_array, ProgramArrays};
use super::{program, unavailable, JudgeOptions, MapChange};
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ebpf::{Object, ProgramImage, MTU_MAP};
use hardpath_ir::maps::Image;
use hardpath_kernel::xdp;
use hardpath_packet::{Copy, Fate, Sideband};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

/// A test run gives back at most the longest packet, what its head grew by, and metadata: less than two pages.
const LONGEST_RESULT: usize = 8192;
const BPF_F_BROADCAST: u64 = 1 << 3;
const BPF_F_EXCLUDE_INGRESS: u64 = 1 << 4;

/// A program in the kernel, on the thread that runs it.
pub struct Worker {
    network: Network,
    /// By index into the object's maps.
    maps: BTreeMap<usize, KernelMap>,
    /// The maps of redirect targets by the kernel's address.
    targets: BTreeMap<u64, usize>,
    /// Open as long as the program runs.
    _arrays: ProgramArrays,
    events: EventMaps,
    control: Control,
    /// Of programs that check MTUs.
    mtus: Option<MtuTable>,
    program: OwnedFd,
    longest_packet: usize,
    data_out: Vec<u8>,
}

impl Worker {
    /// Pins the thread, gives it its network namespace and loads the program.
    pub fn start(
        object: &Object,
        program: &ProgramImage,
        options: &JudgeOptions,
    ) -> Result<Worker, Diagnostic> {
        let network = Network::enter()
            .map_err(|error| unavailable(&format!("no private network namespace: {error}")))?;
        let cpu = pin_thread().map_err(|error| {
            unavailable(&format!("the thread cannot be kept on one CPU: {error}"))
        })?;
        let mut control = Control::create()
            .map_err(|error| unavailable(&format!("a map cannot be made: {error}")))?;

        let mut maps = BTreeMap::new();
        let mut arrays = ProgramArrays::default();
        let mut events = EventMaps::default();
        let mut unreached = StandIns::default();
        let (used, tail_calls) = tail_calls::reachable(object, program);
        let has_map = |name: &str| {
            let maps = options.maps.as_ref();
            maps.is_none_or(|maps| maps.contains(name))
        };
        for index in used {
            let Some(map) = object.maps.get(index) else {
                return Err(Diagnostic::input(
                    "unknown-map",
                    format!("the object has no map number {index}"),
                ));
            };
            if is_program_array(map) {
                arrays.create(index, map)?;
            } else if map.is_for_events() {
                events.create(index, map, cpu)?;
            } else if map.read_only || has_map(&map.name) {
                maps.insert(index, KernelMap::create(map, cpu, options)?);
            } else {
                unreached.create(index, map);
            }
        }
        let descriptors: BTreeMap<usize, i32> = maps
            .iter()
            .map(|(index, map)| (*index, map.descriptor()))
            .chain(arrays.descriptors())
            .chain(events.descriptors())
            .chain(unreached.descriptors())
            .collect();
        let probe_failed = |error| unavailable(&format!("a test run failed: {error}"));
        let targets =
            program::target_addresses(program, &maps, &mut control).map_err(probe_failed)?;
        let longest_packet = program::longest_packet().map_err(probe_failed)?;
        let mtus = MtuTable::of(object, program);
        let program = program::load(object, program, &descriptors, &control, options.form)?;
        for entry in tail_calls {
            if let Some(called) = object.programs.get(entry.program) {
                let called = program::load(object, called, &descriptors, &control, options.form)?;
                arrays.set(&entry, &called)?;
            }
        }
        let mut worker = Worker {
            network,
            maps,
            targets,
            _arrays: arrays,
            events,
            control,
            mtus,
            program,
            longest_packet,
            data_out: vec![0; LONGEST_RESULT],
        };
        let mut used: Vec<String> = worker.maps.values().map(|map| map.name.clone()).collect();
        if worker.mtus.is_some() {
            used.push(MTU_MAP.to_string());
        }
        for (name, entries) in &options.image {
            let known = object.maps.iter().any(|map| map.name == *name);
            if known && !used.contains(name) {
                // A map of another program in the object; this one cannot tell what is in it.
                continue;
            }
            for (key, value) in entries {
                worker.set(name, key, value)?;
            }
        }
        Ok(worker)
    }

    /// The longest packet that the kernel can be asked about, in bytes.
    pub fn longest_packet(&self) -> usize {
        self.longest_packet
    }

    /// Runs the program on one packet, whose interface and queue have been provided.
    pub fn run(&mut self, packet: &[u8], context: &Sideband) -> Result<Fate, Diagnostic> {
        self.control.prepare(context);
        let ingress = context.ingress;
        let context = XdpContext {
            data_end: packet.len() as u32,
            ingress_ifindex: context.ingress,
            rx_queue_index: context.queue,
            ..XdpContext::default()
        };
        let result = syscall::program_test_run(&self.program, packet, &context, &mut self.data_out)
            .map_err(|error| {
                Diagnostic::input(
                    "kernel-run-failed",
                    format!(
                        "the kernel does not run the program on a packet of {} bytes \
                             (ifindex {}, queue {}): {error}",
                        packet.len(),
                        context.ingress_ifindex,
                        context.rx_queue_index
                    ),
                )
                .help("compare with `--against interpreter`")
            })?;
        self.events.read();
        let verdict = u64::from(result.return_value);
        // What comes back starts with the metadata; `data` is counted from there.
        let end = result.data_length.min(self.data_out.len());
        let start = (result.context.data as usize).min(end);
        let destinations = match verdict {
            xdp::REDIRECT => self.destinations(ingress),
            verdict if xdp::leaves(verdict) => vec![0],
            _ => Vec::new(),
        };
        let words = (start as u64) / u64::from(xdp::METADATA_WORD_BYTES);
        let outputs = vec![xdp::effective(verdict), words, verdict];
        let copies = destinations.into_iter().map(|destination| {
            let (class, index) = xdp::way(verdict, destination);
            Copy {
                class,
                index,
                outputs: outputs.clone(),
                data: self.data_out[..end].to_vec(),
            }
        });
        Ok(Fate {
            copies: copies.collect(),
            outputs,
        })
    }

    /// The contents of all maps but `.rodata`.
    pub fn image(&mut self) -> Result<Image, Diagnostic> {
        let mut image = Image::new();
        for map in self.maps.values().filter(|map| !map.is_read_only()) {
            let entries = map
                .entries()
                .map_err(|error| unreadable(&map.name, error))?;
            image.insert(map.name.clone(), entries);
        }
        Ok(image)
    }

    pub fn lookup(&mut self, map: &str, key: &[u8]) -> Result<Option<Vec<u8>>, Diagnostic> {
        let map = self.map_named(map)?;
        map.lookup(key)
            .map_err(|error| unreadable(&map.name, error))
    }

    /// Writes and removes entries.
    pub fn apply(&mut self, changes: &[MapChange]) -> Result<(), Diagnostic> {
        changes.iter().try_for_each(|change| match &change.value {
            Some(value) => self.set(&change.map, &change.key, value),
            None => self.delete(&change.map, &change.key),
        })
    }

    /// Writes an entry; the interface that a device map's value names is made first.
    pub fn set(&mut self, map: &str, key: &[u8], value: &[u8]) -> Result<(), Diagnostic> {
        if map == MTU_MAP && self.mtus.is_some() {
            return self.set_mtu(key, value);
        }
        let ifindex = ifindex_of(value);
        if self.map_named(map)?.kind().is_device() && ifindex != 0 {
            self.provide(ifindex, 0)
                .map_err(|reason| rejected_entry(map, key, &reason))?;
        }
        let written = self.map_named(map)?.update(key, value, 0);
        written.map_err(|error| rejected_entry(map, key, &error.to_string()))
    }

    /// Makes an interface with an MTU.
    fn set_mtu(&mut self, key: &[u8], value: &[u8]) -> Result<(), Diagnostic> {
        let (ifindex, mtu) = mtu::entry(key, value)?;
        if let Some(mtus) = &mut self.mtus {
            mtus.add(ifindex);
        }
        self.make(ifindex, 0)
            .and_then(|()| self.network.set_mtu(ifindex, mtu))
            .map_err(|reason| rejected_entry(MTU_MAP, key, &reason))
    }

    pub fn delete(&mut self, map: &str, key: &[u8]) -> Result<(), Diagnostic> {
        match self.map_named(map)?.delete(key) {
            Err(error) if error.raw_os_error() != Some(libc::ENOENT) => {
                Err(rejected_entry(map, key, &error.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Sees to it that an interface and its queue exist; the error says why they cannot.
    pub fn provide(&mut self, ifindex: u32, queue: u32) -> Result<(), String> {
        let mtus = self.mtus.as_ref();
        if let Some(objection) = mtus.and_then(|mtus| mtus.objection(ifindex)) {
            return Err(objection);
        }
        self.make(ifindex, queue)
    }

    fn make(&mut self, ifindex: u32, queue: u32) -> Result<(), String> {
        if self.network.provide(ifindex, queue)? == Provided::Replaced {
            for map in self.maps.values().filter(|map| map.kind().is_device()) {
                map.restore_devices()
                    .map_err(|error| format!("map {} cannot be restored: {error}", map.name))?;
            }
        }
        Ok(())
    }

    /// Where a packet that came in at an interface is redirected to: of a broadcast all interfaces.
    fn destinations(&self, ingress: u32) -> Vec<u32> {
        let redirect = self.control.redirect();
        if redirect.map == 0 {
            // The index of an interface is a positive `int`.
            let ifindex = i32::try_from(redirect.target);
            return vec![ifindex.map_or(0, |ifindex| ifindex as u32)];
        }
        let map = self.targets.get(&redirect.map);
        let Some(map) = map.and_then(|index| self.maps.get(index)) else {
            return vec![0];
        };
        if redirect.flags & BPF_F_BROADCAST == 0 {
            return vec![map.destination(redirect.target)];
        }
        // A test run sends nothing; this is what `dev_map_enqueue_multi` does.
        let mut devices = map.devices();
        if redirect.flags & BPF_F_EXCLUDE_INGRESS != 0 {
            devices.retain(|ifindex| *ifindex != ingress);
        }
        devices
    }

    fn map_named(&mut self, name: &str) -> Result<&mut KernelMap, Diagnostic> {
        let names: Vec<String> = self.maps.values().map(|map| map.name.clone()).collect();
        let mut maps = self.maps.values_mut();
        maps.find(|map| map.name == name).ok_or_else(|| {
            Diagnostic::input("unknown-map", format!("the program uses no map `{name}`"))
                .at(format!("map {name}"))
                .help(suggest::known(
                    name,
                    names.iter().map(String::as_str),
                    "the program's maps are:",
                    "it has none",
                ))
        })
    }
}

/// Keeps the calling thread on the first CPU that it may use, and says which copy of a per-CPU value that is.
fn pin_thread() -> io::Result<CpuSlot> {
    // SAFETY: a CPU set of zeros is an empty one.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let bytes = size_of::<libc::cpu_set_t>();
    // SAFETY: the set and its size belong together.
    if unsafe { libc::sched_getaffinity(0, bytes, &mut allowed) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let possible = possible_cpus()?;
    let may_use = |&cpu: &usize| {
        // SAFETY: the CPU number is below the size of a set.
        cpu < libc::CPU_SETSIZE as usize && unsafe { libc::CPU_ISSET(cpu, &allowed) }
    };
    let index = possible.iter().position(may_use);
    let index = index.ok_or_else(|| io::Error::other("no CPU is allowed"))?;
    // SAFETY: as above.
    let mut wanted: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the CPU number is one of the set that the kernel gave.
    unsafe { libc::CPU_SET(possible[index], &mut wanted) };
    // SAFETY: the set and its size belong together; 0 is the calling thread.
    if unsafe { libc::sched_setaffinity(0, bytes, &wanted) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(CpuSlot {
        index,
        count: possible.len(),
    })
}

/// The numbers of the CPUs that per-CPU values have a copy for, in the order of the copies.
fn possible_cpus() -> io::Result<Vec<usize>> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let mut cpus = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        match (first.parse::<usize>(), last.parse::<usize>()) {
            (Ok(first), Ok(last)) => cpus.extend(first..=last),
            _ => return Err(io::Error::other(format!("`{text}` is no list of CPUs"))),
        }
    }
    Ok(cpus)
}

fn unreadable(map: &str, error: io::Error) -> Diagnostic {
    Diagnostic::input(
        "kernel-map-unreadable",
        format!("the kernel does not give an entry: {error}"),
    )
    .at(format!("map {map}"))
}

fn rejected_entry(map: &str, key: &[u8], reason: &str) -> Diagnostic {
    let key: Vec<String> = key.iter().map(|byte| format!("{byte:02x}")).collect();
    Diagnostic::input(
        "kernel-rejects-entry",
        format!("the kernel does not take this entry: {reason}"),
    )
    .at(format!("map {map}, key {}", key.join(" ")))
}
