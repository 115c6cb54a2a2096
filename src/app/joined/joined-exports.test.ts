import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { Env } from '../platform/env.ts';
import { openJoinedExports } from './joined-exports.ts';
import { openTrustedRemotes } from './trusted-remotes.ts';

const p = idOf(Buffer.from('P'));
const owner = 'a'.repeat(40) as Address;
const output = { id: idOf(Buffer.from('exported')), destination: p, height: 4 };

/** A trusted node that lists no outputs on the P-Chain, so that all exports are spent. `unavailable`: it answers with status 503. */
function open(state: { height: number; unavailable?: true }) {
  const marked: Id[] = [];
  const answers: Record<string, object> = {
    'avm.getHeight': { height: String(state.height) },
    'platform.getUTXOs': { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' }, encoding: 'hex' },
  };
  const env = {
    fetch: async (_: string, { body }: { body: string }) => {
      const { id, method } = JSON.parse(body);
      const json = JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] });
      return new Response(json, { status: state.unavailable ? 503 : 200 });
    },
    timers: {
      after: (milliseconds: number, run: () => void) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
      soon: setImmediate,
    },
    clock: { monotonic: () => performance.now(), unixSeconds: () => 0n },
    random: (size: number) => new Uint8Array(size),
  } as unknown as Env;
  const context = { p: { id: p }, c: { id: idOf(Buffer.from('C')) } } as unknown as NetworkContext;
  const { retriedReads, close } = openTrustedRemotes(['http://trusted:9650'], env, 'local');
  const exports = openJoinedExports(retriedReads, env, context, {
    listUnspent: async () => (marked.length === 0 ? [output] : []),
    markSpent: async (spent) => void marked.push(...spent.map(({ id }) => id)),
  });
  return { ...exports, marked, close };
}

test('an export that the P-Chain no longer lists is marked as spent, and counted', async () => {
  const { backfillAddresses, backfillRevision, marked, close } = open({ height: 4 });
  await backfillAddresses([owner]);
  expect([marked, backfillRevision()]).toEqual([[output.id], 1]);
  close();
});

test('an export that the trusted node does not have yet stays unspent', async () => {
  const { backfillAddresses, backfillRevision, marked, close } = open({ height: 3 });
  await backfillAddresses([owner]);
  expect([marked, backfillRevision()]).toEqual([[], 0]);
  close();
});

test('if a trusted node does not answer, imports are unknown', async () => {
  const { backfillAddresses, marked, close } = open({ height: 4, unavailable: true });
  expect(await backfillAddresses([owner])).toBe('imports-unknown');
  expect(marked).toEqual([]);
  close();
});
