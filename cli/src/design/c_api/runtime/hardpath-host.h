/*
 * What drivers of hardpath's designs have in common: operations on tables as rows of accesses to registers. Plain C99, without a
 * library behind it, without memory of its own and without floating point: for a kernel, a process or bare metal. Made by hardpath;
 * the same file in the folder of every design of one version, so that one copy serves all designs of a driver.
 *
 * The typed functions of a design are in NAME_api.h; what a driver itself needs of this file is its first half.
 */
#ifndef HARDPATH_HOST_H
#define HARDPATH_HOST_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What comes of an operation. Whatever is below zero left tables as they were, but for the errors from HARDPATH_BUS on: behind
   these nobody knows whether the last command was done. */
enum hardpath_status {
    HARDPATH_OK = 0,
    HARDPATH_PENDING = 1,        /* of hardpath_poll: more is to be done */
    HARDPATH_MISSING = -1,       /* there is no such entry, member or group, or no rates are set */
    HARDPATH_EXISTS = -2,        /* the entry is there already */
    HARDPATH_FULL = -3,          /* there is no room for more */
    HARDPATH_REFUSED = -4,       /* the table does not do this */
    HARDPATH_INDEX = -5,         /* no cell has this index */
    HARDPATH_VALUE = -6,         /* a value is beyond its width, or has bits that its mask or prefix leaves out */
    HARDPATH_ACTION = -7,        /* the table does not have this action, or not for entries, or not as its default */
    HARDPATH_NEVER = -8,         /* no packet ever has this key: its program looks for others only */
    HARDPATH_CONSTANT = -9,      /* the program keeps this entry as it is */
    HARDPATH_IN_USE = -10,       /* an entry or a group uses this member or group */
    HARDPATH_BUS = -11,          /* the bus failed, or the design refused an access */
    HARDPATH_ABSENT = -12,       /* registers read as ones: nothing answers there */
    HARDPATH_NO_DESIGN = -13,    /* what stands there is no design of hardpath */
    HARDPATH_VERSION = -14,      /* its registers are of another version */
    HARDPATH_OTHER_DESIGN = -15, /* it was made of another program, or has other tables */
    HARDPATH_NOT_READY = -16,    /* its reset does not end */
    HARDPATH_TIMEOUT = -17,      /* a command does not end */
    HARDPATH_ANSWER = -18        /* a command ended with a number that means nothing */
};

/* A sentence for each of them. */
const char *hardpath_text(int status);

/* How the registers of a design are reached. `address`: in bytes from its first register on, a multiple of 4. Both give 0 when the
   access was done, and anything else when it was not: a refusal of the design (SLVERR of AXI) among it. */
struct hardpath_bus {
    int (*read32)(void *context, uint32_t address, uint32_t *data);
    int (*write32)(void *context, uint32_t address, uint32_t data);
    void *context;
};

/* So often a design is asked whether a command is done, where a driver does not say it: seconds over PCIe. */
#define HARDPATH_POLLS 1000000

/* What became of an operation that was started: exactly once, from within hardpath_poll. Others may be started from here. */
typedef void hardpath_done(void *context, int status);

struct hardpath_op;
struct hardpath_device;
struct hardpath_design;
struct hardpath_map;
struct hardpath_table;
struct hardpath_cells;
struct hardpath_meter;
struct hardpath_profile;

/* Goes on with the operation that was started first: as far as one command, and never waits. HARDPATH_PENDING: call it again;
   HARDPATH_OK: all that was started is over. Nothing here locks: one thread at a time uses a device. */
int hardpath_poll(struct hardpath_device *device);

/* Operations that were started and are not over end with HARDPATH_BUS, and their callbacks are called: before a device goes. */
void hardpath_stop(struct hardpath_device *device);

/* Sets which interface an ingress port (0 to 15) is, and what is added to its queues. HARDPATH_INDEX: there is no such port;
   HARDPATH_REFUSED: this program does not ask where packets come in. */
int hardpath_port_set(struct hardpath_device *device, uint32_t port, uint32_t interface_index, uint32_t first_queue);

/* Packets since reset. */
struct hardpath_statistics {
    uint64_t packets_in;     /* entered the program */
    uint64_t dropped_bad;    /* the MAC marked them bad */
    uint64_t dropped_length; /* too short, or too long */
    uint64_t outcomes[5];    /* what became of those that entered: the README says which number is what */
};
int hardpath_statistics(struct hardpath_device *device, struct hardpath_statistics *statistics);

/* What a counter has counted. */
struct hardpath_count {
    uint64_t packets;
    uint64_t bytes;
};

/* The rates of a meter, in tokens a second, and its bursts, in tokens: bytes or packets, as the program says. Above the committed
   rate packets are yellow, above the peak rate red. A rate of 0 lets nothing pass; others are kept to 1 %, from 1 to 655,360,000,000.
   What is read is what the design does: from 5,000,000 on a rate may be rounded. */
struct hardpath_rates {
    uint64_t committed_rate;
    uint64_t committed_burst;
    uint64_t peak_rate;
    uint64_t peak_burst;
};

/* What an entry of a table with an action profile chooses its action from. */
struct hardpath_choice {
    uint8_t is_group; /* 0: a member, 1: a group, of which a hash chooses a member */
    uint32_t number;
};

/*
 * From here on: what the typed functions of designs are made of.
 */

/* A device. A driver gets one as a part of `struct NAME`, and may set `most_polls`. */
struct hardpath_device {
    struct hardpath_bus bus;
    const struct hardpath_design *design;
    struct hardpath_op *first; /* under way; others wait behind it */
    struct hardpath_op *last;
    uint32_t most_polls; /* of one command; 0: HARDPATH_POLLS */
};

/* An operation, between its start and its end. */
struct hardpath_op {
    struct hardpath_op *behind;
    hardpath_done *done;
    void *context;
    int status; /* HARDPATH_PENDING until it is over */
    /* What comes behind each command: starts another one (HARDPATH_PENDING), or says what came of all. */
    int (*next)(struct hardpath_device *device, struct hardpath_op *op);
    /* The command: its map, what is written, what is read. */
    const struct hardpath_map *map;
    const uint8_t *written_key;
    const uint8_t *written_value;
    uint32_t command;
    uint32_t parts;
    uint32_t may;
    uint32_t slot;
    uint32_t handle;
    uint32_t polls;
    int is_issued;
    int is_same; /* the key that was read is `key` */
    int answer;
    uint8_t index[4];
    /* A key and two values of the design's longest, where `struct NAME_op` has them. */
    uint8_t *key;
    uint8_t *value;
    uint8_t *row;
    /* What it is on, and how far it is. */
    const struct hardpath_table *table;
    const struct hardpath_cells *cells;
    const struct hardpath_meter *meter;
    const struct hardpath_profile *profile;
    uint32_t state;
    uint32_t finding;
    uint32_t number;
    uint32_t count;
    uint32_t own;
    uint32_t at;
    uint32_t from;
    uint32_t of;
    uint32_t part;
    int is_new;
    const uint32_t *list;
    uint32_t *numbers;
    uint32_t *given;
    void *out;
    void *out_row;
};

/* Carries out what was started; `started`: what its start gave. */
int hardpath_finish(struct hardpath_device *device, struct hardpath_op *op, int started);

/* A table of the host port. */
struct hardpath_map {
    uint32_t select;
    uint32_t key_bytes;
    uint32_t value_bytes;
    uint32_t slots;
    /* Keys that have other bits under the mask are never met; NULL: there are none. */
    const uint8_t *mask;
    const uint8_t *constants;
};

/* Bits of a number; none: it is not there. */
struct hardpath_bits {
    uint32_t lo;
    uint32_t width;
};

enum hardpath_match { HARDPATH_EXACT, HARDPATH_LPM, HARDPATH_TERNARY, HARDPATH_RANGE, HARDPATH_OPTIONAL };

/* A member of a struct, and its bits. Those of more than 64 bits are arrays of bytes in network order. */
struct hardpath_field {
    struct hardpath_bits bits;
    uint32_t at;
    uint32_t size;
    /* Of a key: how it matches, and where its mask, length, highest value or presence stands. */
    enum hardpath_match match;
    uint32_t more_at;
    uint32_t more_size;
};

#define HARDPATH_PLACE(type, member) (uint32_t)offsetof(type, member), (uint32_t)sizeof(((type *)0)->member)

struct hardpath_fields {
    const struct hardpath_field *all;
    uint32_t count;
};

enum hardpath_scope { HARDPATH_ANYWHERE, HARDPATH_ENTRIES_ONLY, HARDPATH_DEFAULT_ONLY };

struct hardpath_action {
    struct hardpath_fields parameters;
    enum hardpath_scope scope;
};

/* A row: the number of an action, and its parameters. */
struct hardpath_row {
    struct hardpath_bits bits; /* of the number */
    uint32_t at;               /* of the number in the struct */
    uint32_t size;
    const struct hardpath_action *actions;
    uint32_t count;
};

enum hardpath_finds { HARDPATH_BY_KEY, HARDPATH_BY_PREFIX, HARDPATH_BY_MASKS };

#define HARDPATH_LENGTH UINT32_MAX

/* Entries of a table. */
struct hardpath_table {
    const struct hardpath_map *map;
    enum hardpath_finds finds;
    uint32_t first;            /* the first byte of the fields, which are one number of so many bytes */
    uint32_t bytes;
    uint32_t fixed;            /* by prefix: bits of all other fields */
    struct hardpath_bits fill; /* bits of no field */
    struct hardpath_fields fields;
    uint32_t priority_at;      /* by masks: in the struct, or HARDPATH_LENGTH: the prefix's length is the priority */
    uint32_t front;            /* bytes in front of the row, which stay when the action changes */
    const struct hardpath_map *counts; /* where entries count by the cell of the meter; NULL: in front of the row */
    struct hardpath_bits packets;
    struct hardpath_bits octets;
    struct hardpath_bits cell; /* of the meter */
    struct hardpath_bits there; /* each key has a place: whether an entry stands in it; else there is no such bit */
    const struct hardpath_row *row; /* NULL: entries go through the profile, or are values of a set */
    struct hardpath_bits member;
    struct hardpath_bits is_group;
    const struct hardpath_profile *profile;
    const struct hardpath_meter *meter;
    size_t taken;              /* where in the device the bits of taken cells are */
    const uint8_t *kept;       /* keys of entries that nobody changes, one behind the other */
    uint32_t kept_count;
    /* Tables share the memory: where keys have the number of the table, this one's, and how many entries it may have. Else no bits. */
    struct hardpath_bits share;
    uint32_t number;
    uint32_t most;
    size_t held;               /* where in the device stands how many it has */
};

/* An array: a register, a counter, a default action. */
struct hardpath_cells {
    const struct hardpath_map *map;
    uint32_t count;
    struct hardpath_fields fields;
    const struct hardpath_row *row; /* of a default action */
};

struct hardpath_meter {
    const struct hardpath_map *rates;
    const struct hardpath_map *buckets; /* NULL: there is none */
    uint32_t count;
    struct hardpath_bits is_set;
    struct hardpath_bits cost[2];
    struct hardpath_bits burst[2];
};

/* Where groups of a profile are written to. */
struct hardpath_places {
    uint32_t next;
    uint32_t total;
    uint8_t is_upper;
    uint8_t is_moving;
};

struct hardpath_profile {
    const struct hardpath_map *members;
    const struct hardpath_map *groups; /* NULL: it has members only */
    const struct hardpath_map *slots;
    const struct hardpath_row *row;
    uint32_t count;   /* of members, of groups, and of members of all groups */
    uint32_t largest; /* members of a group */
    struct hardpath_bits begin;
    struct hardpath_bits members_of_group;
    struct hardpath_bits member; /* in a slot */
    size_t places;       /* where in the device these are, and the bits of members and groups that are there */
    size_t taken_members;
    size_t taken_groups;
    const struct hardpath_table *const *tables;
    uint32_t table_count;
};

/* What a table holds before the first packet. */
struct hardpath_first {
    const struct hardpath_map *map;
    const struct hardpath_table *table; /* NULL: a default action */
    const uint8_t *key;
    const uint8_t *value;
};

struct hardpath_design {
    uint32_t id;
    uint32_t has_ports;
    size_t bytes; /* of its device */
    const struct hardpath_map *const *maps;
    uint32_t map_count;
    const struct hardpath_table *const *tables; /* with meters or profiles, or that share a memory */
    uint32_t table_count;
    const struct hardpath_profile *const *profiles;
    uint32_t profile_count;
    const struct hardpath_first *first;
    uint32_t first_count;
};

int hardpath_open(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_bus *bus,
                  const struct hardpath_design *design);
int hardpath_begin(struct hardpath_device *device, struct hardpath_op *op, hardpath_done *done, void *context);
int hardpath_resume(struct hardpath_device *device, struct hardpath_op *op, hardpath_done *done, void *context);

/* Entries. `value`: an action with its parameters, a choice, or NULL. */
int hardpath_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                 const void *value, hardpath_done *done, void *context);
int hardpath_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                    const void *value, hardpath_done *done, void *context);
int hardpath_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                    hardpath_done *done, void *context);
int hardpath_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                  void *value, hardpath_done *done, void *context);
int hardpath_next(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, uint32_t *cursor,
                  void *key, void *value, hardpath_done *done, void *context);
int hardpath_count_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                        const void *key, struct hardpath_count *count, hardpath_done *done, void *context);
int hardpath_count_write(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                         const void *key, const struct hardpath_count *count, hardpath_done *done, void *context);
int hardpath_entry_rates_set(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                             const void *key, const struct hardpath_rates *rates, hardpath_done *done, void *context);
int hardpath_entry_rates_get(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                             const void *key, struct hardpath_rates *rates, hardpath_done *done, void *context);

/* Cells of arrays. */
int hardpath_cell_write(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_cells *cells,
                        uint32_t index, const void *value, hardpath_done *done, void *context);
int hardpath_cell_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_cells *cells, uint32_t index,
                       void *value, hardpath_done *done, void *context);
int hardpath_rates_set(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_meter *meter, uint32_t index,
                       const struct hardpath_rates *rates, hardpath_done *done, void *context);
int hardpath_rates_get(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_meter *meter, uint32_t index,
                       struct hardpath_rates *rates, hardpath_done *done, void *context);

/* Action profiles. */
int hardpath_member_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                        const void *action, uint32_t *member, hardpath_done *done, void *context);
int hardpath_member_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                           uint32_t member, const void *action, hardpath_done *done, void *context);
int hardpath_member_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                         uint32_t member, void *action, hardpath_done *done, void *context);
int hardpath_member_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                           uint32_t member, hardpath_done *done, void *context);
int hardpath_group_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                       const uint32_t *members, uint32_t count, uint32_t *group, hardpath_done *done, void *context);
int hardpath_group_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                          uint32_t group, const uint32_t *members, uint32_t count, hardpath_done *done, void *context);
int hardpath_group_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                        uint32_t group, uint32_t *members, uint32_t room, uint32_t *count, hardpath_done *done, void *context);
int hardpath_group_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                          uint32_t group, hardpath_done *done, void *context);

#ifdef __cplusplus
}
#endif

#endif
