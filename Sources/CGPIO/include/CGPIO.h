// One C interface to both generations of libgpiod: 1.6 (Debian 12, libgpiod.so.2) and 2 (Debian 13, libgpiod.so.3). The
// two share the names of two functions and no type. The library is loaded at run time, so that one program runs on both
// and starts without either. Levels are bits: the first line has the lowest one, and 1 is active. Functions return 0 or
// more on success, and -errno on failure.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { CGPIO_MAX_LINES = 32, CGPIO_NAME_SIZE = 33, CGPIO_WHY_SIZE = 256 };
// The kernel keeps so many edges for each line of a request.
enum { CGPIO_EVENTS_PER_LINE = 16 };

typedef struct cgpio_library cgpio_library;
typedef struct cgpio_chip cgpio_chip;
typedef struct cgpio_request cgpio_request;

// What the lines of a request are used for.
typedef enum cgpio_use { CGPIO_OUTPUT, CGPIO_INPUT, CGPIO_EDGES } cgpio_use;
// What holds the level of an input that nothing drives.
typedef enum cgpio_bias { CGPIO_AS_IS, CGPIO_PULL_UP, CGPIO_PULL_DOWN, CGPIO_NO_BIAS } cgpio_bias;

// A line as it is wanted.
typedef struct cgpio_line {
    uint32_t offset;       // on its chip
    uint32_t debounce_us;  // edges, if cgpio_debounces(): shorter changes are passed over; 0: none are
    cgpio_bias bias;       // of inputs
    bool active_low;
} cgpio_line;

// A change of a line.
typedef struct cgpio_event {
    uint64_t timestamp_ns;  // of CLOCK_MONOTONIC (Linux 5.7 and later)
    uint32_t line;          // its place in the request
    uint32_t number;        // counts the edges of all lines, from 1; generation 1 omits those that the kernel dropped
    bool is_active;
} cgpio_event;

// Loads the library of that file name and generation (1 or 2), for the rest of the process. On failure returns NULL and
// writes the reason to `why`, which has room for CGPIO_WHY_SIZE bytes.
const cgpio_library *cgpio_load(const char *name, int generation, char *why);
// The same with a function `find` that finds functions by name, as dlsym(3) does; it gets `context`.
const cgpio_library *cgpio_load_with(
    int generation, void *(*find)(void *context, const char *name), void *context, char *why);
// 1 or 2.
int cgpio_generation(const cgpio_library *library);
// As the library says it ("1.6.3").
const char *cgpio_version(const cgpio_library *library);
// Whether the kernel debounces inputs. Generation 1 cannot ask it to, so the caller has to debounce them.
bool cgpio_debounces(const cgpio_library *library);

// Opens a chip by its device node. Writes the number of its lines, and the driver's label ("pinctrl-bcm2711") to
// CGPIO_NAME_SIZE bytes.
int cgpio_chip_open(const cgpio_library *library, const char *path, cgpio_chip **chip, uint32_t *lines, char *label);
void cgpio_chip_close(cgpio_chip *chip);
// Copies the name of a line ("" when it has none) and of who holds it ("" when he gave none), each into CGPIO_NAME_SIZE bytes.
// 1 when it is held, 0 when it is free, -EINVAL from a kernel older than 5.10 with generation 2.
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
// Takes the events of lines with edges, in order and without waiting. Returns their number; 0: there is none. `events`
// needs room for CGPIO_EVENTS_PER_LINE events of each line.
int cgpio_events(cgpio_request *request, cgpio_event *events);
// Gives the lines back as they are. Not to be called twice.
void cgpio_release(cgpio_request *request);

// Makes the lines of this one request inactive when the process gets a signal that ends it by default and that means a fault
// (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS); then the signal takes its course. Ends with
// cgpio_release().
void cgpio_release_at_crash(cgpio_request *request);
