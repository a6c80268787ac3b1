//! Asking the kernel again where it and the interpreter differ: its verifier can be wrong, too.
//!
//! The second time the program has the form [`Form::Restrained`] and everything is run from the beginning, so that its maps
//! are at each packet what that form made of the packets before. Both forms are the program, so both answers are the
//! kernel's; the one that the interpreter agrees with counts, for as much as it agrees.

use crate::kernel::Form;

/// The kernel's answers, or whatever was made of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked<T> {
    /// Of the question that counts.
    pub answer: T,
    /// It is the answer to the second question.
    pub again: bool,
}

/// Asks with the program as it is and, if there are disagreements between kernel and interpreter, with the other form.
///
/// # Errors
/// Those of the first question.
pub fn ask<T, E>(
    mut question: impl FnMut(Form) -> Result<T, E>,
    disagreements: impl Fn(&T) -> u64,
) -> Result<Asked<T>, E> {
    let first = question(Form::AsItIs)?;
    let of_first = disagreements(&first);
    if of_first > 0 {
        if let Ok(answer) = question(Form::Restrained) {
            if disagreements(&answer) < of_first {
                return Ok(Asked {
                    answer,
                    again: true,
                });
            }
        }
    }
    Ok(Asked {
        answer: first,
        again: false,
    })
}
