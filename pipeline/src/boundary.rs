//! From one stage to the next: registers, or the segment FIFO where a hazard window begins.

use crate::lower::Lower;
use crate::segments::BaseId;
use hardpath_rtl::{Node, NodeOp};

impl Lower<'_> {
    /// Carries everything that is still needed from the stage before into this one.
    pub(crate) fn boundary(&mut self, stage: u32) {
        let mut replay = self.replay.take();
        let stale = replay
            .as_ref()
            .filter(|replay| replay.inside(stage))
            .map(|replay| self.gets_stale(stage - 1, replay));
        let mut runs: Vec<(BaseId, u32, Node)> = Vec::new();
        for base in 0..self.segments.bases.len() {
            if self.segments.bases[base].stage >= stage {
                continue;
            }
            for (lo, len) in self.segments.live_runs(base, stage) {
                let node = self.base_bits(base, lo, len);
                runs.push((base, lo, node));
            }
            self.present[base].clear();
        }
        // A field that is asked for from here on is the one of the new stage.
        self.named.clear();
        self.now = stage;
        let gates = self.schedule.gates(self.plan);
        let gated = gates
            .iter()
            .find(|(at, _)| *at == stage)
            .map(|(_, all)| all.clone());
        match gated {
            Some(accesses) => {
                let begins = self.gate(stage, &accesses, runs);
                self.replay = begins.or(replay);
                return;
            }
            None => {
                self.replay = replay.take();
                self.registers(stage, runs);
            }
        }
        let Some(mut replay) = self.replay.take() else {
            return;
        };
        if let Some(stale) = stale {
            replay.stale = self.m.delay(format!("stale_s{stage}"), stale);
        }
        if stage == replay.commit {
            let stale = self.stale_at_commit(&replay);
            let flush = self.m.and(&[self.valid, stale]);
            let fresh = self.m.not(stale);
            self.valid = self.m.and(&[self.valid, fresh]);
            let mut done = vec![self.valid];
            done.extend(self.host);
            let retire = self.m.or(&done);
            self.m.drive(replay.flush, flush);
            self.m.drive(replay.retire, retire);
        }
        self.replay = Some(replay);
    }

    pub fn run_name(&self, base: BaseId, lo: u32, width: u32, stage: u32) -> String {
        let data = &self.segments.bases[base];
        if base == self.segments.window() {
            if let Some(name) = self.fields.name(lo, width) {
                return format!("{name}_s{stage}");
            }
            let (first, last) = (lo / 8, (lo + width - 1) / 8);
            return match (lo % 8, width % 8) {
                (0, 0) if first == last => format!("packet_{first}_s{stage}"),
                (0, 0) => format!("packet_{first}_{last}_s{stage}"),
                _ => format!("packet_{first}_bit{}_s{stage}", lo % 8),
            };
        }
        if lo == 0 {
            format!("{}_s{stage}", data.name)
        } else {
            format!("{}_from{lo}_s{stage}", data.name)
        }
    }

    fn registers(&mut self, stage: u32, runs: Vec<(BaseId, u32, Node)>) {
        for (base, lo, node) in runs {
            let width = self.m.width(node);
            let kept = match self.m.nodes[node].op {
                NodeOp::Const(_) => node,
                _ => {
                    self.register_bits += u64::from(width);
                    let name = self.run_name(base, lo, width, stage);
                    self.m.delay(name, node)
                }
            };
            self.present[base].push((lo, kept));
        }
        self.register_bits += 1 + u64::from(self.host.is_some());
        let inside = self
            .replay
            .as_ref()
            .filter(|replay| replay.inside(stage))
            .map(|replay| replay.flush);
        if let Some(flush) = inside {
            let stays = self.m.not(flush);
            self.valid = self.m.and(&[self.valid, stays]);
        }
        self.valid = self.m.delay_reset(format!("valid_s{stage}"), self.valid);
        if let Some(host) = self.host {
            self.host = Some(self.m.delay_reset(format!("host_s{stage}"), host));
        }
    }
}
