import type { Tables } from '../state/schema.ts';
import type { Table } from './tables.ts';

/*
 * The chain's own tables as PostgreSQL has them, where no chain lives but its index is read the same way: names and columns are those of
 * state/schema.ts, which says what they mean.
 */

const int = { type: 'int' } as const;
const blob = { type: 'blob' } as const;

export const chainTables: { readonly [T in Exclude<keyof Tables, 'owner' | 'account'>]: Table } = {
  block: {
    columns: { height: int, id: blob, header: blob, first_tx: int, tx_count: int, time: int, unspent: int },
    key: ['height'],
    unique: [['id']],
  },
  tx: { columns: { seq: int, id: blob, height: int, bytes: blob }, key: ['seq'], unique: [['id']] },
  utxo: { columns: { seq: int, id: blob, height: int, bytes: blob }, key: ['seq'], unique: [['id']] },
  spend: { columns: { utxo: int, tx: int }, key: ['utxo'] },
  asset: { columns: { id: blob, fxs: { type: 'text' }, name: blob, symbol: blob, denomination: int }, key: ['id'] },
};

export const sharedTables: { readonly chain: Table } = {
  chain: { columns: { number: int, id: blob, genesis: { type: 'blob', null: true } }, key: ['number'], unique: [['id']] },
};
