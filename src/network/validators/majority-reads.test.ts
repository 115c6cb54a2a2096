import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import { unavailable } from './fault.ts';
import { createMajorityReads, type TrustedNode } from './majority-reads.ts';

const validator = '01'.repeat(20) as NodeId;
const codeOf = (error: unknown): string => (error instanceof Fault ? error.fault.code : String(error));

type Said = { readonly networkID?: number; readonly height: bigint; readonly weight?: bigint; readonly time?: bigint };

/** A trusted node that says the same at every call; undefined: one that does not answer. */
function nodeThatSays(said: Said | undefined, i: number): TrustedNode {
  const url = `http://node${i}`;
  const answer = async <T>(value: (said: Said) => T): Promise<T> => {
    if (said === undefined) throw unavailable(url, 'connection refused');
    return value(said);
  };
  return {
    url,
    reads: {
      networkID: () => answer(({ networkID = 12345 }) => networkID),
      heights: () => answer(({ height, time = 100n }) => ({ current: height, proposed: height - 1n, time })),
      validatorsAt: () => answer(({ weight = 5n }) => ({ weights: new Map([[validator, weight]]), keys: new Map() })),
    },
  };
}

const after = (milliseconds: number, run: () => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

const readsOf = (...said: (Said | undefined)[]) => createMajorityReads(said.map(nodeThatSays) as [TrustedNode, ...TrustedNode[]], after);

test('one node decides alone', async () => {
  expect(await readsOf({ height: 9n }).heights()).toEqual({ current: 9n, proposed: 8n, time: 100n });
});

test('of three nodes, two decide: one that lies, lags or is away changes nothing', async () => {
  for (const third of [undefined, { height: 99n, weight: 1n, networkID: 1 }, { height: 2n, weight: 1n }]) {
    const reads = readsOf({ height: 9n }, third, { height: 9n });
    expect(await reads.networkID()).toBe(12345);
    expect(await reads.heights()).toEqual({ current: 9n, proposed: 8n, time: 100n });
    expect((await reads.validatorsAt(9n)).weights.get(validator)).toBe(5n);
  }
});

test('the height is the one that most have reached', async () => {
  expect(await readsOf({ height: 7n }, { height: 9n }, { height: 8n }).heights()).toEqual({ current: 8n, proposed: 7n, time: 100n });
  expect(await readsOf({ height: 7n }, { height: 9n }).heights()).toEqual({ current: 7n, proposed: 6n, time: 100n });
});

test('without a majority there is no answer, and the error says who was silent or that they disagree', async () => {
  const silent = await readsOf({ height: 9n }, undefined)
    .heights()
    .catch((error) => error);
  expect([codeOf(silent), silent.message]).toEqual([
    'VALIDATORS_UNAVAILABLE',
    'cannot read validators from http://node0, http://node1 (the height: 2 of 2 nodes must answer, 1 did; http://node1: connection refused); ' +
      'check that --validators-from is the URL of a running node',
  ]);
  expect(await readsOf({ height: 9n }, { height: 9n, weight: 6n }).validatorsAt(9n).catch(codeOf)).toBe('VALIDATORS_DISAGREE');
});

test('a node that is frozen does not hold up the others', async () => {
  const never = <T>(): Promise<T> => new Promise<T>(() => {});
  const frozen: TrustedNode = { url: 'http://frozen', reads: { networkID: never, heights: never, validatorsAt: never } };
  const reads = createMajorityReads([frozen, nodeThatSays({ height: 9n }, 1), nodeThatSays({ height: 8n }, 2)], after);
  expect(await reads.networkID()).toBe(12345);
  expect(await reads.heights()).toEqual({ current: 8n, proposed: 7n, time: 100n });
  expect((await reads.validatorsAt(8n)).weights.get(validator)).toBe(5n);
});

test('the last reading of each node is kept; a node whose reading failed has none', async () => {
  const [alone, several] = [readsOf({ height: 9n }), readsOf({ height: 9n, time: 300n }, undefined, { height: 2n, time: 40n })];
  expect(several.sources().map(({ heights }) => heights)).toEqual([undefined, undefined, undefined]);
  await Promise.all([alone.heights(), several.heights()]);
  expect(alone.sources()).toEqual([{ url: 'http://node0', heights: { current: 9n, proposed: 8n, time: 100n } }]);
  expect(several.sources()).toEqual([
    { url: 'http://node0', heights: { current: 9n, proposed: 8n, time: 300n } },
    { url: 'http://node1', heights: undefined },
    { url: 'http://node2', heights: { current: 2n, proposed: 1n, time: 40n } },
  ]);
});
