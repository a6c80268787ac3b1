
/*
 * Operations: rows of commands, one operation behind the other.
 */

#define REG_MAGIC 0x0000
#define REG_VERSION 0x0004
#define REG_DESIGN_ID 0x0008
#define REG_STATUS 0x000c
#define REG_PACKETS_IN 0x0010
#define REG_PORT_TABLE 0x0100
#define REG_MAP_SELECT 0x0200
#define REG_MAP_COMMAND 0x0204
#define REG_MAP_STATUS 0x0208
#define REG_MAP_MAY 0x020c
#define REG_MAP_SLOT 0x0210
#define REG_MAP_HANDLE 0x0214
#define REG_KEY 0x1000
#define REG_VALUE 0x2000

#define MAGIC 0x48505448
#define MAJOR 3
#define MINOR 1 /* NEXT and MAP_HANDLE are there from this one on */
#define PORTS 16
#define BUSY 0x80000000
#define ONES 0xffffffff

enum { LOOKUP = 1, UPDATE = 2, DELETE = 3, DUMP = 4, NEXT = 5 };
enum { MAY_CREATE = 1, MAY_REPLACE = 2 };

/* What of a command is written and read. */
enum {
    WITH_KEY = 1,
    WITH_VALUE = 2,
    WITH_MAY = 4,
    WITH_SLOT = 8,
    GIVES_HANDLE = 16,
    GIVES_KEY = 32,   /* to `key` */
    GIVES_VALUE = 64, /* to `value` */
    IS_SAME_KEY = 128 /* the key is compared with `key` alone */
};

const char *hardpath_text(int status)
{
    switch (status) {
    case HARDPATH_OK:
        return "it was done";
    case HARDPATH_PENDING:
        return "it is under way";
    case HARDPATH_MISSING:
        return "there is no such entry, member or group, or no rates are set";
    case HARDPATH_EXISTS:
        return "the entry is there already";
    case HARDPATH_FULL:
        return "there is no room for more";
    case HARDPATH_REFUSED:
        return "the table does not do this";
    case HARDPATH_INDEX:
        return "no cell has this index";
    case HARDPATH_VALUE:
        return "a value is beyond its width, or has bits that its mask or prefix leaves out";
    case HARDPATH_ACTION:
        return "the table does not have this action, or not for entries, or not as its default";
    case HARDPATH_NEVER:
        return "no packet ever has this key";
    case HARDPATH_CONSTANT:
        return "the program keeps this entry as it is";
    case HARDPATH_IN_USE:
        return "an entry or a group uses this member or group";
    case HARDPATH_BUS:
        return "the bus failed, or the design refused an access";
    case HARDPATH_ABSENT:
        return "registers read as ones: nothing answers there";
    case HARDPATH_NO_DESIGN:
        return "what stands there is no design of hardpath";
    case HARDPATH_VERSION:
        return "the registers of the design are of another version";
    case HARDPATH_OTHER_DESIGN:
        return "the design was made of another program, or has other tables";
    case HARDPATH_NOT_READY:
        return "the reset of the design does not end";
    case HARDPATH_TIMEOUT:
        return "a command does not end";
    case HARDPATH_ANSWER:
        return "a command ended with a number that means nothing";
    default:
        return "no status of hardpath";
    }
}

static int read_word(struct hardpath_device *device, uint32_t address, uint32_t *data)
{
    return device->bus.read32(device->bus.context, address, data) ? HARDPATH_BUS : HARDPATH_OK;
}

static int write_word(struct hardpath_device *device, uint32_t address, uint32_t data)
{
    return device->bus.write32(device->bus.context, address, data) ? HARDPATH_BUS : HARDPATH_OK;
}

/* Bytes in memory order, four in a word; what is missing in the last one is 0. */
static int write_bytes(struct hardpath_device *device, uint32_t address, const uint8_t *bytes, uint32_t count)
{
    uint32_t i, j;
    int status = HARDPATH_OK;
    for (i = 0; i < count && !status; i += 4) {
        uint32_t word = 0;
        for (j = 0; j < 4 && i + j < count; j++)
            word |= (uint32_t)bytes[i + j] << (8 * j);
        status = write_word(device, address + i, word);
    }
    return status;
}

/* `is_same` NULL: the bytes are taken. Else they are compared with those that are there. */
static int read_bytes(struct hardpath_device *device, uint32_t address, uint8_t *bytes, uint32_t count, int *is_same)
{
    uint32_t i, j;
    int status = HARDPATH_OK;
    for (i = 0; i < count && !status; i += 4) {
        uint32_t word = 0;
        status = read_word(device, address + i, &word);
        for (j = 0; j < 4 && i + j < count; j++) {
            uint8_t byte = (uint8_t)(word >> (8 * j));
            if (!is_same)
                bytes[i + j] = byte;
            else if (bytes[i + j] != byte)
                *is_same = 0;
        }
    }
    return status;
}

static int read_count(struct hardpath_device *device, uint32_t address, uint64_t *count)
{
    /* Reading the low word latches the high one. */
    uint32_t low = 0, high = 0;
    int status = read_word(device, address, &low);
    if (!status)
        status = read_word(device, address + 4, &high);
    *count = (uint64_t)high << 32 | low;
    return status ? status : low == ONES && high == ONES ? HARDPATH_ABSENT : HARDPATH_OK;
}

static uint32_t most_polls(const struct hardpath_device *device)
{
    return device->most_polls ? device->most_polls : HARDPATH_POLLS;
}

/* The next command of an operation; `HARDPATH_PENDING`, for what `next` gives. */
static int command(struct hardpath_op *op, const struct hardpath_map *map, uint32_t number, uint32_t parts)
{
    op->map = map;
    op->command = number;
    op->parts = parts;
    op->polls = 0;
    op->is_issued = 0;
    op->written_key = op->key;
    op->written_value = op->value;
    return HARDPATH_PENDING;
}

/* The same on a cell of an array. */
static int cell_command(struct hardpath_op *op, const struct hardpath_map *map, uint32_t number, uint32_t index)
{
    struct hardpath_bits word = { 0, 32 };
    command(op, map, number, WITH_KEY | (number == LOOKUP ? GIVES_VALUE : WITH_VALUE | WITH_MAY));
    put(little(op->index, 4), word, index);
    op->written_key = op->index;
    op->may = MAY_CREATE | MAY_REPLACE;
    return HARDPATH_PENDING;
}

static int issue(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_map *map = op->map;
    int status = write_word(device, REG_MAP_SELECT, map->select);
    if (!status && op->parts & WITH_KEY)
        status = write_bytes(device, REG_KEY, op->written_key, map->key_bytes);
    if (!status && op->parts & WITH_VALUE)
        status = write_bytes(device, REG_VALUE, op->written_value, map->value_bytes);
    if (!status && op->parts & WITH_MAY)
        status = write_word(device, REG_MAP_MAY, op->may);
    if (!status && op->parts & WITH_SLOT)
        status = write_word(device, REG_MAP_SLOT, op->slot);
    return status ? status : write_word(device, REG_MAP_COMMAND, op->command);
}

/* What a command that is done has given. */
static int collect(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_map *map = op->map;
    int status = HARDPATH_OK;
    op->is_same = 1;
    if (op->parts & GIVES_HANDLE)
        status = read_word(device, REG_MAP_HANDLE, &op->handle);
    if (!status && op->parts & (GIVES_KEY | IS_SAME_KEY))
        status = read_bytes(device, REG_KEY, op->key, map->key_bytes, op->parts & GIVES_KEY ? NULL : &op->is_same);
    if (!status && op->parts & GIVES_VALUE)
        status = read_bytes(device, REG_VALUE, op->value, map->value_bytes, NULL);
    return status;
}

/* What the numbers of MAP_STATUS mean. */
static int meaning(uint32_t answer)
{
    static const int meanings[] = { HARDPATH_OK,     HARDPATH_MISSING, HARDPATH_FULL,
                                    HARDPATH_EXISTS, HARDPATH_INDEX,   HARDPATH_REFUSED };
    return answer < sizeof(meanings) / sizeof(meanings[0]) ? meanings[answer] : HARDPATH_ANSWER;
}

/* Goes on with a command; HARDPATH_PENDING: the design is busy. */
static int carry_on(struct hardpath_device *device, struct hardpath_op *op)
{
    uint32_t word = 0;
    int status;
    if (!op->is_issued) {
        status = issue(device, op);
        if (status)
            return status;
        op->is_issued = 1;
    }
    status = read_word(device, REG_MAP_STATUS, &word);
    if (status)
        return status;
    if (word == ONES)
        return HARDPATH_ABSENT;
    if (word & BUSY)
        return ++op->polls >= most_polls(device) ? HARDPATH_TIMEOUT : HARDPATH_PENDING;
    op->answer = meaning(word & 7);
    if (op->answer == HARDPATH_ANSWER)
        return HARDPATH_ANSWER;
    return op->answer ? HARDPATH_OK : collect(device, op);
}

static void end(struct hardpath_device *device, struct hardpath_op *op, int status)
{
    device->first = op->behind;
    if (!device->first)
        device->last = NULL;
    op->status = status;
    if (op->done)
        op->done(op->context, status);
}

int hardpath_poll(struct hardpath_device *device)
{
    struct hardpath_op *op = device->first;
    int status = HARDPATH_OK;
    if (!op)
        return HARDPATH_OK;
    if (op->map)
        status = carry_on(device, op);
    /* One that has no command yet begins. */
    if (status == HARDPATH_OK)
        status = op->next(device, op);
    if (status != HARDPATH_PENDING)
        end(device, op, status);
    return device->first ? HARDPATH_PENDING : HARDPATH_OK;
}

void hardpath_stop(struct hardpath_device *device)
{
    while (device->first)
        end(device, device->first, HARDPATH_BUS);
}

int hardpath_finish(struct hardpath_device *device, struct hardpath_op *op, int started)
{
    if (started)
        return started;
    while (op->status == HARDPATH_PENDING)
        hardpath_poll(device);
    return op->status;
}

/* Puts an operation behind all others. Where its buffers are is the caller's. */
static int start(struct hardpath_device *device, struct hardpath_op *op,
                 int (*next)(struct hardpath_device *, struct hardpath_op *), hardpath_done *done, void *context)
{
    op->behind = NULL;
    op->done = done;
    op->context = context;
    op->status = HARDPATH_PENDING;
    op->next = next;
    op->map = NULL;
    op->answer = HARDPATH_OK;
    op->state = 0;
    op->finding = 0;
    if (device->last)
        device->last->behind = op;
    else
        device->first = op;
    device->last = op;
    return HARDPATH_OK;
}

/* A part of the device, by its place. */
static void *part(struct hardpath_device *device, size_t at)
{
    return (char *)device + at;
}

static uint32_t *taken_at(struct hardpath_device *device, size_t at)
{
    return (uint32_t *)part(device, at);
}

static int identify(struct hardpath_device *device)
{
    uint32_t magic = 0, version = 0, id = 0;
    int status = read_word(device, REG_MAGIC, &magic);
    if (!status)
        status = read_word(device, REG_VERSION, &version);
    if (!status)
        status = read_word(device, REG_DESIGN_ID, &id);
    if (status)
        return status;
    if (magic == ONES)
        return HARDPATH_ABSENT;
    if (magic != MAGIC)
        return HARDPATH_NO_DESIGN;
    if (version >> 16 != MAJOR || (version & 0xffff) < MINOR)
        return HARDPATH_VERSION;
    return id == device->design->id ? HARDPATH_OK : HARDPATH_OTHER_DESIGN;
}

static int wait_until_ready(struct hardpath_device *device)
{
    uint32_t polls, word = 0;
    for (polls = 0; polls < most_polls(device); polls++) {
        int status = read_word(device, REG_STATUS, &word);
        if (status || word == ONES)
            return status ? status : HARDPATH_ABSENT;
        if (word & 1)
            return HARDPATH_OK;
    }
    return HARDPATH_NOT_READY;
}

/* Whether a table has so many slots. `number`: of the slot that is read. */
static int next_slots(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_map *map;
    int gives = op->answer == HARDPATH_OK || op->answer == HARDPATH_MISSING;
    if (op->map && gives != (op->state % 2 == 1))
        return HARDPATH_OTHER_DESIGN;
    if (op->state == 2 * device->design->map_count)
        return HARDPATH_OK;
    map = device->design->maps[op->state / 2];
    op->slot = op->state % 2 == 0 ? map->slots - 1 : map->slots;
    op->state++;
    return command(op, map, DUMP, WITH_SLOT);
}

int hardpath_open(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_bus *bus,
                  const struct hardpath_design *design)
{
    int status;
    clear((uint8_t *)device, (uint32_t)design->bytes);
    device->bus = *bus;
    device->design = design;
    device->first = device->last = NULL;
    status = identify(device);
    if (!status)
        status = wait_until_ready(device);
    return status ? status : hardpath_finish(device, op, start(device, op, next_slots, NULL, NULL));
}

int hardpath_port_set(struct hardpath_device *device, uint32_t port, uint32_t interface_index, uint32_t first_queue)
{
    int status;
    if (!device->design->has_ports)
        return HARDPATH_REFUSED;
    if (port >= PORTS)
        return HARDPATH_INDEX;
    status = write_word(device, REG_PORT_TABLE + 8 * port, interface_index);
    return status ? status : write_word(device, REG_PORT_TABLE + 8 * port + 4, first_queue);
}

int hardpath_statistics(struct hardpath_device *device, struct hardpath_statistics *statistics)
{
    uint64_t counts[8];
    uint32_t i;
    int status = HARDPATH_OK;
    for (i = 0; i < 8 && !status; i++)
        status = read_count(device, REG_PACKETS_IN + 8 * i, &counts[i]);
    if (status)
        return status;
    statistics->packets_in = counts[0];
    statistics->dropped_bad = counts[1];
    statistics->dropped_length = counts[2];
    for (i = 0; i < 5; i++)
        statistics->outcomes[i] = counts[3 + i];
    return HARDPATH_OK;
}
