//! What flags let an update do, and what a program is returned for what its table answers.

use hardpath_ir::{Answer, May, Op};
use hardpath_kernel::{errno, flag, MapType};

use super::builder::Builder;
use super::state::Operand;

impl Builder {
    /// What an update with flags of 64 bits may do, in the bits of a [`May`].
    pub fn may(&mut self, map_type: MapType, flags: Operand) -> Operand {
        if let Operand::Const(flags) = flags {
            return Operand::Const(flag::may(map_type, flags).bits().into());
        }
        let is_known = self.known_flags(map_type, flags);
        let others = self.without_lock(map_type, flags);
        let is =
            |builder: &mut Self, flag| builder.compare(Op::Eq, others, Operand::Const(flag), 64);
        let no_exist = is(self, flag::NOEXIST);
        let exist = is(self, flag::EXIST);
        let [mut create, mut replace] = [exist, no_exist].map(|flag| {
            let allowed = self.pure(Op::Not, &[(flag, 1)], 1);
            self.binary(Op::And, allowed, is_known, 1)
        });
        if map_type.is_array() {
            // A lock in the flags is refused, but behind the question for the key (`array_map_update_elem`).
            let locks = self.slice(flags, 64, flag::LOCK.trailing_zeros(), 1);
            let free = self.pure(Op::Not, &[(locks, 1)], 1);
            replace = self.binary(Op::And, replace, free, 1);
            let creates = self.binary(Op::And, no_exist, is_known, 1);
            let otherwise = self.binary(Op::And, create, free, 1);
            create = self.binary(Op::Or, creates, otherwise, 1);
        }
        self.pure(Op::Concat, &[(replace, 1), (create, 1)], May::BITS)
    }

    /// What `bpf_map_update_elem` returns, 64 bits.
    pub fn updated(&mut self, map_type: MapType, flags: Operand, answer: Operand) -> Operand {
        if let Operand::Const(flags) = flags {
            let may = flag::may(map_type, flags);
            let returned = possible(map_type, may)
                .map(|answer| (answer, errno::of_update(map_type, flags, answer)));
            return self.returned(answer, returned);
        }
        let all = Answer::ALL.into_iter();
        let returned = all.map(|answer| (answer, errno::of_known_flags(map_type, answer)));
        let returned = self.returned(answer, returned);
        // Everybody but an array has looked at the flags first.
        match map_type.is_array() {
            true => {
                let is_known = self.known_flags(map_type, flags);
                self.select(is_known, returned, Operand::Const(errno::EINVAL as u64), 64)
            }
            false => returned,
        }
    }

    /// What `bpf_map_delete_elem` returns, 64 bits.
    pub fn deleted(&mut self, map_type: MapType, answer: Operand) -> Operand {
        let possible = Answer::ALL.into_iter().filter(|answer| match answer {
            Answer::Done | Answer::Missing => !map_type.is_array(),
            Answer::Refused => map_type.is_array(),
            Answer::BadIndex => map_type.is_trie(),
            _ => false,
        });
        self.returned(
            answer,
            possible.map(|answer| (answer, errno::of_delete(answer))),
        )
    }

    /// The number of the answer, among those that can be. One of them must be.
    fn returned(
        &mut self,
        answer: Operand,
        numbers: impl Iterator<Item = (Answer, i64)>,
    ) -> Operand {
        let mut numbers = numbers.collect::<Vec<_>>().into_iter();
        let (_, first) = numbers.next().expect("a table answers");
        numbers.fold(Operand::Const(first as u64), |others, (which, number)| {
            let code = Operand::Const(which.code().into());
            let is = self.compare(Op::Eq, answer, code, Answer::BITS);
            self.select(is, Operand::Const(number as u64), others, 64)
        })
    }

    /// Whether the kernel knows flags: 1 bit.
    fn known_flags(&mut self, map_type: MapType, flags: Operand) -> Operand {
        let others = self.without_lock(map_type, flags);
        self.compare(Op::Ule, others, Operand::Const(flag::EXIST), 64)
    }

    /// Flags that an array looks at first.
    fn without_lock(&mut self, map_type: MapType, flags: Operand) -> Operand {
        match map_type.is_array() {
            true => self.binary(Op::And, flags, Operand::Const(!flag::LOCK), 64),
            false => flags,
        }
    }
}

/// What a table can answer to an update that may do this.
fn possible(map_type: MapType, may: May) -> impl Iterator<Item = Answer> {
    let array = map_type.is_array();
    Answer::ALL.into_iter().filter(move |answer| match answer {
        Answer::Done if array => may.replace,
        Answer::Done => may != May::NOTHING,
        Answer::Missing => !array && may == May::REPLACE,
        Answer::Full => !array && may.create,
        Answer::Exists => may == May::CREATE,
        Answer::BadIndex => array || map_type.is_trie(),
        Answer::Refused => may == May::NOTHING,
    })
}
