/* What router.p4 includes. */
#ifndef SHAPES
#define SHAPES
enum bit<8> Color { RED = 1, GREEN = 2 }
enum Mood { GOOD, BAD }
header ethernet_t { bit<48> to; bit<48> from; bit<16> ether_type; }
header vlan_t { bit<16> tag; bit<16> next_type; varbit<(8 * 4)> options; }
header_union either_t { ethernet_t a; vlan_t b; }
@noWarn[1 + 2, "three"] @keyed[a = 1, b = "two"] action NoAction() {}
#endif
