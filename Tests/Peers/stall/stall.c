// A library that LD_PRELOAD loads into the program under test. It delays the program's calls that a test selects, and
// replaces its GPIO chip.
//
// All its files are in the folder STALL_FOLDER. `held` has one byte per kind of call: while the byte is '1', calls of
// this kind do not return. If STALL_AT is the name of an event, this library itself sets the byte number STALL_KIND
// as soon as the program writes the log line of this event. `timeline` gets a JSON line for each occurrence, with the
// nanoseconds of CLOCK_BOOTTIME: the program's log lines, invitations, delayed calls with their thread, and every
// change of a GPIO line.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../../../Sources/CGPIO/gpiod1.h"

// The kinds of calls, in the order of `Stall.Held` in Tests/PeerTests/Stall.
enum { LOG_FILE, DISPLAY, LEDGER, CONTROL, RESOLVER, CONNECT, ADAPTER, RADIO, CLOCK, LAMPS, KINDS, NONE = -1 };

static volatile char *held;  // mapped from the file `held`, which the test writes
static int timeline = -1;
static const char *folder, *point;
static int kind_at_point = NONE;

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// Writes a line to `timeline` with one system call, so that lines of several threads do not mix.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    int error = errno;
    if (count > 0 && count < (int)sizeof line) syscall(SYS_write, timeline, line, (size_t)count);
    errno = error;
}

static int is_thread(const char *prefix) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    return !strncmp(name, prefix, strlen(prefix));
}

static void pause_shortly(void) {
    struct timespec pause = {0, 1000000};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void hold(int kind, const char *call) {
    if (!held || kind == NONE || held[kind] != '1') return;
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    say("{\"event\":\"held\",\"call\":\"%s\",\"kind\":%d,\"thread\":\"%s\",\"ns\":%lld}\n", call, kind, name, (long long)now());
    while (held[kind] == '1') pause_shortly();
}

// MARK: - Delays by the machine

// Returns for how long, in nanoseconds, this thread was ready to run and no processor was free for it, since its
// start.
static int64_t owed(long thread) {
    char path[64], text[96];
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", thread);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[count > 0 ? count : 0] = 0;
    long long waited = 0;
    return sscanf(text, "%*d %lld", &waited) == 1 ? waited : 0;
}

__attribute__((constructor)) static void begin(void) {
    char path[512];
    if (!(folder = getenv("STALL_FOLDER"))) return;
    snprintf(path, sizeof path, "%s/timeline", folder);
    timeline = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    snprintf(path, sizeof path, "%s/held", folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (timeline < 0 || file < 0) abort();
    void *map = mmap(NULL, KINDS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) abort();
    syscall(SYS_close, file);
    point = getenv("STALL_AT");
    if (getenv("STALL_KIND")) kind_at_point = atoi(getenv("STALL_KIND"));
    held = map;
}

// MARK: - Output of the program

// Copies log lines and invitations to `timeline`. If a log line starts a delay, the delay is active before a reader
// can see this line or the invitation in it.
static void look(const char *bytes, size_t count) {
    static const char event[] = "\"event\":\"", scheme[] = "OPENID4VP://";
    if (!held || count < sizeof event) return;
    const char *line = memchr(bytes, '{', 8), *wanted = point;
    const char *name = line ? memmem(line, (size_t)(bytes + count - line), event, sizeof event - 1) : NULL;
    if (name) name += sizeof event - 1;
    int is_reached = name && wanted && !strncmp(name, wanted, strlen(wanted)) && name[strlen(wanted)] == '"';
    if (is_reached && kind_at_point >= 0 && kind_at_point < KINDS) held[kind_at_point] = '1';
    const char *uri = memmem(bytes, count, scheme, sizeof scheme - 1);
    if (uri) {
        size_t length = 0;
        while (uri + length < bytes + count && !strchr("\"\n", uri[length])) length++;
        say("{\"event\":\"uri\",\"uri\":\"%.*s\"}\n", (int)length, uri);
    }
    if (!name) return;
    say("%.*s", (int)(bytes + count - line), line);
    if (!is_reached) return;
    say("{\"event\":\"reached\",\"point\":\"%s\",\"ns\":%lld}\n", wanted, (long long)now());
    point = NULL;
}

static int kind_of(int descriptor) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count <= 0) return NONE;
    path[count] = 0;
    if (strstr(path, "/ledger.db")) return LEDGER;
    if (strstr(path, "/invitation.png")) return DISPLAY;
    return strstr(path, "/log.jsonl") ? LOG_FILE : NONE;
}

static void hold_file(int descriptor, const char *call) {
    if (held && (held[LEDGER] == '1' || held[DISPLAY] == '1' || held[LOG_FILE] == '1')) hold(kind_of(descriptor), call);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    look(bytes, count);
    hold_file(descriptor, "write");
    return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    hold_file(descriptor, "writev");
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    hold_file(descriptor, "pwrite");
    return NEXT(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    hold_file(descriptor, "pwrite");
    return NEXT(pwrite64)(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
    hold_file(descriptor, "fsync");
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    hold_file(descriptor, "fdatasync");
    return (int)syscall(SYS_fdatasync, descriptor);
}

// MARK: - Sockets, names, threads

static int is_control(void) { return held && held[CONTROL] == '1' && is_thread("gatehouse-ctl"); }

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    if (is_control()) hold(CONTROL, "send");
    return NEXT(send)(socket, bytes, count, flags);
}

ssize_t recv(int socket, void *bytes, size_t count, int flags) {
    if (is_control()) hold(CONTROL, "recv");
    return NEXT(recv)(socket, bytes, count, flags);
}

int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags) {
    if (is_control()) hold(CONTROL, "accept");
    return NEXT(accept4)(socket, address, size, flags);
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    hold(RESOLVER, "getaddrinfo");
    return NEXT(getaddrinfo)(host, service, hints, found);
}

int connect(int socket, const struct sockaddr *address, socklen_t size) {
    hold(CONNECT, "connect");
    return NEXT(connect)(socket, address, size);
}

// Simulates a Bluetooth adapter whose driver is slow: a socket that is never used, and a bind() that can be delayed.
int socket(int family, int type, int protocol) {
    if (family != AF_BLUETOOTH || !held) return NEXT(socket)(family, type, protocol);
    return NEXT(socket)(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int bind(int socket, const struct sockaddr *address, socklen_t size) {
    if (address->sa_family != AF_BLUETOOTH || !held) return NEXT(bind)(socket, address, size);
    hold(ADAPTER, "bind");
    errno = ENODEV;
    return -1;
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request == _IOW('H', 202, int) && held) return 0;  // HCIDEVDOWN
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

static long radio;  // the ID of the thread gatehouse-radio; 0: not known yet

int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    if (held && !radio && is_thread("gatehouse-radio")) radio = syscall(SYS_gettid);
    if (held && held[RADIO] == '1' && is_thread("gatehouse-radio")) hold(RADIO, "ppoll");
    return NEXT(ppoll)(entries, count, limit, mask);
}

// The program calls adjtimex() for every date. Threads whose names begin with "gatehouse-", such as those of the radio
// and the relay, are not delayed here.
int adjtimex(struct timex *state) {
    if (held && held[CLOCK] == '1' && !is_thread("gatehouse-")) hold(CLOCK, "adjtimex");
    return NEXT(adjtimex)(state);
}

// MARK: - A GPIO chip, as libgpiod 1.6 shows it

static const char chip_path[] = "/dev/gpiochip0", chip_label[] = "stall-chip";
enum { RELAY, PASSAGE = 6, LINES };
static const char *const names[LINES] = {"RELAY", "BLUE", "AMBER", "GREEN", "RED", "TONE", "PASSAGE"};
static int levels[LINES];
// The values of owed() at the previous change: of the relay's thread; of the radio's thread, which gives it the
// order; and the sum of the lamps' and the radio's thread. With them, each change reports only the new delay.
static int64_t relay_owed, teller_owed, lamps_owed;

DIR *opendir(const char *path) {
    char own[512];
    if (!held || strcmp(path, "/dev")) return NEXT(opendir)(path);
    snprintf(own, sizeof own, "%s/dev", folder);
    return NEXT(opendir)(own);
}

int lstat(const char *path, struct stat *state) {
    if (!held || strcmp(path, chip_path)) return NEXT(lstat)(path, state);
    memset(state, 0, sizeof *state);
    state->st_mode = S_IFCHR | 0600;
    return 0;
}

// Sets lines that were requested together, and writes the change to `timeline`.
static int set(const unsigned *offsets, const int *values, unsigned count) {
    if (count == 1 && offsets[0] == RELAY) {
        if (values[0] != levels[RELAY]) {
            // Read the time first, because the following calls take time.
            int64_t at = now(), late = owed(syscall(SYS_gettid)) - relay_owed;
            int64_t told = (radio ? owed(radio) : 0) - teller_owed;
            relay_owed += late;
            teller_owed += told;
            say("{\"event\":\"relay\",\"active\":%s,\"ns\":%lld,\"late\":%lld,\"told\":%lld}\n", values[0] ? "true" : "false",
                (long long)at, (long long)late, (long long)told);
        }
        levels[RELAY] = values[0];
        return 0;
    }
    hold(LAMPS, "lamps");
    int64_t at = now(), late = owed(syscall(SYS_gettid)) + (radio ? owed(radio) : 0) - lamps_owed;
    lamps_owed += late;
    char lit[64] = "";
    for (unsigned i = 0; i < count; i++) {
        levels[offsets[i]] = values[i];
        if (values[i]) sprintf(lit + strlen(lit), "%s\"%s\"", *lit ? "," : "", names[offsets[i]]);
    }
    say("{\"event\":\"lamps\",\"lit\":[%s],\"ns\":%lld,\"late\":%lld}\n", lit, (long long)at, (long long)late);
    return 0;
}

struct gpiod_chip {
    const char *label;
};
struct gpiod_line {
    unsigned offset;
};

// Makes the program load this library where it looks for libgpiod.
void *dlopen(const char *name, int flags) {
    Dl_info own;
    if (held && name && !strcmp(name, "libgpiod.so.3")) return NULL;
    if (held && name && !strcmp(name, "libgpiod.so.2") && dladdr(&held, &own)) name = own.dli_fname;
    return NEXT(dlopen)(name, flags);
}

const char *gpiod_version_string(void) { return "1.6.3"; }

struct gpiod_chip *gpiod_chip_open(const char *path) {
    static struct gpiod_chip chip = {chip_label};
    if (!strcmp(path, chip_path)) return &chip;
    errno = ENOENT;
    return NULL;
}

void gpiod_chip_close(struct gpiod_chip *chip) { (void)chip; }
const char *gpiod_chip_label(struct gpiod_chip *chip) { return chip->label; }
unsigned int gpiod_chip_num_lines(struct gpiod_chip *chip) { return chip ? LINES : 0; }

struct gpiod_line *gpiod_chip_get_line(struct gpiod_chip *chip, unsigned int offset) {
    static struct gpiod_line lines[LINES];
    if (!chip || offset >= LINES) {
        errno = EINVAL;
        return NULL;
    }
    lines[offset].offset = offset;
    return &lines[offset];
}

const char *gpiod_line_name(struct gpiod_line *line) { return names[line->offset]; }
const char *gpiod_line_consumer(struct gpiod_line *line) { return line ? NULL : ""; }
bool gpiod_line_is_used(struct gpiod_line *line) { return !line; }

int gpiod_line_set_value_bulk(struct gpiod_line_bulk *bulk, const int *values) {
    unsigned offsets[LINES];
    for (unsigned i = 0; i < bulk->num_lines; i++) offsets[i] = bulk->lines[i]->offset;
    return set(offsets, values, bulk->num_lines);
}

int gpiod_line_get_value_bulk(struct gpiod_line_bulk *bulk, int *values) {
    for (unsigned i = 0; i < bulk->num_lines; i++) values[i] = levels[bulk->lines[i]->offset];
    return 0;
}

int gpiod_line_request_bulk(
    struct gpiod_line_bulk *bulk, const struct gpiod_line_request_config *config, const int *values) {
    // The input PASSAGE is requested alone.
    if (bulk->num_lines == 1 && bulk->lines[0]->offset == PASSAGE) {
        if (config->request_type == GPIOD1_REQUEST_BOTH_EDGES) return 0;
        errno = EINVAL;
        return -1;
    }
    // All other lines are active-high outputs.
    if (bulk->num_lines <= LINES && config->request_type == GPIOD1_REQUEST_OUTPUT && !config->flags)
        return gpiod_line_set_value_bulk(bulk, values);
    errno = EINVAL;
    return -1;
}

// Returns the descriptor of the input's edges, which never becomes readable, because the input never changes.
int gpiod_line_event_get_fd(struct gpiod_line *line) {
    static int descriptor = -1;
    if (line->offset == PASSAGE && descriptor < 0) descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return line->offset == PASSAGE ? descriptor : -1;
}

int gpiod_line_event_read_multiple(struct gpiod_line *line, struct gpiod_line_event *events, unsigned int count) {
    errno = EAGAIN;
    return line && events && count ? -1 : 0;
}
