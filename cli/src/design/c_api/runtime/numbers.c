/* What drivers of hardpath's designs have in common: see hardpath-host.h. Made by hardpath. */
#include "hardpath-host.h"

/*
 * Numbers: bits of keys and values, and the members of structs that they come from.
 *
 * The fields of a key or value are one number. Its bytes stand with the lowest one first, or, of a key that is found by its prefix,
 * with the highest one first.
 */

struct number {
    uint8_t *bytes;
    uint32_t count;
    int is_big;
};

static struct number little(uint8_t *bytes, uint32_t count)
{
    struct number number;
    number.bytes = bytes;
    number.count = count;
    number.is_big = 0;
    return number;
}

static uint32_t byte_of(struct number number, uint32_t bit)
{
    return number.is_big ? number.count - 1 - bit / 8 : bit / 8;
}

static unsigned bit_of(struct number number, uint32_t bit)
{
    return (number.bytes[byte_of(number, bit)] >> (bit % 8)) & 1u;
}

static void set_bit(struct number number, uint32_t bit, unsigned is)
{
    uint8_t *byte = &number.bytes[byte_of(number, bit)];
    unsigned mask = 1u << (bit % 8);
    *byte = (uint8_t)(is ? *byte | mask : *byte & ~mask);
}

static void clear(uint8_t *bytes, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        bytes[i] = 0;
}

static void copy(uint8_t *to, const uint8_t *from, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        to[i] = from[i];
}

static int is_same(const uint8_t *one, const uint8_t *other, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        if (one[i] != other[i])
            return 0;
    return 1;
}

static uint64_t get(struct number number, struct hardpath_bits bits)
{
    uint64_t value = 0;
    uint32_t i;
    for (i = 0; i < bits.width && i < 64; i++)
        value |= (uint64_t)bit_of(number, bits.lo + i) << i;
    return value;
}

static void put(struct number number, struct hardpath_bits bits, uint64_t value)
{
    uint32_t i;
    for (i = 0; i < bits.width; i++)
        set_bit(number, bits.lo + i, i < 64 && ((value >> i) & 1u));
}

static void put_ones(struct number number, struct hardpath_bits bits)
{
    uint32_t i;
    for (i = 0; i < bits.width; i++)
        set_bit(number, bits.lo + i, 1);
}


/* An unsigned member of a struct. */
static uint64_t load(const void *of, uint32_t at, uint32_t size)
{
    const char *place = (const char *)of + at;
    switch (size) {
    case 1:
        return *(const uint8_t *)(const void *)place;
    case 2:
        return *(const uint16_t *)(const void *)place;
    case 4:
        return *(const uint32_t *)(const void *)place;
    default:
        return *(const uint64_t *)(const void *)place;
    }
}

static void store(void *to, uint32_t at, uint32_t size, uint64_t value)
{
    char *place = (char *)to + at;
    switch (size) {
    case 1:
        *(uint8_t *)(void *)place = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)(void *)place = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)(void *)place = (uint32_t)value;
        break;
    default:
        *(uint64_t *)(void *)place = value;
        break;
    }
}

/* A member as bits, whatever it is: a number, or bytes in network order. */
static unsigned member_bit(const void *of, uint32_t at, uint32_t size, uint32_t width, uint32_t bit)
{
    if (width <= 64)
        return bit < 64 && ((load(of, at, size) >> bit) & 1u);
    return (((const uint8_t *)of + at)[size - 1 - bit / 8] >> (bit % 8)) & 1u;
}

/* Puts a member into a number. HARDPATH_VALUE: it has more bits than there are. */
static int put_member(struct number number, struct hardpath_bits bits, const void *of, uint32_t at, uint32_t size)
{
    uint32_t i;
    for (i = 0; i < bits.width; i++)
        set_bit(number, bits.lo + i, member_bit(of, at, size, bits.width, i));
    for (; i < 8 * size; i++)
        if (member_bit(of, at, size, bits.width, i))
            return HARDPATH_VALUE;
    return HARDPATH_OK;
}

static void get_member(struct number number, struct hardpath_bits bits, void *to, uint32_t at, uint32_t size)
{
    uint8_t *bytes = (uint8_t *)to + at;
    uint32_t i;
    if (bits.width <= 64) {
        store(to, at, size, get(number, bits));
        return;
    }
    clear(bytes, size);
    for (i = 0; i < bits.width; i++)
        bytes[size - 1 - i / 8] |= (uint8_t)(bit_of(number, bits.lo + i) << (i % 8));
}

static int put_fields(struct number number, struct hardpath_fields fields, const void *of)
{
    uint32_t i;
    int status = HARDPATH_OK;
    for (i = 0; i < fields.count && !status; i++)
        status = put_member(number, fields.all[i].bits, of, fields.all[i].at, fields.all[i].size);
    return status;
}

static void get_fields(struct number number, struct hardpath_fields fields, void *to)
{
    uint32_t i;
    for (i = 0; i < fields.count; i++)
        get_member(number, fields.all[i].bits, to, fields.all[i].at, fields.all[i].size);
}

/* An action with its parameters as a row. `scope`: where it is not to be only. */
static int put_row(struct number number, const struct hardpath_row *row, const void *of, enum hardpath_scope scope)
{
    uint64_t action = load(of, row->at, row->size);
    /* The number behind the last one stands for nothing at all, as a default. */
    if (action > row->count || (action == row->count && scope != HARDPATH_ENTRIES_ONLY))
        return HARDPATH_ACTION;
    put(number, row->bits, action);
    if (action == row->count)
        return HARDPATH_OK;
    if (row->actions[action].scope == scope)
        return HARDPATH_ACTION;
    return put_fields(number, row->actions[action].parameters, of);
}

static void get_row(struct number number, const struct hardpath_row *row, void *to)
{
    uint64_t action = get(number, row->bits);
    if (action > row->count)
        action = row->count;
    store(to, row->at, row->size, action);
    if (action < row->count)
        get_fields(number, row->actions[action].parameters, to);
}

/* A field of a key with its mask, or its highest value. `length`: takes that of a prefix. */
static int put_matched(struct number number, struct number masks, const struct hardpath_field *field, const void *key,
                       uint64_t *length)
{
    struct hardpath_bits bits = field->bits;
    uint64_t more = 0;
    uint32_t i;
    int status = put_member(number, bits, key, field->at, field->size);
    if (status)
        return status;
    switch (field->match) {
    case HARDPATH_LPM:
        *length = load(key, field->more_at, field->more_size);
        if (*length > bits.width)
            return HARDPATH_VALUE;
        for (i = 0; masks.bytes && i < bits.width; i++)
            set_bit(masks, bits.lo + i, i + *length >= bits.width);
        for (i = 0; i + *length < bits.width; i++)
            if (bit_of(number, bits.lo + i))
                return HARDPATH_VALUE;
        return HARDPATH_OK;
    case HARDPATH_OPTIONAL:
        more = load(key, field->more_at, field->more_size);
        if (more > 1)
            return HARDPATH_VALUE;
        for (i = 0; i < bits.width; i++) {
            set_bit(masks, bits.lo + i, (unsigned)more);
            if (!more && bit_of(number, bits.lo + i))
                return HARDPATH_VALUE;
        }
        return HARDPATH_OK;
    case HARDPATH_TERNARY:
        status = put_member(masks, bits, key, field->more_at, field->more_size);
        for (i = 0; !status && i < bits.width; i++)
            if (bit_of(number, bits.lo + i) > bit_of(masks, bits.lo + i))
                status = HARDPATH_VALUE;
        return status;
    case HARDPATH_RANGE:
        status = put_member(masks, bits, key, field->more_at, field->more_size);
        for (i = bits.width; !status && i > 0; i--) {
            unsigned low = bit_of(number, bits.lo + i - 1);
            unsigned high = bit_of(masks, bits.lo + i - 1);
            if (low != high)
                return low > high ? HARDPATH_VALUE : HARDPATH_OK;
        }
        return status;
    default:
        if (masks.bytes)
            put_ones(masks, bits);
        return HARDPATH_OK;
    }
}

static struct number fields_of(const struct hardpath_table *table, uint8_t *key)
{
    struct number number = little(key + table->first, table->bytes);
    number.is_big = table->finds == HARDPATH_BY_PREFIX;
    return number;
}

static struct number masks_of(const struct hardpath_table *table, uint8_t *key)
{
    return little(table->finds == HARDPATH_BY_MASKS ? key + table->first + table->bytes : NULL, table->bytes);
}

/* A key as the design has it. */
static int put_key(const struct hardpath_table *table, const void *key, uint8_t *bytes)
{
    struct number masks = masks_of(table, bytes);
    struct hardpath_bits word = { 0, 32 };
    uint64_t length = 0;
    uint32_t i;
    clear(bytes, table->map->key_bytes);
    for (i = 0; i < table->fields.count; i++) {
        int status = put_matched(fields_of(table, bytes), masks, &table->fields.all[i], key, &length);
        if (status)
            return status;
    }
    put(fields_of(table, bytes), table->share, table->number);
    if (table->finds == HARDPATH_BY_PREFIX)
        put(little(bytes, 4), word, table->fixed + length);
    if (table->finds == HARDPATH_BY_MASKS) {
        /* Priorities below zero have a place, too. */
        uint32_t priority = table->priority_at == HARDPATH_LENGTH ? (uint32_t)length : (uint32_t)load(key, table->priority_at, 4);
        put_ones(masks, table->fill);
        put(little(bytes + table->first + 2 * table->bytes, 4), word, priority ^ 0x80000000u);
    }
    return HARDPATH_OK;
}

static void get_key(const struct hardpath_table *table, uint8_t *bytes, void *key)
{
    struct number number = fields_of(table, bytes);
    struct number masks = masks_of(table, bytes);
    struct hardpath_bits word = { 0, 32 };
    uint32_t i, j;
    for (i = 0; i < table->fields.count; i++) {
        const struct hardpath_field *field = &table->fields.all[i];
        struct hardpath_bits bits = field->bits;
        uint64_t ones = 0;
        get_member(number, bits, key, field->at, field->size);
        if (field->match == HARDPATH_TERNARY || field->match == HARDPATH_RANGE)
            get_member(masks, bits, key, field->more_at, field->more_size);
        for (j = 0; masks.bytes && j < bits.width; j++)
            ones += bit_of(masks, bits.lo + j);
        if (field->match == HARDPATH_LPM)
            store(key, field->more_at, field->more_size, masks.bytes ? ones : get(little(bytes, 4), word) - table->fixed);
        if (field->match == HARDPATH_OPTIONAL)
            store(key, field->more_at, field->more_size, ones > 0);
    }
    if (table->finds == HARDPATH_BY_MASKS && table->priority_at != HARDPATH_LENGTH)
        store(key, table->priority_at, 4, get(little(bytes + table->first + 2 * table->bytes, 4), word) ^ 0x80000000u);
}

/* Bits of what is taken. */
static int is_taken(const uint32_t *taken, uint32_t number)
{
    return (int)((taken[number / 32] >> (number % 32)) & 1u);
}

static void take(uint32_t *taken, uint32_t number, int is)
{
    uint32_t mask = (uint32_t)1 << (number % 32);
    taken[number / 32] = is ? taken[number / 32] | mask : taken[number / 32] & ~mask;
}

/* The first one that nobody has; `count`: there is none. */
static uint32_t first_free(const uint32_t *taken, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count && is_taken(taken, i); i++)
        ;
    return i;
}

/*
 * Rates of meters. A rate is kept as what a token costs, in 2^-15 ns, a burst as so many costs (RFC 2698; the README says more).
 * Quotients are made bit by bit: kernels for 32 bits have no division of 64.
 */

/* What a token would cost at one a second. */
#define SECOND ((uint64_t)1000000000 << 15)
#define LEAST_COST 50
#define COST_BITS 45
#define BURST_BITS 79

struct wide {
    uint64_t high;
    uint64_t low;
};

static struct wide product(uint64_t one, uint64_t other)
{
    uint64_t a = one >> 32, b = one & 0xffffffffu, c = other >> 32, d = other & 0xffffffffu;
    uint64_t middle = a * d + ((b * d) >> 32);
    uint64_t rest = b * c + (middle & 0xffffffffu);
    struct wide made;
    made.high = a * c + (middle >> 32) + (rest >> 32);
    made.low = (rest << 32) | ((b * d) & 0xffffffffu);
    return made;
}

/* By something below 2^63. A quotient of more than 64 bits is cut. */
static uint64_t quotient(struct wide of, uint64_t by)
{
    uint64_t made = 0, rest = 0;
    int i;
    for (i = 127; i >= 0; i--) {
        rest = (rest << 1) | ((i < 64 ? of.low >> i : of.high >> (i - 64)) & 1u);
        made <<= 1;
        if (rest >= by) {
            rest -= by;
            made |= 1;
        }
    }
    return made;
}

/* To the nearest. */
static uint64_t rounded(uint64_t of, uint64_t by)
{
    struct wide twice;
    twice.high = 0;
    twice.low = 2 * of + by;
    return quotient(twice, 2 * by);
}

static int put_bucket(struct number number, struct hardpath_bits cost_bits, struct hardpath_bits burst_bits, uint64_t rate,
                      uint64_t burst, uint64_t *cost)
{
    struct hardpath_bits low = burst_bits, high = burst_bits;
    struct wide made = { 0, 0 };
    *cost = ((uint64_t)1 << COST_BITS) - 1;
    if (rate > 0) {
        if (rate > 2 * (SECOND / LEAST_COST))
            return HARDPATH_VALUE;
        *cost = rounded(SECOND, rate);
        made = product(burst, *cost);
        if (*cost < LEAST_COST || made.high >> (BURST_BITS - 64))
            return HARDPATH_VALUE;
    }
    low.width = 64;
    high.lo += 64;
    high.width -= 64;
    put(number, cost_bits, *cost);
    put(number, low, made.low);
    put(number, high, made.high);
    return HARDPATH_OK;
}

static void get_bucket(struct number number, struct hardpath_bits cost_bits, struct hardpath_bits burst_bits, uint64_t *rate,
                       uint64_t *burst)
{
    struct hardpath_bits low = burst_bits, high = burst_bits;
    uint64_t cost = get(number, cost_bits);
    struct wide held;
    low.width = 64;
    high.lo += 64;
    high.width -= 64;
    held.low = get(number, low);
    held.high = get(number, high);
    *rate = *burst = 0;
    if (cost > 0 && cost < ((uint64_t)1 << COST_BITS) - 1) {
        *rate = rounded(SECOND, cost);
        *burst = quotient(held, cost);
    }
}

/* `rates` NULL: nothing is metered. */
static int put_rates(const struct hardpath_meter *meter, const struct hardpath_rates *rates, uint8_t *bytes)
{
    struct number number = little(bytes, meter->rates->value_bytes);
    uint64_t committed, peak;
    int status;
    clear(bytes, number.count);
    if (!rates)
        return HARDPATH_OK;
    put_ones(number, meter->is_set);
    status = put_bucket(number, meter->cost[0], meter->burst[0], rates->committed_rate, rates->committed_burst, &committed);
    if (!status)
        status = put_bucket(number, meter->cost[1], meter->burst[1], rates->peak_rate, rates->peak_burst, &peak);
    /* RFC 2698, section 2: the peak rate is not below the committed one. */
    return !status && peak > committed ? HARDPATH_VALUE : status;
}

static int get_rates(const struct hardpath_meter *meter, struct hardpath_rates *rates, uint8_t *bytes)
{
    struct number number = little(bytes, meter->rates->value_bytes);
    if (!get(number, meter->is_set))
        return HARDPATH_MISSING;
    get_bucket(number, meter->cost[0], meter->burst[0], &rates->committed_rate, &rates->committed_burst);
    get_bucket(number, meter->cost[1], meter->burst[1], &rates->peak_rate, &rates->peak_burst);
    return HARDPATH_OK;
}
