import { expect, test } from 'bun:test';
import { makeTx } from '../../avm/tx/tx.ts';
import { idToBytes, zeroId } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import { damagedRow } from './fault.ts';
import { tablesOf } from './schema.ts';
import { openVerifiedTxs } from './utxo-table.ts';

const base = { kind: 'BaseTx', networkID: 1, blockchainID: zeroId, inputs: [], outputs: [], memo: new Uint8Array(0) } as const;
const tx = makeTx({ ...base, inputs: [], outputs: [] }, []);

test('a transaction that another process reverts while it is read is not cached', () => {
  let epoch = 0;
  let stored: object | undefined = { seq: 5, id: idToBytes(tx.id), height: 3, bytes: tx.bytes };
  /** Returns the row, and reverts it before it is used. */
  const get = () => {
    const row = stored;
    if (row !== undefined) epoch++;
    stored = undefined;
    return row;
  };
  const db = { prepare: () => ({ get, all: () => [], run: () => undefined }) } as unknown as Database;
  const txs = openVerifiedTxs(db, tablesOf(1), () => epoch, damagedRow);
  expect(txs.byId(tx.id)?.seq).toBe(5);
  expect(txs.byId(tx.id)).toBeUndefined();
});
