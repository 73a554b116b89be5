// A C face over the kernel's GPIO character device, version 2 (Linux 5.10 and later; linux/gpio.h). Chips and requests of lines are
// descriptors, which close(2) gives back; levels are bits, the first line's the lowest, and 1 is active. Functions return 0 or more
// on success and -errno else.
#pragma once
#include <linux/gpio.h>
#include <stdint.h>

enum { CGPIO_MAX_LINES = 32, CGPIO_NAME_SIZE = GPIO_MAX_NAME_SIZE + 1, CGPIO_MAX_EVENTS = 16 };

// A line as it is wanted.
typedef struct cgpio_line {
    uint32_t offset;       // on its chip
    uint32_t debounce_us;  // changes that do not last so long are passed over; 0: none are
    uint64_t flags;        // enum gpio_v2_line_flag
} cgpio_line;

// Opens a chip by its device node: the descriptor, how many lines the chip has, and the driver's label ("pinctrl-bcm2711") in
// `label` of CGPIO_NAME_SIZE bytes.
int cgpio_chip_open(const char *path, uint32_t *lines, char *label);
// Copies the name of a line ("" when it has none) and of who holds it ("" when he gave none), each into CGPIO_NAME_SIZE bytes.
// 1 when it is held, 0 when it is free, -EINVAL from a kernel older than 5.10.
int cgpio_line_info(int chip, uint32_t offset, char *name, char *holder);

// Takes `count` lines in one request: its descriptor. Outputs are inactive from then on. The kernel bears ten kinds of lines in a
// request (-E2BIG): flags other than the first line's, and times of debouncing.
int cgpio_request(int chip, const char *consumer, const cgpio_line *lines, int count);
// Sets the lines of a request that `mask` names, all together.
int cgpio_set(int request, uint64_t mask, uint64_t active);
// Reads those lines back.
int cgpio_get(int request, uint64_t mask, uint64_t *active);
// Takes what has happened on lines with edges, in its order, without waiting: how many events; 0: none has come.
int cgpio_events(int request, struct gpio_v2_line_event *events, int capacity);

// Makes the lines of this one request inactive when the process gets a signal that ends it by default and that means a fault
// (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS); then the signal takes its course.
void cgpio_release_at_crash(int request, uint64_t mask);
// Takes that back, before the request is closed.
void cgpio_forget_at_crash(int request);
