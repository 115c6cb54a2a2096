import { effectsOf } from '../../avm/tx/effects.ts';
import { parseTx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { equal } from '../../base/bytes/octets.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import type { Database } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import { type CheckContext, parseOrUndefined } from './check-context.ts';
import { addIdsOf, createRecentIds, type OutputIdRow } from './output-ids.ts';
import { isPreLinearizationOutput, outputNumber, outputsPerTx } from './output-number.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum, encodeStoredUtxo, hasValidChecksum, type StoredUtxo } from './stored-utxo.ts';

type TxRow = { readonly seq: number; readonly bytes: Uint8Array; readonly outputs: Uint8Array | null };
type OldRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: StoredUtxo };

/**
 * Checks that outputs without a transaction match their IDs, that transactions which exist consumed the spent ones, and that the IDs of all
 * others are found. Returns the number of unspent outputs and of their owners, and a hash of them that does not depend on their order: the sum
 * of their hashes.
 */
export function checkUtxos(db: Database, t: Tables, txs: number, { addProblem, readRows }: CheckContext) {
  const txsAfter = db.prepare<TxRow>(`SELECT seq, bytes, outputs FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const oldAfter = db.prepare<OldRow>(`SELECT seq, id, bytes FROM ${t.oldUtxo} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const spendsBetween = db.prepare<{ utxo: number; tx: number }>(`SELECT utxo, tx FROM ${t.spend} WHERE utxo >= ? AND utxo < ?`);
  const idRow = db.prepare<OutputIdRow>(`SELECT number, last_tx, ids FROM ${t.outputId} WHERE number = ?`);
  const sum = createHashSum();
  let unspent = 0;
  let owners = 0;
  let idRows = 0;
  const spendersFrom = (from: number, to: number): ReadonlyMap<number, number> => {
    const spends = spendsBetween.all(from, to);
    for (const { utxo, tx } of spends)
      if (tx < 1 || tx > txs) addProblem(`output ${utxo} is marked as spent by a transaction that does not exist`);
    return new Map(spends.map(({ utxo, tx }) => [utxo, tx]));
  };
  const addUnspent = (utxo: Utxo, bytes: StoredUtxo): void => {
    unspent++;
    owners += [...ownersOf(utxo)].length;
    sum.add(bytes);
  };

  for (const row of readRows<OldRow>((last, limit) => oldAfter.all(last?.seq ?? Number.MIN_SAFE_INTEGER, limit))) {
    const utxo = parseOrUndefined(() => decodeWithoutChecksum(row.bytes));
    if (utxo?.id !== toHex(row.id)) addProblem(`output ${row.seq} does not match its id`);
    if (utxo && !hasValidChecksum(row.bytes)) addProblem(`output ${row.seq} has a wrong checksum`);
    if (!isPreLinearizationOutput(row.seq)) addProblem(`output ${row.seq} has the number of another one`);
    if (utxo && !spendersFrom(row.seq, row.seq + 1).has(row.seq)) addUnspent(utxo, row.bytes);
  }
  const recent = createRecentIds();
  for (const row of readRows<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    // A transaction that cannot be read is reported elsewhere.
    const tx = parseOrUndefined(() => parseTx(row.bytes, maxGenesisBytes));
    const created = tx === undefined || row.outputs?.length === 0 ? [] : effectsOf(tx).created;
    const spenders = spendersFrom(outputNumber(row.seq, 0), outputNumber(row.seq + 1, 0));
    for (const seq of spenders.keys())
      if (tx !== undefined && seq % outputsPerTx >= created.length) addProblem(`output ${seq} is marked as spent and does not exist`);
    const numbered = created.map((utxo) => ({ utxo, seq: outputNumber(row.seq, utxo.outputIndex) }));
    for (const { utxo, seq } of numbered) if (!spenders.has(seq)) addUnspent(utxo, encodeStoredUtxo(utxo));
    for (const expected of addIdsOf(recent, numbered, row.seq)) {
      const found = idRow.get(expected.number);
      if (found === undefined || found.last_tx !== expected.last_tx || !equal(found.ids, expected.ids))
        addProblem(`row ${expected.number} of the IDs of outputs differs from the transactions up to ${expected.last_tx}`);
      idRows++;
    }
  }
  const storedIdRows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.outputId}`).get()?.n;
  if (storedIdRows !== idRows) addProblem(`there are ${storedIdRows} rows of IDs of outputs, there should be ${idRows}`);
  return { unspent, owners, hash: sum.bytes() };
}

/** Adds hashes modulo 2^256. */
function createHashSum() {
  const words = new Uint32Array(8);
  return {
    add: (bytes: Uint8Array): void => {
      const hash = sha256(bytes);
      const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
      let carry = 0;
      for (let i = 7; i >= 0; i--) {
        const total = (words[i] as number) + view.getUint32(4 * i) + carry;
        words[i] = total;
        carry = total > 0xffff_ffff ? 1 : 0;
      }
    },
    bytes: (): Uint8Array => {
      const bytes = new Uint8Array(32);
      const view = new DataView(bytes.buffer);
      for (const [i, word] of words.entries()) view.setUint32(4 * i, word);
      return bytes;
    },
  };
}
