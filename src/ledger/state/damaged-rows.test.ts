import { expect, test } from 'bun:test';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
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

/** The same with its unspent outputs. */
const grownWithOutputs = (): { chain: OpenChain; unspent: Utxo[] } => {
  const chain = openChain(sqliteDrivers[0].open);
  const source = randomChain(11);
  appendBlocks(chain, source, 12);
  return { chain, unspent: [...source.model.unspent.values()].map(({ utxo }) => utxo) };
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

test('reading an unspent output of a damaged transaction fails', () => {
  const { chain, unspent } = grownWithOutputs();
  /** Opens the state again, so that no output is cached. */
  const codes = () => {
    const { utxo } = openState(chain.store, chain.sharedMemory, { id: chainID, genesis: genesisID });
    return new Set(unspent.map((ref) => codeOf(() => utxo(ref))));
  };
  expect(codes()).toEqual(new Set([undefined]));
  damage(chain, 'c1_tx', 'bytes', 80);
  expect(codes()).toEqual(new Set(['STATE_DAMAGED']));
});

test('reading an output of a transaction that is stored in the row of another one fails', () => {
  const { chain, unspent } = grownWithOutputs();
  const first = unspent[0] as Utxo;
  const second = unspent.find(({ txID }) => txID !== first.txID) as Utxo;
  chain.store.db.exec(`UPDATE c1_tx SET bytes = (SELECT bytes FROM c1_tx WHERE id = x'${second.txID}') WHERE id = x'${first.txID}'`);
  const { utxo } = openState(chain.store, chain.sharedMemory, { id: chainID, genesis: genesisID });
  expect(codeOf(() => utxo(first))).toBe('STATE_DAMAGED');
  expect(utxo(second)?.id).toBe(second.id);
});

test('reading a damaged output from before linearization fails', () => {
  const chain = grown();
  const old = makeUtxo('ab'.repeat(32) as Id, 3, chainID, {
    ...{ kind: 'secp256k1fx.TransferOutput', amount: 5n, locktime: 0n },
    ...{ threshold: 1, addresses: ['cd'.repeat(20) as Address] },
  });
  chain.state.addPreLinearizationUtxos([old]);
  const open = () => openState(chain.store, chain.sharedMemory, { id: chainID, genesis: genesisID });
  expect(open().utxo(old)).toEqual(old);
  damage(chain, 'c1_old_utxo', 'bytes', 80);
  expect(codeOf(() => open().utxo(old))).toBe('STATE_DAMAGED');
});
