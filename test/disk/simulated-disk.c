/*
 * A disk that loses power. Loaded with LD_PRELOAD, it stands between a program and its files below SERAC_DISK_FOLDER: it keeps what is on the disk
 * for certain, and every write since the last sync of a file. At a chosen write it does what a power cut does: of the writes that were not synced,
 * some are lost, some are torn at sectors of 512 bytes, some reach the disk before earlier ones; then it kills the process. All choices come from a
 * seed. It can also fail writes, syncs and reads, be slow, and sync without doing it.
 *
 * At another write it only kills the process: writes that were not synced stay, and the next process finds them. They are not on the disk yet, so
 * what is on it is left for that process in SERAC_DISK_IMAGES.
 *
 * A process that ends by itself leaves the same, unless the plan says that an exit syncs all files.
 *
 * A write that fails may have written a part. A sync that fails forgets the writes, as Linux does: some of them are on the disk, and the next sync
 * does not write the others, although the program goes on reading them.
 *
 * The wal-index of SQLite (-shm) is left out, because SQLite rebuilds it after a crash. Names of files are taken as durable at once.
 */
#include "simulated-files.h"

/* Whether what is planned for an operation happens now: from that operation on, or from the next one of the planned moment on. */
static int isReached(long at, Moment moment) { return at > 0 && operations >= at && (plan.moment == anyMoment || plan.moment == moment); }

/* Counts a change or a sync. Returns an error that it fails with, or 0. */
static int nextOperation(Moment moment) {
  operations++;
  int isKilled = isReached(plan.killAt, moment);
  if (isKilled || isReached(plan.crashAt, moment)) {
    isCrashing = 1;
    for (int i = 0; i < fileCount; i++) (isKilled ? leaveImage : losePower)(&files[i]);
    realKill(getpid(), SIGKILL);
    for (;;) pause();
  }
  if (!isReached(plan.failAt, moment) || failures == plan.failCount) return 0;
  failures++;
  return plan.error;
}

static int failWith(int error) {
  errno = error;
  return -1;
}

/* A file that is removed keeps nothing; another one may get its inode. */
int unlink(const char *path) {
  char image[4096];
  pthread_mutex_lock(&lock);
  readPlan();
  if (plan.images != NULL && strncmp(path, plan.folder, strlen(plan.folder)) == 0) {
    imagePath(path, image);
    realUnlink(image);
  }
  File *file = isCrashing ? NULL : fileNamed(path);
  if (file != NULL) {
    nextOperation(anyMoment);
    removeFile(file);
  }
  pthread_mutex_unlock(&lock);
  return realUnlink(path);
}

/* For the node's own renames. A file that had the new name keeps nothing. */
int renameOwnFile(const char *from, const char *to) {
  char image[4096], newImage[4096];
  pthread_mutex_lock(&lock);
  readPlan();
  int error = nextOperation(anyMoment);
  File *replaced = fileNamed(to);
  if (error == 0 && replaced != NULL) removeFile(replaced);
  File *renamed = fileNamed(from);
  if (error == 0 && renamed != NULL) strcpy(renamed->path, to);
  imagePath(from, image);
  imagePath(to, newImage);
  if (error == 0 && rename(image, newImage) != 0) realUnlink(newImage);
  pthread_mutex_unlock(&lock);
  return error == 0 ? rename(from, to) : failWith(error);
}

static void leaveImages(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < fileCount && !isCrashing; i++) leaveImage(&files[i]);
  pthread_mutex_unlock(&lock);
}

/* A process that kills itself, because its disk fails again and again, leaves what one that is killed leaves. */
int kill(pid_t process, int signal) {
  readPlan();
  if (process == getpid() && signal == SIGKILL) leaveImages();
  return realKill(process, signal);
}

/* Bun ends a process by this, when it has closed its databases. */
void quick_exit(int code) {
  readPlan();
  if (plan.exitLeaves) leaveImages();
  realQuickExit(code);
  abort();
}

/* For the test: the number of changes and syncs so far. */
long simulatedOperations(void) { return operations; }

/* Whether the last write was the header of the last frame of a commit: only that has the size of the database. */
static int isCommitHeader;

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  pthread_mutex_lock(&lock);
  readPlan();
  File *file = isCrashing ? NULL : fileOf(fd);
  int error = file == NULL ? 0 : nextOperation(isCommitHeader ? atLastPage : anyMoment);
  isCommitHeader = file != NULL && length == 24 && memcmp((const char *)bytes + 4, "\0\0\0", 4) != 0;
  /* The part that a failing write writes, if any. */
  size_t part = error == 0 ? length : plan.isRough ? below((uint32_t)length) : 0;
  if (file != NULL && part > 0) remember(file, offset, bytes, part);
  pthread_mutex_unlock(&lock);
  ssize_t written = error != 0 && part == 0 ? 0 : realPwrite(fd, bytes, part, offset);
  return error == 0 ? written : failWith(error);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

static ssize_t readFile(struct Reads *reads, int fd, void *bytes, size_t length, off64_t offset) {
  readPlan();
  int slow = reads == &sqliteReads ? plan.slow : 0;
  if ((slow > 0 || reads->failAt > 0) && !isCrashing) {
    pthread_mutex_lock(&lock);
    int isFile = fileOf(fd) != NULL;
    int isSlow = isFile && slow > 0 && below(100) < (uint32_t)slow;
    reads->count += isFile;
    int fails = isFile && reads->failAt > 0 && reads->count >= reads->failAt && reads->count < reads->failAt + reads->failCount;
    pthread_mutex_unlock(&lock);
    if (isSlow) usleep(2000);
    if (fails) return failWith(EIO);
  }
  return realPread(fd, bytes, length, offset);
}
ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) { return readFile(&sqliteReads, fd, bytes, length, offset); }
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }
/* For the node's own reads. They count apart, so that they do not change which reads of SQLite fail by a seed. */
ssize_t readOwnFile(int fd, void *bytes, size_t length, off64_t offset) { return readFile(&ownReads, fd, bytes, length, offset); }

static int syncFile(int fd, int (**real)(int)) {
  pthread_mutex_lock(&lock);
  readPlan();
  File *file = isCrashing ? NULL : fileOf(fd);
  int error = file == NULL ? 0 : nextOperation(atSync);
  if (file != NULL && error == 0 && !plan.lies) {
    applyAll(file);
    forgetChanges(file);
  } else if (file != NULL && error != 0 && plan.isRough) {
    applySome(file);
    forgetChanges(file);
    file->isForgetful = 1;
  }
  pthread_mutex_unlock(&lock);
  if (error != 0) return failWith(error);
  /* The file is simulated: nothing need wait for the real disk. */
  return file == NULL ? (*real)(fd) : 0;
}
int fsync(int fd) { return syncFile(fd, &realFsync); }
int fdatasync(int fd) { return syncFile(fd, &realFdatasync); }

int ftruncate64(int fd, off64_t size) {
  pthread_mutex_lock(&lock);
  readPlan();
  File *file = isCrashing ? NULL : fileOf(fd);
  int error = file == NULL ? 0 : nextOperation(anyMoment);
  if (file != NULL && error == 0) remember(file, size, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (error != 0) return failWith(error);
  return realFtruncate(fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
