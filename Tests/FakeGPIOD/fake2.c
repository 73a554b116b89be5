#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../Sources/CGPIO/gpiod2.h"
#include "board.h"

struct gpiod_chip { int unused; };
struct gpiod_chip_info { int unused; };
struct gpiod_line_info { int offset; };
struct gpiod_line_settings {
    enum gpiod_line_direction direction;
    enum gpiod_line_bias bias;
    bool is_active_low, has_edges;
    unsigned long debounce;
};
struct gpiod_line_config {
    struct gpiod_line_settings settings[FAKE_LINES];
    int lines[FAKE_LINES], count;
};
struct gpiod_request_config { const char *consumer; };
struct gpiod_line_request {
    int lines[FAKE_LINES], count, ends[2];
};
struct gpiod_edge_event { struct fake_edge edge; };
struct gpiod_edge_event_buffer {
    struct gpiod_edge_event *events;
    size_t capacity;
};

static void *made(size_t size) { return fake_board.open++, calloc(1, size); }
static void freed(void *object) { free(object), fake_board.open--; }

static const char *fake2_api_version(void) { return "2.2.1"; }
static struct gpiod_chip *fake2_chip_open(const char *path) {
    return fake_is_gone() || access(path, F_OK) < 0 ? NULL : made(sizeof(struct gpiod_chip));
}
static void fake2_chip_close(struct gpiod_chip *chip) { freed(chip); }
static struct gpiod_chip_info *fake2_chip_get_info(struct gpiod_chip *chip) {
    return !chip || fake_is_gone() ? NULL : made(sizeof(struct gpiod_chip_info));
}
static void fake2_chip_info_free(struct gpiod_chip_info *info) { freed(info); }
static const char *fake2_chip_info_get_label(struct gpiod_chip_info *info) { return info ? "fake" : NULL; }
static size_t fake2_chip_info_get_num_lines(struct gpiod_chip_info *info) { return info ? FAKE_LINES : 0; }

static struct gpiod_line_info *fake2_chip_get_line_info(struct gpiod_chip *chip, unsigned int offset) {
    if (!chip || fake_is_gone()) return NULL;
    if (offset >= FAKE_LINES) return errno = EINVAL, NULL;
    struct gpiod_line_info *info = made(sizeof *info);
    info->offset = (int)offset;
    return info;
}
static void fake2_line_info_free(struct gpiod_line_info *info) { freed(info); }
static const char *fake2_line_info_get_name(struct gpiod_line_info *info) {
    return fake_board.lines[info->offset].name;
}
static bool fake2_line_info_is_used(struct gpiod_line_info *info) { return fake_board.lines[info->offset].is_held; }
static const char *fake2_line_info_get_consumer(struct gpiod_line_info *info) { return fake_holder(info->offset); }

static struct gpiod_line_settings *fake2_line_settings_new(void) { return made(sizeof(struct gpiod_line_settings)); }
static void fake2_line_settings_free(struct gpiod_line_settings *settings) { freed(settings); }
static int fake2_line_settings_set_direction(
    struct gpiod_line_settings *settings, enum gpiod_line_direction direction) {
    return settings->direction = direction, 0;
}
static int fake2_line_settings_set_edge_detection(struct gpiod_line_settings *settings, enum gpiod_line_edge edge) {
    return settings->has_edges = edge == GPIOD2_BOTH_EDGES, 0;
}
static int fake2_line_settings_set_bias(struct gpiod_line_settings *settings, enum gpiod_line_bias bias) {
    return settings->bias = bias, 0;
}
static void fake2_line_settings_set_active_low(struct gpiod_line_settings *settings, bool active_low) {
    settings->is_active_low = active_low;
}
static void fake2_line_settings_set_debounce_period_us(struct gpiod_line_settings *settings, unsigned long period) {
    settings->debounce = period;
}

static struct gpiod_line_config *fake2_line_config_new(void) { return made(sizeof(struct gpiod_line_config)); }
static void fake2_line_config_free(struct gpiod_line_config *config) { freed(config); }
static int fake2_line_config_add_line_settings(
    struct gpiod_line_config *config, const unsigned int *offsets, size_t count, struct gpiod_line_settings *settings) {
    for (size_t at = 0; at < count; at++, config->count++) {
        config->lines[config->count] = (int)offsets[at];
        config->settings[config->count] = *settings;
    }
    return 0;
}

static struct gpiod_request_config *fake2_request_config_new(void) { return made(sizeof(struct gpiod_request_config)); }
static void fake2_request_config_free(struct gpiod_request_config *config) { freed(config); }
static void fake2_request_config_set_consumer(struct gpiod_request_config *config, const char *consumer) {
    config->consumer = consumer;
}

static struct gpiod_line_request *fake2_chip_request_lines(
    struct gpiod_chip *chip, struct gpiod_request_config *named, struct gpiod_line_config *config) {
    if (!chip || fake_take(config->lines, config->count, named->consumer) < 0) return NULL;
    struct gpiod_line_request *request = made(sizeof *request);
    request->count = config->count;
    fake_board.number = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, request->ends) < 0) return NULL;
    for (int at = 0; at < config->count; at++) {
        struct fake_line *line = &fake_board.lines[request->lines[at] = config->lines[at]];
        const struct gpiod_line_settings *settings = &config->settings[at];
        line->is_output = settings->direction == GPIOD2_OUTPUT;
        line->is_active_low = settings->is_active_low;
        line->debounce = settings->debounce;
        line->bias = settings->bias == GPIOD2_PULL_UP ? 1 : settings->bias == GPIOD2_PULL_DOWN ? 2
                   : settings->bias == GPIOD2_NO_BIAS ? 3 : 0;
        if (line->is_output) line->level = line->is_active_low;
        if (!settings->has_edges) continue;
        line->edges = request->ends[1], line->queue = request->ends[0];
        line->generation = 2, line->room = 16 * config->count;
    }
    return request;
}

static void fake2_line_request_release(struct gpiod_line_request *request) {
    fake_give_back(request->lines, request->count);
    close(request->ends[0]);
    close(request->ends[1]);
    freed(request);
}

static int fake2_line_request_get_values(struct gpiod_line_request *request, enum gpiod_line_value *values) {
    if (fake_is_gone()) return -1;
    for (int at = 0; at < request->count; at++) {
        const struct fake_line *line = &fake_board.lines[request->lines[at]];
        values[at] = line->level != line->is_active_low ? GPIOD2_ACTIVE : GPIOD2_INACTIVE;
    }
    return 0;
}

static int fake2_line_request_set_values(struct gpiod_line_request *request, const enum gpiod_line_value *values) {
    if (fake_is_gone()) return -1;
    fake_note_set();
    for (int at = 0; at < request->count; at++) {
        struct fake_line *line = &fake_board.lines[request->lines[at]];
        line->level = (values[at] == GPIOD2_ACTIVE) != line->is_active_low;
    }
    return 0;
}

static int fake2_line_request_get_fd(struct gpiod_line_request *request) { return request->ends[0]; }

static struct gpiod_edge_event_buffer *fake2_edge_event_buffer_new(size_t capacity) {
    struct gpiod_edge_event_buffer *buffer = made(sizeof *buffer);
    buffer->capacity = capacity;
    buffer->events = calloc(capacity, sizeof *buffer->events);
    return buffer;
}
static void fake2_edge_event_buffer_free(struct gpiod_edge_event_buffer *buffer) {
    free(buffer->events);
    freed(buffer);
}
static int fake2_line_request_read_edge_events(
    struct gpiod_line_request *request, struct gpiod_edge_event_buffer *buffer, size_t most) {
    return fake_read(request->ends[0], &buffer->events->edge, (int)(most < buffer->capacity ? most : buffer->capacity));
}
static struct gpiod_edge_event *fake2_edge_event_buffer_get_event(
    struct gpiod_edge_event_buffer *buffer, unsigned long index) {
    return &buffer->events[index];
}
static enum gpiod_edge_event_type fake2_edge_event_get_event_type(struct gpiod_edge_event *event) {
    return event->edge.is_rising ? GPIOD2_RISING : GPIOD2_FALLING;
}
static uint64_t fake2_edge_event_get_timestamp_ns(struct gpiod_edge_event *event) { return event->edge.time; }
static unsigned int fake2_edge_event_get_line_offset(struct gpiod_edge_event *event) {
    return (unsigned)event->edge.line;
}
static unsigned long fake2_edge_event_get_global_seqno(struct gpiod_edge_event *event) { return event->edge.number; }

#define ENTRY(result, name, parameters)                                                                                \
    if (!strcmp(wanted, "gpiod_" #name)) {                                                                             \
        result(*function) parameters = fake2_##name;                                                                   \
        return (void *)function;                                                                                       \
    }
void *fake_find2(const char *wanted) {
    GPIOD2_FUNCTIONS(ENTRY)
    return NULL;
}
