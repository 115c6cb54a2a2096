import { expect, test } from 'bun:test';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { openState } from './chain-state.ts';
import { appendBlocks, codeOf, type OpenChain, openChain } from './open-chain.fixture.ts';
import { chainID, genesisID, randomChain } from './random-chain.fixture.ts';

const grown = (): OpenChain => {
  const chain = openChain(sqliteDrivers[0].open);
  appendBlocks(chain, randomChain(11), 12);
  return chain;
};

const idsIn = ({ store }: OpenChain, text: string): Id[] =>
  store.db
    .prepare<{ id: Uint8Array }>(text)
    .all()
    .map(({ id }) => toHex(id) as Id);

/** Changes one byte of a column of every row. */
const damage = ({ store }: OpenChain, table: string, column: string, at: number): void =>
  store.db.exec(
    `UPDATE ${table} SET ${column} = CAST(substr(${column}, 1, ${at}) || CASE substr(${column}, ${at + 1}, 1) WHEN x'aa' THEN x'ab' ELSE x'aa' END
     || substr(${column}, ${at + 2}) AS BLOB)`,
  );

/** Reads all transactions by ID and returns the fault codes that occurred. */
function readAllTxs(chain: OpenChain): Set<string | undefined> {
  const { state } = chain;
  const codes = new Set<string | undefined>();
  for (const id of idsIn(chain, 'SELECT id FROM c1_tx')) {
    codes.add(codeOf(() => state.txBytes(id)));
    codes.add(codeOf(() => state.tx(id)));
  }
  return codes;
}

test('reading a transaction that does not hash to its ID fails, and the write probe fails from then on', () => {
  const chain = grown();
  expect(readAllTxs(chain)).toEqual(new Set([undefined]));
  chain.store.probeWrite();
  const damaged = grown();
  damage(damaged, 'c1_tx', 'bytes', 20);
  expect(readAllTxs(damaged)).toEqual(new Set(['STATE_DAMAGED']));
  expect(codeOf(damaged.store.probeWrite)).toBe('STORE_DAMAGED');
});

for (const [table, column, at] of [
  ['c1_tx', 'bytes', 20],
  ['c1_block', 'header', 50],
] as const)
  test(`reading a block with a changed ${column} in ${table} fails, by ID and by height`, () => {
    const chain = grown();
    const heights = Array.from({ length: 12 }, (_, i) => BigInt(i + 1));
    const ids = idsIn(chain, 'SELECT id FROM c1_block WHERE height > 0');
    expect(ids.map((id) => codeOf(() => chain.state.block(id)))).toEqual(ids.map(() => undefined));
    damage(chain, table, column, at);
    for (const id of ids) expect(codeOf(() => chain.state.block(id))).toBe('STATE_DAMAGED');
    for (const height of heights) expect(codeOf(() => chain.state.blockAt(height))).toBe('STATE_DAMAGED');
    expect(codeOf(chain.store.probeWrite)).toBe('STORE_DAMAGED');
  });

test('reading an unspent output with a wrong checksum fails', () => {
  const chain = grown();
  const ids = idsIn(chain, 'SELECT id FROM c1_utxo WHERE NOT EXISTS (SELECT 1 FROM c1_spend WHERE utxo = seq)');
  /** Opens the state again, so that no output is cached. */
  const codes = () => {
    const { utxo } = openState(chain.store, chain.memory, { id: chainID, genesis: genesisID });
    return new Set(ids.map((id) => codeOf(() => utxo(id))));
  };
  expect(codes()).toEqual(new Set([undefined]));
  damage(chain, 'c1_utxo', 'bytes', 80);
  expect(codes()).toEqual(new Set(['STATE_DAMAGED']));
});

test('reading an output that is stored in the row of another one fails', () => {
  const chain = grown();
  const [first, second] = idsIn(chain, 'SELECT id FROM c1_utxo WHERE NOT EXISTS (SELECT 1 FROM c1_spend WHERE utxo = seq) LIMIT 2');
  chain.store.db.exec(`UPDATE c1_utxo SET bytes = (SELECT bytes FROM c1_utxo WHERE id = x'${second}') WHERE id = x'${first}'`);
  const { utxo } = openState(chain.store, chain.memory, { id: chainID, genesis: genesisID });
  expect(codeOf(() => utxo(first as Id))).toBe('STATE_DAMAGED');
  expect(utxo(second as Id)?.id).toBe(second as Id);
});
