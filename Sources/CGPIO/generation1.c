// The functions of CGPIO.h with libgpiod 1.6: one bulk request for the values of all lines, or one request for each
// line whose edges are reported.
#include <errno.h>
#include <string.h>

#include "library.h"

_Static_assert((int)CGPIO_MAX_LINES <= (int)GPIOD1_BULK_LINES, "a request fits into a bulk");

static const char *version(const cgpio_library *library) { return library->one.version_string(); }

static int open_chip(const cgpio_library *library, const char *path, cgpio_chip *chip, uint32_t *lines, char *label) {
    if (!(chip->chip = library->one.chip_open(path))) return cgpio_error();
    *lines = library->one.chip_num_lines(chip->chip);
    cgpio_copy_name(label, library->one.chip_label(chip->chip));
    return 0;
}

static void close_chip(cgpio_chip *chip) { chip->library->one.chip_close(chip->chip); }

static int line_info(cgpio_chip *chip, uint32_t offset, char *name, char *holder) {
    const struct gpiod1_functions *gpiod = &chip->library->one;
    struct gpiod_line *line = gpiod->chip_get_line(chip->chip, offset);
    cgpio_copy_name(name, line ? gpiod->line_name(line) : NULL);
    cgpio_copy_name(holder, line ? gpiod->line_consumer(line) : NULL);
    return !line ? cgpio_error() : gpiod->line_is_used(line);
}

static int flags_of(const cgpio_line *line) {
    static const int biases[] = {0, GPIOD1_FLAG_PULL_UP, GPIOD1_FLAG_PULL_DOWN, GPIOD1_FLAG_NO_BIAS};
    return biases[line->bias] | (line->active_low ? GPIOD1_FLAG_ACTIVE_LOW : 0);
}

// Makes a request for each line, because all lines of a bulk request have the same flags.
static int take_edges(const char *consumer, const cgpio_line *lines, cgpio_request *request) {
    const struct gpiod1_functions *gpiod = &request->library->one;
    for (int at = 0; at < request->count; at++) {
        struct gpiod_line_bulk bulk = {.lines = {request->bulk.lines[at]}, .num_lines = 1};
        struct gpiod_line_request_config config = {consumer, GPIOD1_REQUEST_BOTH_EDGES, flags_of(&lines[at])};
        if (gpiod->line_request_bulk(&bulk, &config, NULL) < 0) return cgpio_error();
        int error = cgpio_never_wait(gpiod->line_event_get_fd(bulk.lines[0]));
        if (error) return error;
    }
    return 0;
}

// Makes one request for all lines, so that they change together. All its lines have one polarity, so this file inverts
// the values of active-low lines.
static int take_values(const char *consumer, const cgpio_line *lines, cgpio_request *request) {
    int inactive[CGPIO_MAX_LINES] = {0};
    for (int at = 0; at < request->count; at++) {
        if (lines[at].bias != lines[0].bias) return -EINVAL;
        inactive[at] = lines[at].active_low;
        if (lines[at].active_low) request->inverted |= UINT64_C(1) << at;
    }
    cgpio_line all = {.bias = lines[0].bias};
    struct gpiod_line_request_config config = {
        consumer, request->use == CGPIO_OUTPUT ? GPIOD1_REQUEST_OUTPUT : GPIOD1_REQUEST_INPUT, flags_of(&all)};
    return request->library->one.line_request_bulk(&request->bulk, &config, inactive) < 0 ? cgpio_error() : 0;
}

static int take(cgpio_chip *chip, const char *consumer, const cgpio_line *lines, cgpio_request *request) {
    const struct gpiod1_functions *gpiod = &request->library->one;
    // A line belongs to the chip object from which it was taken, so the request opens its own chip object.
    if (!(request->chip = gpiod->chip_open(chip->path))) return cgpio_error();
    for (int at = 0; at < request->count; at++)
        if (!(request->bulk.lines[at] = gpiod->chip_get_line(request->chip, lines[at].offset))) return cgpio_error();
    request->bulk.num_lines = (unsigned)request->count;
    return (request->use == CGPIO_EDGES ? take_edges : take_values)(consumer, lines, request);
}

static int set(cgpio_request *request, uint64_t active) {
    // Set all lines: with a bulk of only some lines libgpiod 1.6 would set the first lines of the request instead.
    int values[CGPIO_MAX_LINES];
    for (int at = 0; at < request->count; at++) values[at] = (active ^ request->inverted) >> at & 1;
    return request->library->one.line_set_value_bulk(&request->bulk, values) < 0 ? cgpio_error() : 0;
}

static int get(cgpio_request *request, uint64_t *active) {
    int values[CGPIO_MAX_LINES];
    if (request->library->one.line_get_value_bulk(&request->bulk, values) < 0) return cgpio_error();
    *active = request->inverted;
    for (int at = 0; at < request->count; at++)
        if (values[at]) *active ^= UINT64_C(1) << at;
    return 0;
}

static int descriptors(const cgpio_request *request, int *descriptors) {
    for (int at = 0; at < request->count; at++)
        descriptors[at] = request->library->one.line_event_get_fd(request->bulk.lines[at]);
    return request->count;
}

// Returns the events of all lines in the order of their times, because each line has its own queue.
static int events(cgpio_request *request, cgpio_event *events) {
    int found = 0;
    for (int line = 0; line < request->count; line++) {
        struct gpiod_line_event read[CGPIO_EVENTS_PER_LINE];
        int count =
            request->library->one.line_event_read_multiple(request->bulk.lines[line], read, CGPIO_EVENTS_PER_LINE);
        if (count < 0 && !cgpio_is_none()) return cgpio_error();
        for (int next = 0; next < count; next++) {
            uint64_t time = (uint64_t)read[next].ts.tv_sec * 1000000000 + (uint64_t)read[next].ts.tv_nsec;
            int at = found++;
            for (; at > 0 && events[at - 1].timestamp_ns > time; at--) events[at] = events[at - 1];
            events[at] = (cgpio_event){time, (uint32_t)line, 0, read[next].event_type == GPIOD1_EVENT_RISING};
        }
    }
    for (int at = 0; at < found; at++) events[at].number = ++request->number;
    return found;
}

static void release(cgpio_request *request) {
    // Closing the chip object releases its lines.
    if (request->chip) request->library->one.chip_close(request->chip);
}

const struct cgpio_body cgpio_body1 = {
    version, open_chip, close_chip, line_info, take, set, get, descriptors, events, release};
