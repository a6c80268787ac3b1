//! The transmit side beside a model of the packet's memory: which bytes leave, in how many clocks, with what beside them; and which
//! lines come back.

use crate::bench::Bench;
use hardpath_core::hardware::packets::transmit::{transmit, Transmit};
use hardpath_core::hardware::packets::Ring;
use hardpath_testkit::Random;
use std::collections::VecDeque;

const LINES: usize = 256;
const HEADROOM: i64 = 4;

/// A ring full of bytes, some of which stores have written.
struct Lines {
    data: Vec<[u8; 64]>,
    written: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Job {
    forwarded: bool,
    line: u64,
    lines: u64,
    from: i64,
    end: i64,
    zeros: i64,
    front: Vec<u8>,
    class: u64,
    index: u64,
    outputs: u64,
    again: bool,
    fate_outputs: u64,
}

/// What a job sends.
#[derive(PartialEq, Eq, Debug)]
struct Sent {
    data: Vec<u8>,
    user: u64,
    destination: u64,
}

impl Lines {
    fn new(random: &mut Random) -> Lines {
        let line = |random: &mut Random| std::array::from_fn(|_| random.next() as u8);
        Lines {
            data: (0..LINES).map(|_| line(random)).collect(),
            written: (0..LINES).map(|_| random.next()).collect(),
        }
    }

    /// The byte at an offset, as it leaves.
    fn byte(&self, job: &Job, offset: i64) -> u8 {
        let line = offset.div_euclid(64);
        if !(-HEADROOM..job.lines as i64 - HEADROOM).contains(&line) {
            return 0;
        }
        let at = (job.line as i64 + line).rem_euclid(LINES as i64) as usize;
        let byte = offset.rem_euclid(64) as usize;
        match offset >= job.zeros && self.written[at] >> byte & 1 == 0 {
            true => 0,
            false => self.data[at][byte],
        }
    }

    fn sent(&self, job: &Job, output_bits: u32) -> Sent {
        let mut data = job.front.clone();
        data.extend((job.from..job.end).map(|offset| self.byte(job, offset)));
        Sent {
            data,
            user: u64::from(job.again) << output_bits | job.outputs,
            destination: job.class << 32 | job.index,
        }
    }
}

fn job(random: &mut Random, longest: u64, again: bool) -> Job {
    let length = match random.below(4) {
        0 => 64,
        1 => random.below(130),
        _ => random.below(longest),
    } as i64;
    let from = match random.below(3) {
        0 => 0,
        1 => random.below(100) as i64 - 50,
        // Outside of the memory's lines, too.
        _ => random.below(700) as i64 - 350,
    };
    let end = match random.below(3) {
        0 => length.max(from),
        1 => from,
        _ => from + random.below(longest) as i64,
    };
    let zeros = match random.below(3) {
        0 => 0,
        1 => end,
        _ => from + random.below(200) as i64 - 50,
    };
    let fronts = [0, 0, random.below(65), 64][random.below(4) as usize];
    Job {
        forwarded: random.below(8) > 0,
        line: random.below(LINES as u64),
        lines: HEADROOM as u64 + (length as u64).div_ceil(64),
        from,
        end,
        zeros,
        front: (0..fronts).map(|_| random.next() as u8).collect(),
        class: random.below(4),
        index: random.next() & 0xffff_ffff,
        outputs: random.next() & 0x1ff,
        again,
        fate_outputs: random.next() & 0x1ff,
    }
}

fn offer(bench: &mut Bench, job: Option<&Job>) {
    bench.set("job_valid", job.is_some().into());
    let Some(job) = job else {
        return;
    };
    bench.set("job_forwarded", job.forwarded.into());
    bench.set("job_line", job.line);
    bench.set("job_lines", job.lines);
    bench.set("job_from", job.from as u64 & 0xffff);
    bench.set("job_end", job.end as u64 & 0xffff);
    bench.set("job_zeros", job.zeros as u64 & 0xffff);
    bench.set("job_front_length", job.front.len() as u64);
    bench.set("job_class", job.class);
    bench.set("job_index", job.index);
    bench.set("job_outputs", job.outputs);
    bench.set("job_again", job.again.into());
    bench.set("job_fate_outputs", job.fate_outputs);
}

/// The bytes in front of the next job.
fn front(bench: &mut Bench, job: Option<&Job>, random: &mut Random) {
    bench.set("front_comes", job.is_some().into());
    let mut front = job.map_or_else(Vec::new, |job| job.front.clone());
    // Behind them stands anything.
    front.resize_with(64, || random.next() as u8);
    bench.set_bytes("front", &front);
}

struct Pace {
    /// In so many of eight clocks a job is offered, and a beat taken.
    jobs: u64,
    ready: u64,
}

/// What leaves in a clock: bytes, which of them, last, user, destination.
type Beat = (Vec<u8>, u64, u64, u64, u64);

fn beat(bench: &mut Bench) -> Beat {
    (
        bench.get_bytes("m_axis_tdata"),
        bench.get("m_axis_tkeep"),
        bench.get("m_axis_tlast"),
        bench.get("m_axis_tuser"),
        bench.get("m_axis_tdest"),
    )
}

/// Runs jobs, and gives the clocks that they take.
fn run(beat_bytes: u32, jobs: &[Job], pace: &Pace, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let config = Transmit {
        ring: Ring {
            lines: LINES as u32,
        },
        beat_bytes,
        output_bits: 9,
        ..Transmit::default()
    };
    let lines = Lines::new(&mut random);
    let mut bench = Bench::of(transmit(&config));
    bench.set("job_front_lines", HEADROOM as u64);
    let mut waiting: VecDeque<&Job> = jobs.iter().collect();
    let forwarded = jobs.iter().filter(|job| job.forwarded);
    let mut sent: VecDeque<Sent> = forwarded.map(|job| lines.sent(job, 9)).collect();
    let firsts = jobs.iter().enumerate();
    let firsts = firsts.filter(|(number, _)| *number == 0 || !jobs[number - 1].again);
    let fates = firsts.map(|(_, job)| u64::from(job.forwarded) << 9 | job.fate_outputs);
    let mut fates: VecDeque<u64> = fates.collect();
    let given = jobs.iter().filter(|job| !job.again).map(|job| job.lines);
    let mut given: VecDeque<u64> = given.collect();
    let (mut offers, mut stays, mut clocks, mut fronts) = (false, None::<Beat>, 0, 0);
    let (mut out, mut was_ready) = (Vec::new(), false);
    while !waiting.is_empty() || !sent.is_empty() || !given.is_empty() || !fates.is_empty() {
        let taken = jobs.len() - waiting.len();
        offers |= fronts > taken && random.below(8) < pace.jobs;
        let comes = fronts <= taken + usize::from(offers) && random.below(8) < pace.jobs;
        let next = jobs.get(fronts).filter(|_| comes);
        front(&mut bench, next, &mut random);
        fronts += usize::from(next.is_some());
        let first = waiting.front().filter(|_| offers);
        offer(&mut bench, first.copied());
        let ready = random.below(8) < pace.ready;
        bench.set("m_axis_tready", ready.into());
        bench.step();
        clocks += 1;
        assert!(clocks < 1_000_000, "it hangs");
        if offers && bench.get("job_ready") == 1 {
            waiting.pop_front();
            offers = false;
        }
        if bench.get("read") == 1 {
            let index = bench.get("read_index") as usize;
            bench.set_bytes("read_data", &lines.data[index]);
            bench.set("read_written", lines.written[index]);
        }
        if bench.get("given_back") == 1 {
            assert_eq!(Some(bench.get("given_lines")), given.pop_front());
        }
        if bench.get("fate_valid") == 1 {
            assert_eq!(Some(bench.get("fate")), fates.pop_front());
        }
        let valid = bench.get("m_axis_tvalid") == 1;
        assert!(
            valid || out.is_empty() || !was_ready || pace.ready < 8,
            "a gap"
        );
        was_ready = ready;
        if !valid {
            assert_eq!(stays, None, "a beat was taken back");
            continue;
        }
        let now = beat(&mut bench);
        if let Some(stayed) = stays.take() {
            assert_eq!(now, stayed, "a beat changed");
        }
        if !ready {
            stays = Some(now);
            continue;
        }
        let (data, keep, last, user, destination) = now;
        let count = keep.count_ones() as usize;
        assert_eq!(keep, u64::MAX.checked_shr(64 - count as u32).unwrap_or(0));
        assert!(last == 1 || count == beat_bytes as usize);
        out.extend(&data[..count]);
        if last == 1 {
            let data = std::mem::take(&mut out);
            let now = Sent {
                data,
                user,
                destination,
            };
            assert_eq!(Some(now), sent.pop_front());
        }
    }
    clocks
}

#[test]
fn what_leaves_is_what_jobs_say() {
    let mut seed = 0;
    for beat_bytes in [8, 16, 32, 64] {
        for longest in [200, 9216] {
            for (jobs, ready) in [(8, 8), (3, 8), (8, 3), (5, 5)] {
                seed += 1;
                let mut random = Random::new(seed);
                let count = if longest > 1000 { 30 } else { 200 };
                let mut again = false;
                let all: Vec<Job> = (0..count)
                    .map(|number| {
                        again = number + 1 < count && random.below(4) == 0;
                        job(&mut random, longest, again)
                    })
                    .collect();
                run(beat_bytes, &all, &Pace { jobs, ready }, seed);
            }
        }
    }
}

fn whole(length: i64, from: i64) -> Job {
    Job {
        forwarded: true,
        line: 250,
        lines: HEADROOM as u64 + (length as u64).div_ceil(64),
        from,
        end: length,
        zeros: length,
        front: Vec::new(),
        class: 1,
        index: 2,
        outputs: 3,
        again: false,
        fate_outputs: 4,
    }
}

#[test]
fn every_length_and_distance_leaves() {
    for beat_bytes in [8, 64] {
        let lengths = (0..200).chain((200..9216).step_by(397));
        let all: Vec<Job> = lengths.map(|length| whole(length, 0)).collect();
        run(beat_bytes, &all, &Pace { jobs: 8, ready: 8 }, 1);
        let all: Vec<Job> = (-130..=130).map(|from| whole(300, from)).collect();
        run(beat_bytes, &all, &Pace { jobs: 8, ready: 8 }, 2);
        let fronts = (0..=64).map(|bytes| Job {
            front: (0..bytes).collect(),
            ..whole(100, 14)
        });
        let all: Vec<Job> = fronts.collect();
        run(beat_bytes, &all, &Pace { jobs: 8, ready: 8 }, 3);
    }
}

#[test]
fn a_job_takes_a_clock_for_each_unit_that_it_touches() {
    let clocks = |beat_bytes, job: Job| {
        let all = vec![job; 100];
        run(beat_bytes, &all, &Pace { jobs: 8, ready: 8 }, 4)
    };
    let is_about = |clocks: u64, each: u64| (100 * each..100 * each + 16).contains(&clocks);
    assert!(is_about(clocks(64, whole(64, 0)), 1));
    assert!(is_about(clocks(64, whole(60, 0)), 1));
    assert!(is_about(clocks(64, whole(64, 14)), 1));
    assert!(is_about(clocks(64, whole(44, -20)), 2));
    assert!(is_about(clocks(64, whole(1500, 0)), 24));
    assert!(is_about(clocks(8, whole(64, 0)), 8));
    let dropped = Job {
        forwarded: false,
        ..whole(9000, 0)
    };
    assert!(is_about(clocks(64, dropped), 1));
}
