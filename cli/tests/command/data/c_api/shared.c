/* What the functions of tables do that share a memory: each has its own entries, and its own size. */
#include "table_shared_api.h"
#include "harness.h"

static struct table_shared dev;

static struct table_shared_Receive_v4_key v4(uint32_t to)
{
    struct table_shared_Receive_v4_key key;
    key.hdr_v4_to = to;
    return key;
}

static struct table_shared_Receive_v6_key v6(uint8_t to)
{
    struct table_shared_Receive_v6_key key = { { 0 } };
    key.hdr_v6_to[15] = to;
    return key;
}

static uint32_t v4_entries(void)
{
    struct table_shared_Receive_v4_key key;
    uint32_t cursor = 0, sum = 0;
    while (table_shared_Receive_v4_next(&dev, &cursor, &key, NULL) == HARDPATH_OK)
        sum += 0x100 + key.hdr_v4_to;
    return sum;
}

static uint32_t v6_entries(void)
{
    struct table_shared_Receive_v6_key key;
    uint32_t cursor = 0, sum = 0;
    while (table_shared_Receive_v6_next(&dev, &cursor, &key, NULL) == HARDPATH_OK)
        sum += 0x100u + key.hdr_v6_to[15];
    return sum;
}

int main(void)
{
    struct hardpath_bus bus = { harness_read, harness_write, NULL };
    struct table_shared_Receive_v4_action low = { .id = TABLE_SHARED_RECEIVE_V4_LOW, .args.low = { 0x21 } }, low_read;
    struct table_shared_Receive_v6_action whole = { .id = TABLE_SHARED_RECEIVE_V6_WHOLE, .args.whole = { 0x2222, 2 } }, whole_read;
    struct table_shared_Receive_v4_key short_key = v4(1);
    struct table_shared_Receive_v6_key long_key = v6(2);
    uint32_t number;
    DO(table_shared_open(&dev, &bus));
    DO(table_shared_begin(&dev));
    HOLDS(v4_entries() == 0 && v6_entries() == 0x101);
    /* The same number is a key of both. */
    EXPECT(HARDPATH_MISSING, table_shared_Receive_v4_read(&dev, &short_key, &low_read));
    EXPECT(HARDPATH_MISSING, table_shared_Receive_v4_delete(&dev, &short_key));
    DO(table_shared_Receive_v4_add(&dev, &short_key, &low));
    DO(table_shared_Receive_v6_add(&dev, &long_key, &whole));
    EXPECT(HARDPATH_EXISTS, table_shared_Receive_v6_add(&dev, &long_key, &whole));
    DO(table_shared_Receive_v4_read(&dev, &short_key, &low_read));
    HOLDS(low_read.id == TABLE_SHARED_RECEIVE_V4_LOW && low_read.args.low.value == 0x21);
    DO(table_shared_Receive_v6_read(&dev, &long_key, &whole_read));
    HOLDS(whole_read.args.whole.value == 0x2222 && whole_read.args.whole.by == 2);
    check(0);
    /* Each is full at its own size. */
    for (number = 2; number <= 5; number++) {
        short_key = v4(number);
        DO(table_shared_Receive_v4_add(&dev, &short_key, &low));
    }
    EXPECT(HARDPATH_EXISTS, table_shared_Receive_v4_add(&dev, &short_key, &low));
    short_key = v4(6);
    EXPECT(HARDPATH_FULL, table_shared_Receive_v4_add(&dev, &short_key, &low));
    long_key = v6(3);
    DO(table_shared_Receive_v6_add(&dev, &long_key, &whole));
    long_key = v6(4);
    EXPECT(HARDPATH_FULL, table_shared_Receive_v6_add(&dev, &long_key, &whole));
    HOLDS(v4_entries() == 0x500 + 15 && v6_entries() == 0x300 + 6);
    /* Somebody else has begun: this driver counts what is there. */
    DO(table_shared_resume(&dev));
    EXPECT(HARDPATH_FULL, table_shared_Receive_v4_add(&dev, &short_key, &low));
    EXPECT(HARDPATH_FULL, table_shared_Receive_v6_add(&dev, &long_key, &whole));
    EXPECT(HARDPATH_MISSING, table_shared_Receive_v4_delete(&dev, &short_key));
    short_key = v4(1);
    DO(table_shared_Receive_v4_delete(&dev, &short_key));
    low.args.low.value = 0x26;
    short_key = v4(6);
    DO(table_shared_Receive_v4_add(&dev, &short_key, &low));
    low.args.low.value = 0x77;
    short_key = v4(2);
    DO(table_shared_Receive_v4_modify(&dev, &short_key, &low));
    HOLDS(v4_entries() == 0x500 + 20);
    low.args.low.value = 0x99;
    DO(table_shared_Receive_v4_default_set(&dev, &low));
    check(1);
    /* To look at entries changes nothing. */
    HOLDS(v6_entries() == 0x300 + 6);
    check_packets(1);
    return 0;
}
