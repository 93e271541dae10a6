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
#include <stdint.h>
#include <stdio.h>
#include <uv.h>
#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#endif

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

// The user of the socket at the other end of a TCP connection within this machine, as the kernel knows it:
// what SO_PEERCRED is for Unix-domain sockets.

#ifdef __linux__
/// The established socket whose own address is `own` and whose peer is `other`, asked of sock_diag(7).
///
/// Its user; -EAGAIN while no process has accepted it; else another negative errno.
static inline int64_t atoll_diag_user(
    int family, const void *own, int own_port, const void *other, int other_port) {
  size_t width = family == AF_INET ? 4 : 16;
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = (uint8_t)family;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0u;
  request.body.id.idiag_sport = (uint16_t)own_port;
  request.body.id.idiag_dport = (uint16_t)other_port;
  memcpy(request.body.id.idiag_src, own, width);
  memcpy(request.body.id.idiag_dst, other, width);
  request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
  if (fd < 0) return -errno;
  union {
    struct nlmsghdr header;
    char bytes[1024];
  } answer;
  memset(&answer, 0, sizeof answer);
  // The kernel has answered when the request is sent.
  ssize_t size = send(fd, &request, sizeof request, 0);
  if (size >= 0) size = recv(fd, &answer, sizeof answer, 0);
  int code = errno;
  close(fd);
  if (size < 0) return -code;
  if ((size_t)size < sizeof answer.header) return -EPROTO;
  if (answer.header.nlmsg_type == NLMSG_ERROR) {
    if ((size_t)size < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EPROTO;
    int error = ((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
    return error < 0 ? error : -EPROTO;
  }
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      (size_t)size < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return -EPROTO;
  const struct inet_diag_msg *found = (struct inet_diag_msg *)NLMSG_DATA(&answer.header);
  // Without an established socket the kernel names one that listens, or a remainder without a user.
  if (found->idiag_state != 1 || found->id.idiag_sport != (uint16_t)own_port ||
      found->id.idiag_dport != (uint16_t)other_port)
    return -ENOENT;
  return found->idiag_inode == 0 ? -EAGAIN : (int64_t)found->idiag_uid;
}

/// The same from the table in /proc, where sockets of that kind are not allowed; reads all of it.
static inline int64_t atoll_proc_user(
    int family, const void *own, int own_port, const void *other, int other_port) {
  int words = family == AF_INET ? 1 : 4;
  char wanted[2][64];
  for (int side = 0; side < 2; side++) {
    uint32_t parts[4];
    memcpy(parts, side == 0 ? own : other, (size_t)words * 4);
    int length = 0;
    for (int word = 0; word < words; word++)
      length += snprintf(wanted[side] + length, 64 - (size_t)length, "%08X", parts[word]);
    snprintf(wanted[side] + length, 64 - (size_t)length, ":%04X",
             ntohs((uint16_t)(side == 0 ? own_port : other_port)));
  }
  FILE *table = fopen(family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6", "re");
  if (!table) return -errno;
  char line[512], found[2][64];
  int64_t answer = -ENOENT;
  while (fgets(line, sizeof line, table)) {
    unsigned state, user;
    unsigned long inode;
    if (sscanf(line, " %*d: %63s %63s %x %*s %*s %*s %u %*d %lu", found[0], found[1], &state, &user,
               &inode) != 5)
      continue;
    if (state != 1 || strcmp(found[0], wanted[0]) || strcmp(found[1], wanted[1])) continue;
    answer = inode == 0 ? -EAGAIN : (int64_t)user;
    break;
  }
  fclose(table);
  return answer;
}
#endif

/// The user of the socket at the other end of a TCP connection within this machine.
///
/// -EAGAIN while no process has accepted it; another negative errno if the system does not tell.
static inline int64_t atoll_socket_peer_user(int fd) {
#ifdef __linux__
  struct sockaddr_storage sides[2];
  socklen_t size = sizeof sides[0];
  memset(sides, 0, sizeof sides);
  if (getpeername(fd, (struct sockaddr *)&sides[0], &size) != 0) return -errno;
  size = sizeof sides[1];
  if (getsockname(fd, (struct sockaddr *)&sides[1], &size) != 0) return -errno;
  const void *addresses[2];
  int ports[2];
  int family = AF_INET6;
  for (int side = 0; side < 2; side++) {
    if (sides[side].ss_family == AF_INET) {
      const struct sockaddr_in *four = (const struct sockaddr_in *)&sides[side];
      addresses[side] = &four->sin_addr;
      ports[side] = four->sin_port;
      family = AF_INET;
    } else if (sides[side].ss_family == AF_INET6) {
      const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&sides[side];
      int is_mapped = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
      addresses[side] = is_mapped ? &six->sin6_addr.s6_addr[12] : six->sin6_addr.s6_addr;
      ports[side] = six->sin6_port;
      if (is_mapped) family = AF_INET;
    } else {
      return -EAFNOSUPPORT;
    }
  }
  int64_t user = atoll_diag_user(family, addresses[0], ports[0], addresses[1], ports[1]);
  if (user >= 0 || user == -EAGAIN || user == -ENOENT) return user;
  return atoll_proc_user(family, addresses[0], ports[0], addresses[1], ports[1]);
#else
  (void)fd;
  return -ENOSYS;
#endif
}

/// The file descriptor of a TCP handle; or a negative libuv code.
static inline int atoll_tcp_descriptor(const uv_tcp_t *tcp) {
  uv_os_fd_t fd = -1;
  int code = uv_fileno((const uv_handle_t *)tcp, &fd);
  return code < 0 ? code : (int)fd;
}
