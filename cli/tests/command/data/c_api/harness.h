/* A bus over standard input and output, and what a test says when something is not as it should be. */
#ifndef HARNESS_H
#define HARNESS_H

#include "hardpath-host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void send_word(uint32_t word)
{
    int i;
    for (i = 0; i < 4; i++)
        putchar((int)(word >> (8 * i) & 0xff));
}

static uint32_t receive_word(void)
{
    uint32_t word = 0;
    int i;
    for (i = 0; i < 4; i++) {
        int byte = getchar();
        if (byte == EOF)
            exit(3);
        word |= (uint32_t)byte << (8 * i);
    }
    return word;
}

/* A kind of message with two words, and its answer. */
static int ask(char kind, uint32_t one, uint32_t other, uint32_t *data)
{
    int status;
    uint32_t word;
    putchar(kind);
    send_word(one);
    send_word(other);
    fflush(stdout);
    status = (int)receive_word();
    word = receive_word();
    if (data)
        *data = word;
    return status;
}

static int harness_read(void *context, uint32_t address, uint32_t *data)
{
    (void)context;
    return ask('R', address, 0, data);
}

static int harness_write(void *context, uint32_t address, uint32_t data)
{
    (void)context;
    return ask('W', address, data, NULL);
}

/* What is done so far is compared with what the same commands do elsewhere, and packets go through both. */
static void check(uint32_t phase)
{
    if (ask('C', phase, 1, NULL))
        exit(4);
}

/* The same of packets alone. */
static void check_packets(uint32_t phase)
{
    if (ask('C', phase, 0, NULL))
        exit(4);
}

static void expect_at(int line, const char *what, int given, int expected)
{
    if (given != expected) {
        fprintf(stderr, "line %d: %s gives \"%s\", and \"%s\" was expected\n", line, what, hardpath_text(given),
                hardpath_text(expected));
        exit(1);
    }
}

static void hold_at(int line, const char *what, int holds)
{
    if (!holds) {
        fprintf(stderr, "line %d: not so: %s\n", line, what);
        exit(1);
    }
}

#define EXPECT(status, call) expect_at(__LINE__, #call, call, status)
#define DO(call) EXPECT(HARDPATH_OK, call)
#define HOLDS(condition) hold_at(__LINE__, #condition, condition)

#endif
