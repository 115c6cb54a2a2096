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
  /** The blocks that can be taken: up to the first that is missing. */
  let run = emptyRunAt(first);
  const extendRun = (): void => {
    for (let found = ready.get(run.end); found !== undefined; found = ready.get(run.end))
      run = { end: run.end + 1n, txs: run.txs + found.block.txs.length, bytes: run.bytes + found.block.bytes.length };
  };
  return {
    /** The height of the block to be taken next. */
    next: () => next,
    hasNext: () => ready.has(next),
    /** The first height that is missing. */
    runEnd: () => run.end,
    /** Whether the blocks that can be taken fill a batch. */
    fills: (limit: BatchLimit): boolean => run.txs >= limit.txs || run.bytes >= limit.bytes,
    bytes: () => bytes,
    add: (height: bigint, fetched: FetchedBlock): void => {
      bytes += fetched.block.bytes.length;
      ready.set(height, fetched);
      extendRun();
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
        run = { ...run, txs: run.txs - block.txs.length, bytes: run.bytes - block.bytes.length };
        taken.push(found);
      }
      return taken;
    },
    restart: (from: bigint): void => {
      ready.clear();
      bytes = 0;
      next = from;
      run = emptyRunAt(from);
    },
  };
}

const emptyRunAt = (end: bigint) => ({ end, txs: 0, bytes: 0 });
