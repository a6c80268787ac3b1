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
    /// Packets that had entered before, modulo 2^32.
    pub before: u32,
    /// It waits for the host ([`GOES`]).
    pub waits: bool,
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
    /// The packets inside do not leave.
    Waits,
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotLoaded::Busy => "another program is being loaded",
            NotLoaded::Refused => "the processor refuses the program: it is for another processor, follows another program than the one that runs, or was altered on the way; the program from before runs",
            NotLoaded::BrokenOff => "words of the program are missing: somebody else began to load one; the program from before runs",
            NotLoaded::Waits => "the program waits for packets of the one before, which do not leave",
        })
    }
}

/// Loads a program, and waits until it runs or waits for the host. The outer error is the host's.
///
/// # Errors
/// The design refuses an access or does not answer; inside, [`NotLoaded`].
pub fn load<H: Operate>(
    host: &mut H,
    words: &[u32],
) -> Result<Result<Loaded, NotLoaded>, H::Error> {
    let status = |word: u32| field::LOAD_STATUS.of(word);
    let before = status(host.read_register(register::LOAD)?);
    if before & (MISSING | WAITS) == WAITS {
        return Ok(Err(NotLoaded::Busy));
    }
    for (address, data) in writes(words) {
        host.write_register(address, data)?;
    }
    for _ in 0..READS {
        let now = status(host.read_register(register::LOAD)?);
        if now & WRONG != 0 {
            return Ok(Err(NotLoaded::Refused));
        }
        if now & MISSING != 0 {
            return Ok(Err(NotLoaded::BrokenOff));
        }
        if now & WAITS == 0 {
            return Ok(Ok(Loaded {
                clocks: host.read_register(register::LOAD_CLOCKS)?,
                before: host.read_register(register::LOAD_BEFORE)?,
                waits: now & HOLDS != 0,
            }));
        }
    }
    Ok(Err(NotLoaded::Waits))
}

/// Bits of LOAD_STATUS.
const MISSING: u32 = 1;
const WAITS: u32 = 2;
const WRONG: u32 = 4;
const HOLDS: u32 = 16;
