//! The program's maps in the kernel: made, filled, changed and read back.

use super::syscall;
use hardpath_ebpf::ObjectMap;
use hardpath_ir::maps::Entries;
use hardpath_ir::{Diagnostic, MapKind};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// One map.
pub struct KernelMap {
    pub name: String,
    kind: MapKind,
    key_bytes: usize,
    value_bytes: usize,
    max_entries: u32,
    read_only: bool,
    fd: OwnedFd,
    /// What a devmap holds. Only this process writes it, and the kernel takes entries out whose interface goes.
    devices: Entries,
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
    pub fn create(map: &ObjectMap, cpu: CpuSlot) -> Result<KernelMap, Diagnostic> {
        let place = || format!("map {}", map.name);
        let kind = map.kind().ok_or_else(|| {
            let message = format!("map type {} is not one that hardpath knows", map.map_type);
            Diagnostic::refused("unsupported-map", message).at(place())
        })?;
        let map_type = match kind {
            MapKind::Array => syscall::MAP_TYPE_ARRAY,
            MapKind::PerCpuArray => syscall::MAP_TYPE_PERCPU_ARRAY,
            MapKind::Hash => syscall::MAP_TYPE_HASH,
            MapKind::DevMap => syscall::MAP_TYPE_DEVMAP,
        };
        let mut flags = map.flags;
        if map.read_only {
            flags |= syscall::MAP_READ_ONLY_FOR_PROGRAM;
        }
        let failed = |error: io::Error| {
            Diagnostic::input(
                "kernel-rejects-map",
                format!(
                    "the kernel does not make this map (type {map_type}, key {} bytes, value {} bytes, \
                     {} entries, flags {flags:#x}): {error}",
                    map.key_bytes, map.value_bytes, map.max_entries
                ),
            )
            .at(place())
        };
        let fd = syscall::map_create(
            &map.name,
            map_type,
            map.key_bytes,
            map.value_bytes,
            map.max_entries,
            flags,
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
            devices: Entries::new(),
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

    pub fn is_devmap(&self) -> bool {
        self.kind == MapKind::DevMap
    }

    /// The interface that a devmap's slot names.
    pub fn device(&self, key: u32) -> Option<u32> {
        self.devices
            .get(key.to_le_bytes().as_slice())
            .map(|value| ifindex_of(value))
    }

    /// The value under a key.
    pub fn lookup(&self, key: &[u8]) -> io::Result<Option<Vec<u8>>> {
        self.check_sizes(key, None)?;
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
        if self.kind == MapKind::PerCpuArray {
            let mut copies = vec![0; self.copied_bytes()];
            for copy in copies.chunks_exact_mut(self.copy_stride()) {
                copy[..value.len()].copy_from_slice(value);
            }
            return syscall::map_update(&self.fd, key, &copies, flags);
        }
        syscall::map_update(&self.fd, key, value, flags)?;
        if self.is_devmap() {
            match ifindex_of(value) {
                0 => self.devices.remove(key),
                _ => self.devices.insert(key.to_vec(), value.to_vec()),
            };
        }
        Ok(())
    }

    /// Removes an entry as the host does.
    pub fn delete(&mut self, key: &[u8]) -> io::Result<()> {
        self.check_sizes(key, None)?;
        syscall::map_delete(&self.fd, key)?;
        self.devices.remove(key);
        Ok(())
    }

    /// Writes a devmap's entries again, after an interface gave way to another one of the same index.
    pub fn restore_devices(&self) -> io::Result<()> {
        for (key, value) in &self.devices {
            syscall::map_update(&self.fd, key, value, 0)?;
        }
        Ok(())
    }

    /// Every entry that exists: all of an array, of a devmap those that are set.
    pub fn entries(&self) -> io::Result<Entries> {
        match self.kind {
            MapKind::Array | MapKind::PerCpuArray | MapKind::DevMap => self.slots(),
            MapKind::Hash => self.keys(),
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
        match self.kind {
            MapKind::PerCpuArray => self.copy_stride() * self.cpu.count,
            _ => self.value_bytes,
        }
    }

    fn own_copy<'a>(&self, copies: &'a [u8]) -> &'a [u8] {
        let start = match self.kind {
            MapKind::PerCpuArray => self.copy_stride() * self.cpu.index,
            _ => 0,
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

/// The interface index in a devmap's value (`struct bpf_devmap_val`).
pub fn ifindex_of(value: &[u8]) -> u32 {
    match value.first_chunk() {
        Some(&bytes) => u32::from_le_bytes(bytes),
        None => 0,
    }
}
