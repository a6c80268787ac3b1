/* Does what stands in programs/p4/ecmp.entries. */
#include "ecmp_api.h"
#include "harness.h"

static struct ecmp dev;

static void add_members(void)
{
    static const struct {
        uint16_t port;
        uint64_t src, dst;
    } links[] = {
        { 8, 0x020000000008, 0x020000000108 }, { 9, 0x020000000009, 0x020000000109 }, { 1, 0x020000000001, 0x020000000201 },
        { 2, 0x020000000002, 0x020000000202 }, { 3, 0x020000000003, 0x020000000203 }, { 4, 0x020000000004, 0x020000000204 },
    };
    struct ecmp_Receive_next_hops_action action = { .id = ECMP_RECEIVE_NEXT_HOPS_SEND };
    uint32_t i, member;
    for (i = 0; i < 6; i++) {
        action.args.send.port = links[i].port;
        action.args.send.src = links[i].src;
        action.args.send.dst = links[i].dst;
        DO(ecmp_Receive_next_hops_member_add(&dev, &action, &member));
        HOLDS(member == i);
    }
    action.id = ECMP_RECEIVE_NEXT_HOPS_DROP;
    DO(ecmp_Receive_next_hops_member_add(&dev, &action, &member));
}

/* A member more each time, as its commands do it. */
static void add_group(const uint32_t *members, uint32_t count)
{
    uint32_t group, i;
    DO(ecmp_Receive_next_hops_group_add(&dev, NULL, 0, &group));
    for (i = 1; i <= count; i++)
        DO(ecmp_Receive_next_hops_group_modify(&dev, group, members, i));
}

static void add_routes(void)
{
    static const struct {
        struct ecmp_Receive_routes_4_key key;
        struct hardpath_choice choice;
    } routes_4[] = {
        { { 0, 0 }, { 1, 0 } },
        { { 0x0a010000, 16 }, { 1, 1 } },
        { { 0x0a010200, 24 }, { 0, 5 } },
        { { 0x7f000000, 8 }, { 0, 6 } },
    };
    static const struct {
        struct ecmp_Receive_routes_6_key key;
        struct hardpath_choice choice;
    } routes_6[] = {
        { { { 0x20 }, 3 }, { 1, 0 } },
        { { { 0x20, 0x01, 0x0d, 0xb8, 0, 5 }, 48 }, { 1, 1 } },
        { { { 0x20, 0x01, 0x0d, 0xb8, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x99 }, 128 }, { 0, 5 } },
    };
    struct hardpath_choice read;
    uint32_t i;
    for (i = 0; i < 4; i++)
        DO(ecmp_Receive_routes_4_add(&dev, &routes_4[i].key, &routes_4[i].choice));
    for (i = 0; i < 3; i++) {
        DO(ecmp_Receive_routes_6_add(&dev, &routes_6[i].key, &routes_6[i].choice));
        EXPECT(HARDPATH_EXISTS, ecmp_Receive_routes_6_add(&dev, &routes_6[i].key, &routes_6[0].choice));
        DO(ecmp_Receive_routes_6_read(&dev, &routes_6[i].key, &read));
        HOLDS(read.is_group == routes_6[i].choice.is_group && read.number == routes_6[i].choice.number);
    }
}

int main(void)
{
    static const uint32_t world[] = { 0, 1 }, servers[] = { 2, 3, 4, 5 }, rest[] = { 1 };
    struct hardpath_bus bus = { harness_read, harness_write, NULL };
    struct ecmp_Receive_own_action own = { .id = ECMP_RECEIVE_OWN_ROUTER, .args.router = { 0x020000000001, 0x1d0f } };
    struct hardpath_count count;
    struct ecmp_Receive_routes_4_key everything = { 0, 0 };
    DO(ecmp_open(&dev, &bus));
    DO(ecmp_begin(&dev));
    DO(ecmp_Receive_own_default_set(&dev, &own));
    add_members();
    add_group(world, 2);
    add_group(servers, 4);
    add_routes();
    check(0);
    /* A link is lost. */
    DO(ecmp_Receive_next_hops_group_modify(&dev, 0, rest, 1));
    check(1);
    DO(ecmp_Receive_routes_4_count_read(&dev, &everything, &count));
    HOLDS(count.packets == 8);
    DO(ecmp_Send_sent_read(&dev, 9, &count));
    HOLDS(count.packets >= 4);
    EXPECT(HARDPATH_REFUSED, hardpath_port_set(&dev.device, 0, 0, 0));
    (void)check_packets;
    return 0;
}
