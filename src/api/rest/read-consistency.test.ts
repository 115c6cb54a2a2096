import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import type { ReadConsistency } from './read-consistency.ts';
import { start } from './test-routes.fixture.ts';

/** An index on several servers: the test says which heights it has, and when its server changes. */
function createConsistency() {
  const asked: number[] = [];
  let changes = 0;
  let height = 1;
  const consistency: ReadConsistency = {
    atLeast: async (height) => {
      asked.push(height);
      if (height > 1000) throw new Fault('behind', { code: 'DATABASE_BEHIND' });
    },
    settledAt: async () => {},
    changes: () => changes,
    // Rises with every answer.
    height: () => ++height,
  };
  return { consistency, asked, change: () => changes++ };
}

test('the heights of a page token and of the header are waited for', async () => {
  const { consistency, asked } = createConsistency();
  const { send } = start({}, { consistency });
  const { json } = await send('/v1/things/x/items?pageSize=1', { headers: { 'x-serac-min-height': '3' } });
  expect(asked).toEqual([3]);
  await send(`/v1/things/x/items?pageSize=1&pageToken=${json.nextPageToken}`);
  expect(asked.at(-1)).toBeGreaterThan(0);
  const refused = await send('/v1/things:count', { headers: { 'x-serac-min-height': '1001' } });
  expect([refused.status, refused.json.message]).toEqual([503, expect.stringContaining('does not have yet what was served')]);
  for (const text of ['-1', 'x', '1.5', '1'.repeat(16)])
    expect((await send('/v1/things:count', { headers: { 'x-serac-min-height': text } })).status).toBe(400);
});

test('an answer whose reads were made on two servers is made again, and one whose server failed is tried on the next', async () => {
  const { consistency } = createConsistency();
  // Before and after each attempt.
  const counts = [0, 1, 1, 1];
  const twice = { ...consistency, changes: () => counts.shift() as number };
  expect((await start({}, { consistency: twice }).send('/v1/things:count')).json).toEqual({ count: 7 });
  expect(counts).toEqual([]);

  let changes = 0;
  const always = { ...consistency, changes: () => changes++ };
  expect((await start({}, { consistency: always }).send('/v1/things:count')).status).toBe(503);

  const failing = createConsistency();
  let runs = 0;
  const fail = () => {
    if (++runs === 1) failing.change();
    throw new Fault('down', { code: 'DATABASE_DOWN' });
  };
  const { send } = start({ fail }, { consistency: failing.consistency });
  expect((await send('/v1/fail')).status).toBe(503);
  // Once because the server changed, and not again after that.
  expect(runs).toBe(2);
});

test('an answer says up to which height the caller has seen the chain; a refusal, and a server of its own database, do not', async () => {
  const { consistency } = createConsistency();
  const { send } = start({}, { consistency });
  const heightOf = async (target: string, headers = {}) => (await send(target, { headers })).headers['x-serac-height'];
  // As of after its reads.
  expect(await heightOf('/v1/things:count')).toBe('2');
  expect(await heightOf('/v1/things/x/items?pageSize=1')).toBe('3');
  expect(await heightOf('/v1/things:count', { 'x-serac-min-height': 'x' })).toBeUndefined();
  expect((await start({}).send('/v1/things:count')).headers['x-serac-height']).toBeUndefined();
});
