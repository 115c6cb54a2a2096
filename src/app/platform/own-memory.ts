/**
 * The memory of this process. To read it, Bun opens files, which fails while the process has as many as it may: then it is what was read last. A node
 * ended when that happened to its samples, which it takes every five seconds.
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
