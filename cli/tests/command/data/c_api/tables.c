/* Does all that the functions of tables.p4 do; its packets and the same commands in another form are in the test. */
#include "tables_api.h"
#include "harness.h"

static struct tables dev;

static struct tables_Receive_exact_of_key exact(uint16_t a, uint8_t low)
{
    struct tables_Receive_exact_of_key key;
    key.hdr_asked_a = a;
    key.hdr_asked_low = low;
    return key;
}

static struct tables_Receive_exact_of_action give(uint32_t value)
{
    struct tables_Receive_exact_of_action action = { .id = TABLES_RECEIVE_EXACT_OF_GIVE };
    action.args.give.value = value;
    return action;
}

static void entries_by_key(void)
{
    struct tables_Receive_exact_of_key kept = exact(1, 2), first = exact(4, 5), one = exact(7, 8), two = exact(7, 9), seen;
    struct tables_Receive_exact_of_action action = give(0x11223344), read;
    struct tables_Receive_exact_of_action big = {
        .id = TABLES_RECEIVE_EXACT_OF_BIG,
        .args.big = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, 1 }
    };
    struct tables_Receive_exact_of_action otherwise = { .id = TABLES_RECEIVE_EXACT_OF_REGISTER, .args.register_.long_ = 41 };
    struct hardpath_count once = { 1, 52 };
    uint32_t cursor = 0, entries = 0;
    DO(tables_Receive_exact_of_add(&dev, &one, &action));
    EXPECT(HARDPATH_EXISTS, tables_Receive_exact_of_add(&dev, &one, &big));
    DO(tables_Receive_exact_of_read(&dev, &one, &read));
    HOLDS(read.id == TABLES_RECEIVE_EXACT_OF_GIVE && read.args.give.value == 0x11223344);
    DO(tables_Receive_exact_of_add(&dev, &two, &big));
    DO(tables_Receive_exact_of_read(&dev, &two, &read));
    HOLDS(read.id == TABLES_RECEIVE_EXACT_OF_BIG && read.args.big.flag == 1);
    HOLDS(memcmp(read.args.big.bytes, big.args.big.bytes, 10) == 0);
    big.args.big.flag = 2;
    seen = exact(8, 8);
    EXPECT(HARDPATH_VALUE, tables_Receive_exact_of_add(&dev, &seen, &big));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_modify(&dev, &seen, &action));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_delete(&dev, &seen));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_read(&dev, &seen, &read));
    /* Entries of the program: one may be changed, the other not. */
    EXPECT(HARDPATH_CONSTANT, tables_Receive_exact_of_modify(&dev, &kept, &action));
    EXPECT(HARDPATH_CONSTANT, tables_Receive_exact_of_delete(&dev, &kept));
    DO(tables_Receive_exact_of_read(&dev, &first, &read));
    DO(tables_Receive_exact_of_delete(&dev, &first));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_read(&dev, &first, &action));
    DO(tables_Receive_exact_of_add(&dev, &first, &read));
    DO(tables_Receive_exact_of_count_write(&dev, &first, &once));
    /* An action for entries only, one for the default only, and one that there is not. */
    EXPECT(HARDPATH_ACTION, tables_Receive_exact_of_add(&dev, &seen, &otherwise));
    big.args.big.flag = 1;
    EXPECT(HARDPATH_ACTION, tables_Receive_exact_of_default_set(&dev, &big));
    big.id = TABLES_RECEIVE_EXACT_OF_NOTHING;
    EXPECT(HARDPATH_ACTION, tables_Receive_exact_of_add(&dev, &seen, &big));
    DO(tables_Receive_exact_of_default_get(&dev, &read));
    HOLDS(read.id == TABLES_RECEIVE_EXACT_OF_REGISTER && read.args.register_.long_ == 6);
    DO(tables_Receive_exact_of_default_set(&dev, &otherwise));
    DO(tables_Receive_exact_of_default_get(&dev, &read));
    HOLDS(read.args.register_.long_ == 41);
    while (tables_Receive_exact_of_next(&dev, &cursor, &seen, NULL) == HARDPATH_OK)
        entries += seen.hdr_asked_a == 7 ? 100 : 1;
    HOLDS(entries == 202);
    check(1);
}

static void counts_and_rates_of_entries(void)
{
    struct tables_Receive_exact_of_key one = exact(7, 8), two = exact(7, 9), none = exact(8, 8);
    struct tables_Receive_exact_of_action action = give(5), big = { .id = TABLES_RECEIVE_EXACT_OF_BIG };
    struct hardpath_count count, other = { 100, UINT64_MAX };
    struct hardpath_rates rates = { 1000, 200, 2000, 300 }, read;
    DO(tables_Receive_exact_of_count_read(&dev, &one, &count));
    HOLDS(count.packets == 2 && count.bytes == 2 * 52);
    DO(tables_Receive_exact_of_count_write(&dev, &one, &other));
    DO(tables_Receive_exact_of_modify(&dev, &one, &action));
    DO(tables_Receive_exact_of_count_read(&dev, &one, &other));
    HOLDS(other.packets == 100 && other.bytes == UINT64_MAX);
    DO(tables_Receive_exact_of_count_write(&dev, &one, &count));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_count_read(&dev, &none, &other));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_count_write(&dev, &none, &count));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_rates_get(&dev, &one, &read));
    DO(tables_Receive_exact_of_rates_set(&dev, &one, &rates));
    DO(tables_Receive_exact_of_rates_get(&dev, &one, &read));
    HOLDS(memcmp(&rates, &read, sizeof(rates)) == 0);
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_rates_set(&dev, &none, &rates));
    rates.peak_rate = 999;
    EXPECT(HARDPATH_VALUE, tables_Receive_exact_of_rates_set(&dev, &one, &rates));
    DO(tables_Receive_exact_of_rates_set(&dev, &two, &read));
    DO(tables_Receive_exact_of_rates_set(&dev, &two, NULL));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_rates_get(&dev, &two, &read));
    /* Its cell is the next one's, which begins without rates and has counted nothing. */
    DO(tables_Receive_exact_of_count_write(&dev, &two, &other));
    DO(tables_Receive_exact_of_delete(&dev, &two));
    DO(tables_Receive_exact_of_add(&dev, &none, &action));
    DO(tables_Receive_exact_of_count_read(&dev, &none, &count));
    HOLDS(count.packets == 0 && count.bytes == 0);
    DO(tables_Receive_exact_of_add(&dev, &two, &big));
    check(2);
}

static void prefixes(void)
{
    struct tables_Receive_prefix_of_key net = { 0x0a000000, 8, 3 }, part = { 0x0a010000, 16, 3 }, all = { 0, 0, 4 }, other;
    struct tables_Receive_prefix_of_action value = { .id = TABLES_RECEIVE_PREFIX_OF_PREFIX_IS, .args.prefix_is = { 1 } }, read;
    struct tables_Receive_long_prefix_of_key wide = { { 0x20, 0x01, 0x0d, 0xb8 }, 32 };
    struct tables_Receive_long_prefix_of_action wide_value = {
        .id = TABLES_RECEIVE_LONG_PREFIX_OF_PREFIX_IS, .args.prefix_is = { 77 }
    };
    uint32_t cursor = 0;
    int entries = 0;
    DO(tables_Receive_prefix_of_add(&dev, &net, &value));
    value.args.prefix_is.value = 2;
    DO(tables_Receive_prefix_of_add(&dev, &part, &value));
    value.args.prefix_is.value = 3;
    DO(tables_Receive_prefix_of_add(&dev, &all, &value));
    EXPECT(HARDPATH_EXISTS, tables_Receive_prefix_of_add(&dev, &all, &value));
    /* What is found is the longest prefix; what is read is the one that is asked for. */
    other = part;
    other.hdr_asked_b_prefix_length = 17;
    EXPECT(HARDPATH_MISSING, tables_Receive_prefix_of_read(&dev, &other, &read));
    other.hdr_asked_b_prefix_length = 33;
    EXPECT(HARDPATH_VALUE, tables_Receive_prefix_of_read(&dev, &other, &read));
    other.hdr_asked_b_prefix_length = 15;
    EXPECT(HARDPATH_VALUE, tables_Receive_prefix_of_add(&dev, &other, &value));
    value.args.prefix_is.value = 9;
    DO(tables_Receive_prefix_of_modify(&dev, &part, &value));
    DO(tables_Receive_prefix_of_read(&dev, &part, &read));
    HOLDS(read.args.prefix_is.value == 9);
    DO(tables_Receive_prefix_of_read(&dev, &net, &read));
    HOLDS(read.args.prefix_is.value == 1);
    while (tables_Receive_prefix_of_next(&dev, &cursor, &other, &read) == HARDPATH_OK) {
        entries++;
        if (read.args.prefix_is.value == 9)
            HOLDS(other.hdr_asked_b == 0x0a010000 && other.hdr_asked_b_prefix_length == 16 && other.hdr_asked_kind == 3);
    }
    HOLDS(entries == 3);
    DO(tables_Receive_long_prefix_of_add(&dev, &wide, &wide_value));
    wide.hdr_asked_wide[15] = 1;
    EXPECT(HARDPATH_VALUE, tables_Receive_long_prefix_of_add(&dev, &wide, &wide_value));
    wide.hdr_asked_wide_prefix_length = 128;
    wide_value.args.prefix_is.value = 78;
    DO(tables_Receive_long_prefix_of_add(&dev, &wide, &wide_value));
    wide.hdr_asked_wide_prefix_length = 127;
    wide.hdr_asked_wide[15] = 0;
    EXPECT(HARDPATH_MISSING, tables_Receive_long_prefix_of_delete(&dev, &wide));
    wide_value.id = TABLES_RECEIVE_LONG_PREFIX_OF_NOTHING;
    DO(tables_Receive_long_prefix_of_default_set(&dev, &wide_value));
    wide_value.id = TABLES_RECEIVE_LONG_PREFIX_OF_NOACTION;
    DO(tables_Receive_long_prefix_of_default_set(&dev, &wide_value));
    check(3);
}

static void masks(void)
{
    struct tables_Receive_masked_of_key low = {
        .hdr_asked_a = 0x0700, .hdr_asked_a_mask = 0xff00, .hdr_asked_low_low = 3, .hdr_asked_low_high = 9,
        .hdr_asked_b = 0x0a010203, .hdr_asked_b_matters = 1, .hdr_asked_wide = { 0x20, 0x01 },
        .hdr_asked_wide_prefix_length = 16, .hdr_asked_kind = 3, .priority = -10
    };
    struct tables_Receive_masked_of_key high = low, other;
    struct tables_Receive_masked_of_action value = { .id = TABLES_RECEIVE_MASKED_OF_MASKED_IS, .args.masked_is = { 1 } }, read;
    struct hardpath_count count;
    uint32_t cursor = 0;
    int entries = 0;
    DO(tables_Receive_masked_of_add(&dev, &low, &value));
    high.hdr_asked_b = 0;
    high.hdr_asked_b_matters = 0;
    high.priority = -5;
    value.args.masked_is.value = 2;
    DO(tables_Receive_masked_of_add(&dev, &high, &value));
    EXPECT(HARDPATH_EXISTS, tables_Receive_masked_of_add(&dev, &high, &value));
    DO(tables_Receive_masked_of_read(&dev, &low, &read));
    HOLDS(read.args.masked_is.value == 1);
    /* The other one is found first. */
    value.args.masked_is.value = 3;
    DO(tables_Receive_masked_of_modify(&dev, &low, &value));
    DO(tables_Receive_masked_of_read(&dev, &high, &read));
    HOLDS(read.args.masked_is.value == 2);
    DO(tables_Receive_masked_of_count_read(&dev, &low, &count));
    HOLDS(count.packets == 0);
    other = low;
    other.priority = -11;
    EXPECT(HARDPATH_MISSING, tables_Receive_masked_of_read(&dev, &other, &read));
    EXPECT(HARDPATH_MISSING, tables_Receive_masked_of_delete(&dev, &other));
    other = low;
    other.hdr_asked_low_low = 10;
    EXPECT(HARDPATH_VALUE, tables_Receive_masked_of_add(&dev, &other, &value));
    other = low;
    other.hdr_asked_a = 0x0701;
    EXPECT(HARDPATH_VALUE, tables_Receive_masked_of_add(&dev, &other, &value));
    other = low;
    other.hdr_asked_b_matters = 0;
    EXPECT(HARDPATH_VALUE, tables_Receive_masked_of_add(&dev, &other, &value));
    while (tables_Receive_masked_of_next(&dev, &cursor, &other, &read) == HARDPATH_OK) {
        entries++;
        HOLDS(other.priority == (read.args.masked_is.value == 3 ? -10 : -5));
        HOLDS(other.hdr_asked_b_matters == (other.priority == -10) && other.hdr_asked_b == (other.priority == -10 ? low.hdr_asked_b : 0));
        HOLDS(other.hdr_asked_a == 0x0700 && other.hdr_asked_a_mask == 0xff00 && other.hdr_asked_kind == 3);
        HOLDS(other.hdr_asked_low_low == 3 && other.hdr_asked_low_high == 9 && other.hdr_asked_wide_prefix_length == 16);
        HOLDS(memcmp(other.hdr_asked_wide, low.hdr_asked_wide, 16) == 0);
    }
    HOLDS(entries == 2);
    check(4);
    DO(tables_Receive_masked_of_count_read(&dev, &high, &count));
    HOLDS(count.packets == 2);
    DO(tables_Receive_masked_of_delete(&dev, &high));
}

static struct tables_Receive_members_action choose(uint8_t value)
{
    struct tables_Receive_members_action action = { .id = TABLES_RECEIVE_MEMBERS_CHOOSE };
    action.args.choose.value = value;
    return action;
}

static void profiles(void)
{
    struct tables_Receive_members_action action = choose(1), read;
    struct tables_Receive_chosen_of_key key = { 1 }, other = { 2 };
    struct hardpath_choice choice = { 0, 0 }, seen;
    uint32_t members[4] = { 0, 1, 2, 2 }, number, one, two, count;
    uint8_t i;
    EXPECT(HARDPATH_MISSING, tables_Receive_chosen_of_add(&dev, &key, &choice));
    for (i = 0; i < 4; i++) {
        action = choose((uint8_t)(i + 1));
        DO(tables_Receive_members_member_add(&dev, &action, &number));
        HOLDS(number == i);
    }
    action.id = TABLES_RECEIVE_MEMBERS_CHOOSE_SUM;
    action.args.choose_sum.low = 16;
    EXPECT(HARDPATH_VALUE, tables_Receive_members_member_modify(&dev, 3, &action));
    action.args.choose_sum.low = 15;
    DO(tables_Receive_members_member_modify(&dev, 3, &action));
    DO(tables_Receive_members_member_read(&dev, 3, &read));
    HOLDS(read.id == TABLES_RECEIVE_MEMBERS_CHOOSE_SUM && read.args.choose_sum.low == 15);
    EXPECT(HARDPATH_MISSING, tables_Receive_members_member_modify(&dev, 4, &action));
    EXPECT(HARDPATH_MISSING, tables_Receive_members_member_read(&dev, 8, &read));
    /* Groups as BMv2 makes them: empty ones that get a member after the other. */
    DO(tables_Receive_members_group_add(&dev, NULL, 0, &one));
    DO(tables_Receive_members_group_add(&dev, NULL, 0, &two));
    HOLDS(one == 0 && two == 1);
    choice.is_group = 1;
    EXPECT(HARDPATH_MISSING, tables_Receive_chosen_of_add(&dev, &key, &choice));
    for (i = 1; i <= 3; i++)
        DO(tables_Receive_members_group_modify(&dev, one, members, i));
    members[0] = 3;
    DO(tables_Receive_members_group_modify(&dev, two, members, 1));
    DO(tables_Receive_members_group_modify(&dev, two, NULL, 0));
    DO(tables_Receive_members_group_modify(&dev, two, members, 1));
    DO(tables_Receive_members_group_read(&dev, one, members, 2, &count));
    HOLDS(count == 3 && members[0] == 0 && members[1] == 1 && members[2] == 2);
    members[2] = 9;
    EXPECT(HARDPATH_MISSING, tables_Receive_members_group_modify(&dev, one, members, 3));
    EXPECT(HARDPATH_MISSING, tables_Receive_members_group_modify(&dev, 2, members, 2));
    members[2] = members[3] = 2;
    EXPECT(HARDPATH_FULL, tables_Receive_members_group_modify(&dev, one, (const uint32_t[]){ 0, 1, 2, 2, 2 }, 5));
    DO(tables_Receive_chosen_of_add(&dev, &key, &choice));
    choice.is_group = 0;
    choice.number = 3;
    DO(tables_Receive_chosen_of_add(&dev, &other, &choice));
    EXPECT(HARDPATH_EXISTS, tables_Receive_chosen_of_add(&dev, &other, &choice));
    DO(tables_Receive_chosen_of_read(&dev, &key, &seen));
    HOLDS(seen.is_group == 1 && seen.number == 0);
    check(5);
    /* What is in use stays. */
    EXPECT(HARDPATH_IN_USE, tables_Receive_members_member_delete(&dev, 0));
    EXPECT(HARDPATH_IN_USE, tables_Receive_members_member_delete(&dev, 3));
    EXPECT(HARDPATH_IN_USE, tables_Receive_members_group_delete(&dev, one));
    EXPECT(HARDPATH_IN_USE, tables_Receive_members_group_modify(&dev, one, NULL, 0));
    DO(tables_Receive_members_group_delete(&dev, two));
    EXPECT(HARDPATH_MISSING, tables_Receive_members_group_delete(&dev, two));
    EXPECT(HARDPATH_IN_USE, tables_Receive_members_member_delete(&dev, 3));
    choice.is_group = 1;
    choice.number = 0;
    DO(tables_Receive_chosen_of_modify(&dev, &other, &choice));
    DO(tables_Receive_members_member_delete(&dev, 3));
    EXPECT(HARDPATH_MISSING, tables_Receive_members_member_delete(&dev, 3));
    check(6);
}

static uint32_t writes_left;

/* A bus that fails after some writes. */
static int failing_write(void *context, uint32_t address, uint32_t data)
{
    if (writes_left == 0)
        return 1;
    writes_left--;
    return harness_write(context, address, data);
}

/* Groups move, and the bus fails wherever it can: what packets see does not change, and the next change goes on. */
static void moves_are_interrupted(uint32_t two, const uint32_t *members)
{
    uint32_t i, read[4], count;
    int failed = 0;
    for (i = 0; i < 90; i += 4) {
        int status;
        dev.device.bus.write32 = failing_write;
        writes_left = i;
        status = tables_Receive_members_group_modify(&dev, two, members, 4);
        dev.device.bus.write32 = harness_write;
        HOLDS(status == HARDPATH_OK || status == HARDPATH_BUS);
        failed += status == HARDPATH_BUS;
        DO(tables_Receive_members_group_read(&dev, 0, read, 4, &count));
        HOLDS(count == 3 && read[0] == 0 && read[1] == 1 && read[2] == 2);
        DO(tables_Receive_members_group_read(&dev, two, read, 4, &count));
        HOLDS(count == 4 && memcmp(read, members, sizeof(read)) == 0);
    }
    HOLDS(failed > 10 && failed < 23);
}

/* Groups move from half to half, and packets go where they should. */
static void groups_move(void)
{
    uint32_t members[4] = { 0, 1, 2, 2 }, number, two;
    uint8_t i;
    DO(tables_Receive_members_group_add(&dev, members, 2, &two));
    for (i = 0; i < 8; i++)
        DO(tables_Receive_members_group_modify(&dev, two, members, (uint32_t)(i % 4 + 1)));
    EXPECT(HARDPATH_FULL, tables_Receive_members_group_add(&dev, members, 4, &number));
    moves_are_interrupted(two, members);
    DO(tables_Receive_members_group_delete(&dev, two));
    check_packets(6);
}

static void arrays(void)
{
    struct tables_Receive_plain_cell plain = { 0xabcde };
    struct tables_Receive_pairs_cell pair = { 0x55, 0x1deadbeef };
    struct tables_Parse_ours_key value = { 7 };
    struct hardpath_count count = { 5, 600 };
    struct hardpath_rates rates = { 0, 7, 655360000000, 9 }, read;
    uint32_t cursor = 0;
    DO(tables_Receive_plain_write(&dev, 3, &plain));
    plain.value = 0;
    DO(tables_Receive_plain_read(&dev, 3, &plain));
    HOLDS(plain.value == 0xabcde);
    EXPECT(HARDPATH_INDEX, tables_Receive_plain_read(&dev, 8, &plain));
    EXPECT(HARDPATH_INDEX, tables_Receive_plain_write(&dev, 8, &plain));
    plain.value = 0x100000;
    EXPECT(HARDPATH_VALUE, tables_Receive_plain_write(&dev, 3, &plain));
    DO(tables_Receive_pairs_write(&dev, 3, &pair));
    memset(&pair, 0, sizeof(pair));
    DO(tables_Receive_pairs_read(&dev, 3, &pair));
    HOLDS(pair.value_few == 0x55 && pair.value_many == 0x1deadbeef);
    DO(tables_Receive_seen_write(&dev, 2, &count));
    DO(tables_Receive_seen_read(&dev, 2, &count));
    HOLDS(count.packets == 5 && count.bytes == 600);
    EXPECT(HARDPATH_INDEX, tables_Receive_seen_read(&dev, 4, &count));
    DO(tables_Receive_limit_rates_set(&dev, 3, &rates));
    DO(tables_Receive_limit_rates_get(&dev, 3, &read));
    HOLDS(read.committed_rate == 0 && read.committed_burst == 0 && read.peak_rate == 655360000000 && read.peak_burst == 9);
    EXPECT(HARDPATH_MISSING, tables_Receive_limit_rates_get(&dev, 2, &read));
    EXPECT(HARDPATH_INDEX, tables_Receive_limit_rates_set(&dev, 4, &rates));
    rates.peak_rate = 700000000000;
    EXPECT(HARDPATH_VALUE, tables_Receive_limit_rates_set(&dev, 2, &rates));
    DO(tables_Parse_ours_add(&dev, &value));
    EXPECT(HARDPATH_EXISTS, tables_Parse_ours_add(&dev, &value));
    DO(tables_Parse_ours_has(&dev, &value));
    value.value = 8;
    EXPECT(HARDPATH_MISSING, tables_Parse_ours_has(&dev, &value));
    DO(tables_Parse_ours_add(&dev, &value));
    DO(tables_Parse_ours_delete(&dev, &value));
    DO(tables_Parse_ours_next(&dev, &cursor, &value));
    HOLDS(value.value == 7);
    EXPECT(HARDPATH_MISSING, tables_Parse_ours_next(&dev, &cursor, &value));
    check(7);
}

/* Rates by which the other implementation can be compared bit by bit. */
static void rates_of_all_sizes(void)
{
    static const struct hardpath_rates all[] = {
        { 1, 0, 1, 1 },
        { 2, 1000000, 3, 1000001 },
        { 999999, 12345, 1000000, 54321 },
        { 123456789, 1500, 12500000000, 9216 },
        { 5, 123456789, 655359999999, 4294967297 },
        { 33333333333, 18446744073709551615u, 333333333333, 18446744073709551615u },
    };
    uint32_t i;
    for (i = 0; i < 6; i++) {
        struct hardpath_rates read;
        DO(tables_Receive_limit_rates_set(&dev, i % 4, &all[i]));
        DO(tables_Receive_limit_rates_get(&dev, i % 4, &read));
        HOLDS(read.committed_burst == all[i].committed_burst && read.peak_burst == all[i].peak_burst);
        if (all[i].committed_rate < 5000000)
            HOLDS(read.committed_rate == all[i].committed_rate);
        check(8 + i);
    }
}

static int order[3], ended;

static void note(void *context, int status)
{
    *(int *)context = status;
    order[ended++ % 3] = status;
}

static struct tables_op ops[3];
static struct tables_Receive_exact_of_action again;
static int last = HARDPATH_PENDING;

/* Starts another one from within. */
static void go_on(void *context, int status)
{
    struct tables_Receive_exact_of_key key = exact(20, 20);
    note(context, status);
    DO(tables_Receive_exact_of_read_start(&dev, &ops[0], &key, &again, note, &last));
}

static void callbacks(void)
{
    struct tables_Receive_exact_of_key key = exact(20, 20);
    struct tables_Receive_exact_of_action action = give(20);
    struct hardpath_count count;
    int results[3] = { HARDPATH_PENDING, HARDPATH_PENDING, HARDPATH_PENDING };
    uint32_t polls = 0;
    DO(tables_Receive_exact_of_add_start(&dev, &ops[0], &key, &action, note, &results[0]));
    /* What is given may go: it was taken. */
    action = give(21);
    DO(tables_Receive_exact_of_add_start(&dev, &ops[1], &key, &action, note, &results[1]));
    DO(tables_Receive_exact_of_count_read_start(&dev, &ops[2], &key, &count, go_on, &results[2]));
    HOLDS(results[0] == HARDPATH_PENDING && ended == 0);
    while (hardpath_poll(&dev.device) == HARDPATH_PENDING)
        polls++;
    HOLDS(polls > 3 && ended == 4 && last == HARDPATH_OK);
    HOLDS(results[0] == HARDPATH_OK && results[1] == HARDPATH_EXISTS && results[2] == HARDPATH_OK);
    HOLDS(count.packets == 0 && again.args.give.value == 20);
    HOLDS(hardpath_poll(&dev.device) == HARDPATH_OK);
    action.id = TABLES_RECEIVE_EXACT_OF_NOTHING;
    EXPECT(HARDPATH_ACTION, tables_Receive_exact_of_add_start(&dev, &ops[0], &key, &action, note, &results[0]));
    /* A blocking one waits for those that were started before. */
    DO(tables_Receive_exact_of_delete_start(&dev, &ops[0], &key, NULL, NULL));
    EXPECT(HARDPATH_MISSING, tables_Receive_exact_of_read(&dev, &key, &action));
    DO(tables_Receive_exact_of_delete_start(&dev, &ops[1], &key, note, &results[1]));
    hardpath_stop(&dev.device);
    HOLDS(results[1] == HARDPATH_BUS && ended == 5);
}

static void full(void)
{
    struct tables_Receive_exact_of_action action = give(1);
    struct tables_Receive_exact_of_key key;
    uint16_t added = 0;
    int status;
    do {
        key = exact((uint16_t)(100 + added), 1);
        status = tables_Receive_exact_of_add(&dev, &key, &action);
        added = (uint16_t)(added + (status == HARDPATH_OK));
    } while (status == HARDPATH_OK);
    HOLDS(status == HARDPATH_FULL && added == 11);
    while (added-- > 0) {
        key = exact((uint16_t)(100 + added), 1);
        DO(tables_Receive_exact_of_delete(&dev, &key));
    }
}

/* A driver that begins anew beside a design that runs on. */
static void resume(const struct hardpath_bus *bus)
{
    struct tables before = dev;
    struct tables_Receive_members_action action = choose(9);
    uint32_t members[2] = { 1, 2 }, number;
    memset(&dev, 0xa5, sizeof(dev));
    DO(tables_open(&dev, bus));
    DO(tables_resume(&dev));
    HOLDS(dev.taken_1[0] == before.taken_1[0] && dev.members_0[0] == before.members_0[0]);
    HOLDS(dev.groups_0[0] == before.groups_0[0] && dev.places_0.is_upper == before.places_0.is_upper);
    HOLDS(dev.places_0.total == before.places_0.total && dev.places_0.next <= before.places_0.next);
    DO(tables_Receive_members_member_add(&dev, &action, &number));
    HOLDS(number == 3);
    DO(tables_Receive_members_group_modify(&dev, 0, members, 2));
    check_packets(14);
}

/* What a bus does that is not well. `fails` below zero: once the design is not busy. */
struct broken {
    uint32_t address;
    uint32_t data;
    int fails;
};

static int broken_read(void *context, uint32_t address, uint32_t *data)
{
    const struct broken *broken = (const struct broken *)context;
    if (address != broken->address)
        return harness_read(NULL, address, data);
    if (broken->fails < 0 && (harness_read(NULL, address, data) || *data & 0x80000000))
        return 0;
    *data = broken->data;
    return broken->fails > 0;
}

static void what_goes_wrong(void)
{
    static const struct {
        struct broken broken;
        int status;
    } at_open[] = {
        { { 0x0000, 0, 1 }, HARDPATH_BUS },           { { 0x0000, 0xffffffff, 0 }, HARDPATH_ABSENT },
        { { 0x0000, 7, 0 }, HARDPATH_NO_DESIGN },     { { 0x0004, 0x00020001, 0 }, HARDPATH_VERSION },
        { { 0x0004, 0x00030000, 0 }, HARDPATH_VERSION }, { { 0x0008, 7, 0 }, HARDPATH_OTHER_DESIGN },
        { { 0x000c, 0, 0 }, HARDPATH_NOT_READY },     { { 0x000c, 0xffffffff, 0 }, HARDPATH_ABSENT },
        { { 0x0208, 0, -1 }, HARDPATH_OTHER_DESIGN },
    };
    static const struct {
        struct broken broken;
        int status;
    } at_work[] = {
        { { 0x0208, 0x80000000, 0 }, HARDPATH_TIMEOUT }, { { 0x0208, 0xffffffff, 0 }, HARDPATH_ABSENT },
        { { 0x0208, 6, 0 }, HARDPATH_ANSWER },           { { 0x2000, 0, 1 }, HARDPATH_BUS },
    };
    struct hardpath_bus bus = { broken_read, harness_write, NULL };
    struct tables_Receive_plain_cell cell;
    struct tables other;
    struct broken broken = { 1, 0, 0 };
    uint32_t i, status;
    for (i = 0; i < sizeof(at_open) / sizeof(at_open[0]); i++) {
        bus.context = (void *)&at_open[i].broken;
        EXPECT(at_open[i].status, tables_open(&other, &bus));
    }
    bus.context = &broken;
    DO(tables_open(&other, &bus));
    other.device.most_polls = 1000;
    for (i = 0; i < sizeof(at_work) / sizeof(at_work[0]); i++) {
        broken = at_work[i].broken;
        EXPECT(at_work[i].status, tables_Receive_plain_read(&other, 0, &cell));
        /* What was started ends, whatever was seen of it. */
        do
            HOLDS(harness_read(NULL, 0x0208, &status) == 0);
        while (status & 0x80000000);
    }
    HOLDS(strcmp(hardpath_text(HARDPATH_FULL), hardpath_text(-99)) != 0);
}

int main(void)
{
    struct hardpath_bus bus = { harness_read, harness_write, NULL };
    struct hardpath_statistics statistics;
    DO(tables_open(&dev, &bus));
    DO(tables_begin(&dev));
    DO(hardpath_port_set(&dev.device, 0, 5, 0));
    EXPECT(HARDPATH_INDEX, hardpath_port_set(&dev.device, 16, 5, 0));
    check(0);
    entries_by_key();
    counts_and_rates_of_entries();
    prefixes();
    masks();
    profiles();
    arrays();
    rates_of_all_sizes();
    callbacks();
    full();
    groups_move();
    resume(&bus);
    what_goes_wrong();
    DO(hardpath_statistics(&dev.device, &statistics));
    HOLDS(statistics.packets_in > 10 && statistics.dropped_bad == 0);
    return 0;
}
