import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';

/** A transaction that was not accepted. `refused`: not admitted to the mempool. `dropped`: it left the mempool. */
type Drop = {
  /** Counts up from 1; a larger number is newer. */
  readonly number: number;
  readonly txID: Id;
  readonly kind: Tx['unsigned']['kind'];
  readonly size: number;
  /** Unix nanoseconds of the real clock. */
  readonly time: bigint;
  readonly stage: 'refused' | 'dropped';
  readonly reason: AnyFault;
  /** undefined once the transactions after it need the space. */
  readonly bytes: Uint8Array | undefined;
};

export type DropLog = {
  readonly add: (drop: Pick<Drop, 'time' | 'stage' | 'reason'> & { readonly tx: Tx }) => void;
  /** Drops below a number, newest first. */
  readonly list: (before: number | undefined, limit: number) => readonly Drop[];
  /** The last drop of a transaction. */
  readonly find: (txID: Id) => Drop | undefined;
};

/** The number of drops kept, and the bytes kept of their transactions in total. */
const maxDrops = 10_000;
const maxDropBytes = 16 * 1024 * 1024;

/** Creates a log of the last drops. The bytes of a transaction are copied, because they may be a part of a larger request. */
export function createDropLog(limits = { drops: maxDrops, bytes: maxDropBytes }): DropLog {
  const drops = new Map<number, Drop>();
  const lastOf = new Map<Id, number>();
  let last = 0;
  let bytes = 0;
  /** All drops below it have no bytes. */
  let firstWithBytes = 1;

  const evictBytes = (): void => {
    for (; bytes > limits.bytes && firstWithBytes <= last; firstWithBytes++) {
      const drop = drops.get(firstWithBytes);
      if (drop?.bytes === undefined) continue;
      bytes -= drop.bytes.length;
      drops.set(firstWithBytes, { ...drop, bytes: undefined });
    }
  };

  const evictOldest = (): void => {
    const number = last - limits.drops;
    const drop = drops.get(number);
    if (drop === undefined) return;
    bytes -= drop.bytes?.length ?? 0;
    drops.delete(number);
    if (lastOf.get(drop.txID) === number) lastOf.delete(drop.txID);
  };

  return {
    add: ({ tx, time, stage, reason }) => {
      const number = ++last;
      const drop = {
        number,
        txID: tx.id,
        kind: tx.unsigned.kind,
        size: tx.bytes.length,
        time,
        stage,
        reason,
        bytes: new Uint8Array(tx.bytes),
      };
      drops.set(number, drop);
      lastOf.set(tx.id, number);
      bytes += drop.size;
      evictOldest();
      evictBytes();
    },
    list: (before, limit) => {
      const found: Drop[] = [];
      for (let number = Math.min(before ?? last + 1, last + 1) - 1; number > 0 && found.length < limit; number--) {
        const drop = drops.get(number);
        if (drop === undefined) break;
        found.push(drop);
      }
      return found;
    },
    find: (txID) => {
      const number = lastOf.get(txID);
      return number === undefined ? undefined : drops.get(number);
    },
  };
}
