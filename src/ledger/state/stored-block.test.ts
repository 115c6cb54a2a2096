import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { StoredBlock } from './block-change.ts';
import { getChainNumber } from './chain-number.ts';
import type { OnBlocksStored } from './chain-writer.ts';
import { openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';
import { tablesOf } from './schema.ts';
import { openUtxoTable } from './utxo-table.ts';

test('the callback of a commit receives the stored block with the numbers of its rows', () => {
  const chain = openChain(openDatabase);
  const source = randomChain(9);
  const t = tablesOf(getChainNumber(chain.store, chainID));
  const utxos = openUtxoTable(chain.store.db, t, { caching: false, epoch: () => 0 });
  const spender = chain.store.db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  const seqOf = chain.store.db.prepare<{ seq: number }>(`SELECT seq FROM ${t.tx} WHERE id = ?`);
  const isRow = ({ utxo, seq, height, spent }: { utxo: Utxo; seq: number; height: number; spent: number | null }) => {
    expect(utxos.find(utxo)).toMatchObject({ seq, height });
    expect(spender.get(seq)?.tx ?? null).toBe(spent);
  };
  let imports = 0;

  const check = ({ block, firstTx, applied, created, consumed, imported }: StoredBlock): void => {
    for (const [i, { tx }] of applied.entries()) expect(seqOf.get(Buffer.from(tx.id, 'hex'))?.seq).toBe(firstTx + i);
    expect(created.map(({ utxo }) => utxo.id).sort()).toEqual(applied.flatMap(({ effects }) => effects.created.map(({ id }) => id)).sort());
    for (const one of created) {
      isRow(one);
      expect(one.height).toBe(Number(block.height));
    }
    for (const one of consumed) {
      isRow(one);
      expect(one.height).toBeLessThan(Number(block.height));
      expect(applied[one.spent - firstTx]?.effects.spent.map(refId)).toContain(one.utxo.id);
    }
    const taken = applied.flatMap(({ effects }) => effects.imported?.ids ?? []);
    expect([...imported.keys()].sort()).toEqual([...taken].sort());
    for (const [id, utxo] of imported) expect(toHex(Buffer.from(utxo.id, 'hex'))).toBe(id);
    imports += taken.length;
  };

  const checkOnly: OnBlocksStored = ([only]) => check(only as StoredBlock);
  chain.state.init(source.genesisTxs, source.first, checkOnly);
  for (let i = 0; i < 40; i++) {
    const { inboundUtxos, block, diff } = source.next(chain.state);
    if (inboundUtxos.length > 0) chain.store.write(() => chain.sharedMemory.put(chainID, otherChainID, inboundUtxos));
    chain.state.commitAll([{ block, diff }], checkOnly);
  }
  expect(imports).toBeGreaterThan(0);
  chain.close();
});
