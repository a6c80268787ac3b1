//! A private network namespace with the interfaces that a run needs.
//!
//! A test run wants the ingress interface to exist, and a devmap takes only indices of interfaces that exist. The
//! judge's thread therefore lives in a network namespace of its own, where [`Network::provide`] makes veth pairs
//! with the very indices wanted. The namespace and all that is in it disappears with the thread.

use netlink_packet_core::{
    NetlinkMessage, NetlinkPayload, NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST,
};
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkInfo, LinkMessage,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The interface that every network namespace has, with one receive queue.
pub const LOOPBACK: u32 = 1;
/// More queues than this the kernel gives to no interface (`rtnl_create_link` in `net/core/rtnetlink.c`).
const MOST_QUEUES: u32 = 4096;

/// Queues of an interface unless more are wanted.
const USUAL_QUEUES: u32 = 16;

/// What [`Network::provide`] had to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provided {
    /// The interface was there, or has been made.
    Ready,
    /// The interface had too few queues and gave way to another one: the kernel has taken it out of every devmap.
    Replaced,
}

/// The namespace of the calling thread and the interfaces made in it.
pub struct Network {
    socket: Socket,
    /// Receive queues by interface index.
    queues: BTreeMap<u32, u32>,
    /// MTUs that have been set, by interface index.
    mtus: BTreeMap<u32, u32>,
    /// Indices of the other ends of the veth pairs: in use, and free to give way.
    peers: BTreeSet<u32>,
    next_peer: u32,
}

impl Network {
    /// Moves the calling thread into a new network namespace. Needs CAP_SYS_ADMIN.
    pub fn enter() -> io::Result<Network> {
        // SAFETY: changes nothing but the calling thread's namespace.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Network {
            socket,
            queues: BTreeMap::from([(LOOPBACK, 1)]),
            mtus: BTreeMap::new(),
            peers: BTreeSet::new(),
            next_peer: i32::MAX as u32,
        })
    }

    /// Sees to it that interface `ifindex` exists and has a receive queue number `queue`. The error says why it
    /// cannot be.
    pub fn provide(&mut self, ifindex: u32, queue: u32) -> Result<Provided, String> {
        if self
            .queues
            .get(&ifindex)
            .is_some_and(|&queues| queue < queues)
        {
            return Ok(Provided::Ready);
        }
        if i32::try_from(ifindex).is_err() || ifindex == 0 {
            return Err(format!("no interface can have the index {ifindex}"));
        }
        if queue >= MOST_QUEUES {
            return Err(format!(
                "no interface can have a queue {queue} (at most {MOST_QUEUES} queues)"
            ));
        }
        if ifindex == LOOPBACK {
            return Err(format!(
                "interface 1 is the loopback in every namespace and has one queue, not a queue {queue}"
            ));
        }
        if self.peers.contains(&ifindex) {
            return Err(format!(
                "interface index {ifindex} is taken by the other end of a veth pair"
            ));
        }
        let replaced = self.queues.remove(&ifindex).is_some();
        if replaced {
            self.request(delete_message(ifindex))
                .map_err(|error| format!("interface {ifindex} cannot be removed: {error}"))?;
        }
        let queues = (queue + 1).next_power_of_two().max(USUAL_QUEUES);
        let peer = self.peer_index(ifindex);
        self.request(create_message(ifindex, queues, peer))
            .map_err(|error| format!("interface {ifindex} cannot be made: {error}"))?;
        self.queues.insert(ifindex, queues);
        self.peers.insert(peer);
        if let Some(mtu) = self.mtus.get(&ifindex).copied() {
            self.set_mtu(ifindex, mtu)?;
        }
        Ok(match replaced {
            true => Provided::Replaced,
            false => Provided::Ready,
        })
    }

    /// Gives an interface that exists an MTU, in bytes. The error says why it cannot have that one.
    pub fn set_mtu(&mut self, ifindex: u32, mtu: u32) -> Result<(), String> {
        self.request(mtu_message(ifindex, mtu))
            .map_err(|error| format!("interface {ifindex} cannot have an MTU of {mtu}: {error}"))?;
        self.mtus.insert(ifindex, mtu);
        Ok(())
    }

    /// An index for the other end of a veth pair: from the top, where nobody counts.
    fn peer_index(&mut self, wanted: u32) -> u32 {
        while self.next_peer == wanted || self.queues.contains_key(&self.next_peer) {
            self.next_peer -= 1;
        }
        self.next_peer -= 1;
        self.next_peer + 1
    }

    fn request(&mut self, message: NetlinkMessage<RouteNetlinkMessage>) -> io::Result<()> {
        let mut message = message;
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let (answer, _) = self.socket.recv_from_full()?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
            .map_err(|error| io::Error::other(error.to_string()))?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            _ => Ok(()),
        }
    }
}

fn create_message(
    ifindex: u32,
    queues: u32,
    peer_index: u32,
) -> NetlinkMessage<RouteNetlinkMessage> {
    let mut peer = LinkMessage::default();
    peer.header.index = peer_index;
    peer.attributes = vec![LinkAttribute::IfName(format!("peer{ifindex}"))];
    let mut link = LinkMessage::default();
    link.header.index = ifindex;
    link.attributes = vec![
        LinkAttribute::IfName(format!("port{ifindex}")),
        LinkAttribute::NumRxQueues(queues),
        LinkAttribute::NumTxQueues(1),
        LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(peer))),
        ]),
    ];
    let mut message = NetlinkMessage::from(RouteNetlinkMessage::NewLink(link));
    message.header.flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    message
}

fn mtu_message(ifindex: u32, mtu: u32) -> NetlinkMessage<RouteNetlinkMessage> {
    let mut link = LinkMessage::default();
    link.header.index = ifindex;
    link.attributes = vec![LinkAttribute::Mtu(mtu)];
    let mut message = NetlinkMessage::from(RouteNetlinkMessage::SetLink(link));
    message.header.flags = NLM_F_REQUEST | NLM_F_ACK;
    message
}

fn delete_message(ifindex: u32) -> NetlinkMessage<RouteNetlinkMessage> {
    let mut link = LinkMessage::default();
    link.header.index = ifindex;
    let mut message = NetlinkMessage::from(RouteNetlinkMessage::DelLink(link));
    message.header.flags = NLM_F_REQUEST | NLM_F_ACK;
    message
}
