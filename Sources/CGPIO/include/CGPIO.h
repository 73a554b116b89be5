// One C face over libgpiod 1.6 (Debian 12) and 2.x (Debian 13). Functions return 0 or more on success and -errno else.
#pragma once
#include <stdint.h>

enum { CGPIO_MAX_LINES = 32, CGPIO_NAME_SIZE = 64 };

typedef struct cgpio_chip cgpio_chip;
typedef struct cgpio_outputs cgpio_outputs;

// The version of the library in use.
const char *cgpio_version(void);

// Opens a chip by its device node.
int cgpio_chip_open(const char *path, cgpio_chip **chip);
// The driver's label, e.g. "pinctrl-bcm2711"; valid until the chip is closed.
const char *cgpio_chip_label(cgpio_chip *chip);
// How many lines the chip has.
int cgpio_chip_lines(cgpio_chip *chip);
// Copies the name of a line ("" when it has none) into `name` of CGPIO_NAME_SIZE bytes.
int cgpio_chip_line_name(cgpio_chip *chip, uint32_t offset, char *name);
// Whether somebody holds a line: 1, with his name ("" when he gave none) in `holder` of CGPIO_NAME_SIZE bytes; 0 when it is free.
int cgpio_chip_line_holder(cgpio_chip *chip, uint32_t offset, char *holder);
void cgpio_chip_close(cgpio_chip *chip);

// Takes `count` lines as outputs in one request; each gets its first physical value (0 or 1) together with its direction.
int cgpio_outputs_request(const char *path, const char *consumer, const uint32_t *offsets, const uint8_t *values, int count,
                          cgpio_outputs **outputs);
// Takes `count` lines as inputs in one request, which is read and released as one of outputs.
int cgpio_inputs_request(const char *path, const char *consumer, const uint32_t *offsets, int count, cgpio_outputs **inputs);
// Sets all lines of the request together to these physical values.
int cgpio_outputs_set(cgpio_outputs *outputs, const uint8_t *values);
// Reads back the physical values.
int cgpio_outputs_get(cgpio_outputs *outputs, uint8_t *values);
void cgpio_outputs_release(cgpio_outputs *outputs);

// Sets the lines of this one request to these values when the process gets a signal that ends it by default and that means a
// fault (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS); then the signal takes its course.
void cgpio_release_at_crash(cgpio_outputs *outputs, const uint8_t *values);
// Takes that back, before the request is released.
void cgpio_forget_at_crash(cgpio_outputs *outputs);
