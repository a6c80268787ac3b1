// One action, which a table of the ingress and one of the egress have.
header_type short_t {
    fields {
        to : 8;
        from : 8;
    }
}
header short_t short;
parser start {
    extract(short);
    return ingress;
}
action swap(port) {
    modify_field(short.to, port);
}
action nothing() {
    no_op();
}
table come {
    reads {
        short.to : exact;
    }
    actions {
        swap;
        nothing;
    }
}
table go {
    reads {
        short.from : exact;
    }
    actions {
        swap;
        nothing;
    }
}
control ingress {
    apply(come);
}
control egress {
    apply(go);
}
