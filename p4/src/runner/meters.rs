//! Rates of meters, of cells and of entries.

use super::{same, wrong, Engine, Run, DIRECT_METERS, METERS};
use crate::commands::{Number, Rate};
use crate::interpreter::Entry;
use crate::meters::Rates;
use hardpath_diagnostic::{Diagnostic, Place};

impl<E: Engine> Run<'_, E> {
    /// The rates of a cell of a meter, of all of them, or of an entry by its number.
    pub(super) fn set_rates(
        &mut self,
        meter: &str,
        index: Option<&Number>,
        rates: &[Rate],
        place: &Place,
    ) -> Result<(), Diagnostic> {
        let all = [METERS, DIRECT_METERS].concat();
        let object = self.names.object(&all, meter, place)?;
        let rates = self::rates(rates, place)?;
        if METERS.contains(&self.design.extern_of(self.program, object)) {
            let size = self.design.number(object, 0);
            if let Some(index) = index.filter(|index| index.value >= size) {
                let message = format!("`{meter}` has {size} cells, and no cell {}", index.value);
                return Err(wrong(place, message));
            }
            let size = u64::try_from(size).unwrap_or(0);
            let cells = match index {
                Some(index) => index.word()..index.word() + 1,
                None => 0..size,
            };
            for cell in cells {
                self.engine.set_rates(object, cell, rates);
            }
            return Ok(());
        }
        let Some(table) = self.design.metered(self.program, object) else {
            return Err(wrong(place, format!("no table has the meter `{meter}`")));
        };
        let entries = match index {
            Some(index) => {
                let number = u32::try_from(index.word()).unwrap_or(u32::MAX);
                vec![self.added_entry(table, number, place)?]
            }
            None => self.tables[table].clone(),
        };
        for entry in entries {
            self.set_entry_rates(table, &entry, rates, place)?;
        }
        Ok(())
    }

    pub(super) fn set_entry_rates(
        &mut self,
        table: usize,
        entry: &Entry,
        rates: Option<Rates>,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        if self.design.direct_meter(self.program, table).is_none() {
            let message = format!("`{}` has no meter", self.design.tables[table].name);
            return Err(wrong(place, message));
        }
        let set = self.engine.set_found_rates(table, entry, rates);
        set.map_err(|why| wrong(place, why))?;
        let added = self.added.get_mut(&table).into_iter().flatten();
        let all = self.tables[table].iter_mut().chain(added);
        for one in all.filter(|one| same(one, entry)) {
            one.meter.rates = rates;
        }
        Ok(())
    }
}

/// The two rates of a meter; without any nothing is metered (P4Runtime 1.4, section "MeterEntry").
pub(super) fn rates(rates: &[Rate], place: &Place) -> Result<Option<Rates>, Diagnostic> {
    let [committed, peak] = rates else {
        if rates.is_empty() {
            return Ok(None);
        }
        let message = format!(
            "a meter has two rates, committed and peak, not {}",
            rates.len()
        );
        return Err(wrong(place, message).help("write `RATE:BURST RATE:BURST`"));
    };
    let made = Rates::new((&committed.rate, committed.burst), (&peak.rate, peak.burst));
    made.map(Some).map_err(|why| wrong(place, why))
}
