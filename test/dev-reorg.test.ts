import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../src/api/client/client.ts';
import { type DevNode, devModes, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgram } from './program.ts';

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';

for (const mode of devModes)
  describe(`dev.reorg, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode, '--accounts=3', '--reorg-depth=5');
    });
    afterAll(() => node.stop());

    const send = async (amount: string): Promise<string> => (await node.dev('dev.send', { to, amount })).txID;
    const balances = async (): Promise<string[]> =>
      (await node.everywhere('/ext/bc/X', 'avm.getBalance', { address: to, assetID: 'AVAX' })).map(({ result }) => result?.balance ?? '');
    const heightOf = async (): Promise<number> => Number((await node.dev('dev.nodeInfo')).height);
    const statusOf = async (txID: string): Promise<string> =>
      ((await node.program().client.call('/ext/bc/X', 'avm.getTxStatus', { txID })).result as unknown as { status: string }).status;

    test('replaces blocks; their transactions are gone from every interface', async () => {
      await send('5');
      const before = await heightOf();
      const lost = await send('7');
      await send('9');
      const { height, removed, added, refused, returned } = await node.dev('dev.reorg', { depth: 2 });
      expect([height, refused, returned]).toEqual([String(before + 2), [], 0]);
      expect(removed.map((block: { height: string }) => Number(block.height))).toEqual([before + 1, before + 2]);
      expect(added.map((block: { height: string }) => Number(block.height))).toEqual([before + 1, before + 2]);
      expect(
        added.filter(({ blockID }: { blockID: string }) => removed.some((old: { blockID: string }) => old.blockID === blockID)),
      ).toEqual([]);
      expect(await balances()).toEqual(['5']);
      expect(await statusOf(lost)).not.toBe('Accepted');
      const path = `/v1/networks/local/blockchains/x-chain/blocks/${before + 2}`;
      expect((await node.getEverywhere(path)).map(({ blockHash }) => blockHash)).toEqual([added[1].blockID]);
      const listed = await node.getEverywhere('/v1/networks/local/blockchains/x-chain/transactions?pageSize=100');
      expect(JSON.stringify(listed)).not.toContain(lost);
    });

    test('returnTxs: they are in the mempool again, with those that waited', async () => {
      const back = await send('11');
      await node.dev('dev.setAutomine', { enabled: false });
      const { returned } = await node.dev('dev.reorg', { depth: 1, returnTxs: true });
      expect(returned).toBe(1);
      expect(Object.keys((await node.dev('txpool_content', [])).pending)).toEqual([back]);
      expect(await node.dev('txpool_status', [])).toEqual({ pending: '0x1', queued: '0x0' });
      expect((await node.dev('txpool_inspect', [])).pending[back]).toMatch(/^BaseTx, \d+ bytes$/);
      await node.dev('dev.reorg', { depth: 1 });
      expect((await node.dev('dev.getMempool')).txs.map(({ txID }: { txID: string }) => txID)).toEqual([back]);
      await node.dev('dev.mine');
      expect(await statusOf(back)).toBe('Accepted');
      await node.dev('dev.setAutomine', { enabled: true });
    });

    test('given transactions are in the new blocks; one that is not valid any more is named', async () => {
      const first = await send('1');
      const second = await send('2');
      const hexOf = async (txID: string): Promise<string> =>
        ((await node.program().client.call('/ext/bc/X', 'avm.getTx', { txID, encoding: 'hex' })).result as unknown as { tx: string }).tx;
      const [one, two] = [await hexOf(first), await hexOf(second)];
      await node.dev('anvil_reorg', [2, [[one, 1]]]);
      expect([await statusOf(first), await statusOf(second)]).toEqual(['Accepted', expect.not.stringMatching('Accepted')]);
      // The first one is in the last block: it stays valid if that is replaced; the second one spends its change.
      const { refused } = await node.dev('dev.reorg', { depth: 1, blocks: [[two]] });
      expect(refused).toEqual([{ txID: second, reason: expect.any(String) }]);
    });

    test('a deposit from P stays, and its import can be returned', async () => {
      const before = (await node.dev('dev.listAtomic')).utxos.length;
      await node.dev('dev.atomicDeposit', { to, amount: '5', from: 'P' });
      await node.dev('dev.mine');
      await node.dev('dev.reorg', { depth: 2 });
      expect((await node.dev('dev.listAtomic')).utxos.length).toBe(before + 1);
    });

    test('says how far it can go; snapshots stay, and are not listed with the kept states', async () => {
      await node.dev('dev.mine', { blocks: 8 });
      expect((await node.devError('dev.reorg', { depth: 6 })).data).toEqual({ code: 'SNAPSHOT_NO_REORG', max: 5 });
      expect((await node.devError('dev.reorg', { depth: 100_000 })).data).toMatchObject({ code: 'DEV_BAD_DEPTH' });
      expect((await node.devError('dev.reorg', { depth: 0 })).data).toMatchObject({ code: 'DEV_BAD_DEPTH', depth: 0 });
      const { height } = await node.dev('dev.snapshot', { name: 'a' });
      await node.dev('dev.mine', { blocks: 2 });
      await node.dev('dev.reorg', { depth: 4 });
      expect((await node.dev('dev.listSnapshots')).snapshots.map(({ name }: { name: string }) => name)).toEqual(['a']);
      expect((await node.dev('dev.revert', { name: 'a' })).height).toBe(height);
      // The kept states were of other blocks.
      expect((await node.devError('dev.reorg', { depth: 1 })).data).toEqual({ code: 'SNAPSHOT_NO_REORG', max: 0 });
      await node.dev('dev.mine');
      await node.dev('dev.reorg', { depth: 1 });
      await node.dev('dev.reset');
      await node.dev('dev.mine');
      await node.dev('dev.reorg', { depth: 1 });
      const { code, out } = await runProgram('reorg', '--url', node.program().url);
      expect([code, out]).toEqual([0, expect.stringMatching(/^1 block replaced, now at height \d+, /)]);
    });
  });

describe('who watches', () => {
  let node: Program;
  let follower: Program;
  beforeAll(async () => {
    node = await startProgram('--accounts=2', '--reorg-depth=8');
    follower = await startProgram('follow', node.url, '--workers=0', '--log-level=info');
  });
  afterAll(async () => {
    await follower.stop();
    await node.stop();
  });

  test('the event stream has a revert, then the new blocks; a follower says that its block is not in the chain any more', async () => {
    const { dev, avm } = createClient({ url: node.url });
    const followed = createClient({ url: follower.url });
    await dev.mine({ blocks: 4 });
    const { height: before } = await avm.getHeight();
    await eventually(
      () => followed.avm.getHeight(),
      ({ height }) => height === before,
    );
    const events = createClient({ url: node.url }).events({ kind: ['block', 'reverted'] });
    await events.ready;
    const { height } = await dev.reorg(2);
    const seen: string[] = [];
    for await (const event of events) {
      seen.push(`${event.kind} ${'height' in event ? event.height : ''}`);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([`reverted ${height - 2}`, `block ${height - 1}`, `block ${height}`]);
    await dev.mine();
    const text = await eventually(
      async () => follower.stderrText(),
      (log) => log.includes('is stored here'),
    );
    expect(text).toMatch(
      /block \d+ of the followed node is \w+, but \w+ is stored here; .* with --reorg-depth 64 this node then goes back/,
    );
    expect((await followed.avm.getHeight()).height).toBe(before);
  });
});

test('without --reorg-depth it says what to do', async () => {
  const node = await startProgram('--accounts=1');
  const { error } = await node.client.call('/ext/dev', 'dev.reorg', { depth: 1 });
  expect(error).toMatchObject({ message: expect.stringContaining('start it with --reorg-depth 64'), data: { code: 'SNAPSHOT_NO_REORG' } });
  await node.stop();
});
