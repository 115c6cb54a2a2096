import { describe, expect, test } from 'bun:test';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Output } from '../../avm/tx/output.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo, refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import type { Id } from '../../base/bytes/id.ts';
import { checkChain } from './check.ts';
import { createDiff } from './diff.ts';
import { appendBlocks, codeOf, commitNext, openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';

const idNamed = (name: string) => sha256Hex(Buffer.from(name)) as Id;
const owner = sha256Hex(Buffer.from('owner')).slice(0, 40) as Output['addresses'][number];
const asset = idNamed('asset');

/** An output from before linearization: no block created it. */
const preLinearizationUtxo = (n: number): Utxo =>
  makeUtxo(idNamed(`old tx ${n}`), n, asset, {
    kind: 'secp256k1fx.TransferOutput',
    amount: 10n,
    locktime: 0n,
    threshold: 1,
    addresses: [owner],
  });

const emptyView: View = { utxo: () => undefined, asset: () => undefined, tx: () => undefined, atomic: () => undefined };

/** The next block of a chain, with one transaction that consumes the output. */
function blockConsuming(last: { id: Id; height: bigint; time: bigint }, utxo: Utxo) {
  const { txID, outputIndex, assetID } = utxo;
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount: 10n, signatureIndices: [0] };
  const inputs = [{ txID, outputIndex, assetID, input }];
  const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs: [], inputs, memo: new Uint8Array(0) }, []);
  const block = makeBlock({ parentID: last.id, height: last.height + 1n, time: last.time, txs: [tx] });
  const diff = createDiff({ ...emptyView, utxo: (ref) => (refId(ref) === utxo.id ? utxo : undefined) });
  diff.apply(tx, effectsOf(tx));
  return { block, diff };
}

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => !onDisk))
  describe(name, () => {
    const grown = () => {
      const chain = openChain(open);
      appendBlocks(chain, randomChain(5), 3);
      return chain;
    };

    test('added pre-linearization outputs are stored, owned and counted; adding them again changes nothing', () => {
      const { state, store } = grown();
      const [one, two] = [preLinearizationUtxo(1), preLinearizationUtxo(2)];
      const calls: number[] = [];
      const { unspent } = state.stats();
      state.addPreLinearizationUtxos([one, one], (added) => void calls.push(added.length));
      const changed = state.balanceRevision(owner, asset);
      state.addPreLinearizationUtxos([one, two], (added) => void calls.push(added.length));
      state.addPreLinearizationUtxos([one, two], (added) => void calls.push(added.length));
      expect(calls).toEqual([1, 1]);
      expect(state.utxo(one)).toEqual(one);
      expect(state.balances(owner, 0n)).toMatchObject([{ assetID: asset, amount: 20n, count: 2 }]);
      expect(state.balanceRevision(owner, asset)).not.toBe(changed);
      expect(state.stats().unspent).toBe(unspent + 2);
      expect(checkChain(store, chainID).problems).toEqual([]);
    });

    test('a block may create an asset that was copied from another node, which has accepted the same transaction', () => {
      const chain = openChain(open);
      const source = randomChain(7);
      appendBlocks(chain, source, 3);
      const next = source.next(chain.state, 20);
      const assets = next.block.txs.filter(({ unsigned }) => unsigned.kind === 'CreateAssetTx');
      expect(assets.length).toBeGreaterThan(0);
      chain.state.addForked({ utxos: [], assets }, () => {});
      commitNext(chain, next);
      for (const { id } of assets) expect(chain.state.asset(id)).toMatchObject({ id });
      expect(checkChain(chain.store, chainID).problems).toEqual([]);
    });

    test('a block may come with the pre-linearization output it consumes; consuming it twice rejects the whole batch', () => {
      const { state, store } = grown();
      const [one, two] = [preLinearizationUtxo(1), preLinearizationUtxo(2)];
      const first = blockConsuming(state.lastAccepted(), one);
      const second = blockConsuming(first.block, two);
      const calls: unknown[] = [];
      state.commitAll(
        [
          { ...first, preLinearizationUtxos: [one] },
          { ...second, preLinearizationUtxos: [two] },
        ],
        (stored) =>
          void calls.push(...stored.map(({ preLinearizationUtxos, consumed }) => [preLinearizationUtxos?.length, consumed[0]?.height])),
      );
      expect(calls).toEqual([
        [1, 0],
        [1, 0],
      ]);
      expect([state.utxo(one), state.wasConsumed(one), state.balances(owner, 0n)]).toEqual([undefined, true, []]);
      const third = blockConsuming(second.block, preLinearizationUtxo(3));
      const again = blockConsuming(third.block, one);
      const both = [
        { ...third, preLinearizationUtxos: [preLinearizationUtxo(3)] },
        { ...again, preLinearizationUtxos: [one] },
      ];
      expect(codeOf(() => state.commitAll(both))).toBe('STATE_MISSING_UTXO');
      expect(state.lastAccepted().id).toBe(second.block.id);
      expect(state.utxo(preLinearizationUtxo(3))).toBeUndefined();
      state.addPreLinearizationUtxos([one]);
      expect(state.utxo(one)).toBeUndefined();
      state.commitAll(both.slice(0, 1));
      expect(checkChain(store, chainID).problems).toEqual([]);
    });

    test('committing many blocks in one transaction gives the same state as committing them one by one', () => {
      const [one, all] = [openChain(open), openChain(open)];
      const source = randomChain(6);
      appendBlocks(one, source, 0);
      appendBlocks(all, randomChain(6), 0);
      const batch = Array.from({ length: 12 }, () => {
        const next = source.next(one.state);
        commitNext(one, next);
        return next;
      });
      all.store.write(() => {
        for (const { inboundUtxos } of batch) all.sharedMemory.put(chainID, otherChainID, inboundUtxos);
      });
      all.state.commitAll(batch);
      const [expected, got] = [checkChain(one.store, chainID), checkChain(all.store, chainID)];
      expect(got).toEqual(expected);
      expect(got.problems).toEqual([]);
    });

    test('a genesis with unknown outputs adds its assets but no unspent outputs', () => {
      const { state } = openChain(open);
      const { genesisTxs, first } = randomChain(7);
      state.init(genesisTxs, first, undefined, 'unknown');
      expect(state.stats()).toEqual({ blocks: 1, txs: genesisTxs.length, unspent: 0 });
      expect(genesisTxs.map((tx) => typeof state.asset(tx.id))).toEqual(genesisTxs.map(() => 'object'));
    });
  });
