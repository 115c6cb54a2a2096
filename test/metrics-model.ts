import { expect } from 'bun:test';
import type { AnySchema } from '../src/api/contract/schema.ts';
import { findMismatches } from '../src/api/contract/schema-mismatches.fixture.ts';
import { metricsApiRoutes } from '../src/api/metrics-api/routes.ts';
import type { MetricsApiDeps } from '../src/api/metrics-api/series-cache.ts';
import { paramContextFor } from '../src/api/rest/chain-name.ts';
import { createApi } from '../src/api/rest/dispatch.ts';
import { createSender, type RequestOptions, testApiOptions } from '../src/api/rest/requests.fixture.ts';
import { bindRoutes } from '../src/api/rest/route.ts';
import type { ServedChain, ServedChains } from '../src/api/rest/served-chains.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import { bucketStart } from '../src/ledger/index/bucket-start.ts';
import type { BucketUnit } from '../src/ledger/index/tables.ts';
import type { TimeBucket } from '../src/ledger/index/time-bucket.ts';
import type { IndexReads, PinnedBlock } from '../src/ledger/index-read/index-reads.ts';

// A model of the index: a chain as lists of blocks and transactions. Every query counts them again, in the simplest way.

export type ModelTx = { readonly from: readonly string[]; readonly to: readonly string[]; readonly fee: bigint };
export type ModelBlock = { readonly time: number; readonly txs: readonly ModelTx[] };

/** Number of genesis transactions: they come before those of block 1. */
const genesisTxs = 3;

export const idAt = (height: number): Id => height.toString(16).padStart(64, '0') as Id;

/** `blocks[0]` is block 0: its single transaction stands for the genesis, and its addresses own the genesis outputs. */
function modelReads(blocks: readonly ModelBlock[]): Pick<IndexReads, MetricsReads> {
  const pinAt = (height: number): PinnedBlock | undefined => {
    const block = blocks[height];
    if (block === undefined) return undefined;
    const txs = blocks.slice(1, height + 1).flatMap((each) => each.txs);
    return { height, id: idAt(height), time: block.time, lastTx: genesisTxs + txs.length };
  };
  const afterGenesis = blocks.slice(1);
  /** TPS of a second: its transactions, divided by the seconds since the previous second with blocks (except block 0). */
  const rateOf = (time: number): number => {
    const before = afterGenesis.filter((block) => block.time < time).at(-1)?.time ?? time - 1;
    return txsOf(afterGenesis.filter((block) => block.time === time)).length / (time - before);
  };
  const firstSeen = new Map<string, number>();
  for (const { time, txs } of blocks) for (const name of addressesOf(txs)) if (!firstSeen.has(name)) firstSeen.set(name, time);
  const holders = addressesOf(blocks[0]!.txs);
  const newAddressesIn = (from: number, to: number) => [...firstSeen.values()].filter((time) => time >= from && time < to).length;
  const maxTpsOf = (some: readonly ModelBlock[]) => Math.max(0, ...some.map(({ time }) => rateOf(time)));

  const bucketAt = (unit: BucketUnit, start: number): TimeBucket => {
    const some = afterGenesis.filter(({ time }) => bucketStart(unit, time) === start);
    const txs = txsOf(some);
    return {
      start,
      txs: txs.length,
      blocks: some.length,
      active: addressesOf(txs).size,
      senders: sendersOf(txs).size,
      addresses: [...addressesOf(txs)].filter((name) => !holders.has(name) && bucketStart(unit, firstSeen.get(name)!) === start).length,
      fees: feesOf(txs),
      maxTps: maxTpsOf(some),
      last: some.at(-1)!.time,
    };
  };
  const startsOf = (unit: BucketUnit) => [...new Set(afterGenesis.map(({ time }) => bucketStart(unit, time)))].sort((a, b) => b - a);

  return {
    tip: async () => pinAt(blocks.length - 1)!,
    pinAtHeight: async (height) => pinAt(height),
    pinBeforeTime: async (time) => pinAt(blocks.findLastIndex((block) => block.time < time)),
    buckets: async (unit, from, to, limit) =>
      startsOf(unit)
        .filter((start) => start >= from && start < to)
        .slice(0, limit)
        .map((start) => bucketAt(unit, start)),
    totals: async (of, times) =>
      times.map((from) => {
        const some = afterGenesis.filter(({ time }) => time >= from);
        const txs = txsOf(some);
        return {
          txs: txs.length,
          fees: feesOf(txs),
          maxTps: maxTpsOf(some),
          activeAddresses: addressesOf(txs).size,
          activeSenders: sendersOf(txs).size,
          newAddresses: newAddressesIn(from, Number.POSITIVE_INFINITY),
        }[of];
      }),
    addressesBefore: async (time) => newAddressesIn(0, time),
  };
}

/** The index queries of the Metrics API. */
type MetricsReads = 'tip' | 'pinAtHeight' | 'pinBeforeTime' | 'buckets' | 'totals' | 'addressesBefore';

export function modelServedChains(
  blocks: readonly ModelBlock[],
  now: () => number,
  network: Partial<ServedChains['network']> = {},
): ServedChains {
  const chain = (id: Id, alias: string, slug: string, title: string): ServedChain => ({
    id,
    aliases: [alias],
    slug,
    title,
    vmID: idAt(9),
    feeAsset: idAt(8),
    genesisBytes: new Uint8Array(),
    rpcUrl: `/ext/bc/${alias}`,
    reads: modelReads(blocks) as IndexReads,
    status: () => 'OK',
    epoch: () => 0,
    backfillAddresses: undefined,
  });
  return {
    network: {
      id: 12345,
      name: 'local',
      names: ['local', '12345'],
      hrp: 'local',
      alias: undefined,
      isTestnet: true,
      subnetID: zeroId,
      startTime: 0,
      ...network,
    },
    chains: [chain(idAt(7), 'X', 'x-chain', 'X-Chain'), chain(idAt(6), 'Y', 'Y', 'Y')],
    otherChains: [
      { id: zeroId, alias: 'P', evmChainId: 0 },
      { id: idAt(5), alias: 'C', evmChainId: 43_112 },
    ],
    builder: undefined,
    now,
  };
}

/** The Metrics API over the model, without a socket. Every response is checked against the schema of its route. */
export function createMetricsApi(served: MetricsApiDeps) {
  const rows = metricsApiRoutes().map((row) => ({ row, path: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/?]+')}/?(\\?|$)`) }));
  const ask = createSender(
    createApi({
      ...testApiOptions,
      routes: bindRoutes('metrics', metricsApiRoutes(), served),
      context: paramContextFor(served),
      now: served.now,
      onUnexpectedError: (error) => {
        throw error;
      },
    }),
  );
  return async (target: string, sent?: RequestOptions) => {
    const got = await ask(target, sent);
    const schema = rows.find(({ path }) => path.test(target))?.row.response;
    if (got.status === 200) expect(findMismatches(schema as AnySchema, got.json, { strict: true })).toEqual([]);
    return got;
  };
}

/** Reads all pages of a list. */
export async function pagesOf<Page extends { readonly json: { nextPageToken?: string } }>(
  ask: (target: string) => Promise<Page>,
  target: string,
): Promise<Page[]> {
  const pages = [await ask(target)];
  for (let token = pages[0]?.json.nextPageToken; token !== undefined; token = pages.at(-1)?.json.nextPageToken)
    pages.push(await ask(`${target}${target.includes('?') ? '&' : '?'}pageToken=${token}`));
  return pages;
}

const txsOf = (blocks: readonly ModelBlock[]): ModelTx[] => blocks.flatMap(({ txs }) => txs);
const addressesOf = (txs: readonly ModelTx[]): Set<string> => new Set(txs.flatMap(({ from, to }) => [...from, ...to]));
const sendersOf = (txs: readonly ModelTx[]): Set<string> => new Set(txs.flatMap(({ from }) => from));
const feesOf = (txs: readonly ModelTx[]): bigint => txs.reduce((sum, { fee }) => sum + fee, 0n);
