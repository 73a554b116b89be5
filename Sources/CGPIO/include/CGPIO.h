// One C interface to both generations of libgpiod: 1.6 (Debian 12, libgpiod.so.2) and 2 (Debian 13, libgpiod.so.3). The
// two share the names of two functions and no type. The library is loaded at run time, so that one program runs on both
// and starts without either. Levels are bits: the first line has the lowest one, and 1 is active. Functions return 0 or
// more on success, and -errno on failure.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { CGPIO_MAX_LINES = 32, CGPIO_NAME_SIZE = 33, CGPIO_WHY_SIZE = 256 };
// The number of edges that the kernel keeps for each line of a request.
enum { CGPIO_EVENTS_PER_LINE = 16 };

typedef struct cgpio_library cgpio_library;
typedef struct cgpio_chip cgpio_chip;
typedef struct cgpio_request cgpio_request;

// What the lines of a request are used for.
typedef enum cgpio_use { CGPIO_OUTPUT, CGPIO_INPUT, CGPIO_EDGES } cgpio_use;
// The source of an input's level while nothing drives the line.
typedef enum cgpio_bias { CGPIO_AS_IS, CGPIO_PULL_UP, CGPIO_PULL_DOWN, CGPIO_NO_BIAS } cgpio_bias;

// The wanted settings of a line.
typedef struct cgpio_line {
    uint32_t offset;       // on its chip
    uint32_t debounce_us;  // for edges, if cgpio_debounces(): shorter changes are ignored; 0: none
    cgpio_bias bias;       // of inputs
    bool active_low;
} cgpio_line;

// A change of a line.
typedef struct cgpio_event {
    uint64_t timestamp_ns;  // of CLOCK_MONOTONIC (Linux 5.7 and later)
    uint32_t line;          // its index in the request
    uint32_t number;        // counts the edges of all lines, from 1; generation 1 omits those that the kernel dropped
    bool is_active;
} cgpio_event;

// Loads the library of that file name and generation (1 or 2), for the rest of the process. On failure returns NULL and
// writes the reason to `why`, which has room for CGPIO_WHY_SIZE bytes.
const cgpio_library *cgpio_load(const char *name, int generation, char *why);
// The same with a function `find` that finds functions by name, as dlsym(3) does; it gets `context`.
const cgpio_library *cgpio_load_with(
    int generation, void *(*find)(void *context, const char *name), void *context, char *why);
// Returns 1 or 2.
int cgpio_generation(const cgpio_library *library);
// Returns the library's own version ("1.6.3").
const char *cgpio_version(const cgpio_library *library);
// Returns whether the kernel debounces inputs. Generation 1 cannot request this, so the caller must debounce them.
bool cgpio_debounces(const cgpio_library *library);

// Opens a chip by its device node. Writes the number of its lines, and the driver's label ("pinctrl-bcm2711") to
// CGPIO_NAME_SIZE bytes.
int cgpio_chip_open(const cgpio_library *library, const char *path, cgpio_chip **chip, uint32_t *lines, char *label);
void cgpio_chip_close(cgpio_chip *chip);
// Copies the name of a line ("" if it has none) and the consumer name of its holder ("" if it gave none), each into
// CGPIO_NAME_SIZE bytes. Returns 1 if the line is held, 0 if it is free, -EINVAL on a kernel older than 5.10 with
// generation 2.
int cgpio_line_info(cgpio_chip *chip, uint32_t offset, char *name, char *holder);

// Takes `count` lines of a chip, which may be closed afterwards. Outputs are inactive from then on. With generation 2
// the kernel allows ten different settings in a request, else -E2BIG: polarities with biases that differ from the first
// line's, and debounce times.
int cgpio_take(
    cgpio_chip *chip, const char *consumer, cgpio_use use, const cgpio_line *lines, int count, cgpio_request **request);
// Sets all lines together. Neither allocates nor locks.
int cgpio_set(cgpio_request *request, uint64_t active);
// Reads all lines.
int cgpio_get(cgpio_request *request, uint64_t *active);
// Writes the descriptors that become readable with an edge, at most CGPIO_MAX_LINES, and returns their number.
int cgpio_descriptors(const cgpio_request *request, int *descriptors);
// Takes the events of lines with edges, in order and without waiting. Returns their number, possibly 0. `events`
// needs room for CGPIO_EVENTS_PER_LINE events of each line.
int cgpio_events(cgpio_request *request, cgpio_event *events);
// Releases the lines without changing their levels. Do not call it twice.
void cgpio_release(cgpio_request *request);

// Makes the lines of this request inactive when the process receives a signal of a fault that ends it by default
// (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS); then the signal has its default effect. Only one request
// has this protection, until cgpio_release().
void cgpio_release_at_crash(cgpio_request *request);
