// What the grammar has, in one program.
#include "shapes.p4"

#define PORT_BITS 9
#define WIDE(n) bit<(n)>
#define JOINED(a, b) a ## b
#if PORT_BITS > 8 && defined(SHAPES) && !defined(MISSING)
typedef bit<PORT_BITS> port_t;
#else
#error this must not be read
#endif

type WIDE(32) next_hop_t;
const int JOINED(TABLE_, SIZE) = 4 * 1024 - 1w1 ++ 2s0b01;
const bit<2 + 6> SHIFTED = 8w0xFF >> 2 << 1;
const bool MANY = TABLE_SIZE >= 16 ? true : false;
error { NoRoute, TooShort, }
match_kind { exact, lpm, ternary }

struct headers_t {
    ethernet_t ethernet;
    @optional vlan_t[2] vlans;
    either_t either;
}
struct pair_t<T> { T first; tuple<T, bit<8>> second; list<T> more; }

extern void count_all<T>(in T what, @unused inout bit<8> at = 3);
extern Sink<T> {
    Sink(bit<32> size);
    abstract T fold(in T old, out T new);
    void put(in T value);
}

parser Parse<H>(in WIDE(8) first, out H headers);
control Pipe<H>(inout H headers, inout port_t port);
package Nic<H>(Parse<H> parse, @name("pipe") Pipe<H> pipe);

bit<8> larger(in bit<8> a, in bit<8> b) {
    if (a > b) return a; else { return b; }
}

parser parse(in bit<8> first, out headers_t headers)(bit<4> rounds) {
    bit<8> left = 8w2;
    value_set<bit<16>>(4) tags;
    state start {
        headers.ethernet.setValid();
        transition select(first, left) {
            (0x81, _): vlan;
            (0x00 .. 0x7f, 8w1 &&& 8w1): more;
            (default, default): accept;
        }
    }
    @name("inner") state vlan {
        left = left - 1;
        verify(left != 0, error.TooShort);
        transition select(headers.vlans.last.next_type) { tags: more; 16w5 .. 16w9: accept; _: reject; }
    }
    state more { transition accept; }
}

control pipe(inout headers_t headers, inout port_t port) {
    Sink<bit<8>>(32w16) sink = {
        bit<8> fold(in bit<8> old, out bit<8> new) { new = old |+| 1; return new; }
    };
    @hidden action drop() { exit; }
    action forward(port_t to, bit<48> mac) { port = to; headers.ethernet.to[47:0] = mac; headers.ethernet.to[0 +: 8] ^= 3; }
    table routes {
        key = { headers.ethernet.to : lpm @name("to"); headers.either.isValid() : exact; }
        actions = { forward; @defaultonly drop(); .NoAction; }
        const default_action = drop();
        size = TABLE_SIZE;
        entries = {
            const priority = 10 : (48w1 &&& 48w3, true) : forward(to = 1, mac = 2);
            (_, false) : drop() @late;
        }
    }
    apply @noWarn("unused") {
        switch (routes.apply().action_run) {
            forward: { sink.put(larger(1, (bit<8>) port[7:0])); }
            drop: default: { return; }
        }
        if (!routes.apply().hit && port != 0 || MANY) ;
        else if (port < 3) { port = -port + ~port; }
        for (bit<8> i = 0, bit<8> j = 1; i < 8; i += 1, j = j * 2) { if (i == j) continue; break; }
        for (bit<8> k in 8w1 .. 8w9) { count_all<bit<8>>(k); }
        headers_t other = { ethernet = { 1, 2, ... }, either = {#}, ... };
        pair_t<bit<8>> pair = (pair_t<bit<8>>) { 1, { 2, 3 }, { 4 } };
        port >>= 1;
        Color c = Color.RED;
        { bit<8> port = 3; port |-|= 2; }
        @pragma atomic everything here
        { const bit<4> q = (bit<4>) (port)[3:0] % 3; count_all(q, at = _); }
    }
}

Nic(parse(4w3), pipe()) main;
