import { expect, test } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { ann, avaxText, ewoqTwice, plain, split } from './explorer-chain.ts';
import { getFrom, type Json } from './explorer-client.ts';
import { eventually } from './processes.ts';
import { startIndexer, startProgram } from './program.ts';
import { openServers } from './servers.ts';

/** The explorer routes of a node that follows another one, and of `serac api`. */

const sumOf = (buckets: readonly Json[], name: string): number => buckets.reduce((sum, bucket) => sum + bucket[name], 0);

test('a followed chain has no mempool, but knows what became of transactions that were issued through it', async () => {
  const node = await startProgram('--workers=0');
  const follower = await startProgram('follow', node.url, '--workers=0');
  const issue = (tx: Tx) => follower.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) });
  try {
    expect((await issue(split)).error).toBeUndefined();
    const lifecycle = await eventually(
      async () => (await getFrom(follower, `transactions/${idText(split.id)}/lifecycle`)).json,
      // The followed node accepts it before its block is here.
      ({ status, steps }) => status === 'Accepted' && steps.length > 1,
    );
    expect(lifecycle.steps.map(({ step }: Json) => step)).toEqual(['received', 'accepted']);
    expect((await issue(ewoqTwice())).error).toBeDefined();
    const { transactions } = (await getFrom(follower, 'dropped-transactions')).json;
    expect(transactions).toMatchObject([{ stage: 'refused', txHash: idText(ewoqTwice().id) }]);
    expect((await getFrom(follower, 'mempool')).status).toBe(404);
    const { buckets } = await eventually(
      async () => (await getFrom(follower, 'node-history?bucketSeconds=3600')).json,
      (history) => sumOf(history.buckets, 'refused') === 1,
    );
    expect(['txCount', 'blockCount', 'issued', 'dropped'].map((name) => sumOf(buckets, name))).toEqual([1, 1, 2, 0]);
    expect((await getFrom(follower, 'throughput')).json.figures.txCount).toBe(1);
    expect((await getFrom(follower, `assets/${avaxText}/holders`)).json.holders).toBeGreaterThan(1);
    const paths = Object.keys(JSON.parse((await follower.client.send('GET', '/api-json')).text).paths);
    expect(paths.filter((path) => path.endsWith('/mempool'))).toEqual([]);
    expect(paths.filter((path) => path.endsWith('/lifecycle'))).toHaveLength(1);
  } finally {
    await Promise.all([follower.stop(), node.stop()]);
  }
});

test.skipIf(process.env.SERAC_TEST_POSTGRES === undefined || process.env.SERAC_TEST_REDIS === undefined)(
  'serac api serves the routes that need no running chain, from PostgreSQL',
  async () => {
    const servers = await openServers('explorer');
    const node = await startProgram('--workers=0');
    const indexer = startIndexer(node.url, `--database-url=${servers.database}`);
    const api = await startProgram('api', `--database-url=${servers.database}`);
    try {
      expect((await node.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', split.bytes) })).error).toBeUndefined();
      const position = await eventually(
        () => getFrom(api, `transactions/${idText(split.id)}/position`),
        ({ status }) => status === 200,
      );
      expect(position.json).toMatchObject({ index: 0, blockNumber: '1' });
      for (const path of [
        'assets',
        `assets/${avaxText}/holders`,
        `assets/${avaxText}/nft-groups`,
        `assets/${avaxText}/days?days=366`,
        'block-summaries',
        'blocks/1/transactions',
        `utxos/${idText(split.id)}:1`,
        `shared-utxos?addresses=${plain(ann.address)}`,
        `balance-history?addresses=${plain(ann.address)}`,
        'cross-chain/transfers',
        `search?q=${idText(split.id)}`,
        'search?q=AVAX',
      ]) {
        const [expected, found] = [await getFrom(node, path), await getFrom(api, path)];
        expect([path, found.status, found.json]).toEqual([path, 200, expected.json]);
      }
      expect((await getFrom(api, 'throughput?seconds=3600')).json.figures).toMatchObject({ txCount: 1, burned: '1000000' });
      expect((await getFrom(api, 'cross-chain/balances')).json.inbound).toBeUndefined();
      for (const absent of [
        'mempool',
        'issue-minutes',
        'node-history',
        'dropped-transactions',
        `transactions/${idText(split.id)}/lifecycle`,
      ])
        expect([absent, (await getFrom(api, absent)).status]).toEqual([absent, 404]);
    } finally {
      await Promise.all([api.stop(), indexer.stop()]);
      await node.stop();
      await servers.close();
    }
  },
);
