// A chip of eight lines in memory, "GPIO0" to "GPIO7", with the functions of both generations of libgpiod that
// Sources/CGPIO uses. Where the generations differ, the chip behaves like the real library. Generation 1 has one set
// of flags per request, sets the first lines of a request whatever lines a bulk names, keeps the oldest edges if its
// queue is full, and releases a line when its chip is closed.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_LINES = 8 };

/// Finds a function by its name, for cgpio_load_with(); `context` points to the generation, an int.
void *fake_find(void *context, const char *name);
/// Makes `fake_find` return NULL for the function of this name; NULL: for no function.
void fake_withhold(const char *name);

/// Releases all lines, sets them low, and sets all counts to zero. No object of the library may be open.
void fake_reset(void);
/// Sets the level at the pin of an input. If edges of the line are requested, a change adds an edge with this time.
void fake_drive(int line, bool level, uint64_t nanoseconds);
/// Returns the level at the pin.
bool fake_level(int line);
/// Returns the name that the holder of a line passed to the library; NULL: the line is free.
const char *fake_holder(int line);
/// Takes or releases a line as another program would.
void fake_hold(int line, bool isHeld);
/// Removes the chip, or puts it back.
void fake_go(bool isGone);
/// Return the settings of a line: whether it is active-low; its bias (0 as it is, 1 up, 2 down, 3 none); its debounce
/// time in microseconds.
bool fake_is_active_low(int line);
int fake_bias(int line);
unsigned long fake_debounce(int line);
/// Returns the number of open objects of the library: chips, requests and settings.
int fake_open(void);
/// Returns how often values of lines were set.
int fake_sets(void);
/// Makes a copy of this process that ends by the signal. Returns how often the copy set values; -1: the copy did not
/// end by the signal.
int fake_crash(int signal);
