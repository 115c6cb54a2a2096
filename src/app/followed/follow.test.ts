import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { FollowError, invalidResponse, noResponse } from '../../chain/follow/fault.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { backfillWithApiErrors, describeFollowedChain } from './follow.ts';

const [alice, bob] = ['a', 'b'].map((digit) => digit.repeat(40)) as [Address, Address];

/** A followed chain whose outputs of `bob` are stored. `asked`: what the node was asked for. */
function open(state: FollowStatus['state'], has: { outputs: boolean; imports: boolean } = { outputs: true, imports: true }) {
  const { timing } = createVirtualTiming();
  const asked: unknown[] = [];
  const task = (name: string) =>
    Object.assign(async (addresses: readonly Address[]) => void asked.push([name, addresses]), { isDone: (one: Address) => one === bob });
  const follower = {
    status: () => ({ state }),
    backfills: { outputs: has.outputs ? task('outputs') : undefined, imports: has.imports ? task('imports') : undefined },
  } as unknown as Follower;
  const env = { clock: { monotonic: timing.now, unixSeconds: timing.unix }, timers: timing } as unknown as Parameters<
    typeof describeFollowedChain
  >[1];
  return { chain: describeFollowedChain(follower, env), asked };
}

test('a followed chain is well while its node answers, also while it catches up', () => {
  const states = ['live', 'catching-up', 'starting', 'waiting'] as const;
  expect(states.map((state) => open(state).chain.status?.())).toEqual(['OK', 'OK', 'UNAVAILABLE', 'UNAVAILABLE']);
});

test('outputs of an address are asked for until they are stored, imports with every request', async () => {
  const { chain, asked } = open('live');
  expect(await chain.backfillAddresses?.([alice, bob])).toBe('complete');
  expect(asked).toEqual([
    ['outputs', [alice]],
    ['imports', [alice, bob]],
  ]);
  // A chain that had no DAG has no such outputs; one whose exports are not kept asks for no imports.
  const none = open('live', { outputs: false, imports: false });
  expect([await none.chain.backfillAddresses?.([alice]), none.asked]).toEqual(['complete', []]);
  const silent = open('waiting');
  expect(await silent.chain.backfillAddresses?.([bob])).toBe('imports-unknown');
  expect(silent.asked).toEqual([]);
});

test('an error of the followed node is told as one of a gateway: of an invalid answer 502, of any other 503', async () => {
  const run = (error: Error) =>
    backfillWithApiErrors({
      imports: Object.assign(
        async () => {
          throw error;
        },
        { isDone: () => false },
      ),
    })([alice]).catch((thrown: AnyFault) => thrown.fault ?? thrown);
  expect(await run(invalidResponse('avm.getUTXOs', 'no list'))).toMatchObject({ code: 'API_REFUSED', status: 502 });
  expect(await run(noResponse('avm.getUTXOs', 'refused'))).toMatchObject({ code: 'API_REFUSED', status: 503 });
  expect(await run(new FollowError('stopped', { code: 'FOLLOW_STOPPED' }))).toMatchObject({ status: 503 });
  const bug = new TypeError('a bug');
  expect(await run(bug)).toBe(bug as never);
});
