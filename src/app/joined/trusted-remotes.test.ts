import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import type { Env } from '../platform/env.ts';
import { openTrustedRemotes } from './trusted-remotes.ts';

const bytes = Buffer.from('a transaction of the P-Chain');
const checksum = Buffer.from(new Bun.CryptoHasher('sha256').update(bytes).digest()).subarray(-4);

/** Trusted nodes by URL: each has the transaction or not. */
function open(nodes: Record<string, { hasTx: boolean }>) {
  const clock = { now: 0 };
  const env = {
    fetch: async (url: string, { body }: { body: string }) => {
      const { id } = JSON.parse(body);
      const { hasTx } = nodes[new URL(url).origin] as { hasTx: boolean };
      const answer = hasTx
        ? { result: { tx: `0x${Buffer.concat([bytes, checksum]).toString('hex')}`, encoding: 'hex' } }
        : { error: { code: -32000, message: "couldn't get tx: not found" } };
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    },
    timers: { after: () => () => {}, soon: setImmediate },
    clock: { monotonic: () => clock.now, unixSeconds: () => 0n },
    random: (size: number) => new Uint8Array(size),
  } as unknown as Env;
  return { ...openTrustedRemotes(Object.keys(nodes), env, 'local'), clock };
}

test('nodes that disagree about an export for longer than 10 s fail the check, whose own failure comes first', async () => {
  const nodes = { 'http://a:1': { hasTx: true }, 'http://b:2': { hasTx: false } };
  const { reads, withDisagreement, clock, close } = open(nodes);
  let own: string | undefined;
  const check = withDisagreement(() => ({ details: { url: 'a' }, ...(own !== undefined && { error: own }) }));
  expect(await reads.foreignTx('P', idOf(bytes))).toBeUndefined();
  expect(await check()).toEqual({ details: { url: 'a' } });
  clock.now = 10_000;
  expect(await check()).toEqual({ details: { url: 'a' } });
  // So long that the seconds would be others if they were counted a little wrong.
  clock.now = 600_000;
  expect(await check()).toEqual({
    details: { url: 'a' },
    error: expect.stringMatching(/^for 600 s the nodes of --validators-from do not agree about whether the P-Chain has transaction /),
  });
  own = 'silent';
  expect((await check()).error).toBe('silent');
  own = undefined;
  nodes['http://b:2'].hasTx = true;
  expect(Buffer.from((await reads.foreignTx('P', idOf(bytes))) as Uint8Array)).toEqual(bytes);
  expect((await check()).error).toBeUndefined();
  close();
});
