// The functions of libgpiod 1.6 that this target calls, as the gpiod.h of 1.6.3 declares them. header.c compares the
// declarations if that gpiod.h is installed. The types have libgpiod's names. The constants have names of their own,
// because libgpiod 2 has constants with the same names and other values.
#pragma once
#include <stdbool.h>
#include <time.h>

// header.c renames these structures, to compare them with those of libgpiod.
#ifndef OURS
#define OURS(name) name
#endif

struct gpiod_chip;
struct gpiod_line;

enum { GPIOD1_BULK_LINES = 64 };
struct OURS(gpiod_line_bulk) {
    struct gpiod_line *lines[GPIOD1_BULK_LINES];
    unsigned int num_lines;
};
struct OURS(gpiod_line_request_config) {
    const char *consumer;
    int request_type;
    int flags;
};
struct OURS(gpiod_line_event) {
    struct timespec ts;
    int event_type;
};

enum {
    GPIOD1_REQUEST_INPUT = 2,
    GPIOD1_REQUEST_OUTPUT = 3,
    GPIOD1_REQUEST_BOTH_EDGES = 6,
    GPIOD1_FLAG_ACTIVE_LOW = 1 << 2,
    GPIOD1_FLAG_NO_BIAS = 1 << 3,
    GPIOD1_FLAG_PULL_DOWN = 1 << 4,
    GPIOD1_FLAG_PULL_UP = 1 << 5,
    GPIOD1_EVENT_RISING = 1,
};

// The list of the functions: F(result, name without `gpiod_`, parameters).
#define GPIOD1_FUNCTIONS(F)                                                                                            \
    F(const char *, version_string, (void))                                                                            \
    F(struct gpiod_chip *, chip_open, (const char *path))                                                              \
    F(void, chip_close, (struct gpiod_chip * chip))                                                                    \
    F(const char *, chip_label, (struct gpiod_chip * chip))                                                            \
    F(unsigned int, chip_num_lines, (struct gpiod_chip * chip))                                                        \
    F(struct gpiod_line *, chip_get_line, (struct gpiod_chip * chip, unsigned int offset))                             \
    F(const char *, line_name, (struct gpiod_line * line))                                                             \
    F(const char *, line_consumer, (struct gpiod_line * line))                                                         \
    F(bool, line_is_used, (struct gpiod_line * line))                                                                  \
    F(int, line_request_bulk,                                                                                          \
      (struct gpiod_line_bulk * bulk, const struct gpiod_line_request_config *config, const int *values))              \
    F(int, line_get_value_bulk, (struct gpiod_line_bulk * bulk, int *values))                                          \
    F(int, line_set_value_bulk, (struct gpiod_line_bulk * bulk, const int *values))                                    \
    F(int, line_event_get_fd, (struct gpiod_line * line))                                                              \
    F(int, line_event_read_multiple,                                                                                   \
      (struct gpiod_line * line, struct gpiod_line_event * events, unsigned int count))

#define GPIOD1_MEMBER(result, name, parameters) result(*name) parameters;
struct gpiod1_functions {
    GPIOD1_FUNCTIONS(GPIOD1_MEMBER)
};
