//! Maps that only tell user space something: perf events, of which none is open, and ring buffers, which are read as soon
//! as a packet has been run.

use super::maps::CpuSlot;
use super::syscall;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::ObjectMap;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// A page, in bytes.
const SMALLEST_BUFFER: u32 = 4096;

/// The maps of events of a program.
#[derive(Default)]
pub struct EventMaps {
    /// By index into the object's maps.
    maps: BTreeMap<usize, OwnedFd>,
    buffers: Vec<RingBuffer>,
}

impl EventMaps {
    /// Makes an empty map. An array of perf events whose size is left open has an entry for each CPU up to the one that
    /// runs the program, `cpu`: hardware has one CPU.
    pub fn create(
        &mut self,
        index: usize,
        map: &ObjectMap,
        cpu: CpuSlot,
    ) -> Result<(), Diagnostic> {
        let failed = |error: io::Error| {
            Diagnostic::input(
                "kernel-rejects-map",
                format!("the kernel does not make this map of events: {error}"),
            )
            .at(format!("map {}", map.name))
        };
        let is_buffer = map.map_type == syscall::MAP_TYPE_RINGBUF;
        let entries = match (map.max_entries, is_buffer) {
            (0, false) => cpu.index as u32 + 1,
            // The program does not come to it, or it would have a size.
            (0, true) => SMALLEST_BUFFER,
            (entries, _) => entries,
        };
        let (key, value, flags) = (map.key_bytes, map.value_bytes, map.flags);
        let fd = syscall::map_create(&map.name, map.map_type, key, value, entries, flags, None)
            .map_err(failed)?;
        if is_buffer {
            self.buffers.push(RingBuffer::open(&fd).map_err(failed)?);
        }
        self.maps.insert(index, fd);
        Ok(())
    }

    /// The descriptors, by index into the object's maps.
    pub fn descriptors(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.maps.iter().map(|(index, fd)| (*index, fd.as_raw_fd()))
    }

    /// Reads all ring buffers empty.
    pub fn read(&mut self) {
        self.buffers.iter_mut().for_each(RingBuffer::read);
    }
}

/// The two pages of a ring buffer (`struct bpf_ringbuf` in the kernel's `kernel/bpf/ringbuf.c`) that say how far it has
/// been written and read; each begins with a position of 64 bits.
struct RingBuffer {
    read: Page,
    written: Page,
}

impl RingBuffer {
    fn open(fd: &OwnedFd) -> io::Result<RingBuffer> {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Ok(RingBuffer {
            read: Page::map(fd, 0, libc::PROT_READ | libc::PROT_WRITE)?,
            written: Page::map(fd, page, libc::PROT_READ)?,
        })
    }

    fn read(&mut self) {
        // SAFETY: both positions are aligned and mapped. Volatile, for the kernel uses them, too.
        unsafe {
            let position = std::ptr::read_volatile(self.written.address);
            std::ptr::write_volatile(self.read.address, position);
        }
    }
}

struct Page {
    address: *mut u64,
}

/// Bytes of a page that are of interest: its first position.
const POSITION_BYTES: usize = size_of::<u64>();

impl Page {
    fn map(fd: &OwnedFd, offset: i64, protection: i32) -> io::Result<Page> {
        // SAFETY: a new shared mapping at an address of the kernel's choice.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                POSITION_BYTES,
                protection,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                offset,
            )
        };
        match address {
            libc::MAP_FAILED => Err(io::Error::last_os_error()),
            address => Ok(Page {
                address: address.cast(),
            }),
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`, which nobody else knows.
        unsafe { libc::munmap(self.address.cast(), POSITION_BYTES) };
    }
}
