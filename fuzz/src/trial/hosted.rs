//! Once more with operations of the host in the middle. The interpreter does the same in the order in which all that
//! entered the pipeline.

use super::layers::Trial;
use super::{failure, Failure, Layer};
use crate::hardware::Made;
use crate::hardware::{self, host_events};
use crate::packets::ports;
use hardpath_ir::maps::Maps;
use hardpath_oracle::compare::compare_maps;
use hardpath_session::{Differs, Model};

impl Trial {
    pub fn with_host(&self, made: Made, seed: u64) -> Result<(), Failure> {
        let differs = |packet, text: String| failure(Layer::Host, packet, text);
        let (hardware, packets) = (&self.subject.hardware, &self.subject.packets);
        let interface = made.interface;
        let events = host_events(interface, &self.expected.maps, packets.len(), seed);
        if events.is_empty() {
            return Ok(());
        }
        let driven = hardware::drive_mixed(made, hardware, &self.in_hardware, packets, &events);
        let (mixed, filled, held) = driven.map_err(|error| differs(None, error.to_string()))?;
        let wrong = |found: Differs| differs(found.packet, found.text);
        let mut maps = Maps::new(&self.lifted.maps);
        maps.load(&self.image)
            .map_err(|errors| differs(None, format!("maps are gone: {:?}", errors.first())))?;
        let mut model = Model::new(&mut maps, interface);
        model.filled(&mut maps, &filled).map_err(wrong)?;
        let ports = ports();
        let traffic = (&ports, packets.as_slice(), events.as_slice());
        model
            .follow_all(&mut maps, (&self.meaning, interface), traffic, &mixed)
            .map_err(wrong)?;
        match compare_maps(&maps.image(), &held).first() {
            None => Ok(()),
            Some(difference) => Err(differs(None, difference.to_string())),
        }
    }
}
