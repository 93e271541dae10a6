#pragma once

#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/stat.h>
#endif

// What Swift cannot call: variadic functions, and macros that cast.

static inline int csqlite_config_flag(sqlite3 *db, int verb, int isOn) {
  return sqlite3_db_config(db, verb, isOn, (int *)0);
}

static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Text that stays where it is until something else is bound.
static inline int csqlite_bind_kept_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(
    sqlite3_context *context, const char *bytes, sqlite3_uint64 count) {
  sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  if (bytes) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
  } else {
    sqlite3_result_zeroblob(context, 0);
  }
}

#ifdef F_OFD_SETLK
#define CSQLITE_SETLK F_OFD_SETLK
#define CSQLITE_GETLK F_OFD_GETLK
#elif defined(__linux__)
#define CSQLITE_SETLK 37
#define CSQLITE_GETLK 36
#else
#define CSQLITE_SETLK F_SETLK
#define CSQLITE_GETLK F_GETLK
#endif

/// Takes (F_WRLCK) or gives back (F_UNLCK) one byte of an open file; 0, or -1 with errno.
static inline int csqlite_lock_byte(int descriptor, short type, off_t offset) {
  struct flock request;
  memset(&request, 0, sizeof request);
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = offset;
  request.l_len = 1;
  return fcntl(descriptor, CSQLITE_SETLK, &request);
}

/// Where another open file has a lock in a range of bytes: 1 with its place, 0 if there is none, -1
/// with errno.
static inline int csqlite_find_lock(
    int descriptor, off_t start, off_t length, off_t *place) {
  struct flock request;
  memset(&request, 0, sizeof request);
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  request.l_start = start;
  request.l_len = length;
  if (fcntl(descriptor, CSQLITE_GETLK, &request) != 0) return -1;
  if (request.l_type == F_UNLCK) return 0;
  *place = request.l_start;
  return 1;
}

/// Nanoseconds since 1970 at which a file was made; 0 where the file system does not say.
static inline long long csqlite_birth_time(const char *path) {
#if defined(__linux__) && defined(SYS_statx)
  struct statx found;
  if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BTIME, &found) != 0) return 0;
  if (!(found.stx_mask & STATX_BTIME)) return 0;
  return found.stx_btime.tv_sec * 1000000000LL + found.stx_btime.tv_nsec;
#else
  (void)path;
  return 0;
#endif
}
