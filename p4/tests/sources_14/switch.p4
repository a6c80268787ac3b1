// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A P4_14 program with one of each thing that the language has.

#define TYPE_TAG 0x8100, 0x9100
#define TYPE_IPV4 0x0800

header_type eth_t {
    fields {
        dst : 48;
        src : 48;
        kind : 16;
    }
}

header_type tag_t {
    fields {
        prio : 3;
        flag : 1;
        id : 12;
        kind : 16;
    }
}

header_type ip_t {
    fields {
        version : 4;
        words : 4;
        tos : 8;
        size : 16;
        ttl : 8 (saturating);
        protocol : 8;
        sum : 16;
        src : 32;
        dst : 32;
        shift : 8 (signed, saturating);
        options : *;
    }
    length : words * 4 + 1;
    max_length : 61;
}

header_type intrinsic_metadata_t {
    fields {
        mcast_grp : 16;
        egress_rid : 16;
        mcast_hash : 13;
    }
}

header_type queueing_metadata_t {
    fields {
        enq_timestamp : 32;
    }
}

header_type local_t {
    fields {
        group : 16;
        color : 8;
        random : 12;
        state : 4;
        small : 4 (saturating);
    }
}

header eth_t eth;
header tag_t tags[3];
header ip_t ip;
header ip_t inner;
metadata intrinsic_metadata_t intrinsic_metadata;
metadata queueing_metadata_t queueing_metadata;
metadata local_t local {
    group : 7;
    state : 1;
}
metadata local_t other;

@pragma parser_value_set_size 16
parser_value_set known_ids;

parser start {
    extract(eth);
    set_metadata(other.group, latest.kind);
    return select(latest.kind, current(4, 12)) {
        0x08000123 : ip_first;
        TYPE_TAG : tag;
        0x8847000 mask 0xffff000 : ip_first;
        default : ingress;
    }
}

parser tag {
    extract(tags[next]);
    return select(latest.id) {
        known_ids : ingress;
        0, 1 : tag;
        0xfff : parse_error odd;
        default : ip_first;
    }
}

parser ip_first {
    extract(ip);
    return select(ip.protocol) {
        4 : ip_second;
        default : ingress;
    }
}

parser ip_second {
    extract(inner);
    return ingress;
}

parser_exception odd {
    set_metadata(local.state, 3);
    return ingress;
}

parser_exception p4_pe_out_of_packet {
    parser_drop;
}

field_list ip_fields {
    ip.version;
    ip.words;
    ip.tos;
    ip.size;
    ip.ttl;
    ip.protocol;
    8'0;
    flow;
}

field_list flow {
    ip.src;
    ip.dst;
}

field_list eth_all {
    eth;
    payload;
}

field_list kept {
    local.group;
    other.color;
}

field_list_calculation ip_sum {
    input {
        ip_fields;
    }
    algorithm : csum16;
    output_width : 16;
}

field_list_calculation eth_sum {
    input {
        eth_all;
    }
    algorithm : csum16;
    output_width : 16;
}

field_list_calculation flow_hash {
    input {
        flow;
    }
    algorithm : crc16;
    output_width : 14;
}

calculated_field ip.sum {
    verify ip_sum if (ip.words == 5);
    update ip_sum if (ip.words == 5);
    update eth_sum if (valid(tags[0]));
    update ip_sum;
}

counter packets_of_table {
    type : packets;
    direct : route;
}

counter totals {
    type : packets_and_bytes;
    instance_count : 200;
    min_width : 32;
}

meter rate {
    type : bytes;
    direct : police;
    result : local.color;
}

meter rates {
    type : packets;
    static : classify;
    instance_count : 64;
}

register seen {
    width : 16;
    instance_count : 1024;
}

action nop() {
    no_op();
}

action to_port(port, ttl) {
    modify_field(standard_metadata.egress_spec, port);
    modify_field(ip.ttl, ttl);
    add_to_field(ip.ttl, -1);
}

action set(field, value) {
    modify_field(field, value);
}

action rewrite(hardware, id) {
    set(eth.dst, hardware);
    set(tags[0].id, id);
    modify_field(eth.src, 0xff, 0xf0f);
    bit_xor(eth.kind, eth.kind, tags[0].kind);
    shift_right(local.group, eth.dst, 8);
    subtract(local.small, local.group, 1);
    subtract_from_field(ip.shift, ip.tos);
}

action wrap() {
    push(tags, 1);
    add_header(tags[0]);
    copy_header(inner, ip);
    remove_header(ip);
}

action unwrap() {
    pop(tags, 2);
}

action remember(index) {
    register_read(local.group, seen, index);
    register_read(local.color, seen, index);
    register_write(seen, index, local.color);
    count(totals, index);
    modify_field_with_hash_based_offset(other.group, 16, flow_hash, 64);
    modify_field_rng_uniform(local.random, 1, 100);
}

action color(index) {
    execute_meter(rates, index, local.color);
}

action tell() {
    generate_digest(5, flow);
    clone_ingress_pkt_to_egress(250, kept);
    resubmit(kept);
}

action again() {
    clone_e2e(1);
    recirculate(kept);
    truncate(64);
    drop();
}

action_selector by_flow {
    selection_key : flow_hash;
}

action_profile ways {
    actions {
        to_port;
        nop;
    }
    size : 32;
    dynamic_action_selection : by_flow;
}

table route {
    reads {
        ip.dst : lpm;
        ip : valid;
        eth.src mask 0xffffff : exact;
        tags[1].id : range;
        intrinsic_metadata.mcast_grp : ternary;
        inner.valid : exact;
    }
    action_profile : ways;
    size : 1000;
    support_timeout : true;
}

table classify {
    reads {
        standard_metadata.ingress_port : exact;
    }
    actions {
        color;
        remember;
        rewrite;
        tell;
        no_op;
    }
    min_size : 10;
    max_size : 20;
    default_action : remember(3);
}

table police {
    reads {
        ip.src : exact;
    }
    actions {
        nop;
        wrap;
    }
}

table leave {
    actions {
        again;
        unwrap;
    }
    default_action : unwrap;
}

control ingress {
    apply(classify) {
        remember, color {
            apply(police);
        }
        default {
            if (valid(ip) and not (local.group > 300 or ip.ttl == 0)) {
                apply(route) {
                    miss {
                        finish();
                    }
                }
            } else if (local.color + 1 < eth.kind) {
                finish();
            }
        }
    }
}

control finish {
    apply(route) {
        hit { }
        miss { apply(police); }
    }
}

control egress {
    apply(leave);
}
