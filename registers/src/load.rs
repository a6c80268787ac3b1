//! Loading a program into a processor: words into a window of the host port, and what the processor says of them.

use crate::address_map::{field, register};
use crate::operate::Operate;
use std::fmt;

/// Words that the window has addresses for; one behind the other goes around.
const WINDOW_WORDS: u32 = 256;
/// How often a processor is asked whether the program runs.
const READS: u32 = 1 << 20;

/// The writes that load a program, as addresses and words: the beginning, and each word at the next address of the window.
pub fn writes(words: &[u32]) -> Vec<(u32, u32)> {
    let window = (0..WINDOW_WORDS).cycle();
    let into_window = window.zip(words);
    let into_window = into_window.map(|(at, word)| (register::PROGRAM + 4 * at, *word));
    std::iter::once((register::LOAD, 0))
        .chain(into_window)
        .collect()
}

/// The write that lets a program take packets that waits for the host.
pub const GOES: (u32, u32) = (register::LOAD, 2);

/// What a processor says of a program that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// Clocks from the last word to the first one in which packets are taken in; of a program that waits for the host those so far.
    pub clocks: u32,
    /// Packets that had entered before, modulo 2^32; there may be more of them while `old`.
    pub before: u32,
    /// It waits for the host ([`GOES`]).
    pub waits: bool,
    /// Packets of the program before are inside, and go on with it ([`before`]). Until they have left no other program can be loaded.
    pub old: bool,
}

/// Why a program does not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotLoaded {
    /// A load is under way, or a program waits to run: somebody else's.
    Busy,
    /// It is for another processor, or behind another program, or was altered on the way. The program from before runs.
    Refused,
    /// Words are missing: somebody else began to load. The program from before runs.
    BrokenOff,
    /// The packets inside do not leave, and maps that they use would become empty.
    Waits,
    /// Packets of the program before the one that runs do not leave, and run from where the next program would stand.
    Old,
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotLoaded::Busy => "another program is being loaded",
            NotLoaded::Refused => "the processor refuses the program: it is for another processor, follows another program than the one that runs, or was altered on the way; the program from before runs",
            NotLoaded::BrokenOff => "words of the program are missing: somebody else began to load one; the program from before runs",
            NotLoaded::Waits => "the program waits for packets of the one before, which do not leave",
            NotLoaded::Old => "packets of the program before the one that runs do not leave, and run from where the next one would stand",
        })
    }
}

/// What [`LOAD_STATUS`](field::LOAD_STATUS) says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// A load is under way.
    pub missing: bool,
    /// A program waits until it may run.
    pub waits: bool,
    /// The last load was refused.
    pub wrong: bool,
    /// A program runs.
    pub runs: bool,
    /// It waits for the host.
    pub holds: bool,
    /// Packets of the program before are inside.
    pub old: bool,
}

impl Status {
    /// Of the field.
    pub fn of(word: u32) -> Status {
        let bit = |number: u32| word >> number & 1 == 1;
        Status {
            missing: bit(0),
            waits: bit(1),
            wrong: bit(2),
            runs: bit(3),
            holds: bit(4),
            old: bit(5),
        }
    }

    fn read<H: Operate>(host: &mut H) -> Result<Status, H::Error> {
        let word = host.read_register(register::LOAD)?;
        Ok(Status::of(field::LOAD_STATUS.of(word)))
    }
}

/// Loads a program, and waits until it runs or waits for the host. As long as packets run from the bank into which it would go, it waits for
/// those first. The outer error is the host's.
///
/// # Errors
/// The design refuses an access or does not answer; inside, [`NotLoaded`].
pub fn load<H: Operate>(
    host: &mut H,
    words: &[u32],
) -> Result<Result<Loaded, NotLoaded>, H::Error> {
    let mut before = Status::read(host)?;
    if before.waits && !before.missing {
        return Ok(Err(NotLoaded::Busy));
    }
    let mut reads = 0;
    while before.old {
        reads += 1;
        if reads > READS {
            return Ok(Err(NotLoaded::Old));
        }
        before = Status::read(host)?;
    }
    for (address, data) in writes(words) {
        host.write_register(address, data)?;
    }
    for _ in 0..READS {
        let now = Status::read(host)?;
        if now.wrong {
            // Somebody else's program came in between.
            return Ok(Err(match now.old {
                true => NotLoaded::Busy,
                false => NotLoaded::Refused,
            }));
        }
        if now.missing {
            return Ok(Err(NotLoaded::BrokenOff));
        }
        if !now.waits {
            return Ok(Ok(Loaded {
                clocks: host.read_register(register::LOAD_CLOCKS)?,
                before: host.read_register(register::LOAD_BEFORE)?,
                waits: now.holds,
                old: now.old,
            }));
        }
    }
    Ok(Err(NotLoaded::Waits))
}

/// Packets that had entered before the program that runs, modulo 2^32; `None` while some of the one before are inside.
///
/// # Errors
/// The design refuses an access or does not answer.
pub fn before<H: Operate>(host: &mut H) -> Result<Option<u32>, H::Error> {
    match Status::read(host)?.old {
        true => Ok(None),
        false => host.read_register(register::LOAD_BEFORE).map(Some),
    }
}
