//! Rates of meters (P4Runtime 1.4, sections "MeterEntry" and "DirectMeterEntry").

use super::{Node, Read, Reader};
use crate::commands::{CommandKind, Rate};

impl Reader<'_> {
    /// A cell of a meter, or all of them where no index is said.
    pub(super) fn meter(&self, of: Node) -> Read<CommandKind> {
        self.only(of, "a meter", &["meter_id", "index", "config"])?;
        let known = ("meter_id", "meter");
        let meter = self.by_id(&self.known.meters, of, known, |name| name)?;
        let index = match of.field("index") {
            Some(_) => Some(self.index(of)?),
            None => None,
        };
        Ok(CommandKind::SetRates {
            meter: meter.clone(),
            index,
            rates: self.rates(of, "config")?,
        })
    }

    pub(super) fn direct_meter(&self, of: Node) -> Read<CommandKind> {
        self.only(of, "the meter of an entry", &["table_entry", "config"])?;
        let Some(entry) = self.inner(of, "table_entry")? else {
            return self.wrong(of.at, "the meter of an entry has a `table_entry`");
        };
        Ok(CommandKind::SetFoundRates {
            entry: self.found(self.table(entry)?, entry)?,
            rates: self.rates(of, "config")?,
        })
    }

    /// The committed and the peak rate, in tokens a second; none where nothing is said.
    pub(super) fn rates(&self, of: Node, name: &str) -> Read<Vec<Rate>> {
        let Some(config) = self.inner(of, name)? else {
            return Ok(Vec::new());
        };
        self.only(config, "a meter", &["cir", "cburst", "pir", "pburst"])?;
        let rate = |rate: &str, burst: &str| -> Read<Rate> {
            let per_second = self.number(config, rate)?.0;
            Ok(Rate {
                rate: format!("{}.{:06}", per_second / 1_000_000, per_second % 1_000_000),
                burst: self.number(config, burst)?.0,
            })
        };
        Ok(vec![rate("cir", "cburst")?, rate("pir", "pburst")?])
    }
}
