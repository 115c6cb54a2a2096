import { describe, expect, test } from 'bun:test';
import { isLong, someOf } from '../../../test/random.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import { bucketStart } from '../index/bucket-start.ts';
import { type BucketUnit, bucketUnits, txKinds } from '../index/tables.ts';
import type {
  AssetName,
  BlockEntry,
  BlockQuery,
  IndexReads,
  OutputEntry,
  OutputSum,
  PinnedBlock,
  TxEntry,
  TxQuery,
  UtxoQuery,
} from './index-reads.ts';
import type { IndexUnderTest } from './index-under-test.fixture.ts';
import { nextPage, readOutputPages } from './output-pages.fixture.ts';
import type { ReadsChains } from './reads-chains.fixture.ts';

/** The entry of a block with its IDs in hex. */
const withIds = (block: BlockEntry | undefined) => {
  if (block === undefined) return undefined;
  const { id, parentID, txIDTexts, ...rest } = block;
  const txIDs = txIDTexts.length === 0 ? [] : Buffer.from(txIDTexts).toString().split('","').map(parseId);
  return { ...rest, id: toHex(id), parentID: toHex(parentID), txIDs };
};

/** Compares every query of the index with a full scan (the oracle), on random chains: `rounds` of each kind in `.ci/run`, some of them in `npm test`. */
export function readsContract(name: string, open: (seed: number) => Promise<IndexUnderTest>, rounds: number): void {
  const chainsFrom = (first: number) => someOf(Array.from({ length: rounds }, (_, i) => first + i));
  const testOnChains = (title: string, seed: number, steps: number, work: (indexed: IndexUnderTest) => Promise<void>) =>
    test(title, async () => {
      const indexed = await open(seed);
      try {
        for (let i = 0; i < steps; i++) indexed.chains.step();
        await indexed.sync();
        await work(indexed);
      } finally {
        await indexed.close();
      }
    }, 300_000);

  describe(name, () => {
    testOnChains('pins and blocks', 1, 25, async ({ chains: { oracle }, reads }) => {
      const pins = oracle.pins();
      const last = pins[pins.length - 1] as PinnedBlock;
      expect(await reads.tip()).toEqual(last);
      expect(await reads.completeFrom()).toBe(0);
      for (const pin of pins) expect(await reads.pinAtHeight(pin.height)).toEqual(pin);
      expect(await reads.pinAtHeight(last.height + 1)).toBeUndefined();
      for (const { time } of pins)
        for (const moment of [time, time + 1]) {
          const before = pins.filter((pin) => pin.time < moment);
          expect(await reads.pinBeforeTime(moment)).toEqual(before[before.length - 1]);
        }
      for (const [i, block] of oracle.blocks.entries()) {
        const entry = {
          height: i,
          id: block.id,
          parentID: block.parentID,
          time: Number(block.time),
          size: block.bytes.length,
          txCount: block.txs.length,
          txIDs: block.txs.map(({ id }) => id),
        };
        expect(withIds(await reads.block({ height: i }))).toEqual(entry);
        expect(withIds(await reads.block({ id: block.id }))).toEqual(entry);
      }
      expect(await reads.block({ id: zeroId })).toBeUndefined();
      for (const pin of [last, pins[10] as PinnedBlock, pins[0] as PinnedBlock])
        for (const order of ['asc', 'desc'] as const)
          for (const times of timeRanges(pins)) {
            const query = { pin, times, order, after: undefined, limit: 1000 };
            const whole = oracle.blockList(query).map(({ id }) => id);
            for (const limit of [1, 3, 1000]) {
              const pages = async (after: number | undefined) =>
                reads.blocks(await reads.blockHeights({ ...query, after, limit } satisfies BlockQuery));
              expect((await readPages(pages, limit, ({ height }) => height)).map(({ id }) => toHex(id))).toEqual(whole);
            }
          }
    });

    for (const seed of chainsFrom(2))
      testOnChains(`transactions, all filters and orders (chain ${seed})`, seed, 30, async ({ chains, reads }) => {
        const { oracle, addresses } = chains;
        const pins = oracle.pins();
        for (const { tx } of oracle.allTxs) {
          const pin = pins[chains.pick(pins.length)] as PinnedBlock;
          const [expected] = oracle.txList({ ...allTxs, pin }).filter(({ txID }) => txID === tx.id);
          const seq = await reads.txSeq(tx.id, pin);
          const [found] = seq === undefined ? [] : await reads.txs([seq], pin);
          expect(found && comparableTx(found)).toEqual(expected && comparableOracleTx(expected));
          const emitted = expected?.emitted.flatMap((output) => (output.seq === undefined ? [] : { ...output, seq: output.seq })) ?? [];
          const spent = emitted.filter((output) => output.spent !== undefined).map((output) => output.seq);
          const spentOutputs = reads.spentOutputs(
            emitted.map((output) => output.seq),
            pin,
          );
          expect(await spentOutputs).toEqual(new Set(spent));
        }
        expect(await reads.txSeq(zeroId, pins[0] as PinnedBlock)).toBeUndefined();
        const tip = await reads.tip();
        for (const { tx } of oracle.allTxs) {
          const seq = await reads.txSeq(tx.id, tip);
          const isRendered = chains.pick(4) === 0;
          const entry = isRendered ? undefined : (await reads.txs([seq as number], tip))[0];
          expect(await reads.tx(tx.id, () => isRendered)).toMatchObject({ pin: tip, seq: seq as number, entry } as object);
        }
        expect(await reads.tx(zeroId, () => false)).toBeUndefined();
        const some = <T>(all: readonly T[]): T[] => all.filter(() => chains.pick(3) === 0);
        for (let i = 0; i < 60; i++) {
          const ofAddresses = some(addresses).map((address) => ({ address }));
          const ofAssets = some(oracle.assetIDs()).map((asset) => ({ asset }));
          const ranges = timeRanges(pins);
          const query: TxQuery = {
            pin: pins[chains.pick(pins.length)] as PinnedBlock,
            subjects: [undefined, ofAddresses, ofAssets, [...ofAddresses, ...ofAssets]][chains.pick(4)],
            kinds: chains.pick(2) === 0 ? undefined : some(Object.keys(txKinds) as (keyof typeof txKinds)[]),
            times: ranges[chains.pick(ranges.length)] as TxQuery['times'],
            order: chains.pick(2) === 0 ? 'asc' : 'desc',
            after: undefined,
            limit: 1000,
          };
          const whole = oracle.txList(query).map(comparableOracleTx);
          const limit = pageSize([1, 2, 7, 1000][chains.pick(4)] as number, whole);
          const pages = async (after: number | undefined) => readTxs(reads, { ...query, after, limit });
          expect((await readPages(pages, limit, ({ tx }) => tx.seq)).map(comparableTx)).toEqual(whole);

          const maxBytes = 1 + chains.pick(2000);
          const cut = await readTxs(reads, query, maxBytes);
          expect(cut.map(comparableTx)).toEqual(whole.slice(0, cut.length));
          const bytesOf = (entries: typeof cut) => entries.reduce((sum, { tx }) => sum + tx.bytes.length, 0);
          if (cut.length < whole.length) expect(bytesOf(cut)).toBeGreaterThan(maxBytes);
          if (cut.length > 2) expect(bytesOf(cut.slice(0, -1))).toBeLessThanOrEqual(maxBytes);
          expect(cut.length).toBeGreaterThanOrEqual(Math.min(2, whole.length));
        }
      });

    for (const seed of chainsFrom(20))
      testOnChains(`outputs, all filters and orders, as of any block (chain ${seed})`, seed, 30, async ({ chains, reads }) => {
        const pins = chains.oracle.pins();
        for (let i = 0; i < 60; i++) {
          const query = utxoQuery(chains, pins[chains.pick(pins.length)] as PinnedBlock);
          const whole = chains.oracle.utxoList(query).map(comparableOracleOutput);
          const limit = pageSize([1, 2, 5, 1000][chains.pick(4)] as number, whole);
          const found = await readOutputPages(reads.utxos, { ...query, limit });
          expect(found.map(comparable)).toEqual(whole);
          expect(new Set(found.map(({ seq }) => seq)).size).toBe(found.length);
        }
      });

    testOnChains('outputs as of a block that has many later blocks', 39, 3, async ({ chains, reads, sync }) => {
      const pins = chains.oracle.pins();
      for (let i = 0; i < 40; i++) chains.step(40);
      await sync();
      for (const pin of pins)
        for (let i = 0; i < 8; i++) {
          const query = utxoQuery(chains, pin);
          const whole = chains.oracle.utxoList(query).map(comparableOracleOutput);
          const limit = pageSize(7, whole);
          expect((await readOutputPages(reads.utxos, { ...query, limit })).map(comparable)).toEqual(whole);
        }
    });

    for (const seed of chainsFrom(40))
      testOnChains(`pages stay consistent while blocks arrive (chain ${seed})`, seed, 12, async ({ chains, reads, sync }) => {
        for (let i = 0; i < 4; i++) {
          const pin = await reads.tip();
          const queries = Array.from({ length: 6 }, () => utxoQuery(chains, pin));
          const wholes = queries.map((query) => chains.oracle.utxoList(query).map(comparableOracleOutput));
          const txQuery: TxQuery = { ...allTxs, pin, subjects: [{ address: chains.addresses[0] as Address }], order: 'desc' };
          const txs = chains.oracle.txList(txQuery).map(({ txID }) => txID);
          const limit = pageSize(1 + chains.pick(8), ...wholes, txs);
          const found = queries.map((): OutputEntry[] => []);
          const nexts = queries.map((): { after: number | undefined } | undefined => ({ after: undefined }));
          const foundTxs: TxEntry[] = [];
          for (let open = true; open; ) {
            open = false;
            // PostgreSQL writes and reads at the same time here.
            if (chains.oracle.blocks.length < 70) for (let n = 0; n < 3; n++) chains.step();
            const arriving = sync();
            for (const [n, query] of queries.entries()) {
              const from = nexts[n];
              if (from === undefined) continue;
              const page = await reads.utxos({ ...query, ...from, limit });
              found[n]?.push(...page.outputs);
              nexts[n] = nextPage(page, limit);
              open ||= nexts[n] !== undefined;
            }
            const page = await readTxs(reads, { ...txQuery, after: foundTxs[foundTxs.length - 1]?.tx.seq, limit });
            foundTxs.push(...page);
            open ||= page.length === limit;
            await arriving;
          }
          expect(found.map((list) => list.map(comparable))).toEqual(wholes);
          expect(foundTxs.map(({ tx }) => toHex(tx.id))).toEqual(txs);
        }
      });

    for (const seed of chainsFrom(60))
      testOnChains(`balances as of the last block and of earlier blocks (chain ${seed})`, seed, 40, async ({ chains, reads }) => {
        const key = (sum: Partial<OutputSum>) => [sum.asset, sum.isLocked, sum.type, sum.sharedWith].join();
        const byKey = (a: Partial<OutputSum>, b: Partial<OutputSum>) => (key(a) < key(b) ? -1 : 1);
        for (const pin of chains.oracle.pins()) {
          const requested = chains.addresses.filter(() => chains.pick(2) === 0);
          const now = chains.pick(3) * 1000;
          const expected = chains.oracle.balances(requested, pin, now);
          const found = await reads.balances(requested, pin, now);
          expect([...found.singleOwner].sort(byKey)).toEqual(expected.singleOwner.sort(byKey));
          expect([...found.others].sort(byKey)).toEqual(expected.others.sort(byKey));
        }
      });

    testOnChains('assets', 80, 40, async ({ chains: { oracle }, reads }) => {
      const ids = oracle.assetIDs();
      for (const id of ids) expect(await reads.asset(id)).toEqual(oracle.asset(id) as never);
      expect(await reads.assets([...ids, zeroId, ids[0] as Id])).toEqual(new Map(ids.map((id) => [id, oracle.asset(id)])) as never);
      const named = await reads.assetNames([...ids, zeroId, ids[0] as Id]);
      expect(new Map(named.map((name) => [name.id, name]))).toMatchObject(
        new Map(ids.map((id) => [id, pickName(oracle.asset(id) as AssetName)])) as never,
      );
      expect(named).toHaveLength(ids.length);
      const other = oracle.allTxs.find(({ tx }) => tx.unsigned.kind !== 'CreateAssetTx')?.tx.id as Id;
      expect(await reads.asset(other)).toBe('not-an-asset');
      expect(await reads.asset(zeroId)).toBeUndefined();
    });

    testOnChains('addresses seen and their last activity', 81, 40, async ({ chains, reads }) => {
      const unknownAddress = 'ff'.repeat(20) as Address;
      for (const pin of chains.oracle.pins()) {
        const requested = [...chains.addresses.filter(() => chains.pick(3) === 0), unknownAddress];
        expect(await reads.seenAddresses(requested, pin)).toEqual(chains.oracle.seenAddresses(requested, pin));
        const subjects = requested.map((address) => ({ address }));
        const [last] = chains.oracle.txList({ ...allTxs, pin, subjects, order: 'desc', limit: 1 });
        const found = await reads.lastActivity(requested, pin);
        expect(found && [found.txID, found.height, found.time]).toEqual(last && [last.txID, last.height, last.time]);
        if (found === undefined || last === undefined) continue;
        const output = [...last.consumed, ...last.emitted].find(({ utxo }) => utxo.id === found.utxoID);
        expect(output?.utxo.output.addresses.some((address) => requested.includes(address))).toBe(true);
        expect(found.isConsumed).toBe(last.consumed.some(({ utxo }) => utxo.id === found.utxoID));
      }
    });

    testOnChains('counts of hours, days, weeks and months, and totals to the second', 82, 60, async ({ chains: { oracle }, reads }) => {
      const times = oracle.blocks.slice(1).map(({ time }) => Number(time));
      for (const unit of Object.keys(bucketUnits) as BucketUnit[]) {
        const starts = [...new Set(times.map((time) => bucketStart(unit, time)))].reverse();
        const expected = starts.map((start) => ({ start, ...oracle.counted((time) => bucketStart(unit, time) === start) }));
        const all = await reads.buckets(unit, 0, 2 ** 40, 1000);
        expect(all).toEqual(expected);
        expect(await reads.buckets(unit, 0, 2 ** 40, 2)).toEqual(expected.slice(0, 2));
        const [newest, second] = expected;
        expect(await reads.buckets(unit, second?.start as number, newest?.start as number, 9)).toEqual(expected.slice(1, 2));
      }
      const begin = Number(oracle.blocks[0]?.time);
      const moments = [
        ...new Set([0, begin, begin + 1, ...times.flatMap((time) => [time, time + 1, time - (time % 3600), time + 86_400])]),
      ].sort((a, b) => b - a);
      const expected = moments.map((time) => {
        const { txs, fees, maxTps, active, senders } = oracle.counted((moment) => moment >= time);
        const newAddresses = oracle.addressesBefore(2 ** 50) - oracle.addressesBefore(time);
        return { txs, fees, maxTps, activeAddresses: active, activeSenders: senders, newAddresses };
      });
      for (const metric of ['txs', 'fees', 'maxTps', 'activeAddresses', 'activeSenders', 'newAddresses'] as const)
        for (let i = 0; i < moments.length; i += 10)
          expect([metric, i, await reads.totals(metric, moments.slice(i, i + 10))]).toEqual([
            metric,
            i,
            expected.slice(i, i + 10).map((totals) => totals[metric]),
          ]);
      for (const time of moments) expect(await reads.addressesBefore(time)).toBe(oracle.addressesBefore(time));
      const last = times[times.length - 1] as number;
      const windows = [last, last - 1, last - 59, last - 60, last - 3600, last - 90_000, begin, 1];
      for (const metric of ['txs', 'fees', 'maxTps', 'activeAddresses', 'activeSenders', 'newAddresses'] as const)
        expect(await reads.totals(metric, windows)).toEqual(
          (await Promise.all(windows.map((time) => reads.totals(metric, [time])))).flat(),
        );
    });
  });
}

/** Pages of `size`, or larger ones if the longest list would have more pages than tell anything new: every page is a query. */
const pageSize = (size: number, ...lists: readonly (readonly unknown[])[]): number =>
  Math.max(size, Math.ceil(Math.max(...lists.map((list) => list.length)) / (isLong ? 24 : 8)));

const readTxs = async (reads: IndexReads, query: TxQuery, maxBytes?: number): Promise<TxEntry[]> =>
  reads.txs(await reads.txSeqs(query), query.pin, maxBytes);

const allTxs = {
  subjects: undefined,
  kinds: undefined,
  times: { from: undefined, to: undefined },
  after: undefined,
  order: 'asc',
  limit: 1_000_000,
} as const;

/** Reads a list page by page; the first page that is not full is the last. */
async function readPages<T>(read: (after: number | undefined) => Promise<T[]>, limit: number, seq: (item: T) => number): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all[all.length - 1];
    const page = await read(last === undefined ? undefined : seq(last));
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function utxoQuery({ addresses, oracle, pick }: ReadsChains, pin: PinnedBlock): Omit<UtxoQuery, 'after' | 'limit'> {
  const assets = oracle.assetIDs();
  return {
    pin,
    addresses: addresses.filter(() => pick(2) === 0),
    asset: pick(4) === 0 ? assets[pick(assets.length)] : undefined,
    minAmount: [0n, 0n, 1n, 300n, 2n ** 64n - 1n, 2n ** 64n][pick(6)] as bigint,
    includeSpent: pick(2) === 0,
    sortBy: pick(2) === 0 ? 'timestamp' : 'amount',
    order: pick(2) === 0 ? 'asc' : 'desc',
  };
}

const timeRanges = (pins: readonly PinnedBlock[]): BlockQuery['times'][] => {
  const [early, late] = [pins[4]?.time as number, pins[pins.length - 4]?.time as number];
  return [
    { from: undefined, to: undefined },
    { from: early, to: undefined },
    { from: undefined, to: late },
    { from: early, to: late },
    { from: late, to: early },
    { from: 0, to: pins[0]?.time },
    { from: (pins[pins.length - 1]?.time as number) + 1, to: undefined },
  ];
};

/* Entries of the index and of the oracle in a common, comparable form. */

type ComparableOutput = {
  readonly id: Id;
  readonly bytes: string;
  readonly time: number;
  readonly createdOn: Id;
  readonly consumedOn: Id;
  readonly spent: unknown;
};

const comparable = ({ seq, utxo, time, createdOn, consumedOn, spent }: OutputEntry): ComparableOutput & { seq: number | undefined } => ({
  time,
  createdOn,
  consumedOn,
  id: utxo.id,
  bytes: Buffer.from(utxo.bytes).toString('hex'),
  seq: seq < 0 ? undefined : seq,
  spent: spent && { txID: spent.id && toHex(spent.id), time: spent.time, here: spent.layout !== undefined },
});

type OracleOutput = ReturnType<ReadsChains['oracle']['utxoList']>[number];

const comparableOracleOutput = ({ utxo, seq, time, createdOn, consumedOn, spent }: OracleOutput): ReturnType<typeof comparable> => ({
  id: utxo.id,
  bytes: Buffer.from(utxo.bytes).toString('hex'),
  seq,
  time,
  createdOn,
  consumedOn,
  spent,
});

const comparableTx = ({ tx, height, blockID, consumed, emitted }: TxEntry) => ({
  seq: tx.seq,
  txID: toHex(tx.id) as Id,
  height,
  blockID: toHex(blockID) as Id,
  time: tx.time,
  consumed: consumed.flatMap((output) => (output === undefined ? [] : { ...comparable(output), seq: undefined })),
  emitted: emitted.map(comparable),
});

type OracleTx = ReturnType<ReadsChains['oracle']['txList']>[number];

const comparableOracleTx = ({ consumed, emitted, ...entry }: OracleTx): ReturnType<typeof comparableTx> => ({
  ...entry,
  consumed: consumed.map((output) => ({ ...comparableOracleOutput(output), seq: undefined })),
  emitted: emitted.map(comparableOracleOutput),
});

const pickName = ({ id, name, symbol, denomination }: AssetName): AssetName => ({ id, name, symbol, denomination });
