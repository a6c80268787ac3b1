//! What all tables are made of: the programs as rows, and the one core that runs them.

use super::machine::Bench;
use super::made::{self, Made};
use super::programs::{Folders, Subject, OF_THE_PAPER};
use hardpath_core::compile::savings::Without;
use hardpath_core::image::Image;
use hardpath_diagnostic::Diagnostic;

/// A program, ready to run.
pub struct Ready {
    pub subject: Subject,
    pub image: Image,
}

pub struct Setting {
    pub folders: Folders,
    /// The programs of the paper.
    pub paper: Vec<Ready>,
    /// Those that are made for one figure each.
    pub made: Vec<(Made, Ready)>,
    pub bench: Bench,
}

impl Setting {
    /// # Errors
    /// A program is missing, or does not become rows.
    pub fn new(folders: Folders) -> Result<Setting, Vec<Diagnostic>> {
        let ready = |subject: Subject| -> Result<Ready, Vec<Diagnostic>> {
            let image = subject.rows(4, Without::NOTHING)?.image;
            Ok(Ready { subject, image })
        };
        let paper = OF_THE_PAPER
            .iter()
            .map(|known| ready(known.load(&folders)?));
        let paper = paper.collect::<Result<Vec<_>, _>>()?;
        let made = made::all()?.into_iter();
        let made = made.map(|(made, subject)| Ok((made, ready(subject)?)));
        let made = made.collect::<Result<Vec<_>, Vec<Diagnostic>>>()?;
        let all = paper.iter().chain(made.iter().map(|(_, ready)| ready));
        let images: Vec<&Image> = all.map(|ready| &ready.image).collect();
        let bench = Bench::new(&images, 32)?;
        Ok(Setting {
            folders,
            paper,
            made,
            bench,
        })
    }
}
