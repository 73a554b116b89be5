#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../Sources/CGPIO/gpiod1.h"
#include "board.h"

// A request, which all its lines share.
struct handle {
    int lines[FAKE_LINES], count, users, ends[2];
    bool has_edges;
};
struct gpiod_line {
    int offset;
    struct handle *handle;
};
struct gpiod_chip {
    struct gpiod_line lines[FAKE_LINES];
};

static const char *fake1_version_string(void) { return "1.6.3"; }

static struct gpiod_chip *fake1_chip_open(const char *path) {
    if (fake_is_gone() || access(path, F_OK) < 0) return NULL;
    struct gpiod_chip *chip = calloc(1, sizeof *chip);
    for (int at = 0; chip && at < FAKE_LINES; at++) chip->lines[at].offset = at;
    fake_board.open++;
    return chip;
}

static void let_go(struct gpiod_line *line) {
    struct handle *handle = line->handle;
    line->handle = NULL;
    if (!handle || --handle->users) return;
    fake_give_back(handle->lines, handle->count);
    if (handle->has_edges) close(handle->ends[0]), close(handle->ends[1]);
    free(handle);
    fake_board.open--;
}

static void fake1_chip_close(struct gpiod_chip *chip) {
    for (int at = 0; at < FAKE_LINES; at++) let_go(&chip->lines[at]);
    free(chip);
    fake_board.open--;
}

static const char *fake1_chip_label(struct gpiod_chip *chip) { return chip ? "fake" : NULL; }
static unsigned int fake1_chip_num_lines(struct gpiod_chip *chip) { return chip ? FAKE_LINES : 0; }

static struct gpiod_line *fake1_chip_get_line(struct gpiod_chip *chip, unsigned int offset) {
    if (fake_is_gone()) return NULL;
    if (offset >= FAKE_LINES) return errno = EINVAL, NULL;
    return &chip->lines[offset];
}

static const char *fake1_line_name(struct gpiod_line *line) { return fake_board.lines[line->offset].name; }
static const char *fake1_line_consumer(struct gpiod_line *line) { return fake_holder(line->offset); }
static bool fake1_line_is_used(struct gpiod_line *line) { return fake_board.lines[line->offset].is_held; }

static int fake1_line_request_bulk(
    struct gpiod_line_bulk *bulk, const struct gpiod_line_request_config *config, const int *values) {
    struct handle *handle = calloc(1, sizeof *handle);
    handle->count = handle->users = (int)bulk->num_lines;
    for (int at = 0; at < handle->count; at++) handle->lines[at] = bulk->lines[at]->offset;
    handle->has_edges = config->request_type == GPIOD1_REQUEST_BOTH_EDGES;
    if (fake_take(handle->lines, handle->count, config->consumer) < 0) return free(handle), -1;
    if (handle->has_edges && socketpair(AF_UNIX, SOCK_STREAM, 0, handle->ends) < 0) return free(handle), -1;
    for (int at = 0; at < handle->count; at++) {
        struct fake_line *line = &fake_board.lines[handle->lines[at]];
        bulk->lines[at]->handle = handle;
        line->is_output = config->request_type == GPIOD1_REQUEST_OUTPUT;
        line->is_active_low = config->flags & GPIOD1_FLAG_ACTIVE_LOW;
        line->bias = config->flags & GPIOD1_FLAG_PULL_UP ? 1 : config->flags & GPIOD1_FLAG_PULL_DOWN ? 2
                   : config->flags & GPIOD1_FLAG_NO_BIAS ? 3 : 0;
        if (line->is_output) line->level = (values && values[at]) != line->is_active_low;
        if (!handle->has_edges) continue;
        line->edges = handle->ends[1], line->queue = handle->ends[0];
        line->generation = 1, line->room = 16;
    }
    fake_board.open++;
    return 0;
}

static int fake1_line_get_value_bulk(struct gpiod_line_bulk *bulk, int *values) {
    if (fake_is_gone()) return -1;
    struct handle *handle = bulk->lines[0]->handle;
    for (int at = 0; at < (int)bulk->num_lines; at++) {
        struct fake_line *line = &fake_board.lines[handle->has_edges ? bulk->lines[at]->offset : handle->lines[at]];
        values[at] = line->level != line->is_active_low;
    }
    return 0;
}

// Sets the first lines of the request, even if the bulk names other lines, as the real library does.
static int fake1_line_set_value_bulk(struct gpiod_line_bulk *bulk, const int *values) {
    if (fake_is_gone()) return -1;
    struct handle *handle = bulk->lines[0]->handle;
    fake_note_set();
    for (int at = 0; at < handle->count; at++) {
        struct fake_line *line = &fake_board.lines[handle->lines[at]];
        line->level = (at < (int)bulk->num_lines && values[at]) != line->is_active_low;
    }
    return 0;
}

static int fake1_line_event_get_fd(struct gpiod_line *line) { return line->handle->ends[0]; }

static int fake1_line_event_read_multiple(
    struct gpiod_line *line, struct gpiod_line_event *events, unsigned int count) {
    struct fake_edge edges[16];
    int found = fake_read(line->handle->ends[0], edges, count < 16 ? (int)count : 16);
    for (int at = 0; at < found; at++) {
        events[at].ts.tv_sec = (time_t)(edges[at].time / 1000000000);
        events[at].ts.tv_nsec = (long)(edges[at].time % 1000000000);
        events[at].event_type = edges[at].is_rising ? GPIOD1_EVENT_RISING : 2;
    }
    return found;
}

#define ENTRY(result, name, parameters)                                                                                \
    if (!strcmp(wanted, "gpiod_" #name)) {                                                                             \
        result(*function) parameters = fake1_##name;                                                                   \
        return (void *)function;                                                                                       \
    }
void *fake_find1(const char *wanted) {
    GPIOD1_FUNCTIONS(ENTRY)
    return NULL;
}
