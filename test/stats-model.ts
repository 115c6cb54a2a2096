import { expect } from 'bun:test';
import { contextOf } from '../src/api/chain-name.ts';
import { bind, createApi } from '../src/api/dispatch.ts';
import { mismatches } from '../src/api/matches.fixture.ts';
import { asker, openGate, type Sent } from '../src/api/requests.fixture.ts';
import type { Schema } from '../src/api/schema.ts';
import type { Served, ServedChain } from '../src/api/served.ts';
import { type Id, zeroId } from '../src/bytes/id.ts';
import { unitStart } from '../src/index/calendar.ts';
import type { SpanEntry } from '../src/index/span.ts';
import type { Unit } from '../src/index/tables.ts';
import type { IndexReads, Pin } from '../src/index-read/index-reads.ts';
import { statsRoutes } from '../src/stats/routes.ts';

/** A chain as plain lists of who did what when: what the index says of it is counted anew for every question, as slow and as plain as can be. */
export type ModelTx = { readonly from: readonly string[]; readonly to: readonly string[]; readonly fee: bigint };
export type ModelBlock = { readonly time: number; readonly txs: readonly ModelTx[] };

/** Transactions of the genesis: they are numbered before block 1's. */
const genesisTxs = 3;

export const idAt = (height: number): Id => height.toString(16).padStart(64, '0') as Id;

/** `blocks[0]` is block 0: its one transaction stands for the genesis and tells who holds something from the beginning. */
export function modelReads(blocks: readonly ModelBlock[]): Pick<IndexReads, StatsQuestion> {
  const pinAt = (height: number): Pin | undefined => {
    const block = blocks[height];
    if (block === undefined) return undefined;
    const txs = blocks.slice(1, height + 1).flatMap((each) => each.txs);
    return { height, id: idAt(height), time: block.time, lastTx: genesisTxs + txs.length };
  };
  const counted = blocks.slice(1);
  /** The second before this one that has blocks, block 0 aside. */
  const rateOf = (time: number): number => {
    const before = counted.filter((block) => block.time < time).at(-1)?.time ?? time - 1;
    return txsOf(counted.filter((block) => block.time === time)).length / (time - before);
  };
  const firstSeen = new Map<string, number>();
  for (const { time, txs } of blocks) for (const name of namesOf(txs)) if (!firstSeen.has(name)) firstSeen.set(name, time);
  const holders = namesOf(blocks[0]!.txs);
  const firstIn = (from: number, to: number) => [...firstSeen.values()].filter((time) => time >= from && time < to).length;
  const maxTpsOf = (some: readonly ModelBlock[]) => Math.max(0, ...some.map(({ time }) => rateOf(time)));

  const spanOf = (unit: Unit, start: number): SpanEntry => {
    const some = counted.filter(({ time }) => unitStart(unit, time) === start);
    const txs = txsOf(some);
    return {
      start,
      txs: txs.length,
      blocks: some.length,
      active: namesOf(txs).size,
      senders: sendersOf(txs).size,
      addresses: [...namesOf(txs)].filter((name) => !holders.has(name) && unitStart(unit, firstSeen.get(name)!) === start).length,
      fees: feesOf(txs),
      maxTps: maxTpsOf(some),
      last: some.at(-1)!.time,
    };
  };
  const startsOf = (unit: Unit) => [...new Set(counted.map(({ time }) => unitStart(unit, time)))].sort((a, b) => b - a);

  return {
    tip: async () => pinAt(blocks.length - 1)!,
    pinAt: async (height) => pinAt(height),
    pinBefore: async (time) => pinAt(blocks.findLastIndex((block) => block.time < time)),
    spans: async (unit, from, to, limit) =>
      startsOf(unit)
        .filter((start) => start >= from && start < to)
        .slice(0, limit)
        .map((start) => spanOf(unit, start)),
    spanBefore: async (unit, before) => {
      const start = startsOf(unit).find((one) => one < before);
      return start === undefined ? undefined : spanOf(unit, start);
    },
    totals: async (of, times) =>
      times.map((from) => {
        const some = counted.filter(({ time }) => time >= from);
        const txs = txsOf(some);
        return {
          txs: txs.length,
          fees: feesOf(txs),
          maxTps: maxTpsOf(some),
          activeAddresses: namesOf(txs).size,
          activeSenders: sendersOf(txs).size,
          newAddresses: firstIn(from, Number.POSITIVE_INFINITY),
        }[of];
      }),
    addressesBefore: async (time) => firstIn(0, time),
  };
}

/** What the Metrics interface asks of the index. */
export type StatsQuestion = 'tip' | 'pinAt' | 'pinBefore' | 'spans' | 'spanBefore' | 'totals' | 'addressesBefore';

export function modelServed(blocks: readonly ModelBlock[], now: () => number, network: Partial<Served['network']> = {}): Served {
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
    complete: undefined,
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
    counterparts: [
      { id: zeroId, alias: 'P', evmChainId: 0 },
      { id: idAt(5), alias: 'C', evmChainId: 43_112 },
    ],
    builder: undefined,
    now,
  };
}

/** The Metrics interface over it, without a socket. Every answer is held against the schema that its route documents. */
export function metricsApi(served: Served) {
  const rows = statsRoutes().map((row) => ({ row, path: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/?]+')}/?(\\?|$)`) }));
  const ask = asker(
    createApi({
      routes: bind('metrics', statsRoutes(), served),
      gate: openGate,
      context: contextOf(served),
      sealKey: new Uint8Array(32),
      epoch: () => 0,
      now: served.now,
      caller: () => '127.0.0.1',
      origin: () => 'http://127.0.0.1',
      report: (error) => {
        throw error;
      },
    }),
  );
  return async (target: string, sent?: Sent) => {
    const got = await ask(target, sent);
    const schema = rows.find(({ path }) => path.test(target))?.row.response;
    if (got.status === 200) expect(mismatches(schema as Schema, got.json, { strict: true })).toEqual([]);
    return got;
  };
}

/** Every page of a list, to its end. */
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
const namesOf = (txs: readonly ModelTx[]): Set<string> => new Set(txs.flatMap(({ from, to }) => [...from, ...to]));
const sendersOf = (txs: readonly ModelTx[]): Set<string> => new Set(txs.flatMap(({ from }) => from));
const feesOf = (txs: readonly ModelTx[]): bigint => txs.reduce((sum, { fee }) => sum + fee, 0n);
