
/*
 * Action profiles. There are twice as many slots as members: a group that changes is written to slots that nobody looks at, behind
 * all others of one half, and changes over with the one word that says where it begins. Where the half is full, all groups move to
 * the other one, which is free then.
 */

static struct hardpath_places *places_of(struct hardpath_device *device, const struct hardpath_op *op)
{
    return (struct hardpath_places *)part(device, op->profile->places);
}

static int has_member(struct hardpath_device *device, const struct hardpath_profile *profile, uint32_t member)
{
    return member < profile->count && is_taken(taken_at(device, profile->taken_members), member);
}

static int has_group(struct hardpath_device *device, const struct hardpath_profile *profile, uint32_t group)
{
    return group < profile->count && is_taken(taken_at(device, profile->taken_groups), group);
}

/* Where a group begins and how many members it has, of the value that was read. */
static void take_group(struct hardpath_op *op)
{
    struct number number = little(op->value, op->profile->groups->value_bytes);
    op->from = (uint32_t)get(number, op->profile->begin);
    op->of = (uint32_t)get(number, op->profile->members_of_group);
}

static int write_group(struct hardpath_op *op, uint32_t group, uint32_t begin, uint32_t count)
{
    struct number number = little(op->value, op->profile->groups->value_bytes);
    clear(op->value, number.count);
    put(number, op->profile->begin, begin);
    put(number, op->profile->members_of_group, count);
    return cell_command(op, op->profile->groups, UPDATE, group);
}

static int write_slot(struct hardpath_op *op, uint32_t slot, uint32_t member)
{
    struct number number = little(op->value, op->profile->slots->value_bytes);
    clear(op->value, number.count);
    put(number, op->profile->member, member);
    return cell_command(op, op->profile->slots, UPDATE, slot);
}

static uint32_t slot_member(struct hardpath_op *op)
{
    return (uint32_t)get(little(op->value, op->profile->slots->value_bytes), op->profile->member);
}

/* The next group that is there, from `at` on, but for one; `count`: there is none. */
static uint32_t next_group(struct hardpath_device *device, const struct hardpath_op *op, uint32_t except)
{
    uint32_t i = op->at;
    while (i < op->profile->count && (i == except || !has_group(device, op->profile, i)))
        i++;
    return i;
}

/* Asks all tables whether an entry chooses from this member or group. `part`: the table. HARDPATH_OK: none does. */
static int unused(struct hardpath_op *op, uint64_t number, uint64_t is_group)
{
    const struct hardpath_profile *profile = op->profile;
    if (op->finding == 0) {
        op->finding = 1;
        op->part = 0;
        op->slot = 0;
    } else {
        const struct hardpath_table *table = profile->tables[op->part];
        struct number value = little(op->value, table->map->value_bytes);
        if (op->answer == HARDPATH_OK) {
            int is_entry = !table->there.width || get(value, table->there);
            if (is_entry && get(value, table->member) == number && get(value, table->is_group) == is_group)
                return HARDPATH_IN_USE;
            op->slot = op->handle + 1;
        }
        if (op->answer == HARDPATH_MISSING || op->slot >= table->map->slots) {
            op->part++;
            op->slot = 0;
        } else if (op->answer) {
            return op->answer;
        }
    }
    if (op->part == profile->table_count)
        return HARDPATH_OK;
    return command(op, profile->tables[op->part]->map, NEXT, WITH_SLOT | GIVES_HANDLE | GIVES_VALUE);
}

static int next_member_add(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->profile;
    uint32_t *taken = taken_at(device, profile->taken_members);
    if (op->state == 0) {
        op->state = 1;
        op->number = first_free(taken, profile->count);
        if (op->number == profile->count)
            return HARDPATH_FULL;
        cell_command(op, profile->members, UPDATE, op->number);
        op->written_value = op->row;
        return HARDPATH_PENDING;
    }
    if (!op->answer) {
        take(taken, op->number, 1);
        *op->given = op->number;
    }
    return op->answer;
}

static int next_member_modify(struct hardpath_device *device, struct hardpath_op *op)
{
    if (op->state == 0) {
        op->state = 1;
        if (!has_member(device, op->profile, op->number))
            return HARDPATH_MISSING;
        cell_command(op, op->profile->members, UPDATE, op->number);
        op->written_value = op->row;
        return HARDPATH_PENDING;
    }
    return op->answer;
}

static int next_member_read(struct hardpath_device *device, struct hardpath_op *op)
{
    if (op->state == 0) {
        op->state = 1;
        if (!has_member(device, op->profile, op->number))
            return HARDPATH_MISSING;
        return cell_command(op, op->profile->members, LOOKUP, op->number);
    }
    if (!op->answer)
        get_row(little(op->value, op->profile->members->value_bytes), op->profile->row, op->out);
    return op->answer;
}

/* Goes through all groups, then through all entries: nobody may use it. */
static int next_member_delete(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->profile;
    int status;
    if (op->state == 0) {
        if (!has_member(device, profile, op->number))
            return HARDPATH_MISSING;
        op->at = 0;
        op->state = profile->groups ? 1 : 4;
    } else if (op->state < 4 && op->answer) {
        return op->answer;
    } else if (op->state == 2) {
        take_group(op);
        op->own = 0;
        op->state = 3;
    } else if (op->state == 3) {
        if (slot_member(op) == op->number)
            return HARDPATH_IN_USE;
        op->own++;
    }
    if (op->state == 3) {
        if (op->own < op->of)
            return cell_command(op, profile->slots, LOOKUP, op->from + op->own);
        op->at++;
        op->state = 1;
    }
    if (op->state == 1) {
        op->at = next_group(device, op, profile->count);
        op->state = 2;
        if (op->at < profile->count)
            return cell_command(op, profile->groups, LOOKUP, op->at);
        op->state = 4;
    }
    status = unused(op, op->number, 0);
    if (!status)
        take(taken_at(device, profile->taken_members), op->number, 0);
    return status;
}

enum { BEGIN, OWN, UNUSED, ROOM, GROUP, READ, COPIED, MOVED, WRITE, DONE };

/* What a group that is to have members needs: it is there, or there is room for it, and its members are there. */
static int check_group(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->profile;
    uint32_t i;
    if (op->is_new) {
        op->number = first_free(taken_at(device, profile->taken_groups), profile->count);
        if (op->number == profile->count)
            return HARDPATH_FULL;
    } else if (!has_group(device, profile, op->number)) {
        return HARDPATH_MISSING;
    }
    for (i = 0; i < op->count; i++)
        if (!has_member(device, profile, op->list[i]))
            return HARDPATH_MISSING;
    return op->count > profile->largest ? HARDPATH_FULL : HARDPATH_OK;
}

/* Where the half in use begins. */
static uint32_t half(struct hardpath_device *device, const struct hardpath_op *op)
{
    return places_of(device, op)->is_upper ? op->profile->count : 0;
}

/* The next group that has to move; HARDPATH_OK: none has to any more. One that is empty stands nowhere. */
static int move_next(struct hardpath_device *device, struct hardpath_op *op)
{
    op->at = next_group(device, op, op->number);
    if (op->at == op->profile->count) {
        places_of(device, op)->is_moving = 0;
        return HARDPATH_OK;
    }
    op->state = GROUP;
    return cell_command(op, op->profile->groups, LOOKUP, op->at);
}

/* A step of moving all groups to the other half. A move that was interrupted goes on: groups that have moved stay. */
static int move(struct hardpath_device *device, struct hardpath_op *op)
{
    struct hardpath_places *places = places_of(device, op);
    const struct hardpath_profile *profile = op->profile;
    switch (op->state) {
    case GROUP:
        take_group(op);
        if (op->of == 0 || (op->from >= profile->count) == places->is_upper) {
            op->at++;
            return move_next(device, op);
        }
        op->part = 0;
        op->state = READ;
        return cell_command(op, profile->slots, LOOKUP, op->from);
    case READ:
        op->state = COPIED;
        return write_slot(op, half(device, op) + places->next + op->part, slot_member(op));
    case COPIED:
        op->part++;
        op->state = op->part < op->of ? READ : MOVED;
        if (op->part < op->of)
            return cell_command(op, profile->slots, LOOKUP, op->from + op->part);
        return write_group(op, op->at, half(device, op) + places->next, op->of);
    default:
        places->next += op->of;
        op->at++;
        return move_next(device, op);
    }
}

/* Gives a group its members. */
static int next_group_put(struct hardpath_device *device, struct hardpath_op *op)
{
    struct hardpath_places *places = places_of(device, op);
    const struct hardpath_profile *profile = op->profile;
    int status;
    if (op->state == BEGIN) {
        status = check_group(device, op);
        if (status)
            return status;
        op->own = 0;
        op->state = op->is_new ? ROOM : OWN;
        if (!op->is_new)
            return cell_command(op, profile->groups, LOOKUP, op->number);
    }
    if (op->state != UNUSED && op->state != ROOM && op->answer)
        return op->answer;
    if (op->state == OWN) {
        take_group(op);
        op->own = op->of;
        op->state = op->count ? ROOM : UNUSED;
    }
    if (op->state == UNUSED) {
        status = unused(op, op->number, 1);
        if (status)
            return status;
        op->state = ROOM;
    }
    if (op->state >= GROUP && op->state <= MOVED) {
        status = move(device, op);
        if (status)
            return status;
        op->state = ROOM;
    }
    if (op->state == ROOM) {
        if (places->total - op->own + op->count > profile->count)
            return HARDPATH_FULL;
        /* Once more only behind a move that was interrupted. */
        while (places->is_moving || places->next + op->count > profile->count) {
            if (!places->is_moving) {
                places->is_upper = !places->is_upper;
                places->next = 0;
                places->is_moving = 1;
            }
            op->at = 0;
            status = move_next(device, op);
            if (status)
                return status;
        }
        op->part = 0;
        op->state = WRITE;
    }
    if (op->state == WRITE) {
        uint32_t begin = half(device, op) + places->next;
        if (op->part < op->count) {
            op->part++;
            return write_slot(op, begin + op->part - 1, op->list[op->part - 1]);
        }
        op->state = DONE;
        return write_group(op, op->number, begin, op->count);
    }
    places->next += op->count;
    places->total += op->count - op->own;
    take(taken_at(device, profile->taken_groups), op->number, 1);
    if (op->is_new)
        *op->given = op->number;
    return HARDPATH_OK;
}

static int next_group_read(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->profile;
    if (op->state == 0) {
        op->state = 1;
        if (!has_group(device, profile, op->number))
            return HARDPATH_MISSING;
        return cell_command(op, profile->groups, LOOKUP, op->number);
    }
    if (op->answer)
        return op->answer;
    if (op->state == 1) {
        op->state = 2;
        op->part = 0;
        take_group(op);
        *op->given = op->of;
    } else {
        op->numbers[op->part++] = slot_member(op);
    }
    if (op->part < op->of && op->part < op->count)
        return cell_command(op, profile->slots, LOOKUP, op->from + op->part);
    return HARDPATH_OK;
}

static int next_group_delete(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_profile *profile = op->profile;
    int status;
    if (op->state == 0) {
        if (op->finding == 0 && !has_group(device, profile, op->number))
            return HARDPATH_MISSING;
        status = unused(op, op->number, 1);
        if (status)
            return status;
        op->state = 1;
        return cell_command(op, profile->groups, LOOKUP, op->number);
    }
    if (op->answer)
        return op->answer;
    take_group(op);
    places_of(device, op)->total -= op->of;
    take(taken_at(device, profile->taken_groups), op->number, 0);
    return HARDPATH_OK;
}

static int start_profile(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                         uint32_t number, int (*next)(struct hardpath_device *, struct hardpath_op *), hardpath_done *done,
                         void *context)
{
    op->profile = profile;
    op->number = number;
    return start(device, op, next, done, context);
}

int hardpath_member_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                        const void *action, uint32_t *member, hardpath_done *done, void *context)
{
    int status;
    clear(op->row, profile->members->value_bytes);
    status = put_row(little(op->row, profile->members->value_bytes), profile->row, action, HARDPATH_DEFAULT_ONLY);
    op->given = member;
    return status ? status : start_profile(device, op, profile, 0, next_member_add, done, context);
}

int hardpath_member_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                           uint32_t member, const void *action, hardpath_done *done, void *context)
{
    int status;
    clear(op->row, profile->members->value_bytes);
    status = put_row(little(op->row, profile->members->value_bytes), profile->row, action, HARDPATH_DEFAULT_ONLY);
    return status ? status : start_profile(device, op, profile, member, next_member_modify, done, context);
}

int hardpath_member_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                         uint32_t member, void *action, hardpath_done *done, void *context)
{
    op->out = action;
    return start_profile(device, op, profile, member, next_member_read, done, context);
}

int hardpath_member_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                           uint32_t member, hardpath_done *done, void *context)
{
    return start_profile(device, op, profile, member, next_member_delete, done, context);
}

int hardpath_group_add(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                       const uint32_t *members, uint32_t count, uint32_t *group, hardpath_done *done, void *context)
{
    op->is_new = 1;
    op->list = members;
    op->count = count;
    op->given = group;
    return start_profile(device, op, profile, 0, next_group_put, done, context);
}

int hardpath_group_modify(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                          uint32_t group, const uint32_t *members, uint32_t count, hardpath_done *done, void *context)
{
    op->is_new = 0;
    op->list = members;
    op->count = count;
    return start_profile(device, op, profile, group, next_group_put, done, context);
}

int hardpath_group_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                        uint32_t group, uint32_t *members, uint32_t room, uint32_t *count, hardpath_done *done, void *context)
{
    op->numbers = members;
    op->count = room;
    op->given = count;
    return start_profile(device, op, profile, group, next_group_read, done, context);
}

int hardpath_group_delete(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_profile *profile,
                          uint32_t group, hardpath_done *done, void *context)
{
    return start_profile(device, op, profile, group, next_group_delete, done, context);
}

/*
 * A driver that begins anew beside a design that runs on finds out what its tables use.
 */

/* The entry that was read uses a cell, a member or a group. */
static void note_entry(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_table *table = op->table;
    const struct hardpath_profile *profile = table->profile;
    struct number value = little(op->value, table->map->value_bytes);
    if (!stands(op) || !is_own(op))
        return;
    if (table->share.width)
        ++*held_of(device, table);
    if (table->meter)
        take_cell(device, op);
    if (profile && get(value, table->member) < profile->count)
        take(taken_at(device, get(value, table->is_group) ? profile->taken_groups : profile->taken_members),
             (uint32_t)get(value, table->member), 1);
}

/* The group that was read has slots: behind all of them is room. Groups in both halves are a move that was interrupted. */
static void note_group(struct hardpath_device *device, struct hardpath_op *op)
{
    struct hardpath_places *places = places_of(device, op);
    uint32_t count = op->profile->count, end;
    uint8_t is_upper;
    take_group(op);
    is_upper = op->from >= count;
    end = op->from + op->of - (is_upper ? count : 0);
    if (op->of == 0)
        return;
    if (places->total > 0 && places->is_upper != is_upper)
        places->is_moving = 1;
    if (places->total == 0 || (is_upper && !places->is_upper))
        places->next = 0;
    if (places->total == 0 || is_upper)
        places->is_upper = is_upper;
    if (places->is_upper == is_upper && end > places->next)
        places->next = end;
    places->total += op->of;
}

/* 0: begins; 1: entries of a table; 2: a group; 3: its slots. `part`: the table or profile. */
static int next_resume(struct hardpath_device *device, struct hardpath_op *op)
{
    const struct hardpath_design *design = device->design;
    if (op->state == 0) {
        clear((uint8_t *)part(device, sizeof(struct hardpath_device)), (uint32_t)(design->bytes - sizeof(struct hardpath_device)));
        op->state = 1;
        op->part = 0;
        op->slot = 0;
    } else if (op->answer && !(op->state == 1 && op->answer == HARDPATH_MISSING)) {
        return op->answer;
    } else if (op->state == 1) {
        if (!op->answer) {
            note_entry(device, op);
            op->slot = op->handle + 1;
        }
        if (op->answer || op->slot >= op->table->map->slots) {
            op->part++;
            op->slot = 0;
        }
    } else if (op->state == 2) {
        note_group(device, op);
        op->own = 0;
        op->state = 3;
    } else {
        if (slot_member(op) < op->profile->count)
            take(taken_at(device, op->profile->taken_members), slot_member(op), 1);
        op->own++;
    }
    if (op->state == 1 && op->part < design->table_count) {
        op->table = design->tables[op->part];
        return command(op, op->table->map, NEXT,
                       WITH_SLOT | GIVES_HANDLE | GIVES_VALUE | (op->table->share.width ? GIVES_KEY : 0));
    }
    if (op->state == 3 && op->own < op->of)
        return cell_command(op, op->profile->slots, LOOKUP, op->from + op->own);
    if (op->state == 1)
        op->part = op->at = 0;
    else
        op->at++;
    for (op->state = 2; op->part < design->profile_count; op->part++, op->at = 0) {
        op->profile = design->profiles[op->part];
        if (op->profile->groups)
            op->at = next_group(device, op, op->profile->count);
        if (op->profile->groups && op->at < op->profile->count)
            return cell_command(op, op->profile->groups, LOOKUP, op->at);
    }
    return HARDPATH_OK;
}

int hardpath_resume(struct hardpath_device *device, struct hardpath_op *op, hardpath_done *done, void *context)
{
    return start(device, op, next_resume, done, context);
}
