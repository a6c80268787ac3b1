//! Whether a host operation can be done, and on which entry.

use super::prepare::Asked;
use super::scan::Scan;
use super::{LpmHostIn, Table};
use crate::errno::{last_error, EEXIST, EINVAL, ENOENT, ENOSPC, ERRNO_BITS};
use hardpath_rtl::{Node, NodeOp};

/// What is to be done; from registers, but for `absent`.
pub(super) struct Decision {
    /// The clock in which all is known; the registers follow.
    pub(super) decides: Node,
    /// The host's key is not there.
    pub(super) absent: Node,
    pub(super) errno: Node,
    /// The errno is 0.
    pub(super) fine: Node,
    pub(super) entry: Node,
    /// One bit for the entry, a clock later.
    pub(super) one_hot: Node,
}

impl Table<'_> {
    pub(super) fn decide(&mut self, host: &LpmHostIn, asked: &Asked, scan: &Scan) -> Decision {
        let m = &mut self.m;
        m.section("Preparation: the decision");
        let mut decides = scan.ends;
        for name in ["ended_1", "ended_2", "ended_3", "decides"] {
            decides = m.delay_reset(name, decides);
        }
        let absent = m.not(scan.exists);
        let errno = self.operation_errno(asked, scan, absent);
        let m = &mut self.m;
        let (errno_reg, errno_held) = m.reg("prepared_errno", ERRNO_BITS);
        let none = m.zero(ERRNO_BITS);
        let errno_next = m.mux(asked.begins, none, errno);
        let settles = m.or(&[asked.begins, decides]);
        m.set_next_when(errno_reg, settles, errno_next);
        let (entry_reg, entry) = m.reg("prepared_entry", self.entry_bits);
        let of_key = m.mux(scan.exists, scan.found, scan.vacant);
        let low = m.resize(host.host_slot, self.entry_bits);
        let meant = m.mux(asked.is_dump, low, of_key);
        m.set_next_when(entry_reg, decides, meant);
        let number_one = m.constant(1, self.entries);
        let one_hot = m.shift(NodeOp::Shl, number_one, entry);
        let one_hot = m.delay("prepared_one_hot", one_hot);
        Decision {
            decides,
            absent,
            errno: errno_held,
            fine: m.eq_const(errno_held, 0),
            entry,
            one_hot,
        }
    }

    /// 0 or a positive errno, as the kernel's `trie_update_elem` and its neighbours answer; all but a lookup's.
    fn operation_errno(&mut self, asked: &Asked, scan: &Scan, absent: Node) -> Node {
        let m = &mut self.m;
        let (is_update, is_delete, is_dump) = (asked.is_update, asked.is_delete, asked.is_dump);
        let no_room = m.not(scan.has_room);
        let no_slot = m.not(asked.slot_exists);
        let nothing = m.not(scan.present);
        let conditions = [
            (vec![is_update, absent, no_room], ENOSPC),
            (vec![is_update, scan.exists, asked.no_exist], EEXIST),
            (vec![is_update, absent, asked.must_exist], ENOENT),
            (vec![is_delete, absent], ENOENT),
            (vec![is_dump, nothing], ENOENT),
            (vec![is_update, asked.bad_flags], EINVAL),
            (vec![is_update, asked.too_long], EINVAL),
            (vec![is_delete, asked.too_long], EINVAL),
            (vec![is_dump, no_slot], EINVAL),
        ];
        let conditions = conditions.map(|(all, code)| (m.and(&all), code));
        last_error(m, &conditions)
    }
}
