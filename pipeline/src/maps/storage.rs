//! Where the contents of maps stand, for engines that can look.

use super::Lower;
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::interface::{Bank, Storage};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_ir::MapId;
use hardpath_rtl::Instance;

impl Lower<'_> {
    /// Of each map, in their order, when all are built; `None`: its memories do not show it. Where there are copies, the one that answers the host.
    pub(crate) fn storage(&self) -> Vec<Option<Storage>> {
        let speakers = self.speakers();
        let maps = self.program.maps.keys();
        maps.map(|map| self.storage_of(map, &speakers)).collect()
    }

    /// What is stored of the keys of each map, in their order.
    pub(crate) fn stored(&self) -> Vec<KeyBits> {
        let of_map = |map: MapId| {
            let mut accesses = self.plan.iter().filter(|access| access.map == map);
            let access = accesses.next().expect("every map has an access");
            access.stored.clone()
        };
        self.program.maps.keys().map(of_map).collect()
    }

    fn storage_of(&self, map: MapId, speakers: &[usize]) -> Option<Storage> {
        let mine = speakers
            .iter()
            .filter(|number| self.plan[**number].map == map);
        let mut storage = Storage {
            has_presence: self.program.maps[map].has_slots(),
            ..Storage::default()
        };
        for number in mine {
            let built = &self.ports.built[*number];
            let below = |instance: Instance, memory: &str| {
                format!("{}.{memory}", self.m.instances[instance].name)
            };
            if let Some(table) = &built.table {
                let memories = table.key_memories()?;
                let memories = memories
                    .iter()
                    .map(|memory| below(table.instance(), memory));
                storage.keys = memories.collect();
            }
            if let Some(table) = built
                .table
                .as_ref()
                .filter(|table| table.cuckoo_out().is_some())
            {
                let memories = Cuckoo::value_memories();
                storage.values.extend(memories.iter().map(|memory| Bank {
                    memory: below(table.instance(), memory),
                    entries: None,
                }));
                continue;
            }
            let values = self.values(*number);
            storage.values.push(Bank {
                memory: below(values.placed.instance, &values.memory),
                entries: self.plan[*number].bank.clone(),
            });
        }
        Some(storage)
    }
}
