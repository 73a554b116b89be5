#define _GNU_SOURCE
#include "CLinuxShims.h"

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fb.h>
#include <linux/i2c-dev.h>
#include <linux/rfkill.h>
#include <linux/spi/spidev.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

int clinux_eventfd(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_poll(struct pollfd *descriptors, int count, int64_t timeout_ns) {
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int ready = ppoll(descriptors, (nfds_t)count, timeout_ns < 0 ? NULL : &limit, NULL);
    return ready < 0 ? -errno : ready;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int clinux_run_first(void) {
    struct sched_param lowest = {.sched_priority = 1};
    // On Linux the number 0 is the calling thread, not the process.
    return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) < 0 ? -errno : 0;
}

int clinux_random(void *buffer, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t got = getrandom((char *)buffer + done, count - done, 0);
        if (got >= 0) done += (size_t)got;
        else if (errno != EINTR) return -errno;
    }
    return 0;
}

int clinux_clock_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    return adjtimex(&state) < 0 ? -errno : !(state.status & STA_UNSYNC);
}

int clinux_hci_user_channel(int device, int *step) {
    *step = 0;
    int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
    if (fd < 0) return -errno;
    int error = 0;
    *step = 1;
    if (ioctl(fd, HCIDEVDOWN, device) < 0 && errno != EALREADY) {
        error = errno;
    } else {
        struct sockaddr_hci address;
        memset(&address, 0, sizeof address);
        address.hci_family = AF_BLUETOOTH;
        address.hci_dev = (unsigned short)device;
        address.hci_channel = HCI_CHANNEL_USER;
        *step = 2;
        if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) error = errno;
    }
    if (!error) return fd;
    close(fd);
    return -error;
}

int clinux_hci_number(const uint8_t *address) {
    union {
        struct hci_dev_list_req list;
        uint8_t room[sizeof(struct hci_dev_list_req) + HCI_MAX_DEV * sizeof(struct hci_dev_req)];
    } known;
    memset(&known, 0, sizeof known);
    known.list.dev_num = HCI_MAX_DEV;
    int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (fd < 0) return -errno;
    int found = ioctl(fd, HCIGETDEVLIST, &known) < 0 ? -errno : -ENODEV;
    for (int i = 0; found == -ENODEV && i < known.list.dev_num; i++) {
        struct hci_dev_info adapter = {.dev_id = known.list.dev_req[i].dev_id};
        // The kernel stores the bytes of the address in reverse order.
        int same = ioctl(fd, HCIGETDEVINFO, &adapter) == 0;
        for (int at = 0; at < 6; at++) same = same && adapter.bdaddr.b[at] == address[5 - at];
        if (same) found = adapter.dev_id;
    }
    close(fd);
    return found;
}

int clinux_send_descriptor(int socket, const int32_t *words, int descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec body = {(void *)words, 2 * sizeof *words};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int clinux_receive_descriptor(int socket, int32_t *words, int *descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec body = {words, 2 * sizeof *words};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *descriptor = -1;
    ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0) return -errno;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
        && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return (int)count;
}

int clinux_receive_buffer(int socket, int bytes) {
    if (!setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes)) return 0;
    return setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) ? -errno : 0;
}

static speed_t speed_of(uint32_t baud) {
    switch (baud) {
    case 9600: return B9600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 921600: return B921600;
    case 1000000: return B1000000;
    case 1500000: return B1500000;
    case 2000000: return B2000000;
    case 3000000: return B3000000;
    case 4000000: return B4000000;
    default: return B0;
    }
}

int clinux_serial_setup(int line, uint32_t baud, int hardware_flow_control) {
    struct termios mode;
    speed_t speed = speed_of(baud);
    if (speed == B0) return -ENOTSUP;
    if (tcgetattr(line, &mode) < 0) return -errno;
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    mode.c_cflag &= ~(tcflag_t)CRTSCTS;
    if (hardware_flow_control) mode.c_cflag |= CRTSCTS;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    if (cfsetispeed(&mode, speed) < 0 || cfsetospeed(&mode, speed) < 0) return -errno;
    if (tcsetattr(line, TCSANOW, &mode) < 0) return -errno;
    tcflush(line, TCIOFLUSH);
    return 0;
}

int clinux_rfkill_unblock_bluetooth(void) {
    int fd = open("/dev/rfkill", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    struct rfkill_event event;
    memset(&event, 0, sizeof event);
    event.type = RFKILL_TYPE_BLUETOOTH;
    event.op = RFKILL_OP_CHANGE_ALL;
    // The first eight bytes are the same in every kernel version; newer versions append members after them.
    ssize_t written = write(fd, &event, RFKILL_EVENT_SIZE_V1);
    int error = written < 0 ? errno : 0;
    close(fd);
    return -error;
}

int clinux_exchange(int folder, const char *one, const char *other) {
    return renameat2(folder, one, folder, other, RENAME_EXCHANGE) < 0 ? -errno : 0;
}

// Overwrites `count` bytes of the stack below its caller's frame with zeros.
__attribute__((noinline)) static void clear_frames(size_t count) {
    char frames[count];
    explicit_bzero(frames, count);
}

void clinux_clear_stack(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), here = (uintptr_t)__builtin_frame_address(0);
    // Leave room for the frame of this function and for those of the functions that it calls.
    uintptr_t end = (here - 8 * 1024) & ~(page - 1);
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        // The kernel takes back the pages below `end`, and later provides zeroed pages in their place.
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 && (uintptr_t)lowest < end)
            madvise(lowest, end - (uintptr_t)lowest, MADV_DONTNEED);
        pthread_attr_destroy(&attributes);
    }
    clear_frames(here - end);
}

void clinux_keep_freed_memory(int bytes) {
    mallopt(M_TRIM_THRESHOLD, bytes);
    mallopt(M_MMAP_THRESHOLD, bytes / 2);  // otherwise glibc changes this threshold at run time
}

void clinux_ignore_stray_signals(void) {
    static const int numbers[] = {SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGIO, SIGPWR, SIGSTKFLT,
                                  SIGXCPU, SIGXFSZ};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], SIG_IGN);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) signal(number, SIG_IGN);
}

int clinux_accept(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_peer(int socket, uint32_t *user, uint32_t *group) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    *user = peer.uid;
    *group = peer.gid;
    return 0;
}

int clinux_peer_groups(int socket, uint32_t *groups, int capacity) {
    socklen_t size = (socklen_t)capacity * sizeof *groups;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) return -errno;
    return (int)(size / sizeof *groups);
}

int clinux_framebuffer_geometry(int framebuffer, struct clinux_framebuffer *geometry) {
    struct fb_var_screeninfo seen;
    struct fb_fix_screeninfo fixed;
    if (ioctl(framebuffer, FBIOGET_VSCREENINFO, &seen) < 0 || ioctl(framebuffer, FBIOGET_FSCREENINFO, &fixed) < 0) return -errno;
    if (fixed.type != FB_TYPE_PACKED_PIXELS || fixed.visual != FB_VISUAL_TRUECOLOR) return -ENOTSUP;
    *geometry = (struct clinux_framebuffer){
        .width = seen.xres, .height = seen.yres, .stride = fixed.line_length, .bits = seen.bits_per_pixel,
        .start = seen.yoffset * fixed.line_length + seen.xoffset * (seen.bits_per_pixel / 8),
        .red_offset = seen.red.offset, .red_length = seen.red.length,
        .green_offset = seen.green.offset, .green_length = seen.green.length,
        .blue_offset = seen.blue.offset, .blue_length = seen.blue.length,
    };
    return 0;
}

int clinux_i2c_address(int bus, int address) { return ioctl(bus, I2C_SLAVE, (long)address) < 0 ? -errno : 0; }

int clinux_spi_setup(int select, uint8_t mode, uint32_t hertz) {
    uint8_t bits = 8;
    if (ioctl(select, SPI_IOC_WR_MODE, &mode) < 0 || ioctl(select, SPI_IOC_WR_BITS_PER_WORD, &bits) < 0) return -errno;
    return ioctl(select, SPI_IOC_WR_MAX_SPEED_HZ, &hertz) < 0 ? -errno : 0;
}

int clinux_spawn_close_from(void *actions, int descriptor) {
    return posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
}
