import { expect, test } from 'bun:test';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idOf } from '../../base/bytes/id.ts';
import { settle } from '../../base/timing/virtual-timing.fixture.ts';
import { createDisagreements } from './disagreements.ts';
import { FollowError, noResponse } from './fault.ts';
import { createMajorityRemote, type ForeignReads } from './majority-remote.ts';

const address = 'aa'.repeat(20) as Address;
const txID = idOf(Buffer.from('tx'));
const utxo = (index: number, amount = 5n): Utxo =>
  makeUtxo(txID, index, idOf(Buffer.from('asset')), {
    kind: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [address],
  });

/** What a node says; 'away': it fails; 'frozen': it never answers. */
type Said = { tx?: Uint8Array; utxos?: readonly Utxo[]; height?: bigint } | 'away' | 'frozen';

function network(...said: [Said, ...Said[]]) {
  const time = { now: 0, timers: new Set<{ readonly at: number; readonly run: () => void }>() };
  const after = (milliseconds: number, run: () => void) => {
    const timer = { at: time.now + milliseconds, run };
    time.timers.add(timer);
    return () => void time.timers.delete(timer);
  };
  const disagreements = createDisagreements({ now: () => time.now, after });
  const answer = async <T>(i: number, value: (one: Exclude<Said, string>) => T): Promise<T> => {
    const one = said[i];
    if (one === 'frozen') return new Promise<T>(() => {});
    if (one === 'away' || one === undefined) throw noResponse('method', 'connection refused');
    return value(one);
  };
  const nodes = said.map((_, i) => ({
    url: `http://node${i}`,
    height: () => answer(i, ({ height = 0n }) => height),
    foreignTx: () => answer(i, ({ tx }) => tx),
    utxos: () => answer(i, ({ utxos = [] }) => ({ utxos, next: undefined })),
  }));
  const reads = createMajorityRemote(nodes as never, { after, disagreements });
  const advance = async (milliseconds: number): Promise<void> => {
    await settle();
    const end = time.now + milliseconds;
    for (;;) {
      const due = [...time.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      time.timers.delete(due);
      time.now = due.at;
      due.run();
      await settle();
    }
    time.now = end;
  };
  return { reads, said, disagreements, advance };
}

const listed = async (reads: ForeignReads, list: 'P to X' | 'X to P') =>
  (await reads.utxos({ list, address, after: undefined })).utxos.map(({ outputIndex }) => outputIndex);
const tx = Buffer.from('bytes');

test('a transaction of another chain is known if most nodes have it; one that is away, frozen or lying changes nothing', async () => {
  for (const third of ['away', 'frozen', {}, { tx: Buffer.from('other') }] as const)
    for (const order of [0, 1, 2]) {
      const said: Said[] = [{ tx }, { tx }];
      said.splice(order, 0, third);
      const { reads, disagreements } = network(...(said as [Said]));
      expect(await reads.foreignTx('P', txID)).toEqual(tx);
      expect(disagreements.oldest()).toBeUndefined();
    }
  const { reads } = network({ tx }, {}, {});
  expect(await reads.foreignTx('P', txID)).toBeUndefined();
});

test('without a majority that answers, a lookup fails and names the nodes', async () => {
  const { reads } = network({ tx }, 'away', 'away');
  const error = await reads.foreignTx('P', txID).catch((cause) => cause);
  expect(error.fault.code).toBe('FOLLOW_SILENT');
  expect(error.message).toContain('2 of 3 nodes must answer, 1 did; http://node1: ');
});

test('outputs for X are those that most nodes list; exports of X are gone when most nodes do not list them', async () => {
  const { reads } = network({ utxos: [utxo(0), utxo(1)] }, { utxos: [utxo(0)] }, { utxos: [utxo(0), utxo(1, 6n), utxo(2)] });
  expect(await listed(reads, 'P to X')).toEqual([0]);
  const exports = network({ utxos: [utxo(0)] }, { utxos: [] }, { utxos: [utxo(0), utxo(1)] });
  expect(await listed(exports.reads, 'X to P')).toEqual([0]);
});

test('a frozen node is not waited for longer than a second', async () => {
  const { reads, advance } = network({ height: 7n, utxos: [utxo(0)] }, 'frozen', { height: 9n, utxos: [utxo(0)] });
  const answers = Promise.all([reads.height(), listed(reads, 'P to X')]);
  await advance(1000);
  expect(await answers).toEqual([7n, [0]]);
});

test('two nodes that differ disagree until they agree: nothing new is believed, and it is known since when', async () => {
  const { reads, said, disagreements, advance } = network({ tx, utxos: [utxo(0), utxo(1)] }, { utxos: [utxo(0)] });
  expect(await reads.foreignTx('P', txID)).toBeUndefined();
  expect(await listed(reads, 'P to X')).toEqual([0]);
  expect(await listed(reads, 'X to P')).toEqual([0, 1]);
  expect(disagreements.oldest()).toEqual({ what: expect.stringContaining('whether the P-Chain has transaction'), since: 0 });
  await advance(20_000);
  expect(disagreements.oldest()?.since).toBe(0);
  said[1] = said[0];
  await advance(5000);
  expect(disagreements.oldest()).toBeUndefined();
  expect(await reads.foreignTx('P', txID)).toEqual(tx);
});

test('one node is asked as it is: its pages and refusals are its own', async () => {
  const refusal = new FollowError('no', { code: 'FOLLOW_REFUSED', method: 'm', rpcCode: -1 });
  const page = { utxos: [utxo(0)], next: 'more' };
  const node = { url: 'http://node', height: async () => 5n, foreignTx: () => Promise.reject(refusal), utxos: async () => page };
  const reads = createMajorityRemote([node] as never, { after: () => () => {}, disagreements: { note: () => {} } });
  const query = { list: 'own', address } as never;
  expect([await reads.height(), await reads.utxos(query)] as unknown[]).toEqual([5n, page]);
  await expect(reads.foreignTx('P', txID)).rejects.toBe(refusal);
});
