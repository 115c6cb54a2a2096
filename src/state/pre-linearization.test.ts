import { describe, expect, test } from 'bun:test';
import { sha256Hex } from '../bytes/hash.ts';
import type { Id } from '../bytes/id.ts';
import { drivers } from '../platform/databases.fixture.ts';
import { makeBlock } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Output } from '../tx/output.ts';
import { makeTx } from '../tx/tx.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { checkChain } from './check.ts';
import { diffOn } from './diff.ts';
import { codeOf, commitNext, grow, openChain } from './grow.fixture.ts';
import { chainID, peerID, randomChain } from './random-chain.fixture.ts';
import type { View } from './view.ts';

const idNamed = (name: string) => sha256Hex(Buffer.from(name)) as Id;
const owner = sha256Hex(Buffer.from('owner')).slice(0, 40) as Output['addresses'][number];
const asset = idNamed('asset');

/** An output that no block made. */
const olderUtxo = (n: number): Utxo =>
  makeUtxo(idNamed(`old tx ${n}`), n, asset, {
    kind: 'secp256k1fx.TransferOutput',
    amount: 10n,
    locktime: 0n,
    threshold: 1,
    addresses: [owner],
  });

const emptyView: View = { utxo: () => undefined, asset: () => undefined, tx: () => undefined, atomic: () => undefined };

/** The next block of a chain, with one transaction that consumes this output. */
function consuming(last: { id: Id; height: bigint; time: bigint }, utxo: Utxo) {
  const { txID, outputIndex, assetID } = utxo;
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount: 10n, signatureIndices: [0] };
  const inputs = [{ txID, outputIndex, assetID, input }];
  const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs: [], inputs, memo: new Uint8Array(0) }, []);
  const block = makeBlock({ parentID: last.id, height: last.height + 1n, time: last.time, txs: [tx] });
  const diff = diffOn({ ...emptyView, utxo: (id) => (id === utxo.id ? utxo : undefined) });
  diff.apply(tx, effectsOf(tx));
  return { block, diff };
}

for (const { name, open } of drivers.filter(({ onDisk }) => !onDisk))
  describe(name, () => {
    const grown = () => {
      const chain = openChain(open);
      grow(chain, randomChain(5), 3);
      return chain;
    };

    test('outputs older than history are held, owned and counted; a second time changes nothing', () => {
      const { state, store } = grown();
      const [one, two] = [olderUtxo(1), olderUtxo(2)];
      const told: number[] = [];
      const { unspent } = state.stats();
      state.addPreLinearizationUtxos([one, one], (added) => void told.push(added.length));
      const changed = state.changed(owner);
      state.addPreLinearizationUtxos([one, two], (added) => void told.push(added.length));
      state.addPreLinearizationUtxos([one, two], (added) => void told.push(added.length));
      expect(told).toEqual([1, 1]);
      expect(state.utxo(one.id)).toEqual(one);
      expect(state.balances(owner)).toMatchObject([{ assetID: asset, own: 20n, ownCount: 2 }]);
      expect(state.changed(owner)).not.toBe(changed);
      expect(state.stats().unspent).toBe(unspent + 2);
      expect(checkChain(store, chainID).problems).toEqual([]);
    });

    test('a block may bring the older output that it consumes; consumed twice it is refused, and nothing stays of either', () => {
      const { state, store } = grown();
      const [one, two] = [olderUtxo(1), olderUtxo(2)];
      const first = consuming(state.lastAccepted(), one);
      const second = consuming(first.block, two);
      const told: unknown[] = [];
      state.commitAll(
        [
          { ...first, preLinearizationUtxos: [one] },
          { ...second, preLinearizationUtxos: [two] },
        ],
        (stored) => void told.push(...stored.map(({ older, consumed }) => [older?.length, consumed[0]?.height])),
      );
      expect(told).toEqual([
        [1, 0],
        [1, 0],
      ]);
      expect([state.utxo(one.id), state.wasConsumed(one.id), state.balances(owner)]).toEqual([undefined, true, []]);
      const third = consuming(second.block, olderUtxo(3));
      const again = consuming(third.block, one);
      const both = [
        { ...third, older: [olderUtxo(3)] },
        { ...again, older: [one] },
      ];
      expect(codeOf(() => state.commitAll(both))).toBe('STATE_MISSING_UTXO');
      expect(state.lastAccepted().id).toBe(second.block.id);
      expect(state.utxo(olderUtxo(3).id)).toBeUndefined();
      state.addPreLinearizationUtxos([one]);
      expect(state.utxo(one.id)).toBeUndefined();
      state.commitAll(both.slice(0, 1));
      expect(checkChain(store, chainID).problems).toEqual([]);
    });

    test('many blocks in one transaction leave what they leave one by one', () => {
      const [one, all] = [openChain(open), openChain(open)];
      const source = randomChain(6);
      grow(one, source, 0);
      grow(all, randomChain(6), 0);
      const batch = Array.from({ length: 12 }, () => {
        const next = source.next(one.state);
        commitNext(one, next);
        return next;
      });
      all.store.write(() => {
        for (const { puts } of batch) all.memory.put(chainID, peerID, puts);
      });
      all.state.commitAll(batch);
      const [expected, got] = [checkChain(one.store, chainID), checkChain(all.store, chainID)];
      expect(got).toEqual(expected);
      expect(got.problems).toEqual([]);
    });

    test('a genesis whose outputs may be spent long since leaves its assets and nothing to spend', () => {
      const { state } = openChain(open);
      const { genesisTxs, first } = randomChain(7);
      state.init(genesisTxs, first, undefined, 'unknown');
      expect(state.stats()).toEqual({ blocks: 1, txs: genesisTxs.length, utxos: 0, unspent: 0 });
      expect(genesisTxs.map((tx) => typeof state.asset(tx.id))).toEqual(genesisTxs.map(() => 'object'));
    });
  });
