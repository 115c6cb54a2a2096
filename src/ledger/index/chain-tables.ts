import { outputsPerTx } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import type { Table } from './tables.ts';

/*
 * PostgreSQL's copies of the chain's own tables. PostgreSQL holds no chain state, but the index is read from it with the same SQL as from
 * SQLite. Names and columns are those of ledger/state/schema.ts, which documents them.
 */

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

export const chainTables: { readonly [T in Exclude<keyof Tables, 'owner'>]: Table } = {
  block: {
    columns: {
      ...{ height: int, id: blob, header: blob, first_tx: int, tx_count: int, time: int, unspent: int },
      ...{ tx_bytes: int, fees: blob, create_asset: int, operation: int, import: int, export: int },
    },
    key: ['height'],
    unique: [['id']],
    partitions: { by: 'height', counts: 'height', step: 1 },
  },
  tx: {
    columns: { seq: int, id: blob, height: int, bytes: blob, outputs: { type: 'blob', null: true } },
    key: ['seq'],
    unique: [['id']],
    partitions: { by: 'seq', counts: 'tx', step: 1 },
  },
  oldUtxo: { columns: { seq: int, id: blob, bytes: blob }, key: ['seq'], unique: [['id']] },
  outputId: { columns: { number: int, last_tx: int, ids: blob }, key: ['number'] },
  spend: { columns: { utxo: int, tx: int }, key: ['utxo'], partitions: { by: 'utxo', counts: 'tx', step: outputsPerTx } },
  balance: {
    columns: { address: blob, asset: blob, part: blob, height: int, amount: blob, count: int, nfts: int },
    key: ['address', 'asset', 'part', 'height'],
  },
  asset: { columns: { id: blob, fxs: { type: 'text' }, name: blob, symbol: blob, denomination: int }, key: ['id'] },
};

export const sharedTables: { readonly chain: Table } = {
  chain: { columns: { number: int, id: blob, genesis: { type: 'blob', null: true } }, key: ['number'], unique: [['id']] },
};
