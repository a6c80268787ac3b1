//! A design that is stepped by hand, with bytes on its ports.

// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../../../blocks/tests/suite/bench.rs"]
mod by_hand;

pub use by_hand::Bench;

impl Bench {
    /// Sets bytes, the first one lowest.
    pub fn set_bytes(&mut self, name: &str, bytes: &[u8]) {
        let limbs = bytes.chunks(8).map(|chunk| {
            let mut limb = [0; 8];
            limb[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(limb)
        });
        self.set_wide(name, &limbs.collect::<Vec<u64>>());
    }

    /// What stood on a port before the last clock edge, the lowest byte first.
    pub fn get_bytes(&mut self, name: &str) -> Vec<u8> {
        let limbs = self.get_wide(name);
        limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect()
    }
}

/// The name of a port of which there are several.
#[allow(dead_code)]
pub fn numbered(name: &str, number: usize) -> String {
    hardpath_rtl::signals::numbered(name, number)
}
