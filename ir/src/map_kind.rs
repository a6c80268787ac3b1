//! The kernel's map types that hardpath knows, and what they have in common.

/// A map type (`enum bpf_map_type` in the kernel's `include/uapi/linux/bpf.h`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum MapKind {
    Array,
    PerCpuArray,
    Hash,
    PerCpuHash,
    LruHash,
    LruPerCpuHash,
    LpmTrie,
    DevMap,
    DevMapHash,
    CpuMap,
    XskMap,
}

impl MapKind {
    /// Every kind, with the kernel's number and the name that bpftool and the text form use.
    pub const ALL: [(MapKind, u32, &'static str); 11] = [
        (MapKind::Array, 2, "array"),
        (MapKind::PerCpuArray, 6, "percpu_array"),
        (MapKind::Hash, 1, "hash"),
        (MapKind::PerCpuHash, 5, "percpu_hash"),
        (MapKind::LruHash, 9, "lru_hash"),
        (MapKind::LruPerCpuHash, 10, "lru_percpu_hash"),
        (MapKind::LpmTrie, 11, "lpm_trie"),
        (MapKind::DevMap, 14, "devmap"),
        (MapKind::DevMapHash, 25, "devmap_hash"),
        (MapKind::CpuMap, 16, "cpumap"),
        (MapKind::XskMap, 17, "xskmap"),
    ];

    /// The kind with the kernel's number.
    pub fn from_number(number: u32) -> Option<MapKind> {
        let mut all = MapKind::ALL.iter();
        all.find(|(_, other, _)| *other == number)
            .map(|(kind, _, _)| *kind)
    }

    /// The kernel's number (`enum bpf_map_type`).
    pub fn number(self) -> u32 {
        self.row().1
    }

    /// As bpftool calls it: `percpu_array`.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (MapKind, u32, &'static str) {
        let mut all = MapKind::ALL.into_iter();
        all.find(|(kind, _, _)| *kind == self)
            .expect("the list has every kind")
    }

    /// The key is an index, and every entry exists.
    pub fn is_array(self) -> bool {
        matches!(self, MapKind::Array | MapKind::PerCpuArray)
    }

    /// The key is an index, and an entry is set or not: device, CPU and socket maps.
    pub fn has_slots(self) -> bool {
        matches!(self, MapKind::DevMap | MapKind::CpuMap | MapKind::XskMap)
    }

    /// The key is an index below `max_entries`.
    pub fn is_indexed(self) -> bool {
        self.is_array() || self.has_slots()
    }

    /// Entries are found by a key that is the same in all its bytes.
    pub fn is_hash(self) -> bool {
        matches!(
            self,
            MapKind::Hash
                | MapKind::PerCpuHash
                | MapKind::LruHash
                | MapKind::LruPerCpuHash
                | MapKind::DevMapHash
        )
    }

    /// Entries are found by the longest prefix of the key.
    pub fn is_trie(self) -> bool {
        self == MapKind::LpmTrie
    }

    /// A full map makes room for a new key.
    pub fn is_lru(self) -> bool {
        matches!(self, MapKind::LruHash | MapKind::LruPerCpuHash)
    }

    /// Each CPU has a copy of every value. hardpath has one copy, that of CPU 0.
    pub fn is_per_cpu(self) -> bool {
        matches!(
            self,
            MapKind::PerCpuArray | MapKind::PerCpuHash | MapKind::LruPerCpuHash
        )
    }

    /// `bpf_redirect_map` takes such a map.
    pub fn is_redirect_target(self) -> bool {
        self.has_slots() || self == MapKind::DevMapHash
    }

    /// Values name interfaces (`struct bpf_devmap_val`).
    pub fn is_device(self) -> bool {
        matches!(self, MapKind::DevMap | MapKind::DevMapHash)
    }

    /// Programs can update, delete and store; else only the host does (`check_map_func_compatibility` in the kernel's
    /// `kernel/bpf/verifier.c`).
    pub fn is_writable_by_program(self) -> bool {
        !self.is_redirect_target()
    }

    /// Programs can call `bpf_map_lookup_elem` (same place in the kernel).
    pub fn can_be_looked_up(self) -> bool {
        self != MapKind::CpuMap
    }

    /// An update of a key that is there changes the value where it stands, so that a pointer from an earlier lookup
    /// sees the new value. Other kinds replace the element, and the pointer goes on to the old one
    /// (`array_map_update_elem`, `__htab_percpu_map_update_elem`, `htab_map_update_elem`, `trie_update_elem`).
    pub fn updates_in_place(self) -> bool {
        self.is_array() || self.is_per_cpu()
    }
}
