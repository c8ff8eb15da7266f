/* ./executable in the workspace of an oracle task: runs the reference program, which is elsewhere.
 *
 * It says what it was called with over a socket, gets pipes in return, and carries bytes between them and its own streams until
 * it is told how the program ended. It reads its own standard input only once the program asks for some. See server.py.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#ifndef SOCKET
#define SOCKET "/run/oracle/socket"
#endif

enum { IN_TTY = 1, OUT_TTY = 2, ERR_TTY = 4, SAME = 8, FILE_IN = 16, NO_IN = 32, KEYS = 64 };
enum { INPUT, OUT, ERR, SCREEN, TYPED, PIPES };

static int server = -1, screen = -1, foreground, changed, closed, ignored;
static struct termios before;

struct flow {
    int from, to, left;
    char *at, buffer[65536];
};
static struct flow flows[PIPES];

static void restore(void) {
    if (changed) tcsetattr(screen, TCSADRAIN, &before);
    changed = 0;
}

static _Noreturn void fail(const char *what) {
    static const char name[] = "executable: the reference program cannot be run here: ";
    restore();
    if (write(2, name, sizeof name - 1) < 0 || write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0) _exit(126);
    _exit(126);
}

static void size_of_screen(unsigned char *four) {
    struct winsize size = {24, 80, 0, 0};
    if (screen >= 0) ioctl(screen, TIOCGWINSZ, &size);
    memcpy(four, &size.ws_row, 2);
    memcpy(four + 2, &size.ws_col, 2);
}

static void on_signal(int number) {
    int kept = errno;
    unsigned char message[6] = {'S', (unsigned char)number};
    if (number == SIGWINCH) {
        message[0] = 'W';
        size_of_screen(message + 1);
    }
    send(server, message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    errno = kept;
}

/* Pass every signal on; what we were started to ignore, the program is started to ignore, and may decide otherwise. */
static void catch_signals(void) {
    static const int numbers[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
    struct sigaction action = {.sa_handler = SIG_IGN}, old;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (sigaction(numbers[i], &action, &old) == 0 && old.sa_handler == SIG_IGN && i < 8) ignored |= 1 << i;
        action.sa_handler = on_signal;
    }
}

/* Leave the layout of lines to the program's own terminal, and with RAW the keys as well. */
static void set_screen(int raw) {
    struct termios now;
    if (!foreground) return;
    if (!changed && tcgetattr(screen, &before) != 0) return;
    changed = 1;
    now = before;
    if (raw) cfmakeraw(&now);
    now.c_oflag &= ~(tcflag_t)OPOST;
    tcsetattr(screen, TCSADRAIN, &now);
}

static void put(char **end, const char *text) {
    size_t length = strlen(text) + 1;
    memcpy(*end, text, length);
    *end += length;
}

static void send_all(const char *data, size_t length, int fd) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    while (length > 0) {
        struct iovec part = {(void *)data, length};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (fd >= 0) {
            message.msg_control = control.room;
            message.msg_controllen = sizeof control.room;
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(header), &fd, sizeof fd);
        }
        ssize_t sent = sendmsg(server, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) fail(strerror(errno));
        fd = -1;
        data += sent;
        length -= (size_t)sent;
    }
}

static int look_at_streams(int *given) {
    struct stat in, out, err;
    int flags = 0, mode = fcntl(0, F_GETFL);
    if (closed & 1 || fstat(0, &in) != 0) flags |= NO_IN;
    else if (isatty(0)) flags |= IN_TTY;
    else if ((S_ISREG(in.st_mode) || (S_ISCHR(in.st_mode) && in.st_rdev == 0x103)) && (mode & O_ACCMODE) == O_RDONLY) {
        flags |= FILE_IN; /* a file keeps its position only when the program itself reads it */
        *given = 0;
    }
    if (isatty(1)) flags |= OUT_TTY;
    if (isatty(2)) flags |= ERR_TTY;
    if (fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino) flags |= SAME;
    if (flags & (IN_TTY | OUT_TTY | ERR_TTY)) {
        screen = flags & IN_TTY ? 0 : flags & OUT_TTY ? 1 : 2;
        int own = open("/dev/tty", O_RDWR | O_CLOEXEC);
        if (own >= 0) {
            flags |= KEYS;
            screen = own;
        }
        foreground = tcgetpgrp(screen) == getpgrp();
    }
    return flags;
}

static void ask(int argc, char **argv) {
    static char cwd[65536];
    int given = -1, flags = look_at_streams(&given);
    const char *term = getenv("TERM");
    if (!getcwd(cwd, sizeof cwd)) strcpy(cwd, "?");
    if (!term || strlen(term) > 60) term = "";
    size_t room = 17 + strlen(cwd) + strlen(term);
    for (int i = 0; i < argc; i++) room += strlen(argv[i]) + 1;
    char *message = malloc(room), *end = message + 8;
    if (!message) fail("out of memory");
    *end++ = (char)flags;
    *end++ = (char)ignored;
    size_of_screen((unsigned char *)end);
    end += 4;
    put(&end, cwd);
    put(&end, term);
    for (int i = 0; i < argc; i++) put(&end, argv[i]);
    uint32_t length = (uint32_t)(end - message - 8);
    memcpy(message, "ICAE", 4);
    memcpy(message + 4, &length, 4);
    send_all(message, (size_t)(end - message), given);
    free(message);
}

/* Take the pipes: for each bit of the second byte one, in order. */
static void take_pipes(void) {
    unsigned char answer[4] = {0};
    union {
        char room[CMSG_SPACE(PIPES * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {answer, sizeof answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    ssize_t length;
    do length = recvmsg(server, &message, MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    struct cmsghdr *header = length == 4 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS) fail("it is not served any more");
    int *fds = (int *)CMSG_DATA(header), targets[PIPES] = {0, 1, 2, screen, screen};
    for (int i = 0; i < PIPES; i++) {
        struct flow *flow = &flows[i];
        int theirs = answer[1] & 1 << i ? *fds++ : -1, input = i == INPUT || i == TYPED;
        flow->from = input ? -1 : theirs; /* input begins later */
        flow->to = input ? theirs : targets[i];
    }
}

static void drop(int *fd) {
    if (*fd > 2 && *fd != screen) close(*fd);
    *fd = -1;
}

/* Carry bytes from the program to where they belong. */
static void carry_out(struct flow *flow) {
    ssize_t length = read(flow->from, flow->buffer, sizeof flow->buffer);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (length <= 0) drop(&flow->from);
    for (ssize_t done = 0, written; done < length; done += written) {
        written = write(flow->to, flow->buffer + done, (size_t)(length - done));
        if (written < 0 && errno == EAGAIN) {
            struct pollfd wait = {flow->to, POLLOUT, 0};
            poll(&wait, 1, -1);
        }
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            drop(&flow->from); /* the program, too, shall find nobody reading */
            return;
        }
        if (written < 0) written = 0;
    }
}

/* Carry bytes to the program, whose pipe does not block. */
static void carry_in(struct flow *flow) {
    if (flow->left == 0) {
        ssize_t length = read(flow->from, flow->buffer, sizeof flow->buffer);
        if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (length <= 0) {
            drop(&flow->from);
            drop(&flow->to);
            return;
        }
        flow->at = flow->buffer;
        flow->left = (int)length;
    }
    ssize_t written = write(flow->to, flow->at, (size_t)flow->left);
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
        flow->left = 0;
        drop(&flow->from);
        drop(&flow->to);
    } else if (written > 0) {
        flow->at += written;
        flow->left -= (int)written;
    }
}

static _Noreturn void end(int by_signal, int code) {
    restore();
    if (!by_signal) _exit(code);
    sigset_t all;
    sigfillset(&all);
    signal(code, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    kill(getpid(), code);
    _exit(128 + code);
}

/* What was closed must not become one of our own descriptors. */
static void hold_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            closed |= 1 << fd;
            open("/dev/null", O_RDONLY);
        }
}

int main(int argc, char **argv) {
    struct sockaddr_un address = {AF_UNIX, SOCKET};
    hold_streams();
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0) fail(strerror(errno));
    catch_signals();
    ask(argc, argv);
    take_pipes();
    if (screen >= 0) set_screen(0);
    int over = 0, by_signal = 0, code = 126;
    for (;;) {
        struct pollfd waits[PIPES + 1] = {{over ? -1 : server, POLLIN, 0}};
        int running = 0;
        for (int i = 0; i < PIPES; i++) {
            int input = i == INPUT || i == TYPED, full = flows[i].left > 0;
            waits[i + 1].fd = full ? flows[i].to : flows[i].from;
            waits[i + 1].events = full ? POLLOUT : POLLIN;
            if (over && input) waits[i + 1].fd = -1;
            running |= !input && flows[i].from >= 0;
        }
        if (over && !running) break;
        if (poll(waits, PIPES + 1, -1) < 0) continue;
        for (int i = 0; i < PIPES; i++)
            if (waits[i + 1].fd >= 0 && waits[i + 1].revents) (i == INPUT || i == TYPED ? carry_in : carry_out)(&flows[i]);
        if (!waits[0].revents) continue;
        unsigned char message[4];
        ssize_t length = recv(server, message, sizeof message, MSG_WAITALL);
        if (length < 0 && errno == EINTR) continue;
        if (length != 4) over = 1, by_signal = -1;
        else if (message[0] == 'X') over = 1, by_signal = message[1], code = message[2];
        else if (message[0] == 'I') {
            if (flows[INPUT].to >= 0) flows[INPUT].from = 0;
            if (flows[TYPED].to >= 0) {
                set_screen(1);
                flows[TYPED].from = screen;
            }
        }
    }
    if (by_signal < 0) fail("it is not served any more");
    end(by_signal, code);
}
