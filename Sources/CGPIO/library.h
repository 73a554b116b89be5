// Declarations that the code for both generations of libgpiod shares.
#pragma once
#include <stddef.h>

#include "CGPIO.h"
#include "gpiod1.h"
#include "gpiod2.h"

// The functions that implement CGPIO.h with one generation.
struct cgpio_body {
    const char *(*version)(const cgpio_library *library);
    int (*open)(const cgpio_library *library, const char *path, cgpio_chip *chip, uint32_t *lines, char *label);
    void (*close)(cgpio_chip *chip);
    int (*line_info)(cgpio_chip *chip, uint32_t offset, char *name, char *holder);
    int (*take)(cgpio_chip *chip, const char *consumer, const cgpio_line *lines, cgpio_request *request);
    int (*set)(cgpio_request *request, uint64_t active);
    int (*get)(cgpio_request *request, uint64_t *active);
    int (*descriptors)(const cgpio_request *request, int *descriptors);
    int (*events)(cgpio_request *request, cgpio_event *events);
    void (*release)(cgpio_request *request);
};
extern const struct cgpio_body cgpio_body1, cgpio_body2;

struct cgpio_library {
    int generation;
    const struct cgpio_body *body;
    struct gpiod1_functions one;
    struct gpiod2_functions two;
};

struct cgpio_chip {
    const cgpio_library *library;
    char path[256];
    struct gpiod_chip *chip;
};

struct cgpio_request {
    const cgpio_library *library;
    cgpio_use use;
    int count;
    bool is_at_crash;
    // Used with generation 1. Closing this chip object releases the lines.
    struct gpiod_chip *chip;
    struct gpiod_line_bulk bulk;
    uint64_t inverted;
    uint32_t number;
    // Used with generation 2.
    struct gpiod_line_request *lines;
    struct gpiod_edge_event_buffer *buffer;
    uint32_t offsets[CGPIO_MAX_LINES];
};

// Copies a name from the kernel to a buffer of CGPIO_NAME_SIZE bytes, cut if it is longer; "" if `from` is NULL.
void cgpio_copy_name(char *to, const char *from);
// Returns errno as a negative number; -EIO if errno is not set.
int cgpio_error(void);
// Returns whether a read has failed only because there was nothing to read (EAGAIN) or a signal arrived (EINTR).
bool cgpio_is_none(void);
// Makes a descriptor non-blocking, so that a read returns at once.
int cgpio_never_wait(int descriptor);
