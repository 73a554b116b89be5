// radio bridge HOST PORT              adds an adapter with its controller at HOST:PORT (H4 over TCP); "hciN SECONDS"
// radio attach TTY                    adds an adapter whose controller is on a serial line, with the kernel's H4 driver
// radio up|down N                     starts or stops hciN, as bluetoothd and hciconfig do
// radio hold N                        holds the user channel of hciN until this program ends
// radio as USER RIGHT PROGRAM...      runs a program as a user, with only CAP_NET_ADMIN (RIGHT 1) or no capability (0)
// radio listen SOCKET USER PROGRAM... runs a program with a listening socket, which USER owns, as its standard input
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what) { return perror(what), 1; }

// Returns the length in bytes of the H4 packet that begins here; 0: more bytes are needed; -1: this is not an H4
// packet.
static long packet_length(const uint8_t *bytes, size_t count) {
    static const struct { uint8_t header, wide; } kinds[] = {{0, 0}, {3, 0}, {4, 1}, {3, 0}, {2, 0}, {4, 1}};
    if (count == 0) return 0;
    if (bytes[0] < 1 || bytes[0] > 5) return -1;
    size_t header = 1 + kinds[bytes[0]].header;
    if (count < header) return 0;
    return kinds[bytes[0]].wide ? header + (bytes[header - 2] | bytes[header - 1] << 8) : header + bytes[header - 1];
}

static int put(int file, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(file, bytes, count);
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (done < 0 && errno == ENXIO) return 0;  // an adapter that is down receives nothing
        if (done <= 0) return -1;
        bytes += done;
        count -= done;
    }
    return 0;
}

static int bridge(const char *host, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    static uint8_t in[1 << 17], out[1 << 16];
    size_t have = 0;
    int stream = socket(AF_INET, SOCK_STREAM, 0), adapter = open("/dev/vhci", O_RDWR);
    if (adapter < 0 || !inet_aton(host, &address.sin_addr)) return fail("/dev/vhci");
    if (connect(stream, (struct sockaddr *)&address, sizeof address) < 0) return fail(host);
    if (put(adapter, (uint8_t[]){0xff, 0}, 2) < 0) return fail("/dev/vhci");
    struct pollfd wait[] = {{stream, POLLIN, 0}, {adapter, POLLIN, 0}};
    while (poll(wait, 2, -1) > 0 || errno == EINTR) {
        if (wait[1].revents) {
            ssize_t count = read(adapter, out, sizeof out);
            if (count <= 0) return fail("reading from the kernel");
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (out[0] != 0xff) put(stream, out, count);
            else printf("hci%d %lld.%03ld\n", out[2] | out[3] << 8, (long long)now.tv_sec, now.tv_nsec / 1000000), fflush(stdout);
        }
        if (wait[0].revents) {
            ssize_t count = read(stream, in + have, sizeof in - have);
            if (count <= 0) return fail("reading from the controller");
            have += count;
            size_t at = 0;
            for (long length; (length = packet_length(in + at, have - at)) != 0 && (length < 0 || at + length <= have); at += length)
                if (length < 0 || put(adapter, in + at, length) < 0) return fail("writing to the kernel");
            memmove(in, in + at, have - at);
            have -= at;
        }
    }
    return 1;
}

static int attach(const char *path) {
    int line = open(path, O_RDWR | O_NOCTTY), kind = 15 /* N_HCI */, adapter;
    struct termios mode;
    if (line < 0 || tcgetattr(line, &mode) < 0) return fail(path);
    cfmakeraw(&mode);
    cfsetspeed(&mode, B115200);
    mode.c_cflag |= CLOCAL;
    if (tcsetattr(line, TCSANOW, &mode) < 0 || ioctl(line, TIOCSETD, &kind) < 0) return fail(path);
    // Select the protocol H4, which has the number 0.
    if (ioctl(line, _IOW('U', 200, int), 0) < 0 || (adapter = ioctl(line, _IOR('U', 202, int))) < 0) return fail("hci_uart");
    printf("hci%d\n", adapter);
    fflush(stdout);
    return pause();
}

static int set(unsigned long request, int adapter) {
    int file = socket(AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI);
    return file < 0 || (ioctl(file, request, adapter) < 0 && errno != EALREADY) ? fail("adapter") : 0;
}

static int hold(int adapter) {
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = adapter, .hci_channel = HCI_CHANNEL_USER};
    int file = socket(AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI);
    if (bind(file, (struct sockaddr *)&address, sizeof address) < 0) return fail("bind");
    puts("held");
    fflush(stdout);
    return pause();
}

static int as(int user, int right, char **program) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    uint32_t bit = right ? 1u << CAP_NET_ADMIN : 0;
    struct __user_cap_data_struct sets[2] = {{bit, bit, bit}, {0, 0, 0}};
    for (int other = 0; prctl(PR_CAPBSET_READ, other) >= 0; other++)
        if (other != CAP_NET_ADMIN || !right) prctl(PR_CAPBSET_DROP, other);
    prctl(PR_SET_KEEPCAPS, 1);
    if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0) return fail("user");
    if (syscall(SYS_capset, &header, sets) < 0) return fail("capabilities");
    if (right && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0) < 0) return fail("ambient");
    execvp(program[0], program);
    return fail(program[0]);
}

static int serve(const char *path, int user, char **program) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4) < 0) return fail(path);
    if (chown(path, user, user) < 0 || chmod(path, 0600) < 0 || dup2(listener, 0) < 0) return fail(path);
    close(listener);
    execvp(program[0], program);
    return fail(program[0]);
}

int main(int count, char **words) {
    const char *what = count > 2 ? words[1] : "";
    if (!strcmp(what, "bridge") && count == 4) return bridge(words[2], atoi(words[3]));
    if (!strcmp(what, "attach")) return attach(words[2]);
    if (!strcmp(what, "up")) return set(HCIDEVUP, atoi(words[2]));
    if (!strcmp(what, "down")) return set(HCIDEVDOWN, atoi(words[2]));
    if (!strcmp(what, "hold")) return hold(atoi(words[2]));
    if (!strcmp(what, "as") && count > 4) return as(atoi(words[2]), atoi(words[3]), words + 4);
    if (!strcmp(what, "listen") && count > 4) return serve(words[2], atoi(words[3]), words + 4);
    return 2;
}
