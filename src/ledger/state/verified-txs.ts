import { addsOutputs } from '../../avm/tx/tx-layout.ts';
import { type Id, idFromBytes, idOf, idText, idToBytes } from '../../base/bytes/id.ts';
import { type CacheVersion, createCache } from '../../base/cache/cache.ts';
import type { Database } from '../store/database.ts';
import type { StateError } from './fault.ts';
import { outputNumber } from './output-number.ts';
import type { Tables } from './schema.ts';
import { openCreatedUtxos } from './stored-tx.ts';
import { outputsAreKnown } from './tx-outputs.ts';

/**
 * A transaction whose bytes hash to its ID. `hasKnownOutputs`: it was read as one whose outputs are known; see `unknownOutputs`.
 * `outputAt` reads one of its outputs. `spent`: numbers of its spent outputs, once read; only in the writer process.
 */
export type VerifiedTx = {
  readonly id: Id;
  readonly seq: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly hasKnownOutputs: boolean;
  readonly outputAt: ReturnType<typeof openCreatedUtxos>;
  spent: Set<number> | undefined;
};

/**
 * Bytes of a cached transaction: twice its encoding, some hundred, and numbers of its spent outputs, of which each has some 80 bytes. Where
 * the outputs of operations are takes up to one and a half times their bytes.
 */
const txEntrySize = (bytes: Uint8Array): number => 600 + (addsOutputs(bytes) ? 4 : 2) * bytes.length;

/**
 * Transactions that created outputs, verified once and cached. A large transaction may have hundreds of outputs, which are spent one by one;
 * hashing it for each would take longer than all the rest. `version` changes whenever cached transactions may be wrong.
 */
export function openVerifiedTxs(db: Database, t: Tables, version: () => number, damaged: (row: string) => StateError) {
  const rowById = db.prepare<{ seq: number; height: number; bytes: Uint8Array }>(
    `SELECT x.seq, x.height, x.bytes FROM ${t.tx} x WHERE x.id = ? AND ${outputsAreKnown}`,
  );
  const rowBySeq = db.prepare<{ id: Uint8Array; height: number; bytes: Uint8Array }>(`SELECT id, height, bytes FROM ${t.tx} WHERE seq = ?`);
  const spentFrom = db.prepare<{ utxo: number }>(`SELECT utxo FROM ${t.spend} WHERE utxo >= ? AND utxo < ?`);
  const cache = createCache<Id, VerifiedTx>('outputTxs', { size: (_, { bytes }) => txEntrySize(bytes), version });
  /** `madeAt`: the version before the row was read. In a reader process, a revert may be committed between the read and `set`. */
  const verify = (read: Omit<VerifiedTx, 'outputAt' | 'spent'>, madeAt: CacheVersion): VerifiedTx => {
    const { id, seq, height, bytes, hasKnownOutputs } = read;
    const known = cache.get(id);
    if (known !== undefined && (known.hasKnownOutputs || !hasKnownOutputs)) return known;
    if (known === undefined && idOf(bytes) !== id) throw damaged(`transaction ${idText(id)}`);
    const outputAt = known?.outputAt ?? openCreatedUtxos({ id: idToBytes(id), bytes });
    const tx = { id, seq, height, bytes, hasKnownOutputs, outputAt, spent: known?.spent };
    cache.set(id, tx, madeAt);
    return tx;
  };
  return {
    /** A transaction whose outputs are known. */
    byId: (id: Id): VerifiedTx | undefined => {
      const known = cache.get(id);
      if (known?.hasKnownOutputs) return known;
      const madeAt = cache.version();
      const row = rowById.get(idToBytes(id));
      return row && verify({ ...row, id, hasKnownOutputs: true }, madeAt);
    },
    bySeq: (seq: number): VerifiedTx | undefined => {
      const madeAt = cache.version();
      const row = rowBySeq.get(seq);
      return row && verify({ seq, height: row.height, bytes: row.bytes, id: idFromBytes(row.id), hasKnownOutputs: false }, madeAt);
    },
    /** Numbers of the spent outputs of a transaction. They are often spent soon after each other, so all are read at once. */
    spentOutputsOf: (tx: VerifiedTx): ReadonlySet<number> => {
      tx.spent ??= new Set(spentFrom.all(outputNumber(tx.seq, 0), outputNumber(tx.seq + 1, 0)).map(({ utxo }) => utxo));
      return tx.spent;
    },
    /** Marks an output as spent if it is cached which outputs of its transaction are. */
    addSpent: (txID: Id, seq: number): void => {
      cache.get(txID)?.spent?.add(seq);
    },
  };
}
