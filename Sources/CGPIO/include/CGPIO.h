// One C interface to both generations of libgpiod: 1.6 (Debian 12, libgpiod.so.2) and 2 (Debian 13, libgpiod.so.3). The
// two generations share the names of two functions and no type. The library is loaded at run time, so that the same
// program runs with either generation, and starts even if neither is installed. The levels of lines are the bits of a
// number: the lowest bit belongs to the first line of a request, and 1 means active. Functions return 0 or more on
// success and -errno on failure.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { CGPIO_MAX_LINES = 32, CGPIO_NAME_SIZE = 33, CGPIO_WHY_SIZE = 256 };
// The number of edges of each line that the kernel stores until they are read.
enum { CGPIO_EVENTS_PER_LINE = 16 };

typedef struct cgpio_library cgpio_library;
typedef struct cgpio_chip cgpio_chip;
typedef struct cgpio_request cgpio_request;

// What the lines of a request are used for.
typedef enum cgpio_use { CGPIO_OUTPUT, CGPIO_INPUT, CGPIO_EDGES } cgpio_use;
// The bias resistor of an input, which determines its level while nothing drives the line.
typedef enum cgpio_bias { CGPIO_AS_IS, CGPIO_PULL_UP, CGPIO_PULL_DOWN, CGPIO_NO_BIAS } cgpio_bias;

// The settings with which a line is requested.
typedef struct cgpio_line {
    uint32_t offset;       // the number of the line on its chip
    uint32_t debounce_us;  // changes shorter than this are ignored (only for edges); 0: none
    cgpio_bias bias;       // only for inputs
    bool active_low;
} cgpio_line;

// An edge of a line: a change of its level.
typedef struct cgpio_event {
    uint64_t timestamp_ns;  // on CLOCK_MONOTONIC (Linux 5.7 and later)
    uint32_t line;          // the index of the line in the request
    uint32_t number;        // the number of the edge in the request, from 1; with generation 1 without lost edges
    bool is_active;
} cgpio_event;

// Loads the library with the file name `name`, which is of the generation 1 or 2, until the process ends. On failure
// returns NULL and writes the reason to `why`, a buffer of CGPIO_WHY_SIZE bytes.
const cgpio_library *cgpio_load(const char *name, int generation, char *why);
// Does the same with functions that `find` finds by their names, as dlsym(3) does. `context` is passed to `find`.
const cgpio_library *cgpio_load_with(
    int generation, void *(*find)(void *context, const char *name), void *context, char *why);
// Returns the generation of the library: 1 or 2.
int cgpio_generation(const cgpio_library *library);
// Returns the version that the library states, such as "1.6.3".
const char *cgpio_version(const cgpio_library *library);
// Returns whether the kernel debounces inputs (`debounce_us`). With generation 1 it does not, so the caller must.
bool cgpio_debounces(const cgpio_library *library);

// Opens a chip by the path of its device node. Writes the number of its lines to `lines`, and the label of its driver,
// such as "pinctrl-bcm2711", to `label`, a buffer of CGPIO_NAME_SIZE bytes.
int cgpio_chip_open(const cgpio_library *library, const char *path, cgpio_chip **chip, uint32_t *lines, char *label);
void cgpio_chip_close(cgpio_chip *chip);
// Writes the name of a line ("" if it has none) and the consumer name of the program that holds it ("" if it states
// none), each to a buffer of CGPIO_NAME_SIZE bytes. Returns 1 if a program or a driver holds the line, 0 if it is free.
// With generation 2, returns -EINVAL on a kernel older than 5.10.
int cgpio_line_info(cgpio_chip *chip, uint32_t offset, char *name, char *holder);

// Requests `count` lines of a chip. The chip may be closed afterwards. Outputs are inactive from then on. With
// generation 2 the kernel permits ten attributes in a request, and the result is -E2BIG if more are needed: for
// polarities and biases that differ from those of the first line, and for debounce times.
int cgpio_take(
    cgpio_chip *chip, const char *consumer, cgpio_use use, const cgpio_line *lines, int count, cgpio_request **request);
// Sets the levels of all lines of a request at the same time. Neither allocates memory nor takes a lock.
int cgpio_set(cgpio_request *request, uint64_t active);
// Reads the levels of all lines of a request.
int cgpio_get(cgpio_request *request, uint64_t *active);
// Writes the descriptors that become readable when there is an edge, at most CGPIO_MAX_LINES, and returns their number.
int cgpio_descriptors(const cgpio_request *request, int *descriptors);
// Reads the edges that have occurred, in their order, without waiting. Returns their number, which may be 0. `events`
// must have room for CGPIO_EVENTS_PER_LINE events of each line.
int cgpio_events(cgpio_request *request, cgpio_event *events);
// Releases the lines without changing their levels, and frees the request. Must not be called twice for a request.
void cgpio_release(cgpio_request *request);

// Makes the lines of this request inactive when the process crashes: when it receives SIGSEGV, SIGBUS, SIGILL, SIGFPE,
// SIGABRT, SIGTRAP or SIGSYS. The signal then has its default effect. Only one request has this protection at a time,
// until it is released with cgpio_release().
void cgpio_release_at_crash(cgpio_request *request);
