import { describe, expect, test } from 'bun:test';
import { someOf } from '../../../test/random.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes, zeroId } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Sql } from '../index/sql.ts';
import { txKinds } from '../index/tables.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import type { OutputEntry, PinnedBlock } from './index-reads.ts';
import { openExplorerReads } from './open-explorer-reads.ts';
import { openReads } from './open-reads.ts';
import { readOutputPages } from './output-pages.fixture.ts';
import { daySeconds } from './read-asset-days.ts';
import { openReadsChains } from './reads-chains.fixture.ts';
import type { IndexUnderTest } from './reads-contract.fixture.ts';
import { openPostgresReads, openSqliteReads } from './reads-databases.fixture.ts';

/** Compares the reads of the explorer routes with a scan of all transactions of random chains. */

const pauseAlways: LongWork = { begin: () => () => new Promise((resolve) => void setImmediate(resolve)) };
const server = process.env.SERAC_TEST_POSTGRES;

contract('SQLite', openSqliteReads, [41, 42, 43]);
contract('SQLite with pauses', (seed) => openSqliteReads(seed, pauseAlways), [44]);
if (server === undefined) test.skip('PostgreSQL: skipped, SERAC_TEST_POSTGRES is not set', () => {});
else contract('PostgreSQL', (seed) => openPostgresReads(server, seed), [45]);
const citus = process.env.SERAC_TEST_CITUS;
if (citus === undefined) test.skip('Citus: skipped, SERAC_TEST_CITUS is not set', () => {});
else contract('Citus', (seed) => openPostgresReads(citus, seed, undefined, 'citus'), [45]);

function contract(name: string, open: (seed: number) => Promise<IndexUnderTest>, seeds: readonly number[]): void {
  for (const seed of someOf(seeds))
    describe(`${name}, chain ${seed}`, () => {
      test('every read', async () => {
        const indexed = await open(seed);
        try {
          for (let i = 0; i < 60; i++) indexed.chains.step();
          await indexed.sync();
          for (const check of checks) await check(indexed, name);
        } finally {
          await indexed.close();
        }
      });
    });
}

test('holders and days of an asset are read through the database for slow reads, and nothing else is', async () => {
  const chains = openReadsChains(openDatabase, 46);
  try {
    for (let i = 0; i < 20; i++) chains.step();
    const sql = createSqliteSql(chains.store);
    let slow = 0;
    const all: Sql['all'] = (text, values) => {
      slow++;
      return sql.all(text, values);
    };
    const chain = { number: chains.number, id: chainID, feeAsset: chains.feeAsset };
    const explorer = openExplorerReads(sql, { ...chain, hasInbound: true }, undefined, { dialect: 'sqlite', all });
    const countSlow = async (work: Promise<unknown>): Promise<number> => {
      const before = slow;
      await work;
      return slow - before;
    };
    const pin = await openReads(sql, chain).tip();
    expect(await countSlow(explorer.createdAssets({ pin, order: 'asc', after: undefined, limit: 2 }))).toBe(0);
    expect(await countSlow(explorer.holders(chains.feeAsset, 0, 2))).toBeGreaterThan(0);
    expect(await countSlow(explorer.assetDays({ pin, asset: chains.feeAsset, days: [0], maxRows: 10 }))).toBeGreaterThan(0);
  } finally {
    chains.close();
  }
});

type Check = (indexed: IndexUnderTest, name: string) => Promise<void>;

const unspentHere = ({ chains: { oracle } }: IndexUnderTest): Utxo[] =>
  oracle.allTxs
    .flatMap(({ emitted }) => emitted)
    .filter(({ spent, consumedOn }) => spent === undefined && consumedOn === chainID)
    .map(({ utxo }) => utxo);

const units = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);
const nfts = ({ output }: Utxo): number => ('amount' in output || output.kind.endsWith('MintOutput') ? 0 : 1);

const checkAssets: Check = async ({ chains: { oracle }, explorer, reads }) => {
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

const checkHolders: Check = async (indexed) => {
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

const checkNftGroups: Check = async ({ chains: { oracle }, explorer }) => {
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

const checkAssetDays: Check = async ({ chains: { oracle, feeAsset }, explorer }) => {
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

const checkNames: Check = async ({ chains: { oracle }, explorer }) => {
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

const checkIdRanges: Check = async ({ chains: { oracle }, explorer }) => {
  const ids = oracle.blocks.map((block) => block.id).toSorted();
  const [low, high] = [ids[1], ids.at(-2)] as [Id, Id];
  const range = { low: idToBytes(low), high: idToBytes(high) };
  expect(await explorer.namesBetween('block', range, 1000)).toEqual(ids.slice(1, -1));
  expect(await explorer.namesBetween('block', range, 2)).toEqual(ids.slice(1, 3));
  const tx = oracle.blocks.flatMap((block) => block.txs)[0]?.id as Id;
  expect(await explorer.namesBetween('tx', { low: idToBytes(tx), high: idToBytes(tx) }, 5)).toEqual([tx]);
  const own = oracle.allTxs
    .flatMap(({ emitted }) => emitted)
    .filter(({ createdOn, consumedOn }) => createdOn === chainID && consumedOn === chainID);
  const outputs = own.map(({ utxo }) => utxo.id).toSorted();
  const output = outputs[Math.floor(outputs.length / 2)] as Id;
  const near = { low: idToBytes(output).fill(0, 4), high: idToBytes(output).fill(255, 4) };
  expect(await explorer.namesBetween('utxo', near, 5)).toContain(output);
  expect(await explorer.namesBetween('utxo', { low: near.low, high: idToBytes(output) }, 5)).toContain(output);
  // Too wide for outputs.
  expect(await explorer.namesBetween('utxo', { low: idToBytes(output).fill(0), high: near.high }, 5)).toEqual([]);
};

const checkBlocks: Check = async ({ chains: { oracle }, explorer, reads }) => {
  const pin = await reads.tip();
  const expected = oracle.blocks.map((block) => ({
    height: Number(block.height),
    id: block.id,
    time: Number(block.time),
    bytes: block.bytes.length,
    fees: oracle.counted((time) => time === Number(block.time)).fees,
    txs: Object.fromEntries(Object.keys(txKinds).map((kind) => [kind, block.txs.filter(({ unsigned }) => unsigned.kind === kind).length])),
  }));
  const upward = await explorer.blockSumsAfter(-1, 1000);
  // Several blocks of one second share the fees that the oracle counts.
  const withoutFees = (all: readonly object[]) => all.map((one) => ({ ...one, fees: undefined, firstTx: undefined }));
  expect(withoutFees(upward)).toEqual(withoutFees(expected));
  // Before block 1 are the assets of genesis, which belong to no block.
  const firstTxs = upward.slice(1).map(({ firstTx }) => firstTx);
  expect(firstTxs.slice(1).map((next, i) => next - (firstTxs[i] as number))).toEqual(
    oracle.blocks.slice(1, -1).map(({ txs }) => txs.length),
  );
  const total = (all: readonly { fees: bigint }[]) => all.reduce((sum, { fees }) => sum + fees, 0n);
  expect(total(upward)).toBe(oracle.counted(() => true).fees);
  expect(await explorer.blockSums(1000, 1000)).toEqual(upward.toReversed());
  expect(await explorer.blockSums(7, 3)).toEqual([upward[7], upward[6], upward[5]] as never);
  expect(await explorer.blockSumsAfter(upward.length - 3, 9)).toEqual(upward.slice(-2));
  for (const block of oracle.blocks) {
    const found = await explorer.blockTxs({ id: block.id });
    expect(found?.count).toBe(block.txs.length);
    const seqs = block.txs.map((_, i) => (found?.firstTx ?? 0) + i);
    expect((await reads.txs(seqs, pin)).map(({ tx }) => toHex(tx.id))).toEqual(block.txs.map(({ id }) => id));
    expect(await explorer.blockTxs({ height: Number(block.height) })).toEqual(found);
  }
  expect(await explorer.blockTxs({ height: 10_000 })).toBeUndefined();
};

const checkPositions: Check = async ({ chains: { oracle }, explorer }) => {
  const pins = oracle.pins();
  const last = pins[pins.length - 1] as PinnedBlock;
  for (const { tx, block } of oracle.allTxs) {
    const index = block.txs.findIndex(({ id }) => id === tx.id);
    const isInBlock = block.height > 0n;
    expect(await explorer.txPosition(tx.id, last)).toEqual({
      height: Number(block.height),
      blockID: block.id,
      index: isInBlock ? index : undefined,
      count: block.txs.length,
      previous: isInBlock ? block.txs[index - 1]?.id : undefined,
      next: isInBlock ? block.txs[index + 1]?.id : undefined,
    });
    if (isInBlock) expect(await explorer.txPosition(tx.id, pins[Number(block.height) - 1] as PinnedBlock)).toBeUndefined();
  }
  expect(await explorer.txPosition(zeroId, last)).toBeUndefined();
};

const checkOutputs: Check = async ({ chains: { oracle }, explorer }) => {
  const pins = oracle.pins();
  const last = pins[pins.length - 1] as PinnedBlock;
  const expected = oracle.allTxs.flatMap(({ emitted, consumed }) => [
    ...emitted,
    ...consumed.filter(({ createdOn }) => createdOn !== chainID),
  ]);
  const found = await explorer.outputs(
    expected.map(({ utxo }) => utxo),
    last,
  );
  const comparable = (all: readonly { utxo: Utxo; createdOn: Id; consumedOn: Id; spent: { txID: Id | undefined } | undefined }[]) =>
    all
      .map(({ utxo, createdOn, consumedOn, spent }) => `${utxo.id} ${createdOn} ${consumedOn} ${spent === undefined ? '' : spent.txID}`)
      .sort();
  // Imports by another chain count from the time of its block on.
  const asOfLast = expected.map((output) => ({ ...output, spent: (output.spent?.time ?? 0) > last.time ? undefined : output.spent }));
  const withIDs = found.map((output) => ({
    ...output,
    utxo: output.utxo,
    spent: output.spent && { txID: output.spent.id && (toHex(output.spent.id) as Id) },
  }));
  expect(comparable(withIDs)).toEqual(comparable(asOfLast));
  expect(await explorer.outputs([{ txID: zeroId, outputIndex: 0 }], last)).toEqual([]);
  const byId: (OutputEntry | undefined)[] = [];
  for (const { utxo } of expected) byId.push(await explorer.outputById(utxo.id, last));
  expect(byId.map((output) => output?.utxo.id)).toEqual(expected.map(({ utxo }) => utxo.id));
  expect(await explorer.outputById(zeroId, last)).toBeUndefined();
};

const checkSharedOutputs: Check = async ({ chains, explorer }) => {
  const pins = chains.oracle.pins();
  let found = 0;
  for (const pin of [pins[pins.length - 1], pins[30]] as PinnedBlock[])
    for (const address of chains.addresses)
      for (const includeSpent of [false, true]) {
        const common = {
          pin,
          addresses: [address],
          asset: undefined,
          minAmount: 0n,
          includeSpent,
          sortBy: 'timestamp',
          order: 'asc',
        } as const;
        const expected = chains.oracle.allTxs
          .flatMap(({ emitted }) => emitted)
          .filter(({ utxo: { output }, height, consumedOn, spent }) => {
            const isListed = includeSpent || (spent?.seq ?? Number.POSITIVE_INFINITY) > pin.lastTx;
            const isShared = output.addresses.length > 1 && output.addresses.includes(address) && output.threshold > 1;
            return height <= pin.height && consumedOn === chainID && isListed && isShared;
          })
          .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
          .map(({ utxo }) => utxo.id);
        const listed = (await readOutputPages(explorer.sharedOutputs, { ...common, limit: 2 })).map(({ utxo }) => utxo.id);
        expect(listed).toEqual(expected);
        found += listed.length;
      }
  expect(found).toBeGreaterThan(0);
};

const checkTransfers: Check = async ({ chains: { oracle }, explorer }, name) => {
  const moved = oracle.allTxs.flatMap(({ emitted, consumed }) => [
    ...emitted.filter(({ consumedOn }) => consumedOn !== chainID),
    ...consumed.filter(({ createdOn }) => createdOn !== chainID),
  ]);
  const list = async (order: 'asc' | 'desc') => {
    const all = [];
    for (let after: number | undefined; ; ) {
      const page = await explorer.transfers({ after, order, limit: 3 });
      all.push(...page);
      after = page[2]?.seq;
      if (after === undefined) return all;
    }
  };
  const listed = await list('desc');
  expect((await list('asc')).reverse()).toEqual(listed);
  const text = (utxo: Utxo, source: Id, destination: Id, importedBy: Id | undefined) => `${utxo.id} ${source} ${destination} ${importedBy}`;
  expect(listed.map(({ utxo, source, destination, imported }) => text(utxo, source, destination, imported?.txID)).sort()).toEqual(
    moved.map(({ utxo, createdOn, consumedOn, spent }) => text(utxo, createdOn, consumedOn, spent?.txID)).sort(),
  );
  // Blocks of the other chain are unknown, so imported outputs have no block of their export.
  const exports = (all: readonly { utxo: Utxo; exported: { height: number; time: number } | undefined }[]) =>
    all.map(({ utxo, exported }) => `${utxo.id} ${exported?.height} ${exported?.time}`).sort();
  expect(exports(listed)).toEqual(
    exports(moved.map(({ utxo, createdOn, height, time }) => ({ utxo, exported: createdOn === chainID ? { height, time } : undefined }))),
  );
  const { outbound, inbound } = await explorer.atomicOutputs(1000);
  const waiting = moved.filter(({ createdOn, spent }) => createdOn === chainID && spent === undefined).map(({ utxo }) => utxo.id);
  expect(outbound.outputs.map(({ utxo }) => utxo.id).sort()).toEqual(waiting.sort());
  expect(outbound.isComplete).toBe(true);
  if (waiting.length > 1) expect((await explorer.atomicOutputs(1)).outbound).toMatchObject({ isComplete: false, outputs: { length: 1 } });
  const imported = new Set(moved.filter(({ createdOn }) => createdOn !== chainID).map(({ utxo }) => utxo.id));
  // Outputs without owners are not listed.
  const pending = [...oracle.inbound().values()]
    .filter(({ id, output }) => !imported.has(id) && output.addresses.length > 0)
    .map(({ id }) => id);
  expect(inbound?.outputs.map(({ utxo }) => utxo.id).sort()).toEqual(
    name === 'PostgreSQL' || name === 'Citus' ? undefined : (pending.sort() as never),
  );
};

const checks: readonly Check[] = [
  checkAssets,
  checkHolders,
  checkAssetDays,
  checkNftGroups,
  checkNames,
  checkIdRanges,
  checkBlocks,
  checkPositions,
  checkOutputs,
  checkSharedOutputs,
  checkTransfers,
];
