// A chip of eight lines in memory, "GPIO0" to "GPIO7", with the functions of both generations of libgpiod that
// Sources/CGPIO uses. Where the generations differ it behaves as the library on a kernel does: generation 1 has one set
// of flags for each request, sets the first lines of a request whatever lines a bulk names, keeps the oldest edges and
// gives a line back with its chip.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_LINES = 8 };

/// For cgpio_load_with(); `context` points to the generation, an int.
void *fake_find(void *context, const char *name);
/// Has `fake_find` not know that function; NULL: it knows all.
void fake_withhold(const char *name);

/// All lines free and low, all counts zero. Nothing may be open.
void fake_reset(void);
/// Sets the level at the pin of an input, and makes an edge of it where one is wanted, with that time.
void fake_drive(int line, bool level, uint64_t nanoseconds);
/// The level at the pin.
bool fake_level(int line);
/// The name that the holder of a line gave; NULL: the line is free.
const char *fake_holder(int line);
/// Another program takes a line, or lets it go.
void fake_hold(int line, bool isHeld);
/// The chip goes, or comes back.
void fake_go(bool isGone);
/// The settings of a line: whether it is active-low; its bias (0 as it is, 1 up, 2 down, 3 none); debounce time in µs.
bool fake_is_active_low(int line);
int fake_bias(int line);
unsigned long fake_debounce(int line);
/// How many objects of the library are open: chips, requests, settings.
int fake_open(void);
/// How often values were set.
int fake_sets(void);
/// Lets a copy of this process die of that signal. Returns how often the copy set values; -1: it did not die of it.
int fake_crash(int signal);
