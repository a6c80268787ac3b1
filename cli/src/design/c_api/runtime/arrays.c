
/*
 * Cells of arrays: registers, counters, default actions, rates of meters.
 */

static int next_cell_read(struct hardpath_device *device, struct hardpath_op *op)
{
    struct number number = little(op->value, op->map ? op->map->value_bytes : 0);
    (void)device;
    if (op->state == 0) {
        op->state = 1;
        return cell_command(op, op->cells->map, LOOKUP, op->number);
    }
    if (op->answer)
        return op->answer;
    if (op->cells->row)
        get_row(number, op->cells->row, op->out);
    else
        get_fields(number, op->cells->fields, op->out);
    return HARDPATH_OK;
}

/* `row` becomes what is at `number`. */
static int next_cell_write(struct hardpath_device *device, struct hardpath_op *op)
{
    (void)device;
    if (op->state == 0) {
        op->state = 1;
        cell_command(op, op->meter ? op->meter->rates : op->cells->map, UPDATE, op->number);
        op->written_value = op->row;
        return HARDPATH_PENDING;
    }
    return op->answer;
}

int hardpath_cell_write(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_cells *cells,
                        uint32_t index, const void *value, hardpath_done *done, void *context)
{
    struct number number = little(op->row, cells->map->value_bytes);
    int status;
    clear(op->row, cells->map->value_bytes);
    status = cells->row ? put_row(number, cells->row, value, HARDPATH_ENTRIES_ONLY) : put_fields(number, cells->fields, value);
    if (status || index >= cells->count)
        return status ? status : HARDPATH_INDEX;
    op->cells = cells;
    op->meter = NULL;
    op->number = index;
    return start(device, op, next_cell_write, done, context);
}

int hardpath_cell_read(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_cells *cells, uint32_t index,
                       void *value, hardpath_done *done, void *context)
{
    if (index >= cells->count)
        return HARDPATH_INDEX;
    op->cells = cells;
    op->number = index;
    op->out = value;
    return start(device, op, next_cell_read, done, context);
}

static int next_rates_get(struct hardpath_device *device, struct hardpath_op *op)
{
    (void)device;
    if (op->state == 0) {
        op->state = 1;
        return cell_command(op, op->meter->rates, LOOKUP, op->number);
    }
    return op->answer ? op->answer : get_rates(op->meter, (struct hardpath_rates *)op->out, op->value);
}

int hardpath_rates_set(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_meter *meter, uint32_t index,
                       const struct hardpath_rates *rates, hardpath_done *done, void *context)
{
    int status = put_rates(meter, rates, op->row);
    if (status || index >= meter->count)
        return status ? status : HARDPATH_INDEX;
    op->meter = meter;
    op->number = index;
    return start(device, op, next_cell_write, done, context);
}

int hardpath_rates_get(struct hardpath_device *device, struct hardpath_op *op, const struct hardpath_meter *meter, uint32_t index,
                       struct hardpath_rates *rates, hardpath_done *done, void *context)
{
    if (index >= meter->count)
        return HARDPATH_INDEX;
    op->meter = meter;
    op->number = index;
    op->out = rates;
    return start(device, op, next_rates_get, done, context);
}
