import type { NodeId } from '../../base/bytes/node-id.ts';

/** Limits the queries that wait to be processed, per peer and by bytes in total. What exceeds it is dropped. */
type QueryLimit = {
  /** Returns a function to call when the query is processed; undefined if there is no room. */
  readonly admit: (node: NodeId, bytes: number) => (() => void) | undefined;
};

export function createQueryLimit(limits: { readonly count: number; readonly bytes: number }): QueryLimit {
  const counts = new Map<NodeId, number>();
  let waitingBytes = 0;
  return {
    admit: (node, bytes) => {
      const count = counts.get(node) ?? 0;
      if (count >= limits.count || waitingBytes + bytes > limits.bytes) return undefined;
      counts.set(node, count + 1);
      waitingBytes += bytes;
      return () => {
        waitingBytes -= bytes;
        const left = (counts.get(node) ?? 1) - 1;
        if (left === 0) counts.delete(node);
        else counts.set(node, left);
      };
    },
  };
}
