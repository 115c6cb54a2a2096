import { expect } from 'bun:test';
import { parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { chainRoot, type Json, plainAddress } from './data-requests.ts';
import { cChain, pChain } from './local-chain.ts';
import { createMetricsApi, modelServedChains } from './metrics-model.ts';
import { eventually } from './processes.ts';
import type { Walk } from './walk.ts';
import { timeOf, tipOf } from './walk-model.ts';
import { eventText } from './walk-node.ts';
import { localChainParams } from './wallet-kit.ts';

const text = (address: Address): string => plainAddress({ address });

/** Checks after every step: height, mempool, clock, block policy, events, and one address and one transaction in turn. */
export async function checkStep(walk: Walk, step: number): Promise<void> {
  const { state, session, node, addresses } = walk;
  const [info, mempool] = [await node.dev('nodeInfo'), await node.dev('getMempool')];
  const { clock } = state;
  expect({ ...info, time: undefined, offset: undefined }).toMatchObject({
    height: String(tipOf(state).height),
    blockID: idText(tipOf(state).id),
    blockTime: String(tipOf(state).time),
    frozen: clock.frozenAt !== undefined,
    automine: session.automine,
    pending: state.pending.length,
    impersonated: session.impersonated.size,
  });
  expect(mempool.txs.map(({ txID }: Json) => txID)).toEqual(state.pending.map(({ id }) => idText(id)));
  checkTime(walk, info);
  await checkEvents(walk);
  await checkFollowedMempool(walk);
  await checkBalances(walk, addresses[step % addresses.length] as Address);
  await checkStatus(walk, step);
}

/** How much is compared: `all` items of all lists, or for some addresses the `newest` items, which is ten times faster. */
type Extent = 'all' | 'newest';

/** Compares the answers of every interface. */
export async function checkAll(walk: Walk, extent: Extent = 'all'): Promise<void> {
  const addresses = extent === 'all' ? walk.addresses : pickSome(walk, walk.addresses, 3);
  for (const address of addresses) {
    await checkBalances(walk, address);
    await checkUtxos(walk, address);
    await checkDataOf(walk, address, extent);
  }
  await checkBlocks(walk, extent);
  await checkAtomic(walk);
  for (const path of extent === 'all' ? metricPaths : pickSome(walk, metricPaths, 2)) await checkMetric(walk, path);
  const { snapshots } = await walk.node.dev('listSnapshots');
  const expected = [...walk.snapshots].map(([name, { blocks }]) => {
    const { height, time } = blocks.at(-1) as (typeof blocks)[number];
    return { name, height: String(height), time: String(time) };
  });
  expect(snapshots).toEqual(expected);
}

/** Some items, with repeats. */
const pickSome = <T>({ random }: Walk, items: readonly T[], count: number): T[] => Array.from({ length: count }, () => random.pick(items));

function checkTime({ state: { clock } }: Walk, { time, offset }: Json): void {
  expect(Math.abs(Number(BigInt(time) - timeOf(clock)))).toBeLessThanOrEqual(clock.frozenAt === undefined ? 2 : 0);
  if (clock.frozenAt === undefined) expect(offset).toBe(String(clock.offset));
}

/** The client has exactly the events of the model: in order, without a gap or a repeat. */
export async function checkEvents({ node, expectedEvents }: Walk): Promise<void> {
  if (!node.isFollowing()) return;
  const until = performance.now() + 10_000;
  while (node.events().length < expectedEvents.length && performance.now() < until) await Bun.sleep(1);
  const from = Math.max(0, expectedEvents.length - maxComparedEvents);
  const found = node.events().slice(from).map(eventText);
  const wanted = expectedEvents.slice(from);
  const first = wanted.findIndex((event, i) => event !== found[i]);
  // A few of them are enough to show a difference.
  const around = (events: readonly string[]) => (first < 0 ? [] : events.slice(Math.max(0, first - 2), first + 3));
  expect([found.length, around(found)]).toEqual([wanted.length, around(wanted)]);
}

/**
 * A client can follow the mempool by the events alone. They are not numbered, so the last ones are waited for. A reader process may send a
 * block before it learns of the mempool events that came before it.
 */
async function checkFollowedMempool({ node, state }: Walk): Promise<void> {
  if (node.mode.flags.includes('--workers=1')) return;
  const expected = state.pending.map(({ id }) => idText(id)).join();
  const found = await eventually(
    () => node.followedMempool()?.join(),
    (now) => now === undefined || now === expected,
    5000,
  );
  if (found !== undefined) expect(found).toBe(expected);
}

/** More than an interval without the stream has; the events before have been compared in the steps before. */
const maxComparedEvents = 200;

/** Numbers of the event log are consecutive, except after a new log. */
export function checkEventNumbers({ node }: Walk): void {
  let last: { readonly log: string; readonly seq: number } | undefined;
  for (const { id = '', kind } of node.events()) {
    const [log = '', seq] = id.split('-');
    const number = Math.floor(Number(seq));
    if (kind === 'reset') last = { log, seq: number };
    else if (last !== undefined) {
      expect([id, log]).toEqual([id, last.log]);
      expect([id, number - last.seq]).toEqual([id, kind === 'tx' ? 0 : 1]);
    }
    last = { log, seq: number };
  }
}

const isOwner = (address: Address, { output }: Utxo): boolean => output.addresses.includes(address);

async function checkBalances({ state, node }: Walk, address: Address): Promise<void> {
  const now = timeOf(state.clock);
  const sums = new Map<Id, bigint>();
  for (const utxo of state.utxos.values()) {
    const { assetID, output } = utxo;
    if (!('amount' in output) || !isOwner(address, utxo) || output.addresses.length > 1 || output.locktime > now) continue;
    sums.set(assetID, (sums.get(assetID) ?? 0n) + output.amount);
  }
  const { result } = await node.call('/ext/bc/X', 'avm.getAllBalances', { address: `X-${text(address)}` });
  const expected = [...sums].map(([asset, balance]) => `${asset === localChainParams.feeAsset ? 'AVAX' : idText(asset)} ${balance}`);
  expect(result.balances.map(({ asset, balance }: Json) => `${asset} ${balance}`).sort()).toEqual(expected.sort());
}

async function checkUtxos({ state, node }: Walk, address: Address): Promise<void> {
  const { result } = await node.call('/ext/bc/X', 'avm.getUTXOs', { addresses: [`X-${text(address)}`], limit: 1024, encoding: 'hexnc' });
  const ids = result.utxos.map((hex: string) => parseUtxo(Buffer.from(hex.slice(2), 'hex')).id);
  const expected = [...state.utxos.values()].filter((utxo) => isOwner(address, utxo)).map(({ id }) => id);
  expect(ids.length === 1024 ? [] : ids.sort()).toEqual(ids.length === 1024 ? [] : expected.sort());
}

/** Balances, unspent outputs and transactions of an address in the Data API. */
async function checkDataOf({ state, node }: Walk, address: Address, extent: Extent): Promise<void> {
  const now = timeOf(state.clock);
  const canSpendAlone = (utxo: Utxo) => isOwner(address, utxo) && utxo.output.threshold === 1;
  const sums = new Map<string, bigint>();
  const add = (part: string, { assetID, output }: Utxo): void => {
    if (output.kind.endsWith('MintOutput')) return;
    const key = `${part}${output.locktime > now ? 'Locked' : 'Unlocked'} ${'amount' in output ? 'secp256k1' : 'nft'} ${idText(assetID)}`;
    sums.set(key, (sums.get(key) ?? 0n) + ('amount' in output ? output.amount : 1n));
  };
  const own = [...state.utxos.values()].filter(canSpendAlone);
  const exported = [...state.exports.values()].flatMap((all) => [...all.values()].filter(canSpendAlone));
  for (const utxo of own) add('', utxo);
  for (const utxo of exported) add('atomicMemory', utxo);
  const { balances } = await node.get(`${chainRoot}/balances?addresses=${text(address)}`);
  const found = new Map<string, bigint>();
  for (const [part, list] of Object.entries<Json[]>(balances))
    for (const { type, assetId, amount } of list) {
      const name = part.replace(/^(un)?locked$/, (all) => (all === 'locked' ? 'Locked' : 'Unlocked'));
      const key = `${name} ${type} ${assetId}`;
      found.set(key, (found.get(key) ?? 0n) + BigInt(amount));
    }
  expect(linesOf(found)).toEqual(linesOf(sums));

  const utxos = await list(node, `${chainRoot}/utxos?addresses=${text(address)}`, 'utxos', 'all');
  expect(utxos.map(({ utxoId }) => utxoId).sort()).toEqual([...own, ...exported].map(({ id }) => idText(id)).sort());
  const txs = await list(node, `${chainRoot}/transactions?addresses=${text(address)}`, 'transactions', extent);
  const expected = state.txs.filter(({ owners }) => owners.has(address)).map(({ tx }) => idText(tx.id));
  expect(txs.map(({ txHash }) => txHash)).toEqual(newestOf(expected, extent));
}

/** The expected list, newest first. */
const newestOf = <T>(items: readonly T[], extent: Extent): T[] =>
  items.toReversed().slice(0, extent === 'all' ? items.length : newestCount);

const newestCount = 10;

const linesOf = (sums: ReadonlyMap<string, bigint>): string[] => [...sums].map(([key, sum]) => `${key} ${sum}`).sort();

async function list(node: Walk['node'], path: string, part: string, extent: Extent): Promise<Json[]> {
  const items: Json[] = [];
  const sized = `${path}${path.includes('?') ? '&' : '?'}pageSize=${extent === 'all' ? 100 : newestCount}`;
  for (let token: string | undefined, page = 0; page === 0 || token !== undefined; page++) {
    const answer = await node.get(token === undefined ? sized : `${sized}&pageToken=${token}`);
    items.push(...answer[part]);
    token = extent === 'all' ? answer.nextPageToken : undefined;
  }
  return items;
}

async function checkBlocks({ state, node }: Walk, extent: Extent): Promise<void> {
  const blocks = await list(node, `${chainRoot}/blocks`, 'blocks', extent);
  const expected = state.blocks.map(({ id, height, time, txs }) => [idText(id), String(height), Number(time), txs.length]);
  expect(blocks.map(({ blockHash, blockNumber, blockTimestamp, txCount }) => [blockHash, blockNumber, blockTimestamp, txCount])).toEqual(
    newestOf(expected, extent),
  );
  const { result } = await node.call('/ext/bc/X', 'avm.getHeight');
  expect(result.height).toBe(String(tipOf(state).height));
}

/** Outputs between the chains, as far as the list shows them. */
async function checkAtomic({ state, node }: Walk): Promise<void> {
  const { utxos, truncated } = await node.dev('listAtomic');
  const all = [pChain, cChain].flatMap((chain) => [
    ...[...(state.deposits.get(chain)?.keys() ?? [])].map((id) => `${chain} in ${idText(id)}`),
    ...[...(state.exports.get(chain)?.keys() ?? [])].map((id) => `${chain} out ${idText(id)}`),
  ]);
  const chainOf = (alias: string): Id => (alias === 'P' ? pChain : cChain);
  const found = utxos.map(({ utxoID, sourceChain, destinationChain }: Json) =>
    destinationChain === 'X' ? `${chainOf(sourceChain)} in ${utxoID}` : `${chainOf(destinationChain)} out ${utxoID}`,
  );
  expect([truncated, found.sort()]).toEqual([false, all.sort()]);
}

const metricPaths = [
  'rollingWindowMetrics/txCount',
  'rollingWindowMetrics/feesPaid',
  'rollingWindowMetrics/activeAddresses',
  'metrics/txCount?timeInterval=hour&pageSize=50',
  'metrics/cumulativeTxCount?timeInterval=day&pageSize=5',
  'metrics/cumulativeAddresses?timeInterval=day&pageSize=5',
  'metrics/maxTps?timeInterval=day&pageSize=5',
].map((path) => `/v2/chains/X/${path}`);

/** An answer of the Metrics API equals that of the same route over the model's blocks. */
async function checkMetric({ state, node }: Walk, path: string): Promise<void> {
  const now = Number(timeOf(state.clock));
  const expected = await createMetricsApi(modelServedChains(state.stats, () => now))(path);
  const withoutToken = ({ nextPageToken: _, ...answer }: Json): Json => answer;
  expect([path, withoutToken(await node.get(path))]).toEqual([path, withoutToken(expected.json)]);
}

async function checkStatus({ state, node, issued }: Walk, step: number): Promise<void> {
  const id = issued[step % Math.max(1, issued.length)];
  if (id === undefined) return;
  const { result } = await node.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) });
  const isAccepted = state.txs.some(({ tx }) => tx.id === id);
  const isPending = state.pending.some((one) => one.id === id);
  const expected = isAccepted ? ['Accepted'] : isPending ? ['Processing'] : ['Unknown', 'Rejected'];
  expect(expected).toContain(result.status);
}
