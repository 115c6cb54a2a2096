import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createExportLookup } from './export-lookup.ts';
import { FollowError, noResponse } from './fault.ts';

const [pChain, cChain, xChain, tx] = ['11', '22', '33', '44'].map((two) => two.repeat(32)) as [Id, Id, Id, Id];
const refused = new FollowError('no', { code: 'FOLLOW_REFUSED', method: 'm', rpcCode: -1 });
const silent = noResponse('m', 'w');

/** `answer`: what the node says of a transaction of another chain; `isUp`: whether it answers for this chain. */
function create(answer: (chain: string) => Uint8Array | undefined, isUp: () => boolean = () => true) {
  const { timing, until, pass } = createVirtualTiming();
  const asked: [string, number][] = [];
  const abort = new AbortController();
  const { find } = createExportLookup({
    remote: {
      foreignTx: async (chain) => {
        asked.push([chain, timing.now()]);
        return answer(chain);
      },
      height: async () => {
        if (!isUp()) throw silent;
        return 1n;
      },
    },
    chainID: xChain,
    foreign: { P: pChain, C: cChain },
    timing,
    signal: abort.signal,
  });
  const outcome = async (from: Id): Promise<unknown> => {
    let result: unknown = 'pending';
    find(from, tx).then(
      (value) => {
        result = value;
      },
      (error: unknown) => {
        result = error;
      },
    );
    await until(() => result !== 'pending');
    return result;
  };
  return { asked, find, outcome, pass, abort };
}

const fails = (error: unknown) => (): never => {
  throw error;
};

test('a chain that the node does not run, a refusal, an unknown transaction and bytes that are none have no outputs', async () => {
  expect(await create(fails(refused)).outcome(xChain)).toBeUndefined();
  for (const [from, chain] of [[pChain, 'P'] as const, [cChain, 'C'] as const])
    for (const answer of [fails(refused), () => undefined, () => new Uint8Array([9, 9])]) {
      const { outcome, asked } = create(answer);
      expect(await outcome(from)).toBeUndefined();
      expect(asked).toEqual([[chain, 0]]);
    }
});

test('an unknown export is asked for again the next time; two lookups at a time ask once', async () => {
  const { find, asked } = create(() => undefined);
  const [first, second] = [find(pChain, tx), find(pChain, tx)];
  expect(first).toBe(second);
  await first;
  await find(pChain, tx);
  expect(asked).toHaveLength(2);
});

test('an export of one chain is none of another, also while it is cached', async () => {
  // An ExportTx of the P-Chain to X with one output.
  const output = `${tx} 00000007 0000000000000005 0000000000000000 00000001 00000001 ${'11'.repeat(20)}`;
  const exported = `0000 00000012 00003039 ${pChain} 00000000 00000000 00000000 ${xChain} 00000001 ${output} 00000000`;
  const { find, asked } = create((chain) => (chain === 'P' ? Buffer.from(exported.replaceAll(' ', ''), 'hex') : undefined));
  expect(await find(pChain, tx)).toHaveLength(1);
  expect(await find(cChain, tx)).toBeUndefined();
  expect(await find(pChain, tx)).toHaveLength(1);
  expect(asked.map(([chain]) => chain)).toEqual(['P', 'C']);
});

test('a chain that does not answer for five seconds is skipped for a minute, the other is not', async () => {
  const { outcome, asked, pass } = create(fails(silent));
  expect(await outcome(pChain)).toBeUndefined();
  expect(asked.map(([, at]) => at)).toEqual(Array.from({ length: 12 }, (_, i) => 500 * i));
  asked.length = 0;
  expect([await outcome(pChain), asked]).toEqual([undefined, []]);
  await pass(59_999);
  expect([await outcome(pChain), asked]).toEqual([undefined, []]);
  await pass(1);
  await outcome(pChain);
  expect(asked.length).toBe(12);
  asked.length = 0;
  await outcome(cChain);
  expect(asked.length).toBe(12);
});

test('if the node does not answer for this chain either, or another error comes, the lookup fails', async () => {
  expect(await create(fails(silent), () => false).outcome(pChain)).toBe(silent);
  const failure = new TypeError('of this program');
  expect(await create(fails(failure)).outcome(pChain)).toBe(failure);
  const { abort, outcome } = create(fails(silent));
  abort.abort();
  expect(await outcome(pChain)).toMatchObject({ fault: { code: 'FOLLOW_STOPPED' } });
});
