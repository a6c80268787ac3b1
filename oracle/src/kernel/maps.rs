//! The program's maps in the kernel: made, filled, changed and read back.

use super::{btf, syscall, JudgeOptions};
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::ObjectMap;
use hardpath_ir::maps::Entries;
use hardpath_kernel::xdp::destination;
use hardpath_kernel::MapType;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// One map.
pub struct KernelMap {
    pub name: String,
    kind: MapType,
    key_bytes: usize,
    value_bytes: usize,
    max_entries: u32,
    read_only: bool,
    fd: OwnedFd,
    /// What a map of redirect targets holds. Only this process writes it, the kernel takes entries out whose interface
    /// goes, and a socket map cannot be read.
    targets: Entries,
    /// The sockets in a socket map, by the numbers that stand for them.
    sockets: BTreeMap<u32, OwnedFd>,
    cpu: CpuSlot,
}

/// Which of the copies of a per-CPU value is the judge's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuSlot {
    /// Its place among the copies.
    pub index: usize,
    /// How many copies there are: one for each possible CPU.
    pub count: usize,
}

impl KernelMap {
    /// Makes a map and gives it its first contents; a `.rodata` map is then frozen.
    pub fn create(
        map: &ObjectMap,
        cpu: CpuSlot,
        options: &JudgeOptions,
    ) -> Result<KernelMap, Diagnostic> {
        let place = || format!("map {}", map.name);
        let kind = map.kind().ok_or_else(|| {
            let message = format!("map type {} is not one that hardpath knows", map.map_type);
            Diagnostic::refused("unsupported-map", message).at(place())
        })?;
        let plain = options.plain.get(&map.name).copied();
        let declared = kind;
        let kind = match (declared, plain) {
            (MapType::LruHash, Some(_)) => MapType::Hash,
            (MapType::LruPerCpuHash, Some(_)) => MapType::PerCpuHash,
            _ => declared,
        };
        let map_type = kind.number();
        let max_entries = match plain.filter(|_| kind != declared) {
            Some(entries) => entries,
            None if options.tight => map.max_entries,
            None => kernel_entries(kind, map, cpu),
        };
        let mut flags = map.flags;
        if kind != declared {
            flags &= !syscall::MAP_OWN_LRU_LISTS;
        }
        if map.read_only {
            flags |= syscall::MAP_READ_ONLY_FOR_PROGRAM;
        }
        let failed = |error: io::Error| {
            Diagnostic::input(
                "kernel-rejects-map",
                format!(
                    "the kernel does not make this map (type {map_type}, key {} bytes, value {} bytes, \
                     {max_entries} entries, flags {flags:#x}): {error}",
                    map.key_bytes, map.value_bytes
                ),
            )
            .at(place())
        };
        let types = btf::map_types(map).map_err(failed)?;
        let fd = syscall::map_create(
            &map.name,
            map_type,
            map.key_bytes,
            map.value_bytes,
            max_entries,
            flags,
            types.as_ref(),
        )
        .map_err(failed)?;
        let mut created = KernelMap {
            name: map.name.clone(),
            kind,
            key_bytes: map.key_bytes as usize,
            value_bytes: map.value_bytes as usize,
            max_entries: map.max_entries,
            read_only: map.read_only,
            fd,
            targets: Entries::new(),
            sockets: BTreeMap::new(),
            cpu,
        };
        if let Some(initial) = &map.initial {
            created.update(&[0; 4], initial, 0).map_err(failed)?;
        }
        if map.read_only {
            syscall::map_freeze(&created.fd).map_err(failed)?;
        }
        Ok(created)
    }

    /// The map's file descriptor, for a program's `lddw`.
    pub fn descriptor(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Whether the map is `.rodata`, which is no map for those who compare.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub fn kind(&self) -> MapType {
        self.kind
    }

    /// Where a redirect through this map goes that found something under the key ([`hardpath_kernel::xdp::destination`]).
    pub fn destination(&self, key: u32) -> u32 {
        match self.kind {
            MapType::CpuMap => destination::CPU | key,
            MapType::XskMap => destination::SOCKET | key,
            _ => {
                let value = self.targets.get(key.to_le_bytes().as_slice());
                value.map_or(0, |value| ifindex_of(value))
            }
        }
    }

    /// The interfaces in a device map, by ascending key.
    pub fn devices(&self) -> Vec<u32> {
        let targets = self.targets.iter();
        let by_key: BTreeMap<u32, u32> = targets
            .map(|(key, value)| (ifindex_of(key), ifindex_of(value)))
            .collect();
        by_key.into_values().collect()
    }

    /// The value under a key.
    pub fn lookup(&self, key: &[u8]) -> io::Result<Option<Vec<u8>>> {
        self.check_sizes(key, None)?;
        if self.kind == MapType::XskMap {
            return Ok(self.targets.get(key).cloned());
        }
        let mut copies = vec![0; self.copied_bytes()];
        match syscall::map_lookup(&self.fd, key, &mut copies) {
            Ok(()) => Ok(Some(self.own_copy(&copies).to_vec())),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes an entry as the host does; of a per-CPU map all copies. `flags` as for `bpf_map_update_elem`.
    pub fn update(&mut self, key: &[u8], value: &[u8], flags: u64) -> io::Result<()> {
        self.check_sizes(key, Some(value))?;
        if self.kind.is_per_cpu() {
            let mut copies = vec![0; self.copied_bytes()];
            for copy in copies.chunks_exact_mut(self.copy_stride()) {
                copy[..value.len()].copy_from_slice(value);
            }
            return syscall::map_update(&self.fd, key, &copies, flags);
        }
        if self.kind == MapType::XskMap {
            let socket = self.socket(ifindex_of(value))?;
            syscall::map_update(&self.fd, key, &socket.to_le_bytes(), flags)?;
        } else {
            syscall::map_update(&self.fd, key, value, flags)?;
        }
        if self.kind.is_redirect_target() {
            match ifindex_of(value) {
                0 => self.targets.remove(key),
                _ => self.targets.insert(key.to_vec(), value.to_vec()),
            };
        }
        Ok(())
    }

    /// The descriptor of the socket that a number stands for. It is bound to nothing: a test run sends nothing.
    fn socket(&mut self, number: u32) -> io::Result<i32> {
        if let Some(socket) = self.sockets.get(&number) {
            return Ok(socket.as_raw_fd());
        }
        let socket = syscall::xdp_socket()?;
        let descriptor = socket.as_raw_fd();
        self.sockets.insert(number, socket);
        Ok(descriptor)
    }

    /// Removes an entry as the host does.
    pub fn delete(&mut self, key: &[u8]) -> io::Result<()> {
        self.check_sizes(key, None)?;
        syscall::map_delete(&self.fd, key)?;
        self.targets.remove(key);
        Ok(())
    }

    /// Writes a device map's entries again, after an interface gave way to another one of the same index.
    pub fn restore_devices(&self) -> io::Result<()> {
        for (key, value) in &self.targets {
            syscall::map_update(&self.fd, key, value, 0)?;
        }
        Ok(())
    }

    /// Every entry that exists: all of an array, of maps of redirect targets those that are set.
    pub fn entries(&self) -> io::Result<Entries> {
        match self.kind {
            MapType::XskMap => Ok(self.targets.clone()),
            kind if kind.is_indexed() => self.slots(),
            _ => self.keys(),
        }
    }

    fn slots(&self) -> io::Result<Entries> {
        let mut entries = Entries::new();
        for index in 0..self.max_entries {
            let key = index.to_le_bytes();
            if let Some(value) = self.lookup(&key)? {
                entries.insert(key.to_vec(), value);
            }
        }
        Ok(entries)
    }

    fn keys(&self) -> io::Result<Entries> {
        let mut entries = Entries::new();
        let mut last: Option<Vec<u8>> = None;
        loop {
            let mut key = vec![0; self.key_bytes];
            if syscall::map_next_key(&self.fd, last.as_deref(), &mut key)?.is_none() {
                return Ok(entries);
            }
            if let Some(value) = self.lookup(&key)? {
                entries.insert(key.clone(), value);
            }
            last = Some(key);
        }
    }

    /// Bytes from one per-CPU copy to the next.
    fn copy_stride(&self) -> usize {
        self.value_bytes.next_multiple_of(8)
    }

    /// Bytes that a lookup writes.
    fn copied_bytes(&self) -> usize {
        match self.kind.is_per_cpu() {
            true => self.copy_stride() * self.cpu.count,
            false => self.value_bytes,
        }
    }

    fn own_copy<'a>(&self, copies: &'a [u8]) -> &'a [u8] {
        let start = match self.kind.is_per_cpu() {
            true => self.copy_stride() * self.cpu.index,
            false => 0,
        };
        &copies[start..start + self.value_bytes]
    }

    /// The kernel reads as many bytes as the map says, so the slices must have them.
    fn check_sizes(&self, key: &[u8], value: Option<&[u8]>) -> io::Result<()> {
        let value_fits = value.is_none_or(|value| value.len() == self.value_bytes);
        if key.len() == self.key_bytes && value_fits {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "map {} has keys of {} and values of {} bytes",
                self.name, self.key_bytes, self.value_bytes
            ),
        ))
    }
}

/// How many entries the kernel's map gets. An LRU map gets so many that the kernel forgets none as long as there are at
/// most `max_entries` keys: it hands free elements to CPUs in batches (`LOCAL_FREE_TARGET` in
/// `kernel/bpf/bpf_lru_list.c`), or with `BPF_F_NO_COMMON_LRU` in equal shares.
fn kernel_entries(kind: MapType, map: &ObjectMap, cpu: CpuSlot) -> u32 {
    const NO_COMMON_LRU: u32 = 1 << 1;
    if !kind.is_lru() {
        return map.max_entries;
    }
    let cpus = cpu.count as u32;
    let room = map.max_entries.saturating_add(512 * cpus);
    match map.flags & NO_COMMON_LRU {
        0 => room,
        _ => room.saturating_mul(cpus),
    }
}

/// What a value begins with: of a device map's the interface index (`struct bpf_devmap_val`).
pub fn ifindex_of(value: &[u8]) -> u32 {
    match value.first_chunk() {
        Some(&bytes) => u32::from_le_bytes(bytes),
        None => 0,
    }
}
