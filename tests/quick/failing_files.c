/* Calls of the system that fail when a test asks for it: loaded before the C library.
 *
 * FAIL_CLOSE: close of a file whose name ends in ".part" closes it and gives EDQUOT.
 * FAIL_SYNC: fsync of such a file, or with "folder" of a folder, gives EIO.
 * FAIL_RENAME=N: the Nth rename to a name that does not begin with a dot gives EIO, counted from 1.
 * KILL_RENAME=N: it ends the process as by a crash.
 * FAIL_THREAD=N: the system starts no thread any more, from the Nth on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_part(int fd) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 5) return 0;
  name[length] = 0;
  return strcmp(name + length - 5, ".part") == 0;
}

int close(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
  int fails = getenv("FAIL_CLOSE") && is_part(fd);
  int result = real(fd);
  if (!fails) return result;
  errno = EDQUOT;
  return -1;
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  const char *fail = getenv("FAIL_SYNC");
  struct stat found;
  int is_folder = fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
  if (fail && (strcmp(fail, "folder") == 0 ? is_folder : is_part(fd))) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int rename(const char *from, const char *to) {
  static int count = 0;
  int (*real)(const char *, const char *) =
      (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  const char *name = strrchr(to, '/');
  name = name ? name + 1 : to;
  const char *fail = getenv("FAIL_RENAME"), *end = getenv("KILL_RENAME");
  if (name[0] != '.') count++;
  if (end && count == atoi(end)) kill(getpid(), SIGKILL);
  if (fail && name[0] != '.' && count == atoi(fail)) {
    errno = EIO;
    return -1;
  }
  return real(from, to);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*begin)(void *), void *data) {
  static int count = 0;
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
  const char *fail = getenv("FAIL_THREAD");
  if (fail && __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) >= atoi(fail)) return EAGAIN;
  return real(thread, attr, begin, data);
}
