#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

// What Swift cannot say: casts between the sockaddr structures, and calls on them.

/// The calling thread, as a number that is never 0.
static inline uintptr_t atoll_thread_self(void) { return (uintptr_t)pthread_self(); }

/// Lets the calling thread's memory go when it ends; nobody joins it.
static inline void atoll_thread_detach(void) { pthread_detach(pthread_self()); }

/// A write to a socket that the peer closed is then an error (EPIPE) instead of the process's end.
static inline void atoll_thread_block_broken_pipe(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

/// Names the calling thread for debuggers; at most 15 bytes are kept.
static inline void atoll_thread_name(const char *name) {
#ifdef __linux__
  char kept[16];
  strncpy(kept, name, sizeof kept - 1);
  kept[sizeof kept - 1] = 0;
  pthread_setname_np(pthread_self(), kept);
#else
  (void)name;
#endif
}

/// Fills `out` from a numeric IPv4 or IPv6 host; a negative libuv code if it is neither.
static inline int atoll_address_parse(const char *host, int port, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  if (uv_ip4_addr(host, port, (struct sockaddr_in *)out) == 0) return 0;
  return uv_ip6_addr(host, port, (struct sockaddr_in6 *)out);
}

/// Writes the numeric host into `name` and gives the port; negative if the family is unknown.
static inline int atoll_address_name(
    const struct sockaddr_storage *address, char *name, size_t size) {
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    uv_ip4_name(four, name, size);
    return ntohs(four->sin_port);
  }
  if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    uv_ip6_name(six, name, size);
    return ntohs(six->sin6_port);
  }
  return UV_EAFNOSUPPORT;
}

/// Sets the port of an address that has none yet.
static inline void atoll_address_set_port(struct sockaddr_storage *address, int port) {
  if (address->ss_family == AF_INET) ((struct sockaddr_in *)address)->sin_port = htons(port);
  if (address->ss_family == AF_INET6) ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

/// Whether packets to the address stay on this machine: 127.0.0.0/8, ::1, and their mapped forms.
static inline int atoll_address_is_loopback(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    return ntohl(four->sin_addr.s_addr) >> 24 == 127;
  }
  if (address->ss_family == AF_INET6) {
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
  }
  return 0;
}

/// Copies one result of getaddrinfo.
static inline void atoll_address_copy(const struct addrinfo *from, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  if (from->ai_addrlen <= sizeof *out) memcpy(out, from->ai_addr, from->ai_addrlen);
}

static inline int atoll_tcp_bind(uv_tcp_t *tcp, const struct sockaddr_storage *address) {
  return uv_tcp_bind(tcp, (const struct sockaddr *)address, 0);
}

static inline int atoll_tcp_connect(
    uv_connect_t *request, uv_tcp_t *tcp, const struct sockaddr_storage *address,
    uv_connect_cb done) {
  return uv_tcp_connect(request, tcp, (const struct sockaddr *)address, done);
}

static inline int atoll_tcp_local_address(const uv_tcp_t *tcp, struct sockaddr_storage *out) {
  int size = sizeof *out;
  return uv_tcp_getsockname(tcp, (struct sockaddr *)out, &size);
}

static inline int atoll_tcp_peer_address(const uv_tcp_t *tcp, struct sockaddr_storage *out) {
  int size = sizeof *out;
  return uv_tcp_getpeername(tcp, (struct sockaddr *)out, &size);
}

/// The longest path a Unix-domain socket can have, without the ending zero.
static inline size_t atoll_unix_path_limit(void) {
  return sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
}

/// Whether a process answers at a Unix-domain socket; never waits.
///
/// 1 for an answer (or a full backlog, which is one), 0 for nobody, else a negative errno.
static inline int atoll_unix_is_answered(const char *path) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int failed = connect(fd, (struct sockaddr *)&address, sizeof address) != 0;
  int code = errno;
  close(fd);
  if (!failed || code == EAGAIN || code == EINPROGRESS) return 1;
  return code == ECONNREFUSED || code == ENOENT ? 0 : -code;
}

/// Another descriptor of the same socket, closed on exec; or a negative errno.
static inline int atoll_socket_duplicate(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -errno : copy;
}

static inline void atoll_socket_close(int fd) { close(fd); }

/// Sends without waiting and without SIGPIPE; the bytes taken, or a negative errno.
static inline ssize_t atoll_socket_send(int fd, const void *bytes, size_t count) {
  ssize_t taken = send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  return taken < 0 ? -errno : taken;
}

/// The address that a TCP socket is bound to; a negative errno if it is none.
static inline int atoll_socket_address(int fd, struct sockaddr_storage *out) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return -errno;
  if (type != SOCK_STREAM) return -EPROTOTYPE;
  size = sizeof *out;
  memset(out, 0, sizeof *out);
  return getsockname(fd, (struct sockaddr *)out, &size) == 0 ? 0 : -errno;
}

/// Ends both directions, whoever holds the other descriptors.
static inline void atoll_socket_shut_down(int fd) { shutdown(fd, SHUT_RDWR); }

/// Whether something at `path` is a socket: 1 yes, 0 no or nothing there.
static inline int atoll_path_is_socket(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISSOCK(found.st_mode);
}

/// Restricts a file to its owner; 0 or a negative errno.
static inline int atoll_path_make_private(const char *path) {
  return chmod(path, 0600) == 0 ? 0 : -errno;
}

/// Removes a file; 0 or a negative errno.
static inline int atoll_path_remove(const char *path) { return unlink(path) == 0 ? 0 : -errno; }
