//! What stands in for maps that only unreachable instructions name. The verifier may still look at those: it wants a map
//! of the right type and sizes. Nobody sees what is in it.

use super::{btf, syscall};
use hardpath_ebpf::ObjectMap;
use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};

#[derive(Default)]
pub struct StandIns {
    /// By index into the object's maps.
    maps: BTreeMap<usize, OwnedFd>,
}

impl StandIns {
    /// Makes a map of one entry, unless the object says how many. Where the kernel does not make it (of maps in maps it would
    /// have to know the inner one), there is none, and the instructions load the number 0.
    pub fn create(&mut self, index: usize, map: &ObjectMap) {
        let types = btf::map_types(map).ok().flatten();
        let made = syscall::map_create(
            &map.name,
            map.map_type,
            map.key_bytes,
            map.value_bytes,
            map.max_entries.max(1),
            map.flags,
            types.as_ref(),
        );
        if let Ok(made) = made {
            self.maps.insert(index, made);
        }
    }

    /// The descriptors, by index into the object's maps.
    pub fn descriptors(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        let maps = self.maps.iter();
        maps.map(|(index, map)| (*index, map.as_raw_fd()))
    }
}
