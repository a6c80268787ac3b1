//! The control record: what this process and the judged program tell each other, in memory that both see.

use super::patch::control;
use super::syscall;
use hardpath_packet::Sideband;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// The memory-mapped array whose one value is the control record; fields are at the offsets of
/// [`patch::control`](super::patch::control).
pub struct Control {
    fd: OwnedFd,
    address: *mut u8,
}

/// Where the last redirect of a packet went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedRedirect {
    /// The kernel's address of the map; 0: `target` is an ifindex.
    pub map: u64,
    /// The ifindex or key.
    pub target: u32,
    /// Of the call through the map.
    pub flags: u64,
}

impl Control {
    pub fn create() -> io::Result<Control> {
        let fd = syscall::map_create(
            "control",
            syscall::MAP_TYPE_ARRAY,
            4,
            control::BYTES,
            1,
            syscall::MAP_MEMORY_MAPPABLE,
            None,
        )?;
        // SAFETY: a new shared mapping of the array's only page, at an address of the kernel's choice.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                control::BYTES as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Control {
            fd,
            address: address.cast(),
        })
    }

    /// The record's map, for a program's `lddw`.
    pub fn descriptor(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// What the helpers will give to the next packet, which has not been redirected yet.
    pub fn prepare(&mut self, context: &Sideband) {
        self.write(control::TIME, context.time_ns);
        self.write(control::RANDOM, u64::from(context.random));
        self.write(control::EGRESS, u64::from(context.egress));
        self.write(control::MAP, 0);
        self.write(control::TARGET, 0);
        self.write(control::FLAGS, 0);
    }

    /// The last redirect since [`Control::prepare`]. An ifindex and a devmap's key have 32 bits in the kernel.
    pub fn redirect(&self) -> RecordedRedirect {
        RecordedRedirect {
            map: self.read(control::MAP),
            target: self.read(control::TARGET) as u32,
            flags: self.read(control::FLAGS),
        }
    }

    fn write(&mut self, field: i16, value: u64) {
        // SAFETY: the field is aligned and inside the mapping, see the offsets. Volatile, for the kernel reads it.
        unsafe { std::ptr::write_volatile(self.field(field), value) }
    }

    fn read(&self, field: i16) -> u64 {
        // SAFETY: as for `write`; the kernel has written it.
        unsafe { std::ptr::read_volatile(self.field(field)) }
    }

    fn field(&self, field: i16) -> *mut u64 {
        self.address.wrapping_offset(field as isize).cast()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `create`, which nobody else knows.
        unsafe { libc::munmap(self.address.cast(), control::BYTES as usize) };
    }
}
