// The functions of CGPIO.h with libgpiod 2: one request, in which each line has its own settings.
#include <errno.h>

#include "library.h"

static const char *version(const cgpio_library *library) { return library->two.api_version(); }

static int open_chip(const cgpio_library *library, const char *path, cgpio_chip *chip, uint32_t *lines, char *label) {
    const struct gpiod2_functions *gpiod = &library->two;
    if (!(chip->chip = gpiod->chip_open(path))) return cgpio_error();
    struct gpiod_chip_info *info = gpiod->chip_get_info(chip->chip);
    if (!info) {
        int error = cgpio_error();
        gpiod->chip_close(chip->chip);
        return error;
    }
    *lines = (uint32_t)gpiod->chip_info_get_num_lines(info);
    cgpio_copy_name(label, gpiod->chip_info_get_label(info));
    gpiod->chip_info_free(info);
    return 0;
}

static void close_chip(cgpio_chip *chip) { chip->library->two.chip_close(chip->chip); }

static int line_info(cgpio_chip *chip, uint32_t offset, char *name, char *holder) {
    const struct gpiod2_functions *gpiod = &chip->library->two;
    struct gpiod_line_info *info = gpiod->chip_get_line_info(chip->chip, offset);
    cgpio_copy_name(name, info ? gpiod->line_info_get_name(info) : NULL);
    cgpio_copy_name(holder, info ? gpiod->line_info_get_consumer(info) : NULL);
    if (!info) return cgpio_error();
    int is_used = gpiod->line_info_is_used(info);
    gpiod->line_info_free(info);
    return is_used;
}

// Writes the settings of a line for a request. An output is inactive at first, which is the default of libgpiod.
static int configure(const cgpio_request *request, const cgpio_line *line, struct gpiod_line_settings *settings) {
    static const enum gpiod_line_bias biases[] = {GPIOD2_AS_IS, GPIOD2_PULL_UP, GPIOD2_PULL_DOWN, GPIOD2_NO_BIAS};
    const struct gpiod2_functions *gpiod = &request->library->two;
    gpiod->line_settings_set_active_low(settings, line->active_low);
    if (request->use == CGPIO_EDGES && line->debounce_us)
        gpiod->line_settings_set_debounce_period_us(settings, line->debounce_us);
    if (gpiod->line_settings_set_direction(settings, request->use == CGPIO_OUTPUT ? GPIOD2_OUTPUT : GPIOD2_INPUT) < 0 ||
        gpiod->line_settings_set_bias(settings, biases[line->bias]) < 0)
        return cgpio_error();
    if (request->use == CGPIO_EDGES && gpiod->line_settings_set_edge_detection(settings, GPIOD2_BOTH_EDGES) < 0)
        return cgpio_error();
    return 0;
}

static int add(const cgpio_request *request, const cgpio_line *line, struct gpiod_line_config *config) {
    const struct gpiod2_functions *gpiod = &request->library->two;
    struct gpiod_line_settings *settings = gpiod->line_settings_new();
    if (!settings) return -ENOMEM;
    int error = configure(request, line, settings);
    const unsigned int offset = line->offset;
    if (!error && gpiod->line_config_add_line_settings(config, &offset, 1, settings) < 0) error = cgpio_error();
    gpiod->line_settings_free(settings);
    return error;
}

static int take(cgpio_chip *chip, const char *consumer, const cgpio_line *lines, cgpio_request *request) {
    const struct gpiod2_functions *gpiod = &request->library->two;
    struct gpiod_request_config *named = gpiod->request_config_new();
    struct gpiod_line_config *config = gpiod->line_config_new();
    int error = named && config ? 0 : -ENOMEM;
    for (int at = 0; at < request->count && !error; at++) {
        request->offsets[at] = lines[at].offset;
        error = add(request, &lines[at], config);
    }
    if (!error) {
        gpiod->request_config_set_consumer(named, consumer);
        if (!(request->lines = gpiod->chip_request_lines(chip->chip, named, config))) error = cgpio_error();
    }
    if (config) gpiod->line_config_free(config);
    if (named) gpiod->request_config_free(named);
    if (error || request->use != CGPIO_EDGES) return error;
    request->buffer = gpiod->edge_event_buffer_new((size_t)(request->count * CGPIO_EVENTS_PER_LINE));
    return request->buffer ? cgpio_never_wait(gpiod->line_request_get_fd(request->lines)) : -ENOMEM;
}

static int set(cgpio_request *request, uint64_t active) {
    enum gpiod_line_value values[CGPIO_MAX_LINES];
    for (int at = 0; at < request->count; at++) values[at] = active >> at & 1 ? GPIOD2_ACTIVE : GPIOD2_INACTIVE;
    return request->library->two.line_request_set_values(request->lines, values) < 0 ? cgpio_error() : 0;
}

static int get(cgpio_request *request, uint64_t *active) {
    enum gpiod_line_value values[CGPIO_MAX_LINES];
    if (request->library->two.line_request_get_values(request->lines, values) < 0) return cgpio_error();
    *active = 0;
    for (int at = 0; at < request->count; at++)
        if (values[at] == GPIOD2_ACTIVE) *active |= UINT64_C(1) << at;
    return 0;
}

static int descriptors(const cgpio_request *request, int *descriptors) {
    descriptors[0] = request->library->two.line_request_get_fd(request->lines);
    return 1;
}

static int events(cgpio_request *request, cgpio_event *events) {
    const struct gpiod2_functions *gpiod = &request->library->two;
    size_t most = (size_t)(request->count * CGPIO_EVENTS_PER_LINE);
    int count = gpiod->line_request_read_edge_events(request->lines, request->buffer, most), found = 0;
    if (count < 0) return cgpio_is_none() ? 0 : cgpio_error();
    for (int next = 0; next < count; next++) {
        struct gpiod_edge_event *event = gpiod->edge_event_buffer_get_event(request->buffer, (unsigned long)next);
        uint32_t line = 0;
        uint32_t offset = gpiod->edge_event_get_line_offset(event);
        while (line < (uint32_t)request->count && request->offsets[line] != offset) line++;
        if (line == (uint32_t)request->count) continue;
        events[found++] = (cgpio_event){gpiod->edge_event_get_timestamp_ns(event), line,
                                        (uint32_t)gpiod->edge_event_get_global_seqno(event),
                                        gpiod->edge_event_get_event_type(event) == GPIOD2_RISING};
    }
    return found;
}

static void release(cgpio_request *request) {
    if (request->lines) request->library->two.line_request_release(request->lines);
    if (request->buffer) request->library->two.edge_event_buffer_free(request->buffer);
}

const struct cgpio_body cgpio_body2 = {
    version, open_chip, close_chip, line_info, take, set, get, descriptors, events, release};
