import { describe, expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { assetOf } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { ownPart, sharedPart } from './balance.ts';
import { openState } from './chain-state.ts';
import { checkChain } from './check.ts';
import { createDiff } from './diff.ts';
import { appendBlocks, codeOf, commitNext, type OpenChain, openChain } from './open-chain.fixture.ts';
import { chainID, genesisID, type Model, otherChainID, randomChain } from './random-chain.fixture.ts';
import type { UnspentTransfer } from './transfer-scan.ts';

/** The balances of an address, summed from the model's unspent outputs. */
function sumBalances(model: Model, address: Address, now: bigint) {
  const sums = new Map<string, bigint>();
  const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount);
  for (const { utxo } of model.unspent.values()) {
    const { output, assetID } = utxo;
    if (output.kind.endsWith('MintOutput') || !output.addresses.includes(address)) continue;
    const amount = output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n;
    const isSingleOwner = output.addresses.length === 1;
    if (isSingleOwner) add(`${assetID} own`, amount);
    if (isSingleOwner && output.locktime > now) add(`${assetID} locked until ${output.locktime}`, amount);
    if (!isSingleOwner && output.kind === 'secp256k1fx.TransferOutput') add(`${assetID} shared`, amount);
  }
  return [...sums].map(([key, sum]) => `${key} ${sum}`).sort();
}

const partText = (part: bigint): string => (part === ownPart ? 'own' : part === sharedPart ? 'shared' : `locked until ${part}`);

function expectStateEqualsModel({ state, sharedMemory }: OpenChain, source: ReturnType<typeof randomChain>): void {
  const { model, addresses } = source;
  const last = model.blocks[model.blocks.length - 1];
  expect(state.lastAccepted()).toEqual({ id: last?.id as Id, height: last?.height as bigint, time: last?.time as bigint });
  for (const block of model.blocks) {
    expect(toHex(state.block(block.id) as Uint8Array)).toBe(toHex(block.bytes));
    expect(toHex(state.blockAt(block.height) as Uint8Array)).toBe(toHex(block.bytes));
    for (const tx of block.txs) expect(state.hasTx(tx.id)).toBe(true);
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
    expect(state.utxo(utxo)).toEqual(utxo);
    expect(state.wasConsumed(utxo)).toBe(false);
    expect(state.findUtxo(utxo.id)).toEqual(utxo);
  }
  for (const [id, ref] of model.spent) {
    expect(state.utxo(ref)).toBeUndefined();
    expect(state.wasConsumed(ref)).toBe(true);
    expect(state.findUtxo(id)?.id).toBe(id);
  }
  for (const address of addresses) {
    for (const now of [0n, 1000n, 5000n]) {
      const shown = state.balances(address, now).map(({ assetID, part, amount }) => `${assetID} ${partText(part)} ${amount}`);
      expect(shown).toEqual(shown.toSorted((a, b) => (a.slice(0, 64) < b.slice(0, 64) ? -1 : a.slice(0, 64) > b.slice(0, 64) ? 1 : 0)));
      expect(shown.sort()).toEqual(sumBalances(model, address, now));
    }
  }
  for (const utxo of model.inbound) expect(state.atomic(otherChainID, utxo.id)).toEqual(utxo);
  for (const utxo of model.outbound) expect(sharedMemory.get(otherChainID, chainID, utxo.id)).toEqual(utxo);
  expect(state.stats()).toEqual({
    blocks: model.blocks.length,
    txs: model.txs.length,
    unspent: model.unspent.size,
  });
}

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (path: string | undefined) => void) => (onDisk ? withScratchDatabase(work) : work(undefined));

    test('all reads return what was committed, block after block', () =>
      within((path) => {
        const source = randomChain(1);
        const chain = openChain(open, path);
        appendBlocks(chain, source, 0);
        expectStateEqualsModel(chain, source);
        for (let i = 0; i < 12; i++) appendBlocks(chain, source, 1);
        expectStateEqualsModel(chain, source);
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      }));

    test('a failed commit changes nothing, and the next commit succeeds', () =>
      within((path) => {
        const source = randomChain(2);
        const chain = openChain(open, path);
        appendBlocks(chain, source, 5);
        const before = checkChain(chain.store, chainID);
        const accepted = chain.state.lastAccepted();
        const next = source.next(chain.state, 8);
        if (next.inboundUtxos.length > 0) chain.store.write(() => chain.sharedMemory.put(chainID, otherChainID, next.inboundUtxos));
        const puts = checkChain(chain.store, chainID);
        const fails = () => {
          throw new TypeError('power cut');
        };
        expect(codeOf(() => chain.state.commitAll([{ block: next.block, diff: next.diff }], fails))).toBe('STORE_FAILED');
        expect(chain.state.lastAccepted()).toEqual(accepted);
        const after = checkChain(chain.store, chainID);
        expect(after).toEqual(puts);
        expect(after.ledgerHash).toBe(before.ledgerHash);
        for (const { tx } of next.diff.applied) expect(chain.state.hasTx(tx.id)).toBe(false);
        for (const utxo of next.diff.consumed.values()) expect(chain.state.utxo(utxo)).toBeDefined();
        chain.state.commitAll([{ block: next.block, diff: next.diff }]);
        expectStateEqualsModel(chain, source);
        appendBlocks(chain, source, 3);
        expectStateEqualsModel(chain, source);
        chain.close();
      }));

    test('only the next block with the changes of its own transactions can be committed', () =>
      within((path) => {
        const source = randomChain(3);
        const chain = openChain(open, path);
        const { state } = chain;
        expect(state.isInitialized()).toBe(false);
        expect(codeOf(state.lastAccepted)).toBe('STATE_EMPTY');
        appendBlocks(chain, source, 2);
        expect(codeOf(() => state.init(source.genesisTxs, source.first))).toBe('STATE_NOT_EMPTY');
        const { block, diff, inboundUtxos } = source.next(state, 3);
        const { id, height, time } = state.lastAccepted();
        const wrong = (parts: { parentID?: Id; height?: bigint }) =>
          makeBlock({ parentID: id, height: height + 1n, time, txs: block.txs, ...parts });
        expect(codeOf(() => state.commitAll([{ block: wrong({ parentID: zeroId }), diff }]))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => state.commitAll([{ block: wrong({ height }), diff }]))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => state.commitAll([{ block, diff: { ...diff, applied: diff.applied.slice(1) } }]))).toBe('STATE_WRONG_TXS');
        commitNext(chain, { block, diff, inboundUtxos });
        expect(codeOf(() => state.commitAll([{ block, diff }]))).toBe('STATE_WRONG_PARENT');
        expectStateEqualsModel(chain, source);
        chain.close();
      }));

    test('a block that consumes a missing output is rejected and changes nothing', () =>
      within((path) => {
        const source = randomChain(4);
        const chain = openChain(open, path);
        appendBlocks(chain, source, 4);
        const [anyUnspent] = source.model.unspent.values();
        const tx = makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: chainID, outputs: [], inputs: [], memo: new Uint8Array(3) }, []);
        const { id, height, time } = chain.state.lastAccepted();
        const block = makeBlock({ parentID: id, height: height + 1n, time, txs: [tx] });
        const ref = { txID: zeroId, outputIndex: 0 };
        const unknownOutput = { ...(anyUnspent?.utxo as Utxo), ...ref, id: refId(ref) };
        const applied = [{ tx, effects: { spent: [ref], created: [], imported: undefined, exported: undefined } }];
        expect(
          codeOf(() => chain.state.commitAll([{ block, diff: { applied, consumed: new Map([[unknownOutput.id, unknownOutput]]) } }])),
        ).toBe('STATE_MISSING_UTXO');
        expect(chain.state.hasTx(tx.id)).toBe(false);
        // An output that the parent view does not have either is ignored, as in AvalancheGo.
        chain.state.commitAll([{ block, diff: { applied, consumed: new Map() } }]);
        expect(checkChain(chain.store, chainID).problems).toEqual([]);
        chain.close();
      }));
  });

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test('the state is the same after closing and opening', () =>
      withScratchDatabase((path) => {
        const source = randomChain(5);
        const before = openChain(open, path);
        appendBlocks(before, source, 6);
        const report = checkChain(before.store, chainID);
        before.close();
        const after = openChain(open, path);
        expectStateEqualsModel(after, source);
        expect(checkChain(after.store, chainID)).toEqual(report);
        appendBlocks(after, source, 6);
        expectStateEqualsModel(after, source);
        after.close();
      }));

    test('a reader sees every commit at once, also changes of rows that it has read before', () =>
      withScratchDatabase((path) => {
        const source = randomChain(6);
        const writer = openChain(open, path);
        appendBlocks(writer, source, 1);
        const reader = openChain(open, path, { readonly: true });
        for (let i = 0; i < 10; i++) {
          const next = source.next(writer.state, 4);
          for (const { tx } of next.diff.applied) expect(reader.state.hasTx(tx.id)).toBe(false);
          for (const utxo of next.diff.consumed.values()) expect(reader.state.utxo(utxo)).toBeDefined();
          for (const { tx, effects } of next.diff.applied) {
            expect(reader.state.asset(tx.id)).toBeUndefined();
            for (const utxo of effects.created) expect(reader.state.utxo(utxo)).toBeUndefined();
          }
          commitNext(writer, next);
          expectStateEqualsModel(reader, source);
        }
        expect(codeOf(() => reader.state.commitAll([{ block: source.first, diff: createDiff(reader.state) }]))).toBe('STATE_WRONG_PARENT');
        expect(codeOf(() => reader.store.probeWrite())).toBe('STORE_FAILED');
        reader.close();
        writer.close();
      }));

    test('a database of another genesis or network is rejected', () =>
      withScratchDatabase((path) => {
        const source = randomChain(7);
        const chain = openChain(open, path);
        appendBlocks(chain, source, 2);
        chain.close();
        expect(codeOf(() => openChain(open, path, { genesis: zeroId }))).toBe('STORE_OTHER_GENESIS');
        expect(codeOf(() => openChain(open, path, { networkID: 5 }))).toBe('STORE_OTHER_NETWORK');
        const again = openChain(open, path);
        expectStateEqualsModel(again, source);
        again.close();
      }));
  });

test('the hash of a check is the same for a replayed chain, and changes with the next block', () => {
  const original = openChain(sqliteDrivers[0].open);
  const source = randomChain(8);
  appendBlocks(original, source, 6);
  const replayed = openChain(sqliteDrivers[0].open);
  const again = randomChain(8);
  appendBlocks(replayed, again, 6);
  expect(checkChain(replayed.store, chainID)).toEqual(checkChain(original.store, chainID));
  const { hash } = checkChain(original.store, chainID);
  appendBlocks(original, source, 1);
  expect(checkChain(original.store, chainID).hash).not.toBe(hash);
});

test('balanceRevision changes whenever transfer outputs of an address change, and transfers lists them', () => {
  const chain = openChain(sqliteDrivers[0].open);
  const source = randomChain(9, 3);
  appendBlocks(chain, source, 0);
  const assets = () => source.model.txs.filter(({ unsigned }) => unsigned.kind === 'CreateAssetTx').map(({ id }) => id);
  const shownAt = new Map<string, Map<string, string>>();
  let changes = 0;
  for (let i = 0; i < 20; i++) {
    commitNext(chain, source.next(chain.state));
    for (const address of source.addresses)
      for (const assetID of assets()) {
        const scan = chain.state.transfers({ address, assetID, includePartial: true, now: 0n });
        const refs = JSON.stringify((scan.next().value as readonly UnspentTransfer[]).map(({ txID, outputIndex }) => [txID, outputIndex]));
        const revisions = shownAt.get(address + assetID) ?? new Map<string, string>();
        const revision = chain.state.balanceRevision(address, assetID);
        // One revision, one list.
        expect(revisions.get(revision) ?? refs).toBe(refs);
        changes += revisions.has(revision) ? 0 : 1;
        shownAt.set(address + assetID, revisions.set(revision, refs));
      }
  }
  expect(changes).toBeGreaterThan(20);
  for (const address of source.addresses)
    for (const partial of [true, false])
      for (const now of [0n, 1000n, 5000n])
        for (const tx of source.model.txs.filter((t) => t.unsigned.kind === 'CreateAssetTx')) {
          const expected = [...source.model.unspent.values()].filter(({ utxo: { output, assetID } }) => {
            if (output.kind !== 'secp256k1fx.TransferOutput' || assetID !== tx.id || !output.addresses.includes(address)) return false;
            return partial || (output.addresses.length === 1 && output.locktime <= now);
          });
          // The model has them in the order in which they were created.
          const newestFirst = expected.reverse();
          const refs = newestFirst.map(({ utxo: { txID, outputIndex } }) => ({ txID, outputIndex }));
          const scan = chain.state.transfers({ address, assetID: tx.id, includePartial: partial, now });
          expect((scan.next().value as readonly UnspentTransfer[]).map(({ txID, outputIndex }) => ({ txID, outputIndex }))).toEqual(refs);
        }
});

test('chains of one database are independent, and one can import what the other exports', () => {
  const one = openChain(sqliteDrivers[0].open);
  const source = randomChain(10);
  appendBlocks(one, source, 3);
  const otherState = openState(one.store, one.sharedMemory, { id: otherChainID, genesis: zeroId });
  expect(otherState.isInitialized()).toBe(false);
  otherState.init(source.genesisTxs, source.first);
  const before = checkChain(one.store, otherChainID);
  appendBlocks(one, source, 10);
  expect(checkChain(one.store, otherChainID).ledgerHash).toBe(before.ledgerHash);
  expect(source.model.outbound.length).toBeGreaterThan(0);
  for (const utxo of source.model.outbound) expect(otherState.atomic(chainID, utxo.id)).toEqual(utxo);
  expect(otherState.height()).toBe(0n);
  expect(codeOf(() => openState(one.store, one.sharedMemory, { id: otherChainID, genesis: genesisID }))).toBe('STATE_OTHER_GENESIS');
  expect(checkChain(one.store, chainID).problems).toEqual([]);
  expectStateEqualsModel(one, source);
});
