#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

// MARK: - The library

#define FIND_ONE(result, name, parameters)                                                                             \
    if (!(library->one.name = (result(*) parameters)find(context, missing = "gpiod_" #name))) goto incomplete;
#define FIND_TWO(result, name, parameters)                                                                             \
    if (!(library->two.name = (result(*) parameters)find(context, missing = "gpiod_" #name))) goto incomplete;

const cgpio_library *cgpio_load_with(
    int generation, void *(*find)(void *context, const char *name), void *context, char *why) {
    const char *missing = "";
    cgpio_library *library = calloc(1, sizeof *library);
    if (!library) {
        snprintf(why, CGPIO_WHY_SIZE, "%s", strerror(ENOMEM));
        return NULL;
    }
    library->generation = generation;
    library->body = generation == 1 ? &cgpio_body1 : &cgpio_body2;
    if (generation == 1) {
        GPIOD1_FUNCTIONS(FIND_ONE)
    } else {
        GPIOD2_FUNCTIONS(FIND_TWO)
    }
    return library;
incomplete:
    snprintf(why, CGPIO_WHY_SIZE, "it has no function %s", missing);
    free(library);
    return NULL;
}

static void *find_in(void *handle, const char *name) { return dlsym(handle, name); }

const cgpio_library *cgpio_load(const char *name, int generation, char *why) {
    // Bind all functions now: a function that is first called during a pulse or a crash must not wait for the loader's
    // lock.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const cgpio_library *library = handle ? cgpio_load_with(generation, find_in, handle, why) : NULL;
    if (!handle) {
        const char *words = dlerror();
        snprintf(why, CGPIO_WHY_SIZE, "%s", words ? words : name);
    } else if (!library) {
        dlclose(handle);
    }
    return library;
}

int cgpio_generation(const cgpio_library *library) { return library->generation; }
const char *cgpio_version(const cgpio_library *library) { return library->body->version(library); }
bool cgpio_debounces(const cgpio_library *library) { return library->generation == 2; }

// MARK: - Common to both generations

void cgpio_copy_name(char *to, const char *from) {
    size_t size = from ? strnlen(from, CGPIO_NAME_SIZE - 1) : 0;
    if (size) memcpy(to, from, size);
    to[size] = 0;
}

int cgpio_error(void) { return errno > 0 ? -errno : -EIO; }

bool cgpio_is_none(void) { return errno == EAGAIN || errno == EINTR; }

int cgpio_never_wait(int descriptor) {
    if (descriptor < 0 || fcntl(descriptor, F_SETFL, O_NONBLOCK) < 0) return cgpio_error();
    return 0;
}

// MARK: - Chips and lines

int cgpio_chip_open(const cgpio_library *library, const char *path, cgpio_chip **chip, uint32_t *lines, char *label) {
    cgpio_chip *opened = calloc(1, sizeof *opened);
    if (!opened) return -ENOMEM;
    opened->library = library;
    size_t size = strlen(path);
    int error = size < sizeof opened->path ? 0 : -ENAMETOOLONG;
    if (!error) {
        memcpy(opened->path, path, size);
        // Not every failure of the library sets errno, so an earlier value must not remain.
        errno = 0;
        error = library->body->open(library, path, opened, lines, label);
    }
    if (error) {
        free(opened);
        return error;
    }
    *chip = opened;
    return 0;
}

void cgpio_chip_close(cgpio_chip *chip) {
    chip->library->body->close(chip);
    free(chip);
}

int cgpio_line_info(cgpio_chip *chip, uint32_t offset, char *name, char *holder) {
    return chip->library->body->line_info(chip, offset, name, holder);
}

int cgpio_take(
    cgpio_chip *chip, const char *consumer, cgpio_use use, const cgpio_line *lines, int count,
    cgpio_request **request) {
    if (count < 1 || count > CGPIO_MAX_LINES) return -EINVAL;
    cgpio_request *taken = calloc(1, sizeof *taken);
    if (!taken) return -ENOMEM;
    taken->library = chip->library;
    taken->use = use;
    taken->count = count;
    errno = 0;
    int error = chip->library->body->take(chip, consumer, lines, taken);
    if (error) {
        chip->library->body->release(taken);
        free(taken);
        return error;
    }
    *request = taken;
    return 0;
}

int cgpio_set(cgpio_request *request, uint64_t active) { return request->library->body->set(request, active); }

int cgpio_get(cgpio_request *request, uint64_t *active) { return request->library->body->get(request, active); }

int cgpio_descriptors(const cgpio_request *request, int *descriptors) {
    return request->use == CGPIO_EDGES ? request->library->body->descriptors(request, descriptors) : 0;
}

int cgpio_events(cgpio_request *request, cgpio_event *events) {
    return request->use == CGPIO_EDGES ? request->library->body->events(request, events) : 0;
}

// MARK: - Crashes

static _Atomic(cgpio_request *) crash_request;

// In both generations setting the values fills a structure on the stack and makes one ioctl, without lock or
// allocation. So a signal handler may do it.
static void crash_handler(int number) {
    cgpio_request *request = atomic_exchange(&crash_request, NULL);
    if (request) cgpio_set(request, 0);
    // The signal has its default action again (SA_RESETHAND): the one that is raised here ends the process.
    raise(number);
}

void cgpio_release_at_crash(cgpio_request *request) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    request->is_at_crash = true;
    cgpio_request *before = atomic_exchange(&crash_request, request);
    if (before && before != request) before->is_at_crash = false;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = crash_handler;
    action.sa_flags = SA_RESETHAND;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

void cgpio_release(cgpio_request *request) {
    cgpio_request *expected = request;
    // If the handler has taken the request, the process is about to end and the handler still needs the request: do not
    // free it.
    if (request->is_at_crash && !atomic_compare_exchange_strong(&crash_request, &expected, NULL)) return;
    request->library->body->release(request);
    free(request);
}
