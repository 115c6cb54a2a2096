/*
 * The files of the simulated disk (simulated-disk.c): of each what is on the disk for certain, and what was written to it since its last sync. Here is
 * the plan of a session too, which says what fails and which of these writes a power cut leaves.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { maxFiles = 64, sectorSize = 512 };

/* A write since the last sync; a truncation to `offset` has no bytes. */
typedef struct {
  off_t offset;
  size_t length;
  unsigned char *bytes;
} Change;

typedef struct {
  dev_t device;
  ino_t inode;
  char path[4096];
  /* What is on the disk. */
  unsigned char *disk;
  size_t size, diskRoom;
  /* False for a file that Bun writes, with system calls of its own. */
  int isSimulated;
  /* Whether a sync has failed and forgotten writes: then no later sync writes what the next process finds. */
  int isForgetful;
  Change *changes;
  size_t count, room;
} File;

/* A sync, or the last page that a commit writes to the log. */
typedef enum { anyMoment, atSync, atLastPage } Moment;

static struct {
  int isRead;
  const char *folder, *images;
  long crashAt, killAt, failAt, failCount;
  int error, lies, slow, isRough, exitLeaves;
  Moment moment;
  uint32_t random, aside;
} plan;
/* Reads so far, and those that fail: the ones of SQLite, and the node's own ones of its files. */
static struct Reads {
  long count, failAt, failCount;
} sqliteReads, ownReads;
static File files[maxFiles];
static int fileCount, isCrashing;
static long operations, failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*realPwrite)(int, const void *, size_t, off64_t);
static ssize_t (*realPread)(int, void *, size_t, off64_t);
static int (*realFsync)(int);
static int (*realFdatasync)(int);
static int (*realFtruncate)(int, off64_t);
static int (*realUnlink)(const char *);
static int (*realKill)(pid_t, int);
static void (*realQuickExit)(int);

static long numberOf(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

static void readPlan(void) {
  if (plan.isRead) return;
  realPwrite = dlsym(RTLD_NEXT, "pwrite64");
  realPread = dlsym(RTLD_NEXT, "pread64");
  realFsync = dlsym(RTLD_NEXT, "fsync");
  realFdatasync = dlsym(RTLD_NEXT, "fdatasync");
  realFtruncate = dlsym(RTLD_NEXT, "ftruncate64");
  realUnlink = dlsym(RTLD_NEXT, "unlink");
  realKill = dlsym(RTLD_NEXT, "kill");
  realQuickExit = dlsym(RTLD_NEXT, "quick_exit");
  plan.folder = getenv("SERAC_DISK_FOLDER");
  plan.images = getenv("SERAC_DISK_IMAGES");
  plan.crashAt = numberOf("SERAC_DISK_CRASH_AT");
  plan.killAt = numberOf("SERAC_DISK_KILL_AT");
  plan.failAt = numberOf("SERAC_DISK_FAIL_AT");
  plan.failCount = numberOf("SERAC_DISK_FAIL_COUNT");
  sqliteReads = (struct Reads){0, numberOf("SERAC_DISK_READ_FAIL_AT"), numberOf("SERAC_DISK_READ_FAIL_COUNT")};
  ownReads = (struct Reads){0, numberOf("SERAC_DISK_OWN_READ_FAIL_AT"), numberOf("SERAC_DISK_OWN_READ_FAIL_COUNT")};
  plan.error = (int)numberOf("SERAC_DISK_ERROR");
  plan.lies = (int)numberOf("SERAC_DISK_LIES");
  plan.slow = (int)numberOf("SERAC_DISK_SLOW");
  plan.isRough = (int)numberOf("SERAC_DISK_ROUGH");
  plan.moment = (Moment)numberOf("SERAC_DISK_MOMENT");
  plan.exitLeaves = (int)numberOf("SERAC_DISK_EXIT_LEAVES");
  plan.random = (uint32_t)numberOf("SERAC_DISK_SEED") * 2654435761u + 1;
  plan.aside = plan.random ^ 0x5bd1e995u;
  plan.isRead = 1;
}

static uint32_t draw(uint32_t *random, uint32_t end) {
  *random ^= *random << 13;
  *random ^= *random >> 17;
  *random ^= *random << 5;
  return *random % end;
}
static uint32_t below(uint32_t end) { return draw(&plan.random, end); }
/* For choices that were added later: they do not change what else a seed means. */
static uint32_t asideBelow(uint32_t end) { return draw(&plan.aside, end); }

static void resize(File *file, size_t size) {
  if (size > file->diskRoom) {
    file->diskRoom = 2 * size;
    file->disk = realloc(file->disk, file->diskRoom);
  }
  if (size > file->size) memset(file->disk + file->size, 0, size - file->size);
  file->size = size;
}

/* Where the image of a file is left for the next process: a byte that says if it is forgetful, and what is on the disk. */
static void imagePath(const char *path, char *into) {
  const char *name = strrchr(path, '/');
  snprintf(into, 4096, "%s%s", plan.images, name == NULL ? path : name);
}

static void readFrom(File *file, int fd, off_t start) {
  struct stat found;
  if (fstat(fd, &found) != 0) abort();
  resize(file, (size_t)(found.st_size - start));
  if (realPread(fd, file->disk, file->size, start) != (ssize_t)file->size) abort();
}

/* Remembers a write, or a truncation if there are no bytes. */
static void remember(File *file, off_t offset, const void *bytes, size_t length) {
  file->isSimulated = 1;
  if (file->count == file->room) {
    file->room = file->room == 0 ? 64 : file->room * 2;
    file->changes = realloc(file->changes, file->room * sizeof *file->changes);
  }
  Change *change = &file->changes[file->count++];
  *change = (Change){.offset = offset, .length = length};
  if (bytes == NULL) return;
  change->bytes = malloc(length);
  memcpy(change->bytes, bytes, length);
}

/* Reads what is on the disk: what an earlier process has left, or, if it was killed, what it had synced. */
static void openDisk(File *file) {
  char image[4096], forgetful = 0;
  imagePath(file->path, image);
  int own = open(file->path, O_RDONLY), left = open(image, O_RDONLY);
  if (own < 0) abort();
  readFrom(file, own, 0);
  close(own);
  if (left < 0) return;
  size_t size = file->size;
  unsigned char *found = malloc(size);
  memcpy(found, file->disk, size);
  readFrom(file, left, 1);
  file->isSimulated = 1;
  if (realPread(left, &forgetful, 1, 0) != 1) abort();
  if (!forgetful) {
    remember(file, (off_t)size, NULL, 0);
    remember(file, 0, found, size);
  }
  free(found);
  close(left);
  realUnlink(image);
}

/* The file of a descriptor, if it is a simulated one. */
static File *fileOf(int fd) {
  struct stat found;
  char link[64], path[4096];
  if (plan.folder == NULL || fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return NULL;
  for (int i = 0; i < fileCount; i++)
    if (files[i].inode == found.st_ino && files[i].device == found.st_dev) return &files[i];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
  if (strncmp(path, plan.folder, strlen(plan.folder)) != 0) return NULL;
  if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return NULL;
  if (fileCount == maxFiles) abort();
  File *file = &files[fileCount++];
  memset(file, 0, sizeof *file);
  file->device = found.st_dev;
  file->inode = found.st_ino;
  strcpy(file->path, path);
  openDisk(file);
  return file;
}

static void forgetChanges(File *file) {
  for (size_t i = 0; i < file->count; i++) free(file->changes[i].bytes);
  file->count = 0;
}

static File *fileNamed(const char *path) {
  for (int i = 0; i < fileCount; i++)
    if (strcmp(files[i].path, path) == 0) return &files[i];
  return NULL;
}

static void removeFile(File *file) {
  forgetChanges(file);
  free(file->changes);
  free(file->disk);
  *file = files[--fileCount];
}

/* A change reaches the disk; of a torn one, not all sectors. */
static void apply(File *file, const Change *change, uint32_t lostOf100) {
  if (change->bytes == NULL) {
    resize(file, (size_t)change->offset);
    return;
  }
  size_t done = 0;
  while (done < change->length) {
    size_t at = (size_t)change->offset + done;
    size_t length = sectorSize - at % sectorSize;
    if (length > change->length - done) length = change->length - done;
    if (lostOf100 == 0 || below(100) >= lostOf100) {
      if (at + length > file->size) resize(file, at + length);
      memcpy(file->disk + at, change->bytes + done, length);
    }
    done += length;
  }
}

static void applyAll(File *file) {
  for (size_t i = 0; i < file->count; i++) apply(file, &file->changes[i], 0);
}

/* Some of the writes since the last sync reach the disk. */
static void applySome(File *file) {
  if (file->count == 0) return;
  uint32_t way = below(5);
  /* 0: all are lost. 1: all are kept, or all but one. 2: the first ones are kept, one is torn. 3: some are lost. 4: some are lost, in another order, torn. */
  if (way == 0) return;
  if (way == 1) {
    size_t lost = asideBelow(3) == 0 ? file->count : asideBelow((uint32_t)file->count);
    for (size_t i = 0; i < file->count; i++)
      if (i != lost) apply(file, &file->changes[i], 0);
    return;
  }
  size_t kept = way == 2 ? below((uint32_t)file->count) : file->count;
  size_t *order = malloc(file->count * sizeof *order);
  for (size_t i = 0; i < file->count; i++) order[i] = i;
  if (way == 4)
    for (size_t i = file->count - 1; i > 0; i--) {
      size_t other = below((uint32_t)(i + 1)), held = order[i];
      order[i] = order[other];
      order[other] = held;
    }
  for (size_t i = 0; i < kept; i++) {
    if (way >= 3 && below(3) == 0) continue;
    apply(file, &file->changes[order[i]], way == 4 && below(2) == 0 ? 50 : 0);
  }
  if (way == 2 && file->changes[kept].bytes != NULL) apply(file, &file->changes[kept], 50);
  free(order);
}

/* What is left of a file. */
static void losePower(File *file) {
  if (!file->isSimulated) return;
  applySome(file);
  int fd = open(file->path, O_RDWR);
  if (fd < 0) return;
  if (realFtruncate(fd, (off64_t)file->size) != 0 || realPwrite(fd, file->disk, file->size, 0) != (ssize_t)file->size) abort();
}

/* Leaves what is on the disk for the next process, if the file has more. */
static void leaveImage(File *file) {
  char image[4096], forgetful = (char)file->isForgetful;
  if (file->count == 0 && !forgetful) return;
  imagePath(file->path, image);
  int fd = open(image, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || realPwrite(fd, &forgetful, 1, 0) != 1 || realPwrite(fd, file->disk, file->size, 1) != (ssize_t)file->size) abort();
}
