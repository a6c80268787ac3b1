//! Which of the two to take, and why.
//!
//! A core changes its program in microseconds, and nobody waits for a vendor's tool; so it is taken where it keeps up with the line, and
//! where a pipeline would not be faster either. A pipeline is taken for what a core is too slow for.

/// What the choice goes by.
pub struct Figures {
    /// Million packets a second, of many flows.
    pub mpps: f64,
    /// The same of one flow alone.
    pub of_one_flow: f64,
    /// It is larger than the usual card of its family.
    pub is_too_large: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    Pipeline,
    Core,
}

impl Taken {
    /// As in JSON, and behind `--target`.
    pub fn name(self) -> &'static str {
        match self {
            Taken::Pipeline => "pipeline",
            Taken::Core => "core",
        }
    }
}

#[derive(PartialEq, Debug)]
pub struct Choice {
    pub taken: Taken,
    /// A sentence without its dot.
    pub reason: String,
}

/// By how much the faster one must be faster, where none keeps up.
const MATTERS: f64 = 1.1;

/// `None`: both refuse the program.
pub fn choose(needed: f64, pipeline: Option<&Figures>, core: Option<&Figures>) -> Option<Choice> {
    let (taken, mut reason) = match (pipeline, core) {
        (None, None) => return None,
        (Some(_), None) => (Taken::Pipeline, "a core does not take the program".into()),
        (None, Some(_)) => (Taken::Core, "the program does not become a pipeline".into()),
        (Some(pipeline), Some(core)) => among(needed, pipeline, core),
    };
    let found = match taken {
        Taken::Pipeline => pipeline,
        Taken::Core => core,
    };
    let slower = found.filter(|found| found.mpps >= needed && found.of_one_flow < needed);
    if let Some(found) = slower {
        reason += &format!(
            "; one flow alone gets {} Mpps of it",
            mpps(found.of_one_flow)
        );
    }
    Some(Choice { taken, reason })
}

fn among(needed: f64, pipeline: &Figures, core: &Figures) -> (Taken, String) {
    let keeps_up = |figures: &Figures| figures.mpps >= needed;
    let rates = [pipeline.mpps, core.mpps].map(mpps);
    let rates = format!("{} Mpps as a pipeline, {} on a core", rates[0], rates[1]);
    let needed = mpps(needed);
    match (pipeline.is_too_large, core.is_too_large) {
        (true, false) => return (Taken::Core, "the pipeline is larger than the card".into()),
        (false, true) => return (Taken::Pipeline, "the core is larger than the card".into()),
        _ => {}
    }
    match (keeps_up(pipeline), keeps_up(core)) {
        (_, true) => (
            Taken::Core,
            format!("it keeps up with the line, which brings {needed} Mpps, and changes its program at once ({rates})"),
        ),
        (true, false) => (
            Taken::Pipeline,
            format!("only it keeps up with the line, which brings {needed} Mpps ({rates})"),
        ),
        (false, false) if pipeline.mpps > core.mpps * MATTERS => (
            Taken::Pipeline,
            format!("none keeps up with the line, which brings {needed} Mpps, and it is the faster one ({rates})"),
        ),
        (false, false) => (
            Taken::Core,
            format!("none keeps up with the line, which brings {needed} Mpps, a pipeline would not be faster, and it changes its program at once ({rates})"),
        ),
    }
}

/// Million packets a second, for readers: three digits that say something.
pub fn mpps(rate: f64) -> String {
    match rate {
        0.0..1.0 => format!("{rate:.3}"),
        _ => format!("{rate:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(mpps: f64) -> Figures {
        Figures {
            mpps,
            of_one_flow: mpps,
            is_too_large: false,
        }
    }

    fn taken(needed: f64, pipeline: Option<Figures>, core: Option<Figures>) -> Option<Taken> {
        let choice = choose(needed, pipeline.as_ref(), core.as_ref());
        choice.map(|choice| choice.taken)
    }

    #[test]
    fn who_keeps_up_is_taken_and_the_core_first() {
        for (needed, pipeline, core, expected) in [
            (100.0, 250.0, 20.0, Taken::Pipeline),
            (10.0, 250.0, 20.0, Taken::Core),
            (10.0, 5.0, 20.0, Taken::Core),
            (300.0, 250.0, 20.0, Taken::Pipeline),
            (300.0, 21.0, 20.0, Taken::Core),
            (300.0, 10.0, 20.0, Taken::Core),
        ] {
            let found = taken(needed, Some(figures(pipeline)), Some(figures(core)));
            assert_eq!(found, Some(expected), "{needed} {pipeline} {core}");
        }
    }

    #[test]
    fn who_is_alone_is_taken() {
        assert_eq!(taken(1.0, None, Some(figures(0.1))), Some(Taken::Core));
        assert_eq!(taken(1.0, Some(figures(0.1)), None), Some(Taken::Pipeline));
        assert_eq!(taken(1.0, None, None), None);
        let large = |mpps| Figures {
            is_too_large: true,
            ..figures(mpps)
        };
        let found = taken(1.0, Some(large(250.0)), Some(figures(0.1)));
        assert_eq!(found, Some(Taken::Core));
        let found = taken(1.0, Some(figures(0.1)), Some(large(250.0)));
        assert_eq!(found, Some(Taken::Pipeline));
    }

    #[test]
    fn one_flow_that_is_slower_is_told() {
        let core = Figures {
            of_one_flow: 0.5,
            ..figures(20.0)
        };
        let reason = |needed| {
            let choice = choose(needed, Some(&figures(5.0)), Some(&core));
            choice.map(|choice| choice.reason).unwrap_or_default()
        };
        let told = "; one flow alone gets 0.500 Mpps of it";
        assert!(reason(10.0).ends_with(told), "{}", reason(10.0));
        assert!(!reason(0.2).contains("one flow"), "{}", reason(0.2));
        assert!(!reason(30.0).contains("one flow"), "{}", reason(30.0));
    }
}
