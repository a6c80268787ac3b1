//! The running Linux kernel as judge of an XDP program: `BPF_PROG_TEST_RUN` over the same packets.
//!
//! The program is loaded as the object has it but for two changes (`patch.rs`): time, random number, CPU and
//! redirect target are under control, and the stack starts as zeros. It runs on a thread of its own, in a network
//! namespace of its own (`network.rs`) and on one CPU, so that neither the machine's interfaces nor the copies of
//! per-CPU maps get in the way. What the kernel cannot be asked is not run but answered with the reason
//! ([`Verdict::CannotJudge`]).

mod btf;
mod control;
mod event_maps;
mod functions;
mod maps;
mod mtu;
mod network;
mod patch;
mod program;
mod restrain;
mod stand_ins;
mod syscall;
mod tail_calls;
mod worker;

use crate::judges::{Judge, MapChange, Question, Running, Who};
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{Object, ProgramImage};
use hardpath_ir::maps::Image;
use hardpath_kernel::xdp;
use hardpath_packet::{Fate, Sideband};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::mpsc;
use std::thread::JoinHandle;
use worker::Worker;

/// A program in the kernel, with its maps. Everything ends when this is dropped.
pub struct KernelJudge {
    /// `None` only while dropping.
    work: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    longest_packet: usize,
    /// What the kernel has against an interface and queue that a packet came in by; `None`: nothing.
    queues: HashMap<(u32, u32), Option<String>>,
}

/// What a judge starts with.
#[derive(Clone, Debug, Default)]
pub struct JudgeOptions {
    /// What the maps hold beside their first contents.
    pub image: Image,
    /// LRU maps that are plain hashes of so many entries here, because somebody tells which keys go.
    pub plain: BTreeMap<String, u32>,
    /// Other LRU maps have room for their entries only, and forget; else for so many more that they hold what they should.
    pub tight: bool,
    /// Whether the verifier may leave instructions out.
    pub form: Form,
    /// The maps that the program has as lifted, by name; `None`: all that its instructions name. Instructions that cannot
    /// be reached may name others, which nobody gave a size or contents: something of their type stands in for them.
    pub maps: Option<BTreeSet<String>>,
}

/// In which form the kernel is given the program. In each it means the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// As the object has it, but for what is under control (`patch.rs`).
    #[default]
    AsItIs,
    /// So that the verifier leaves nothing out (`restrain.rs`): it can be wrong about what nobody comes to.
    Restrained,
}

/// The kernel's answer for one packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// What becomes of the packet.
    Judged(Fate),
    /// The kernel cannot run the program on this packet; its maps are as before. Says why.
    CannotJudge(String),
}

/// The shortest packet of a test run: an Ethernet header (`bpf_test_init` in `net/bpf/test_run.c`).
const SHORTEST_PACKET: usize = 14;

type Work = Box<dyn FnOnce(&mut Worker) + Send>;

impl KernelJudge {
    /// Loads a program and makes and fills its maps.
    ///
    /// # Errors
    /// `kernel-unavailable`: this process may not do that here. `kernel-rejects-program`, `kernel-rejects-map`,
    /// `kernel-rejects-entry`: with the verifier's last lines, the map or the entry. `unknown-map`: the image
    /// names a map that the program does not use. Also what went wrong when the program was linked.
    pub fn start(
        object: &Object,
        program: &ProgramImage,
        options: &JudgeOptions,
    ) -> Result<KernelJudge, Diagnostic> {
        if let Some(problem) = program.problems.first() {
            return Err(problem.clone());
        }
        let (work, todo) = mpsc::channel::<Work>();
        let (started, starting) = mpsc::channel();
        let (object, program, options) = (object.clone(), program.clone(), options.clone());
        let thread = std::thread::Builder::new()
            .name("kernel-judge".into())
            .spawn(move || {
                let mut worker = match Worker::start(&object, &program, &options) {
                    Ok(worker) => worker,
                    Err(error) => {
                        // Nobody listening means that nobody wants to know.
                        let _ = started.send(Err(error));
                        return;
                    }
                };
                drop((object, program, options));
                let _ = started.send(Ok(worker.longest_packet()));
                for work in todo {
                    work(&mut worker);
                }
            })
            .map_err(|error| unavailable(&format!("no thread can be started: {error}")))?;
        let longest_packet = starting.recv().unwrap_or_else(|_| Err(stopped()))?;
        Ok(KernelJudge {
            work: Some(work),
            thread: Some(thread),
            longest_packet,
            queues: HashMap::new(),
        })
    }

    /// Runs the program on one packet. For many packets [`KernelJudge::run_all`] is several times faster.
    ///
    /// # Errors
    /// `kernel-run-failed`: the kernel gave an error that this judge does not know.
    pub fn run(&mut self, packet: &[u8], context: &Sideband) -> Result<Verdict, Diagnostic> {
        let mut verdicts = self.run_all(&[(packet, *context)])?;
        // One packet gives one verdict.
        Ok(verdicts.remove(0))
    }

    /// Runs the program on each packet that the kernel takes, one after the other.
    ///
    /// # Errors
    /// As [`KernelJudge::run`].
    pub fn run_all<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
    ) -> Result<Vec<Verdict>, Diagnostic> {
        let mut objections = Vec::with_capacity(packets.len());
        let mut accepted = Vec::with_capacity(packets.len());
        for (packet, context) in packets {
            let objection = self.objection(packet.as_ref().len(), context)?;
            if objection.is_none() {
                accepted.push((packet.as_ref().to_vec(), *context));
            }
            objections.push(objection);
        }
        let mut outcomes = self.begin(accepted, Vec::new())?.wait()?.into_iter();
        let verdict = |objection: Option<String>| match objection {
            Some(reason) => Ok(Verdict::CannotJudge(reason)),
            None => outcomes.next().map(Verdict::Judged).ok_or_else(stopped),
        };
        objections.into_iter().map(verdict).collect()
    }

    /// Why the kernel cannot be asked about packets like this one, of that length in bytes; `None`: it can.
    ///
    /// # Errors
    /// The judge has stopped.
    pub fn objection(
        &mut self,
        length: usize,
        context: &Sideband,
    ) -> Result<Option<String>, Diagnostic> {
        if length < SHORTEST_PACKET {
            return Ok(Some(format!(
                "packets shorter than an Ethernet header ({SHORTEST_PACKET} bytes)"
            )));
        }
        if length > self.longest_packet {
            return Ok(Some(format!(
                "packets longer than a test run's buffer ({} bytes)",
                self.longest_packet
            )));
        }
        let queue = (context.ingress, context.queue);
        if let Some(objection) = self.queues.get(&queue) {
            return Ok(objection.clone());
        }
        let objection = self
            .submit(move |worker| worker.provide(queue.0, queue.1).err())?
            .wait()?;
        self.queues.insert(queue, objection.clone());
        Ok(objection)
    }

    /// The contents of all maps that the program uses, without `.rodata`; of per-CPU maps the copy of the CPU
    /// that runs the program.
    ///
    /// # Errors
    /// `kernel-map-unreadable`.
    pub fn image(&mut self) -> Result<Image, Diagnostic> {
        self.submit(|worker| worker.image())?.wait()?
    }

    /// The value under a key, as the host reads it.
    ///
    /// # Errors
    /// `unknown-map`, `kernel-map-unreadable`.
    pub fn lookup(&mut self, map: &str, key: &[u8]) -> Result<Option<Vec<u8>>, Diagnostic> {
        let (map, key) = (map.to_string(), key.to_vec());
        self.submit(move |worker| worker.lookup(&map, &key))?
            .wait()?
    }

    /// Writes an entry as the host does.
    ///
    /// # Errors
    /// `unknown-map`; `kernel-rejects-entry` with the kernel's reason.
    pub fn set(&mut self, map: &str, key: &[u8], value: &[u8]) -> Result<(), Diagnostic> {
        let (map, key, value) = (map.to_string(), key.to_vec(), value.to_vec());
        // Interfaces may have become known.
        self.queues.clear();
        self.submit(move |worker| worker.set(&map, &key, &value))?
            .wait()?
    }

    /// Removes an entry as the host does; it need not be there.
    ///
    /// # Errors
    /// `unknown-map`; `kernel-rejects-entry` with the kernel's reason.
    pub fn delete(&mut self, map: &str, key: &[u8]) -> Result<(), Diagnostic> {
        let (map, key) = (map.to_string(), key.to_vec());
        self.submit(move |worker| worker.delete(&map, &key))?
            .wait()?
    }

    /// Has something done on the judge's thread.
    fn submit<R: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Worker) -> R + Send + 'static,
    ) -> Result<Pending<R>, Diagnostic> {
        let (answer, answered) = mpsc::sync_channel(1);
        let work: Work = Box::new(move |worker| {
            // Nobody listening means that nobody wants to know.
            let _ = answer.send(work(worker));
        });
        let sender = self.work.as_ref().ok_or_else(stopped)?;
        sender.send(work).map_err(|_| stopped())?;
        Ok(Pending(answered))
    }
}

/// The judge's thread is at work on an answer.
struct Pending<R>(mpsc::Receiver<R>);

impl<R> Pending<R> {
    fn wait(self) -> Result<R, Diagnostic> {
        self.0.recv().map_err(|_| stopped())
    }
}

/// Packets that are being run.
struct OnThread(Pending<Result<Vec<Fate>, Diagnostic>>);

impl Running for OnThread {
    fn wait(self: Box<Self>) -> Result<Vec<Fate>, Diagnostic> {
        self.0.wait()?
    }
}

impl Judge for KernelJudge {
    fn who(&self) -> Who {
        Who {
            name: "the kernel",
            version: Some(version()),
        }
    }

    fn outputs(&self) -> Vec<String> {
        [xdp::VERDICT, xdp::METADATA, xdp::RETURNED]
            .map(String::from)
            .into()
    }

    fn objection(
        &mut self,
        length: usize,
        sideband: &Sideband,
    ) -> Result<Option<String>, Diagnostic> {
        KernelJudge::objection(self, length, sideband)
    }

    fn begin(
        &mut self,
        packets: Vec<Question>,
        changes: Vec<Vec<MapChange>>,
    ) -> Result<Box<dyn Running>, Diagnostic> {
        let fates = self.submit(move |worker| {
            let mut changes = changes.into_iter();
            packets
                .iter()
                .map(|(packet, sideband)| {
                    worker.apply(&changes.next().unwrap_or_default())?;
                    worker.run(packet, sideband)
                })
                .collect()
        })?;
        Ok(Box::new(OnThread(fates)))
    }

    fn apply(&mut self, mut changes: Vec<MapChange>) -> Result<(), Diagnostic> {
        if changes.is_empty() {
            return Ok(());
        }
        // A full map has room for a new key only after the old one is gone.
        changes.sort_by_key(|change| change.value.is_some());
        self.submit(move |worker| worker.apply(&changes))?.wait()?
    }

    fn set(&mut self, change: MapChange) -> Result<(), Diagnostic> {
        match &change.value {
            Some(value) => KernelJudge::set(self, &change.map, &change.key, value),
            None => self.delete(&change.map, &change.key),
        }
    }

    fn image(&mut self) -> Result<Image, Diagnostic> {
        KernelJudge::image(self)
    }
}

impl Drop for KernelJudge {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            // A panic on that thread has been told by its hook already.
            let _ = thread.join();
        }
    }
}

/// The running kernel's release (`uname -r`).
pub fn version() -> String {
    match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(release) => release.trim().to_string(),
        Err(_) => String::from("unknown"),
    }
}

/// The kernel cannot be asked at all.
fn unavailable(reason: &str) -> Diagnostic {
    Diagnostic::input(
        "kernel-unavailable",
        format!("the Linux kernel cannot judge here: {reason}"),
    )
    .help("run as root (bpf(2) and network namespaces), or compare with `--against interpreter`")
}

/// The judge's thread is gone.
fn stopped() -> Diagnostic {
    Diagnostic::input(
        "kernel-judge-stopped",
        "the thread that runs the program in the kernel has stopped",
    )
    .help("this is an error in hardpath; `--against interpreter` does without the kernel")
}
