import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../src/api/client/client.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
const blocks = '/v1/networks/local/blockchains/x-chain/blocks?pageSize=100';

/** Blocks, unspent outputs and balance of an address, as Node RPC and Data API answer. */
const readChain = async ({ client, url }: Program) => ({
  // A follower does not know who has proposed a block.
  blocks: ((await (await fetch(`${url}${blocks}`)).json()) as { blocks: object[] }).blocks.map((block) => ({
    ...block,
    proposerDetails: undefined,
  })),
  utxos: (await client.call('/ext/bc/X', 'avm.getUTXOs', { addresses: [to], limit: 1024 })).result,
  balances: (await client.call('/ext/bc/X', 'avm.getAllBalances', { address: to })).result,
  data: await (await fetch(`${url}/v1/networks/local/blockchains/x-chain/balances?addresses=${to}`)).json(),
});

const heightOf = async ({ url }: Program) => (await createClient({ url }).avm.getHeight()).height;
const untilHeight = (program: Program, height: number) =>
  eventually(
    () => heightOf(program),
    (found) => found === height,
  );
/** Waits until both have the same last block, and expects the same answers of them. */
const untilSame = async (node: Program, follower: Program): Promise<void> => {
  const read = async () => [await readChain(node), await readChain(follower)] as const;
  const [wanted, found] = await eventually(read, ([a, b]) => JSON.stringify(a.blocks[0]) === JSON.stringify(b.blocks[0]));
  expect(found).toEqual(wanted);
};

describe('a follower of a chain that replaces blocks', () => {
  let node: Program;
  let follower: Program;
  beforeAll(async () => {
    node = await startProgram('--accounts=2', '--reorg-depth=16');
    const { dev } = createClient({ url: node.url });
    // More than the follower keeps: it stores the first ones at once, and the last ones each by itself.
    await dev.mine({ blocks: 20 });
    follower = await startProgram('follow', node.url, '--reorg-depth=6');
    await untilHeight(follower, await heightOf(node));
  });
  afterAll(async () => {
    await follower.stop();
    await node.stop();
  });

  test('goes back to the last common block, tells its own stream in the same words, and follows on', async () => {
    const { dev } = createClient({ url: node.url });
    await dev.send({ to, amount: '5' });
    const lost = await dev.send({ to, amount: '7' });
    await untilSame(node, follower);
    const streams = [node, follower].map(({ url }) => createClient({ url }).events({ kind: ['block', 'reverted'] }));
    for (const { ready } of streams) await ready;
    const { height } = await dev.reorg(3);
    const seen = await Promise.all(
      streams.map(async (events) => {
        const found: object[] = [];
        for await (const event of events) {
          const { id: _, ...rest } = event as { id?: string };
          if (found.push(rest) === 4) break;
        }
        return found;
      }),
    );
    expect(seen[1]).toEqual(seen[0] as object[]);
    expect(seen[0]?.[0]).toMatchObject({ kind: 'reverted', height: height - 3, snapshot: 'reorg' });
    await untilSame(node, follower);
    const status = await follower.client.call('/ext/bc/X', 'avm.getTxStatus', { txID: lost.txID });
    expect((status.result as unknown as { status: string }).status).not.toBe('Accepted');
    // The chain goes on from the new blocks, and can be replaced again.
    await dev.send({ to, amount: '11' });
    await untilSame(node, follower);
    await dev.reorg(5);
    await untilSame(node, follower);
    const health = await follower.client.call('/ext/health', 'health.health', {});
    expect((health.result as unknown as Health).healthy).toBe(true);
  });

  test('dev.revert: the chain is shorter and has no new block', async () => {
    const { dev } = createClient({ url: node.url });
    await dev.snapshot({ name: 'before' });
    await dev.send({ to, amount: '13' });
    await dev.mine({ blocks: 2 });
    await untilSame(node, follower);
    const { height } = await dev.revert('before');
    await untilHeight(follower, height);
    await untilSame(node, follower);
  });

  test('deeper than --reorg-depth: it keeps its blocks, fails its health check and says what to do', async () => {
    const { dev } = createClient({ url: node.url });
    await dev.mine({ blocks: 12 });
    const before = await heightOf(node);
    await untilHeight(follower, before);
    await dev.reorg(8);
    await dev.mine();
    const text = await eventually(
      async () => follower.stderrText(),
      (log) => log.includes('is stored here'),
    );
    expect(text).toMatch(new RegExp(`block ${before - 6} of the followed node is \\w+, but \\w+ is stored here; this node goes back by`));
    expect(await heightOf(follower)).toBe(before);
    const report = await eventually(
      async () => (await follower.client.call('/ext/health', 'health.health', {})).result as unknown as Health,
      ({ healthy }) => !healthy,
    );
    expect(report.checks.follow?.error).toContain('start again with an empty data directory');
  });
});

type Health = { readonly healthy: boolean; readonly checks: Record<string, { readonly error?: string }> };

test('blocks of a public network are final: the flag is refused', async () => {
  const { code, err } = await runProgram('follow', 'http://127.0.0.1:1', '--network-id=fuji', '--reorg-depth=1', '--http-port=0');
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('--reorg-depth: blocks of fuji are final')]);
  expect(code).not.toBe(0);
});

test.skipIf(!hasServers)(suiteName('an index in PostgreSQL does not go back and says what to do', hasServers), async () => {
  const servers = await openServers('followed_reorg');
  const node = await startProgram('--accounts=1', '--reorg-depth=4');
  const { dev } = createClient({ url: node.url });
  await dev.mine({ blocks: 3 });
  const indexer = startIndexer(node.url, `--database-url=${servers.database}`, '--log-level=info');
  await eventually(
    async () => indexer.stderrText(),
    (log) => log.includes('caught up with'),
  );
  await dev.reorg(2);
  await dev.mine();
  const text = await eventually(
    async () => indexer.stderrText(),
    (log) => log.includes('is stored here'),
  );
  expect(text).toContain('empty the database and start serac index again, or use serac follow --reorg-depth 64');
  await indexer.stop();
  await node.stop();
  await servers.close();
});
