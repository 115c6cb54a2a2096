import { expect } from 'bun:test';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import type { PinnedBlock } from './index-reads.ts';
import type { IndexUnderTest, ReadsCheck } from './index-under-test.fixture.ts';
import { daySeconds } from './read-asset-days.ts';

/** Assets, their holders, days and names, as the explorer reads them, beside a scan of all transactions. */

const checkAssets: ReadsCheck = async ({ chains: { oracle }, explorer, reads }) => {
  const pin = await reads.tip();
  const all = oracle.assetIDs();
  expect(all.length).toBeGreaterThan(2);
  for (const order of ['asc', 'desc'] as const) {
    const listed: Id[] = [];
    for (let after: number | undefined; ; ) {
      const page = await explorer.createdAssets({ pin, order, after, limit: 2 });
      listed.push(...page.map(({ id }) => id));
      after = page[1]?.seq;
      if (after === undefined) break;
    }
    expect(listed).toEqual(order === 'asc' ? all : all.toReversed());
  }
  const [first] = await explorer.createdAssets({ pin, order: 'asc', after: undefined, limit: 1 });
  const early = { ...pin, lastTx: first?.seq as number };
  expect(await explorer.createdAssets({ pin: early, order: 'desc', after: undefined, limit: 9 })).toEqual([first as never]);
};

const unspentHere = ({ chains: { oracle } }: IndexUnderTest): Utxo[] =>
  oracle.allTxs
    .flatMap(({ emitted }) => emitted)
    .filter(({ spent, consumedOn }) => spent === undefined && consumedOn === chainID)
    .map(({ utxo }) => utxo);

const units = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);

const nfts = ({ output }: Utxo): number => ('amount' in output || output.kind.endsWith('MintOutput') ? 0 : 1);

const checkHolders: ReadsCheck = async (indexed) => {
  const { chains, explorer } = indexed;
  const ids = chains.oracle.assetIDs();
  const counts = new Map([...(await explorer.countedAssets(ids))].map(([id, one]) => [id, one.counts]));
  let nftHolders = 0;
  for (const asset of ids) {
    const sums = new Map<Address, { amount: bigint; nfts: number }>();
    for (const utxo of unspentHere(indexed)) {
      const [owner, ...others] = utxo.output.addresses;
      if (owner === undefined || others.length > 0 || utxo.assetID !== asset || utxo.output.kind.endsWith('MintOutput')) continue;
      const sum = sums.get(owner) ?? { amount: 0n, nfts: 0 };
      sums.set(owner, { amount: sum.amount + units(utxo), nfts: sum.nfts + nfts(utxo) });
    }
    const expected = [...sums]
      .map(([address, sum]) => ({ address, ...sum }))
      .sort((a, b) => Number(b.amount - a.amount) || b.nfts - a.nfts || (a.address < b.address ? 1 : -1));
    nftHolders += expected.filter((holder) => holder.nfts > 0).length;
    const found = await explorer.holders(asset, 0, 1000);
    expect(found.holders).toEqual(expected);
    expect(found.counts).toEqual(counts.get(asset));
    expect((await explorer.holders(asset, 1, 2)).holders).toEqual(expected.slice(1, 3));
    const minted = chains.oracle.allTxs.flatMap(({ tx }) => {
      const { created } = effectsOf(tx);
      if (tx.id === asset) return created.filter(({ assetID }) => assetID === asset);
      // The chains of these tests mint amounts and NFTs by operations that are not transfers.
      const isMint = tx.unsigned.kind === 'OperationTx' && tx.unsigned.operations.every(({ operation }) => 'mintInput' in operation);
      return isMint ? created.slice(tx.unsigned.outputs.length).filter(({ assetID }) => assetID === asset) : [];
    });
    expect(counts.get(asset)).toEqual({
      holders: expected.length,
      held: expected.reduce((sum, { amount }) => sum + amount, 0n),
      minted: minted.reduce((sum, utxo) => sum + units(utxo), 0n),
      mintedNfts: minted.reduce((sum, utxo) => sum + nfts(utxo), 0),
    });
  }
  expect(nftHolders).toBeGreaterThan(0);
  expect(await explorer.holders(zeroId, 0, 10)).toMatchObject({ holders: [], counts: undefined });
};

const groupOf = ({ output }: Utxo): number => (output.kind === 'nftfx.MintOutput' ? output.groupID : -1);

const checkNftGroups: ReadsCheck = async ({ chains: { oracle }, explorer }) => {
  let found = 0;
  for (const asset of oracle.assetIDs()) {
    const expected = oracle.allTxs
      .flatMap(({ emitted }) => emitted)
      .filter(({ utxo }) => utxo.assetID === asset && utxo.output.kind === 'nftfx.MintOutput')
      .sort((a, b) => groupOf(a.utxo) - groupOf(b.utxo) || a.utxo.outputIndex - b.utxo.outputIndex)
      .map(({ utxo, spent }) => ({ id: utxo.id, mintedBy: spent?.txID }));
    for (const limit of [1, 3]) {
      const listed = [];
      for (let offset = 0, hasMore = true; hasMore; offset += limit) {
        const page = await explorer.nftGroups({ asset, offset, limit, maxScan: 1000 });
        listed.push(...page.groups.map(({ utxo, mintedBy }) => ({ id: utxo.id, mintedBy: mintedBy?.tx.id })));
        expect([page.groups.length <= limit, page.hasMore]).toEqual([true, listed.length < expected.length]);
        hasMore = page.hasMore;
      }
      expect(listed).toEqual(expected);
    }
    found += expected.length;
  }
  expect(found).toBeGreaterThan(0);
};

const checkAssetDays: ReadsCheck = async ({ chains: { oracle, feeAsset }, explorer }) => {
  const pins = oracle.pins();
  const day = (time: bigint | number): number => Number(time) - (Number(time) % daySeconds);
  const starts = [...new Set(oracle.blocks.map(({ time }) => day(time)))].toSorted((a, b) => b - a);
  const days = [(starts[0] as number) + daySeconds, ...starts, (starts.at(-1) as number) - daySeconds];
  let found = 0;
  for (const pin of [pins.at(-1), pins[30]] as PinnedBlock[])
    for (const asset of oracle.assetIDs()) {
      const uses = oracle.allTxs.filter(
        ({ seq, consumed, emitted }) => seq <= pin.lastTx && [...consumed, ...emitted].some(({ utxo }) => utxo.assetID === asset),
      );
      const countByDay = (counted: typeof uses) => days.map((start) => counted.filter(({ block }) => day(block.time) === start).length);
      const expected = countByDay(uses);
      found += uses.length;
      expect(await explorer.assetDays({ asset, days, pin, maxRows: 10_000 })).toEqual(expected);
      // Days that would exceed the number of rows are left out, and all days after them. Transfers of the fee asset have no rows.
      const rows = countByDay(asset === feeAsset ? uses.filter(({ tx }) => tx.unsigned.kind !== 'BaseTx') : uses);
      const first = rows.findIndex((count) => count > 0);
      if (first >= 0) expect(await explorer.assetDays({ asset, days, pin, maxRows: (rows[first] as number) - 1 })).toHaveLength(first);
    }
  expect(found).toBeGreaterThan(20);
};

const checkNames: ReadsCheck = async ({ chains: { oracle }, explorer }) => {
  const texts = (id: Id): string[] => {
    const { name, symbol } = oracle.asset(id) as { name: string; symbol: string };
    return [name.toLowerCase(), symbol.toLowerCase()];
  };
  const all = oracle.assetIDs();
  const [id] = all;
  const { name, symbol } = oracle.asset(id as Id) as { name: string; symbol: string };
  // Oldest first, like the IDs of the oracle; `total` counts those that are not listed too.
  for (const text of [symbol, name, name.toUpperCase(), name.slice(1, 4), symbol.slice(0, 2).toLowerCase()]) {
    const wanted = text.toLowerCase();
    const exact = all.filter((one) => texts(one).includes(wanted));
    const partial = all.filter((one) => !texts(one).includes(wanted) && texts(one).some((other) => other.includes(wanted)));
    const total = exact.length + partial.length;
    expect(await explorer.assetsMatching(text, 1000)).toEqual({ exact, partial, total });
    expect(await explorer.assetsMatching(text, 1)).toEqual({
      exact: exact.slice(0, 1),
      partial: exact.length === 0 ? partial.slice(0, 1) : [],
      total,
    });
  }
  expect(await explorer.assetsMatching("'; DROP TABLE", 10)).toEqual({ exact: [], partial: [], total: 0 });
};

export const assetChecks: readonly ReadsCheck[] = [checkAssets, checkHolders, checkNftGroups, checkAssetDays, checkNames];
