
/*
 * Entries of tables.
 */

static int never(const struct hardpath_map *map, const uint8_t *key)
{
    uint32_t i;
    for (i = 0; map->mask && i < map->key_bytes; i++)
        if ((key[i] & map->mask[i]) != map->constants[i])
            return 1;
    return 0;
}

/* The program keeps the entry of this key. */
static int is_kept(const struct hardpath_table *table, const uint8_t *key)
{
    uint32_t i, bytes = table->map->key_bytes;
    for (i = 0; i < table->kept_count; i++)
        if (is_same(table->kept + i * bytes, key, bytes))
            return 1;
    return 0;
}

/* What an entry has behind its counts and the cell of its meter. */
static int put_value(const struct hardpath_table *table, const void *value, uint8_t *bytes)
{
    struct number number = little(bytes, table->map->value_bytes);
    clear(bytes, table->map->value_bytes);
    if (table->profile) {
        const struct hardpath_choice *choice = (const struct hardpath_choice *)value;
        if (choice->number >= table->profile->count || choice->is_group > (table->profile->groups ? 1 : 0))
            return HARDPATH_MISSING;
        put(number, table->member, choice->number);
        put(number, table->is_group, choice->is_group);
        put(number, table->there, 1);
        return HARDPATH_OK;
    }
    put(number, table->there, 1);
    if (table->row)
        return put_row(number, table->row, value, HARDPATH_DEFAULT_ONLY);
    /* A value of a set is in it. */
    bytes[0] = 1;
    return HARDPATH_OK;
}

static void get_value(const struct hardpath_table *table, uint8_t *bytes, void *value)
{
    struct number number = little(bytes, table->map->value_bytes);
    if (!value)
        return;
    if (table->profile) {
        struct hardpath_choice *choice = (struct hardpath_choice *)value;
        choice->number = (uint32_t)get(number, table->member);
        choice->is_group = (uint8_t)get(number, table->is_group);
    } else if (table->row) {
        get_row(number, table->row, value);
    }
}

/* What was read is an entry: where each key has a place, nobody may stand in it. */
static int stands(const struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    return !table->there.width || get(little((uint8_t *)op->value, table->map->value_bytes), table->there);
}

/* The key that was read is of this table, and not of another one in the same memory. */
static int is_own(const struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    return !table->share.width || get(fields_of(table, op->key), table->share) == table->number;
}

/* How many entries a table has that shares its memory. */
static uint32_t *held_of(struct hardpath_device *device, const struct hardpath_table *table)
{
    return (uint32_t *)part(device, table->held);
}

static int is_full(struct hardpath_device *device, const struct hardpath_table *table)
{
    return table->share.width && *held_of(device, table) >= table->most;
}

static uint32_t cell_of(const struct hardpath_op *op)
{
    return (uint32_t)get(little(op->value, op->table->map->value_bytes), op->table->cell);
}

/* The cell of the entry that `value` is of has somebody. */
static void take_cell(struct hardpath_device *device, const struct hardpath_op *op)
{
    if (cell_of(op) < op->table->meter->count)
        take(taken_at(device, op->table->taken), cell_of(op), 1);
}

/* Finds the entry of `key`: its value is in `value` then. HARDPATH_PENDING: not yet. A lookup by prefixes or masks finds the best entry
   for a packet of these fields, which need not be this one: then its key tells. Several entries with masks may match the same packet, so
   if it is not the best one all are asked. */
static int find(struct hardpath_op *op)
{
    const struct hardpath_map *map = op->table->map;
    uint32_t given = WITH_SLOT | IS_SAME_KEY | GIVES_VALUE;
    switch (op->finding) {
    case 0:
        op->finding = 1;
        return command(op, map, LOOKUP, WITH_KEY | (op->table->finds == HARDPATH_BY_KEY ? GIVES_VALUE : GIVES_HANDLE));
    case 1:
        if (op->answer == HARDPATH_OK && !stands(op))
            return HARDPATH_MISSING;
        if (op->answer || op->table->finds == HARDPATH_BY_KEY)
            return op->answer;
        op->finding = 2;
        op->slot = op->handle;
        return command(op, map, DUMP, given);
    case 2:
        if (op->answer == HARDPATH_OK && op->is_same)
            return HARDPATH_OK;
        if (op->answer && op->answer != HARDPATH_MISSING)
            return op->answer;
        if (op->table->finds == HARDPATH_BY_PREFIX)
            return HARDPATH_MISSING;
        op->finding = 3;
        op->slot = 0;
        return command(op, map, NEXT, given | GIVES_HANDLE);
    default:
        if (op->answer || op->is_same)
            return op->answer;
        op->slot = op->handle + 1;
        return op->slot < map->slots ? command(op, map, NEXT, given | GIVES_HANDLE) : HARDPATH_MISSING;
    }
}

static int update(struct hardpath_op *op, uint32_t may, const uint8_t *value)
{
    command(op, op->table->map, UPDATE, WITH_KEY | WITH_VALUE | WITH_MAY);
    op->may = may;
    op->written_value = value;
    return HARDPATH_PENDING;
}

/* An entry is to choose from the profile: is there what it names? `state` 0: ask; HARDPATH_PENDING: a group is asked for its size. */
static int check_choice(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    const struct hardpath_profile *profile = table->profile;
    struct number row = little(op->row, table->map->value_bytes);
    uint32_t number;
    if (!profile)
        return HARDPATH_OK;
    number = (uint32_t)get(row, table->member);
    if (!get(row, table->is_group))
        return is_taken(taken_at(device, profile->taken_members), number) ? HARDPATH_OK : HARDPATH_MISSING;
    if (!is_taken(taken_at(device, profile->taken_groups), number))
        return HARDPATH_MISSING;
    return cell_command(op, profile->groups, LOOKUP, number);
}

static int has_members(const struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->table->profile;
    return !op->answer && get(little(op->value, profile->groups->value_bytes), profile->members_of_group) > 0;
}

/* The next array of which a new entry's cell becomes zeros: full buckets, no rates, nothing counted. HARDPATH_OK: there is none. */
static int clear_cell(struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    const struct hardpath_map *arrays[3];
    arrays[0] = table->meter->rates;
    arrays[1] = table->meter->buckets;
    arrays[2] = table->counts;
    while (op->part < 3) {
        const struct hardpath_map *map = arrays[op->part++];
        if (map) {
            clear(op->value, map->value_bytes);
            return cell_command(op, map, UPDATE, op->number);
        }
    }
    return HARDPATH_OK;
}

/* A new entry; one with a meter gets a cell of it first. */
static int next_add(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    const struct hardpath_meter *meter = table->meter;
    int status;
    if (op->state == 0) {
        /* A place takes any entry, in place of any, and a table that is full may have room in its memory: who stands there is
           asked first. */
        if (table->there.width || is_full(device, table)) {
            status = find(op);
            if (status != HARDPATH_MISSING)
                return status ? status : HARDPATH_EXISTS;
        }
        if (is_full(device, table))
            return HARDPATH_FULL;
        op->state = 1;
        status = check_choice(device, op);
        if (status)
            return status;
    } else if (op->state == 1 && !has_members(op)) {
        return HARDPATH_MISSING;
    }
    if (op->state == 1) {
        op->state = 3;
        if (meter) {
            op->number = first_free(taken_at(device, table->taken), meter->count);
            if (op->number >= meter->count)
                return HARDPATH_FULL;
            put(little(op->row, table->map->value_bytes), table->cell, op->number);
            op->state = 2;
            op->part = 0;
            op->answer = HARDPATH_OK;
        }
    }
    if (op->state == 2) {
        status = op->answer ? op->answer : clear_cell(op);
        if (status)
            return status;
        op->state = 3;
    }
    if (op->state == 3) {
        op->state = 4;
        return update(op, table->there.width ? MAY_CREATE | MAY_REPLACE : MAY_CREATE, op->row);
    }
    if (!op->answer && meter)
        take(taken_at(device, table->taken), op->number, 1);
    if (!op->answer && table->share.width)
        ++*held_of(device, table);
    return op->answer;
}

/* Another action for an entry; what it has counted, and its cell, stay. */
static int next_modify(struct hardpath_device *device, struct hardpath_op *op)
{
    int status;
    if (op->state == 0) {
        op->state = 1;
        status = check_choice(device, op);
        if (status)
            return status;
    } else if (op->state == 1 && !has_members(op)) {
        return HARDPATH_MISSING;
    }
    if (op->state == 1) {
        op->state = op->table->front || op->table->there.width ? 2 : 3;
        op->answer = HARDPATH_OK;
    }
    if (op->state == 2) {
        status = find(op);
        if (status)
            return status;
        copy(op->row, op->value, op->table->front);
        op->state = 3;
    }
    if (op->state == 3) {
        op->state = 4;
        return update(op, MAY_REPLACE, op->row);
    }
    return op->answer;
}

static int next_delete(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    if (op->state == 0) {
        if (table->meter || table->there.width) {
            int status = find(op);
            if (status)
                return status;
            if (table->meter)
                op->number = cell_of(op);
        }
        op->state = 1;
        if (table->there.width) {
            clear(op->row, table->map->value_bytes);
            return update(op, MAY_REPLACE, op->row);
        }
        return command(op, table->map, DELETE, WITH_KEY);
    }
    if (!op->answer && table->meter && op->number < table->meter->count)
        take(taken_at(device, table->taken), op->number, 0);
    if (!op->answer && table->share.width)
        --*held_of(device, table);
    return op->answer;
}

static int next_read(struct hardpath_device *device, struct hardpath_op *op)
{
    int status = find(op);
    (void)device;
    if (!status)
        get_value(op->table, op->value, op->out_row);
    return status;
}

static int next_next(struct hardpath_device *device, struct hardpath_op *op)
{
    (void)device;
    if (op->state == 0) {
        op->state = 1;
        op->slot = *op->given;
    } else if (op->answer) {
        return op->answer;
    } else {
        op->slot = op->handle + 1;
    }
    if (op->state == 1 || !stands(op) || !is_own(op)) {
        op->state = 2;
        if (op->slot >= op->table->map->slots)
            return HARDPATH_MISSING;
        return command(op, op->table->map, NEXT, WITH_SLOT | GIVES_HANDLE | GIVES_KEY | GIVES_VALUE);
    }
    *op->given = op->handle + 1;
    if (op->out)
        get_key(op->table, op->key, op->out);
    get_value(op->table, op->value, op->out_row);
    return HARDPATH_OK;
}

/* The value that counts stand in: in front of a row, or in a cell of their own. */
static struct number counts_in(const struct hardpath_table *table, uint8_t *bytes)
{
    return little(bytes, table->counts ? table->counts->value_bytes : table->map->value_bytes);
}

static int next_count_read(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    struct hardpath_count *count = (struct hardpath_count *)op->out;
    (void)device;
    if (op->state == 0) {
        int status = find(op);
        if (status)
            return status;
        op->state = 1;
        if (table->counts)
            return cell_command(op, table->counts, LOOKUP, cell_of(op));
    }
    if (op->answer)
        return op->answer;
    count->packets = get(counts_in(table, op->value), table->packets);
    count->bytes = get(counts_in(table, op->value), table->octets);
    return HARDPATH_OK;
}

static int next_count_write(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    (void)device;
    if (op->state == 0) {
        struct number held = little(op->value, table->map->value_bytes);
        struct number wanted = counts_in(table, op->row);
        int status = find(op);
        if (status)
            return status;
        op->state = 1;
        if (table->counts) {
            cell_command(op, table->counts, UPDATE, cell_of(op));
            op->written_value = op->row;
            return HARDPATH_PENDING;
        }
        put(held, table->packets, get(wanted, table->packets));
        put(held, table->octets, get(wanted, table->octets));
        return update(op, MAY_REPLACE, op->value);
    }
    return op->answer;
}

/* Of the cell that an entry has. */
static int next_entry_rates(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_meter *meter = op->table->meter;
    (void)device;
    if (op->state == 0) {
        int status = find(op);
        if (status)
            return status;
        op->state = 1;
        cell_command(op, meter->rates, op->out ? LOOKUP : UPDATE, cell_of(op));
        op->written_value = op->row;
        return HARDPATH_PENDING;
    }
    if (op->answer || !op->out)
        return op->answer;
    return get_rates(meter, (struct hardpath_rates *)op->out, op->value);
}

/* `is_new`: an entry that no packet can meet is refused; else it is one that is not there. */
static int start_entry(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                       const void *key, int (*next)(struct hardpath_device *, struct hardpath_op *), int is_new,
                       hardpath_done *done, void *context)
{
    int status = put_key(table, key, op->key);
    if (!status && never(table->map, op->key))
        status = is_new ? HARDPATH_NEVER : HARDPATH_MISSING;
    op->table = table;
    return status ? status : start(device, op, next, done, context);
}

int hardpath_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                 const void *value, hardpath_done *done, void *context)
{
    int status = put_value(table, value, op->row);
    return status ? status : start_entry(device, op, table, key, next_add, 1, done, context);
}

int hardpath_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                    const void *value, hardpath_done *done, void *context)
{
    int status = put_value(table, value, op->row);
    if (!status)
        status = put_key(table, key, op->key);
    if (!status && is_kept(table, op->key))
        status = HARDPATH_CONSTANT;
    return status ? status : start_entry(device, op, table, key, next_modify, 0, done, context);
}

int hardpath_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                    hardpath_done *done, void *context)
{
    int status = put_key(table, key, op->key);
    if (!status && is_kept(table, op->key))
        status = HARDPATH_CONSTANT;
    return status ? status : start_entry(device, op, table, key, next_delete, 0, done, context);
}

int hardpath_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, const void *key,
                  void *value, hardpath_done *done, void *context)
{
    op->out_row = value;
    return start_entry(device, op, table, key, next_read, 0, done, context);
}

int hardpath_next(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table, uint32_t *cursor,
                  void *key, void *value, hardpath_done *done, void *context)
{
    op->table = table;
    op->given = cursor;
    op->out = key;
    op->out_row = value;
    return start(device, op, next_next, done, context);
}

int hardpath_count_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                        const void *key, struct hardpath_count *count, hardpath_done *done, void *context)
{
    op->out = count;
    return start_entry(device, op, table, key, next_count_read, 0, done, context);
}

int hardpath_count_write(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                         const void *key, const struct hardpath_count *count, hardpath_done *done, void *context)
{
    struct number number = counts_in(table, op->row);
    put(number, table->packets, count->packets);
    put(number, table->octets, count->bytes);
    return start_entry(device, op, table, key, next_count_write, 0, done, context);
}

int hardpath_entry_rates_set(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                             const void *key, const struct hardpath_rates *rates, hardpath_done *done, void *context)
{
    int status = put_rates(table->meter, rates, op->row);
    op->out = NULL;
    return status ? status : start_entry(device, op, table, key, next_entry_rates, 0, done, context);
}

int hardpath_entry_rates_get(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_table *table,
                             const void *key, struct hardpath_rates *rates, hardpath_done *done, void *context)
{
    op->out = rates;
    return start_entry(device, op, table, key, next_entry_rates, 0, done, context);
}

/* What tables hold before the first packet. */
static int next_begin(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_design *design = device->design;
    const struct hardpath_first *first = design->first + op->at;
    if (op->state == 0) {
        clear((uint8_t *)part(device, sizeof(struct hardpath_device)), (uint32_t)(design->bytes - sizeof(struct hardpath_device)));
    } else {
        if (op->answer)
            return op->answer;
        if (first->table && first->table->meter) {
            copy(op->value, first->value, first->map->value_bytes);
            op->table = first->table;
            take_cell(device, op);
        }
        if (first->table && first->table->share.width)
            ++*held_of(device, first->table);
        first++;
        op->at++;
    }
    op->state = 1;
    if (op->at == design->first_count)
        return HARDPATH_OK;
    command(op, first->map, UPDATE, WITH_KEY | WITH_VALUE | WITH_MAY);
    op->written_key = first->key;
    op->written_value = first->value;
    op->may = MAY_CREATE | MAY_REPLACE;
    return HARDPATH_PENDING;
}

int hardpath_begin(struct hardpath_device *device, struct hardpath_op *op, hardpath_done *done, void *context)
{
    op->at = 0;
    return start(device, op, next_begin, done, context);
}
