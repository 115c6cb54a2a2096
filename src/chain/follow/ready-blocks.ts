import type { Block } from '../../avm/tx/block.ts';

/** A fetched block. `prepared` never rejects: what could not be prepared is done during verification. */
export type FetchedBlock = { readonly block: Block; readonly prepared: Promise<void> };

/** Most transactions and bytes of the blocks in a batch; a single larger block is allowed. */
export type BatchLimit = { readonly txs: number; readonly bytes: number };

/** Fetched blocks by height, which arrive in any order and are taken in order. */
export function createReadyBlocks(first: bigint) {
  const ready = new Map<bigint, FetchedBlock>();
  let next = first;
  let bytes = 0;
  return {
    /** The height of the block to be taken next. */
    next: () => next,
    hasNext: () => ready.has(next),
    bytes: () => bytes,
    add: (height: bigint, fetched: FetchedBlock): void => {
      bytes += fetched.block.bytes.length;
      ready.set(height, fetched);
    },
    take: (limit: BatchLimit): FetchedBlock[] => {
      const taken: FetchedBlock[] = [];
      let remaining = limit;
      for (let found = ready.get(next); found !== undefined; found = ready.get(next)) {
        const { block } = found;
        remaining = { txs: remaining.txs - block.txs.length, bytes: remaining.bytes - block.bytes.length };
        if (taken.length > 0 && (remaining.txs < 0 || remaining.bytes < 0)) break;
        ready.delete(next++);
        bytes -= block.bytes.length;
        taken.push(found);
      }
      return taken;
    },
    restart: (from: bigint): void => {
      ready.clear();
      bytes = 0;
      next = from;
    },
  };
}
