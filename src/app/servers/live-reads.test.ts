import { expect, test } from 'bun:test';
import type { LiveReads } from '../../api/rest/live-reads.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { channelPair, never, soon } from '../processes/channel-pair.fixture.ts';
import { createRelayClient, serveRelay } from '../processes/relay.ts';
import { createRelayedLiveReads, withLiveEndpoint } from './live-reads.ts';

const chainID = '11'.repeat(32) as Id;

/** The live reads of a reader process whose writer process has only `checks`. */
function setUp(checks: LiveReads['checks']) {
  const { client, server } = channelPair();
  const reported: unknown[] = [];
  const handler = withLiveEndpoint(
    () => ({ checks }) as LiveReads,
    () => expect.unreachable(),
  );
  serveRelay(server, handler, { soon, logError: (error) => reported.push(error) });
  return { live: createRelayedLiveReads(createRelayClient(client, { soon, after: never }), chainID), reported };
}

test('a reader process gets the result of the writer process, also if it is undefined', async () => {
  const found = { tx: '00', refusal: null, checks: [] };
  expect(await setUp(async () => found).live.checks(chainID)).toEqual(found);
  expect(await setUp(async () => undefined).live.checks(chainID)).toBeUndefined();
});

test('a fault of the writer process is the same fault in the reader process', async () => {
  const { live, reported } = setUp(() => Promise.reject(new Fault('too many; try again', { code: 'RECOVERY_BUSY' })));
  expect(await live.checks(chainID).catch((error: unknown) => error)).toMatchObject({
    message: 'too many; try again',
    fault: { code: 'RECOVERY_BUSY' },
  });
  expect(reported).toEqual([]);
});

test('any other error is reported in the writer process, and the read fails', async () => {
  const { live, reported } = setUp(() => Promise.reject(new TypeError('a bug')));
  expect(await live.checks(chainID).catch((error: unknown) => error)).toMatchObject({ fault: { code: 'RELAY_FAILED', status: 500 } });
  expect(reported).toEqual([new TypeError('a bug')]);
});
