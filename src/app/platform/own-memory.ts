/**
 * The memory of this process. Bun opens files to read it. That fails while the process has as many files and sockets open as it may; then the value
 * that was read last is returned. Otherwise the node would end with this error: it reads its memory every five seconds for its history.
 */
export const ownMemory = {
  residentBytes: lastKnown(() => process.memoryUsage.rss()),
  heapBytes: lastKnown(() => process.memoryUsage().heapUsed),
};

function lastKnown(read: () => number): () => number {
  let last: number | undefined;
  return () => {
    try {
      last = read();
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last;
  };
}
