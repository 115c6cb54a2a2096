import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { nodeId, seededBytes } from '../consensus/engine.fixture.ts';
import { createContainerFetcher } from './container-fetcher.ts';
import type { Requester } from './requester.ts';

const wanted = Uint8Array.of(7);

/** A fetcher whose peers answer as given; `asked` has the peers in the order of the requests. */
function openFetcher(answers: readonly ('container' | 'nothing' | 'silence')[]) {
  const { timing, until } = createVirtualTiming();
  const asked: NodeId[] = [];
  const peers = answers.map((_, i) => nodeId(i + 1));
  const ask = (node: NodeId): Promise<unknown> => {
    asked.push(node);
    const answer = answers[peers.indexOf(node)];
    if (answer === 'silence') return new Promise(() => {});
    return Promise.resolve({ containers: answer === 'container' ? [wanted] : [] });
  };
  const fetch = createContainerFetcher(
    { timers: timing, randomBytes: seededBytes() },
    { requester: { ask: ask as Requester['ask'] }, peers: () => peers, isStopped: () => false },
    1,
    async (_, containers) => containers.map((bytes) => ({ bytes })),
  );
  const run = async () => {
    const fetched = fetch(idOf(wanted), 10);
    let isDone = false;
    void fetched.then(() => {
      isDone = true;
    });
    await until(() => isDone);
    return fetched;
  };
  return { run, asked, now: timing.now };
}

test('an answer without the container is no answer: others are asked, ten times with pauses', async () => {
  const { run, asked, now } = openFetcher(['nothing', 'container']);
  expect(await run()).toEqual([{ bytes: wanted }]);
  expect(asked.length).toBeLessThan(10);
  expect(now()).toBe(200 * (asked.length - 1));

  const none = openFetcher(['nothing']);
  expect(await none.run()).toBeUndefined();
  expect([none.asked.length, none.now()]).toEqual([10, 2000]);
});

test('a second peer is asked when the first is slow', async () => {
  for (const answers of [
    ['silence', 'container'],
    ['container', 'silence'],
  ] as const) {
    const { run, asked } = openFetcher(answers);
    expect(await run()).toEqual([{ bytes: wanted }]);
    expect(asked.length).toBeLessThanOrEqual(2);
  }
});
