//! The kernel's map types that hardpath knows, what they have in common, and what their keys and values are.

/// A map type (`enum bpf_map_type` in the kernel's `include/uapi/linux/bpf.h`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum MapType {
    /// `BPF_MAP_TYPE_ARRAY`.
    Array,
    /// `BPF_MAP_TYPE_PERCPU_ARRAY`.
    PerCpuArray,
    /// `BPF_MAP_TYPE_HASH`.
    Hash,
    /// `BPF_MAP_TYPE_PERCPU_HASH`.
    PerCpuHash,
    /// `BPF_MAP_TYPE_LRU_HASH`.
    LruHash,
    /// `BPF_MAP_TYPE_LRU_PERCPU_HASH`.
    LruPerCpuHash,
    /// `BPF_MAP_TYPE_LPM_TRIE`.
    LpmTrie,
    /// `BPF_MAP_TYPE_DEVMAP`.
    DevMap,
    /// `BPF_MAP_TYPE_DEVMAP_HASH`.
    DevMapHash,
    /// `BPF_MAP_TYPE_CPUMAP`.
    CpuMap,
    /// `BPF_MAP_TYPE_XSKMAP`.
    XskMap,
}

impl MapType {
    /// The longest queue that a CPU map's entry can ask for (`cpu_map_update_elem` in `kernel/bpf/cpumap.c`).
    pub const LONGEST_CPU_QUEUE: u32 = 16384;

    /// Every type, with the kernel's number and the name that bpftool uses.
    pub const ALL: [(MapType, u32, &'static str); 11] = [
        (MapType::Array, 2, "array"),
        (MapType::PerCpuArray, 6, "percpu_array"),
        (MapType::Hash, 1, "hash"),
        (MapType::PerCpuHash, 5, "percpu_hash"),
        (MapType::LruHash, 9, "lru_hash"),
        (MapType::LruPerCpuHash, 10, "lru_percpu_hash"),
        (MapType::LpmTrie, 11, "lpm_trie"),
        (MapType::DevMap, 14, "devmap"),
        (MapType::DevMapHash, 25, "devmap_hash"),
        (MapType::CpuMap, 16, "cpumap"),
        (MapType::XskMap, 17, "xskmap"),
    ];

    /// The type with the kernel's number.
    pub fn from_number(number: u32) -> Option<MapType> {
        let mut all = MapType::ALL.iter();
        all.find(|(_, other, _)| *other == number)
            .map(|(kind, _, _)| *kind)
    }

    /// The type that bpftool calls so.
    pub fn named(name: &str) -> Option<MapType> {
        let mut all = MapType::ALL.iter();
        all.find(|(_, _, other)| *other == name)
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

    fn row(self) -> (MapType, u32, &'static str) {
        let mut all = MapType::ALL.into_iter();
        all.find(|(kind, _, _)| *kind == self)
            .expect("the list has every kind")
    }

    /// The key is an index, and every entry exists.
    pub fn is_array(self) -> bool {
        matches!(self, MapType::Array | MapType::PerCpuArray)
    }

    /// The key is an index, and an entry is set or not: device, CPU and socket maps.
    pub fn has_slots(self) -> bool {
        matches!(self, MapType::DevMap | MapType::CpuMap | MapType::XskMap)
    }

    /// The key is an index below `max_entries`.
    pub fn is_indexed(self) -> bool {
        self.is_array() || self.has_slots()
    }

    /// Entries are found by a key that is the same in all its bytes.
    pub fn is_hash(self) -> bool {
        matches!(
            self,
            MapType::Hash
                | MapType::PerCpuHash
                | MapType::LruHash
                | MapType::LruPerCpuHash
                | MapType::DevMapHash
        )
    }

    /// Entries are found by the longest prefix of the key.
    pub fn is_trie(self) -> bool {
        self == MapType::LpmTrie
    }

    /// A full map makes room for a new key.
    pub fn is_lru(self) -> bool {
        matches!(self, MapType::LruHash | MapType::LruPerCpuHash)
    }

    /// Each CPU has a copy of every value. hardpath has one copy, that of CPU 0.
    pub fn is_per_cpu(self) -> bool {
        matches!(
            self,
            MapType::PerCpuArray | MapType::PerCpuHash | MapType::LruPerCpuHash
        )
    }

    /// `bpf_redirect_map` takes such a map.
    pub fn is_redirect_target(self) -> bool {
        self.has_slots() || self == MapType::DevMapHash
    }

    /// Values name interfaces (`struct bpf_devmap_val`).
    pub fn is_device(self) -> bool {
        matches!(self, MapType::DevMap | MapType::DevMapHash)
    }

    /// Programs can update, delete and store; else only the host does (`check_map_func_compatibility` in the kernel's
    /// `kernel/bpf/verifier.c`).
    pub fn is_writable_by_program(self) -> bool {
        !self.is_redirect_target()
    }

    /// Programs can call `bpf_map_lookup_elem` (same place in the kernel).
    pub fn can_be_looked_up(self) -> bool {
        self != MapType::CpuMap
    }

    /// An update of a key that is there changes the value where it stands, so that a pointer from an earlier lookup
    /// sees the new value. Other kinds replace the element, and the pointer goes on to the old one
    /// (`array_map_update_elem`, `__htab_percpu_map_update_elem`, `htab_map_update_elem`, `trie_update_elem`).
    pub fn updates_in_place(self) -> bool {
        self.is_array() || self.is_per_cpu()
    }

    /// Whether such a map can have keys of so many bytes (the `*_alloc_check` functions of `kernel/bpf`).
    pub fn key_fits(self, bytes: u32) -> bool {
        match self {
            _ if self.is_indexed() || self.is_device() => bytes == 4,
            MapType::LpmTrie => (5..=260).contains(&bytes),
            _ => true,
        }
    }

    /// Whether such a map can have values of so many bytes (the same functions).
    pub fn value_fits(self, bytes: u32) -> bool {
        match self {
            MapType::DevMap | MapType::DevMapHash | MapType::CpuMap => matches!(bytes, 4 | 8),
            MapType::XskMap => bytes == 4,
            _ => true,
        }
    }

    /// Why no entry of such a map can have a value, or none that hardpath honours; the sentence goes on behind the value.
    pub fn value_problem(self, value: &[u8]) -> Option<String> {
        let number = first_word(value);
        let runs_programs = self == MapType::CpuMap || self.is_device();
        if runs_programs && has_program(value) {
            return Some(String::from(
                "names a second program, which hardpath does not run",
            ));
        }
        match self {
            MapType::DevMapHash if number == 0 => Some(String::from("names no interface")),
            _ if self.is_device() && number > i32::MAX as u32 => {
                Some(format!("names interface {number}, which cannot be"))
            }
            MapType::CpuMap if number > MapType::LONGEST_CPU_QUEUE => Some(format!(
                "asks for a queue of {number} packets, more than {}",
                MapType::LONGEST_CPU_QUEUE
            )),
            MapType::XskMap if number == 0 => Some(String::from("names no socket")),
            _ => None,
        }
    }
}

/// The ifindex, queue length or socket that a value begins with.
pub fn first_word(value: &[u8]) -> u32 {
    value.first_chunk().copied().map_or(0, u32::from_le_bytes)
}

/// Whether the value of a device or CPU map names a second program (`struct bpf_devmap_val`, `struct bpf_cpumap_val`). File
/// descriptors are signed; 0 and below mean none.
pub fn has_program(value: &[u8]) -> bool {
    value
        .get(4..)
        .is_some_and(|rest| (first_word(rest) as i32) > 0)
}
