import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, zeroId } from '../bytes/id.ts';
import { drivers, inScratch } from '../platform/databases.fixture.ts';
import { makeBlock } from '../tx/block.ts';
import { makeTx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { openState } from './chain-state.ts';
import { checkChain } from './check.ts';
import { diffOn } from './diff.ts';
import { codeOf, commitNext, grow, type OpenChain, openChain } from './grow.fixture.ts';
import { chainID, genesisID, type Model, peerID, randomChain } from './random-chain.fixture.ts';
import type { OwnedTransfer } from './transfer-scan.ts';
import { assetOf } from './view.ts';

/** Balances as a plain program would sum them. */
function summed(model: Model, address: Address) {
  const sums = new Map<string, { own: bigint; shared: bigint }>();
  for (const { utxo } of model.unspent.values()) {
    const { output, assetID } = utxo;
    if (output.kind !== 'secp256k1fx.TransferOutput' || !output.addresses.includes(address)) continue;
    const sum = sums.get(`${assetID} ${output.locktime}`) ?? { own: 0n, shared: 0n };
    sum[output.addresses.length === 1 ? 'own' : 'shared'] += output.amount;
    sums.set(`${assetID} ${output.locktime}`, sum);
  }
  return [...sums].map(([key, sum]) => `${key} ${sum.own} ${sum.shared}`).sort();
}

function expectSame({ state, memory }: OpenChain, source: ReturnType<typeof randomChain>): void {
  const { model, addresses } = source;
  const last = model.blocks[model.blocks.length - 1];
  expect(state.lastAccepted()).toEqual({ id: last?.id as Id, height: last?.height as bigint, time: last?.time as bigint });
  for (const block of model.blocks) {
    expect(toHex(state.block(block.id) as Uint8Array)).toBe(toHex(block.bytes));
    expect(toHex(state.blockAt(block.height) as Uint8Array)).toBe(toHex(block.bytes));
    for (const tx of block.txs) expect(state.txHeight(tx.id)).toBe(block.height);
  }
  for (const tx of model.txs) {
    expect(state.hasTx(tx.id)).toBe(true);
    expect(toHex(state.txBytes(tx.id) as Uint8Array)).toBe(toHex(tx.bytes));
    expect(state.tx(tx.id)?.id).toBe(tx.id);
    expect(state.asset(tx.id)).toEqual(assetOf(tx));
    const made = tx.unsigned;
    if (made.kind !== 'CreateAssetTx') expect(state.description(tx.id)).toBe('not-an-asset');
    else expect(state.description(tx.id)).toMatchObject({ denomination: made.denomination });
  }
  for (const { utxo } of model.unspent.values()) {
    expect(state.utxo(utxo.id)).toEqual(utxo);
    expect(state.wasConsumed(utxo.id)).toBe(false);
  }
  for (const id of model.spent) {
    expect(state.utxo(id)).toBeUndefined();
    expect(state.wasConsumed(id)).toBe(true);
  }
  for (const address of addresses) {
    const shown = state.balances(address).map((b) => `${b.assetID} ${b.locktime} ${b.own} ${b.shared}`);
    expect(shown.sort()).toEqual(summed(model, address));
  }
  for (const utxo of model.inbound) expect(state.atomic(peerID, utxo.id)).toEqual(utxo);
  for (const utxo of model.outbound) expect(memory.get(peerID, chainID, utxo.id)).toEqual(utxo);
  expect(state.stats()).toEqual({
    blocks: model.blocks.length,
    txs: model.txs.length,
    utxos: model.unspent.size + model.spent.size,
    unspent: model.unspent.size,
  });
}

for (const { name, open, onDisk } of drivers)
  describe(name, () => {
    const within = (work: (path: string | undefined) => void) => (onDisk ? inScratch(work) : work(undefined));

    test('what was committed is what is read, block after block', () =>
      within((path) => {
        const source = randomChain(1);
        const chain = openChain(open, path);
        grow(chain, source, 0);
        expectSame(chain, source);
        for (let i = 0; i < 12; i++) grow(chain, source, 1);
        expectSame(chain, source);
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      }));

    test('a commit that fails on its way leaves nothing behind, and the next one goes in', () =>
      within((path) => {
        const source = randomChain(2);
        const chain = openChain(open, path);
        grow(chain, source, 5);
        const before = checkChain(chain.store, chainID);
        const accepted = chain.state.lastAccepted();
        const next = source.next(chain.state, 8);
        if (next.puts.length > 0) chain.store.write(() => chain.memory.put(chainID, peerID, next.puts));
        const puts = checkChain(chain.store, chainID);
        const fails = () => {
          throw new TypeError('power cut');
        };
        expect(codeOf(() => chain.state.commit(next.block, next.diff, fails))).toBe('STORE_FAILED');
        expect(chain.state.lastAccepted()).toEqual(accepted);
        const after = checkChain(chain.store, chainID);
        expect(after).toEqual(puts);
        expect(after.ledgerHash).toBe(before.ledgerHash);
        for (const { tx } of next.diff.applied) expect(chain.state.hasTx(tx.id)).toBe(false);
        for (const id of next.diff.consumed.keys()) expect(chain.state.utxo(id)).toBeDefined();
        chain.state.commit(next.block, next.diff);
        expectSame(chain, source);
        grow(chain, source, 3);
        expectSame(chain, source);
        chain.close();
      }));

    test('only the next block goes in, with its own changes', () =>
      within((path) => {
        const source = randomChain(3);
        const chain = openChain(open, path);
        const { state } = chain;
        expect(state.isInitialized()).toBe(false);
        expect(codeOf(state.lastAccepted)).toBe('STATE_EMPTY');
        grow(chain, source, 2);
        expect(codeOf(() => state.init(source.genesisTxs, source.first))).toBe('STATE_NOT_EMPTY');
        const { block, diff, puts } = source.next(state, 3);
        const { id, height, time } = state.lastAccepted();
        const wrong = (parts: { parentID?: Id; height?: bigint }) =>
          makeBlock({ parentID: id, height: height + 1n, time, txs: block.txs, ...parts });
        expect(codeOf(() => state.commit(wrong({ parentID: zeroId }), diff))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => state.commit(wrong({ height }), diff))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => state.commit(block, { ...diff, applied: diff.applied.slice(1) }))).toBe('STATE_WRONG_TXS');
        commitNext(chain, { block, diff, puts });
        expect(codeOf(() => state.commit(block, diff))).toBe('STATE_WRONG_PARENT');
        expectSame(chain, source);
        chain.close();
      }));

    test('a block that consumes what is not there is refused whole', () =>
      within((path) => {
        const source = randomChain(4);
        const chain = openChain(open, path);
        grow(chain, source, 4);
        const [held] = source.model.unspent.values();
        const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs: [], inputs: [], memo: new Uint8Array(3) }, []);
        const { id, height, time } = chain.state.lastAccepted();
        const block = makeBlock({ parentID: id, height: height + 1n, time, txs: [tx] });
        const stranger = { ...(held?.utxo as Utxo), id: zeroId };
        const applied = [{ tx, effects: { spent: [zeroId], created: [], imported: undefined, exported: undefined } }];
        expect(codeOf(() => chain.state.commit(block, { applied, consumed: new Map([[zeroId, stranger]]) }))).toBe('STATE_MISSING_UTXO');
        expect(chain.state.hasTx(tx.id)).toBe(false);
        // What the view below did not have either is passed over, as the peer does.
        chain.state.commit(block, { applied, consumed: new Map() });
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      }));
  });

for (const { name, open } of drivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test('everything is there after closing and opening', () =>
      inScratch((path) => {
        const source = randomChain(5);
        const before = openChain(open, path);
        grow(before, source, 6);
        const report = checkChain(before.store, chainID);
        before.close();
        const after = openChain(open, path);
        expectSame(after, source);
        expect(checkChain(after.store, chainID)).toEqual(report);
        grow(after, source, 6);
        expectSame(after, source);
        after.close();
      }));

    test('a process that only reads sees every commit at once, also what it has seen otherwise before', () =>
      inScratch((path) => {
        const source = randomChain(6);
        const writer = openChain(open, path);
        grow(writer, source, 1);
        const reader = openChain(open, path, { readonly: true });
        for (let i = 0; i < 10; i++) {
          const next = source.next(writer.state, 4);
          for (const { tx } of next.diff.applied) expect(reader.state.hasTx(tx.id)).toBe(false);
          for (const id of next.diff.consumed.keys()) expect(reader.state.utxo(id)).toBeDefined();
          for (const { tx, effects } of next.diff.applied) {
            expect(reader.state.asset(tx.id)).toBeUndefined();
            for (const utxo of effects.created) expect(reader.state.utxo(utxo.id)).toBeUndefined();
          }
          commitNext(writer, next);
          expectSame(reader, source);
        }
        expect(codeOf(() => reader.state.commit(source.first, diffOn(reader.state)))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => reader.store.probeWrite())).toBe('STORE_FAILED');
        reader.close();
        writer.close();
      }));

    test('a database of another genesis or network is refused', () =>
      inScratch((path) => {
        const source = randomChain(7);
        const chain = openChain(open, path);
        grow(chain, source, 2);
        chain.close();
        expect(codeOf(() => openChain(open, path, { genesis: zeroId }))).toBe('STORE_OTHER_GENESIS');
        expect(codeOf(() => openChain(open, path, { networkID: 5 }))).toBe('STORE_OTHER_NETWORK');
        const again = openChain(open, path);
        expectSame(again, source);
        again.close();
      }));
  });

test('the digest is the same for a replay, and another one after another block', () => {
  const made = openChain(drivers[0].open);
  const source = randomChain(8);
  grow(made, source, 6);
  const replayed = openChain(drivers[0].open);
  const again = randomChain(8);
  grow(replayed, again, 6);
  expect(checkChain(replayed.store, chainID)).toEqual(checkChain(made.store, chainID));
  const { hash } = checkChain(made.store, chainID);
  grow(made, source, 1);
  expect(checkChain(made.store, chainID).hash).not.toBe(hash);
});

test('addresses know when they were last touched, and which transfer outputs they hold', () => {
  const chain = openChain(drivers[0].open);
  const source = randomChain(9, 3);
  grow(chain, source, 0);
  const touchedAt = new Map<Address, number>();
  for (let i = 0; i < 20; i++) {
    const next = source.next(chain.state);
    commitNext(chain, next);
    for (const { effects } of next.diff.applied)
      for (const { output } of effects.created) for (const address of output.addresses) touchedAt.set(address, Number(next.block.height));
    for (const { output } of next.diff.consumed.values()) for (const a of output.addresses) touchedAt.set(a, Number(next.block.height));
  }
  expect(chain.state.changed('ff'.repeat(20) as Address)).toBe(-1);
  for (const [address, height] of touchedAt) expect(chain.state.changed(address)).toBe(height);
  for (const address of source.addresses)
    for (const partial of [true, false])
      for (const now of [0n, 1000n, 5000n])
        for (const tx of source.model.txs.filter((t) => t.unsigned.kind === 'CreateAssetTx')) {
          const expected = [...source.model.unspent.values()].filter(({ utxo: { output, assetID } }) => {
            if (output.kind !== 'secp256k1fx.TransferOutput' || assetID !== tx.id || !output.addresses.includes(address)) return false;
            return partial || (output.addresses.length === 1 && output.locktime <= now);
          });
          const newestFirst = expected.sort((a, b) => Number(b.height - a.height) || (a.utxo.id < b.utxo.id ? -1 : 1));
          const refs = newestFirst.map(({ utxo: { txID, outputIndex } }) => ({ txID, outputIndex }));
          const scan = chain.state.transfers({ address, assetID: tx.id, partial, now });
          expect((scan.next().value as readonly OwnedTransfer[]).map(({ txID, outputIndex }) => ({ txID, outputIndex }))).toEqual(refs);
        }
});

test('chains of one database keep apart, and what one exports the other may import', () => {
  const one = openChain(drivers[0].open);
  const source = randomChain(10);
  grow(one, source, 3);
  const peer = openState(one.store, one.memory, { id: peerID, genesis: zeroId });
  expect(peer.isInitialized()).toBe(false);
  peer.init(source.genesisTxs, source.first);
  const before = checkChain(one.store, peerID);
  grow(one, source, 10);
  expect(checkChain(one.store, peerID).ledgerHash).toBe(before.ledgerHash);
  expect(source.model.outbound.length).toBeGreaterThan(0);
  for (const utxo of source.model.outbound) expect(peer.atomic(chainID, utxo.id)).toEqual(utxo);
  expect(peer.height()).toBe(0n);
  expect(codeOf(() => openState(one.store, one.memory, { id: peerID, genesis: genesisID }))).toBe('STATE_OTHER_GENESIS');
  expect(checkChain(one.store, chainID).problems).toEqual([]);
  expectSame(one, source);
});
