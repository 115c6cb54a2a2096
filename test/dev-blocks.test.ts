import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { idText } from '../src/base/bytes/id.ts';
import { type DevNode, devModes, outputOf, startDevNode } from './dev-node.ts';
import { startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** When blocks are built: `dev.mine` and its siblings, and the flags, through the running program. */

const wallet = createWallet('blocks', { keys: [ewoq], count: 1 });
const mine = ownedBy([ewoq]);
const avax = localChainParams.feeAsset;
const coin = 1_000_000_000n;
const split = signDraft(
  baseTx(
    wallet,
    { utxos: [ewoqGenesisUtxo] },
    Array.from({ length: 6 }, (_, i) => transfer(avax, BigInt(10 + i) * coin, mine)),
  ),
);
/** A transaction that spends one of the outputs of `split`. */
const pay = (index: number) => signDraft(baseTx(wallet, { utxos: [outputOf(split, index)] }, [transfer(avax, coin, mine)]));

for (const mode of devModes)
  describe(`blocks by hand, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode, '--no-mining');
    });
    afterAll(() => node.stop());

    test('a transaction waits in the mempool until dev.mine', async () => {
      expect((await node.issue(split)).error).toBeUndefined();
      await Bun.sleep(50);
      expect(await node.dev('dev.getMempool')).toEqual({
        txs: [{ txID: idText(split.id), type: 'BaseTx', bytes: split.bytes.length }],
        total: 1,
      });
      expect(await node.everywhere('/ext/bc/X', 'avm.getHeight', {})).toMatchObject([{ result: { height: '0' } }]);
      expect(await node.dev('dev.mine')).toMatchObject({ height: '1', filler: false });
      expect(await node.everywhere('/ext/bc/X', 'avm.getTxStatus', { txID: idText(split.id) })).toMatchObject([
        { result: { status: 'Accepted' } },
      ]);
    });

    test('dev.mine with an empty mempool mines self-transfers of account 0', async () => {
      expect(await node.dev('dev.mine', { blocks: 3 })).toMatchObject({ height: '4', filler: true });
      const [{ result }] = (await node.everywhere('/ext/bc/X', 'avm.getBlockByHeight', { height: 4, encoding: 'json' })) as [
        { result: { block: { txs: { unsignedTx: { outputs: { output: { addresses: string[] } }[] } }[] } } },
      ];
      expect(result.block.txs).toHaveLength(1);
      expect(result.block.txs[0]?.unsignedTx.outputs.flatMap(({ output }) => output.addresses)).toEqual([
        'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
      ]);
    });

    test('too many blocks are refused', async () => {
      expect((await node.devError('dev.mine', { blocks: 1001 })).data).toMatchObject({ code: 'DEV_TOO_MANY_BLOCKS', max: 1000 });
    });

    test('dev.dropTx removes a transaction, which may be issued again', async () => {
      const tx = pay(0);
      expect((await node.issue(tx)).error).toBeUndefined();
      expect(await node.dev('dev.dropTx', { txID: idText(tx.id) })).toEqual({ txID: idText(tx.id) });
      expect((await node.dev('dev.getMempool')).total).toBe(0);
      expect((await node.devError('dev.dropTx', { txID: idText(tx.id) })).data).toMatchObject({ code: 'DEV_NOT_PENDING' });
      expect((await node.issue(tx)).error).toBeUndefined();
      await node.dev('dev.mine');
      await node.untilAccepted(tx);
    });

    test('dev.setIntervalMining and dev.setAutomine change when blocks are built', async () => {
      expect(await node.dev('dev.setIntervalMining', { seconds: 1 })).toEqual({ automine: false, interval: 1 });
      const [first, second] = [pay(1), pay(2)];
      await node.issue(first);
      await node.untilAccepted(first);
      expect(await node.dev('dev.setIntervalMining', { seconds: 0 })).toEqual({ automine: false, interval: 0 });
      await node.issue(second);
      await Bun.sleep(50);
      expect((await node.dev('dev.getMempool')).total).toBe(1);
      expect(await node.dev('dev.setAutomine', { enabled: true })).toEqual({ automine: true, interval: 0 });
      await node.untilAccepted(second);
      expect((await node.devError('dev.setIntervalMining', { seconds: '1y' })).data).toMatchObject({ code: 'DEV_LIMIT' });
    });
  });

test('--block-time builds blocks by time only, and no block without a transaction; with --mixed-mining also at once', async () => {
  const node = await startDevNode('in memory', '-b', '0.2');
  expect(await node.dev('dev.nodeInfo')).toMatchObject({ automine: false, interval: 0.2, height: '0' });
  await Bun.sleep(450);
  expect(await node.dev('dev.nodeInfo')).toMatchObject({ height: '0' });
  await node.issue(split);
  await node.untilAccepted(split);
  expect(await node.dev('dev.nodeInfo')).toMatchObject({ height: '1' });
  await node.stop();
  const mixed = await startDevNode('in memory', '--block-time=3600', '--mixed-mining');
  expect(await mixed.dev('dev.nodeInfo')).toMatchObject({ automine: true, interval: 3600 });
  await mixed.issue(split);
  await mixed.untilAccepted(split);
  await mixed.stop();
});

test('contradicting flags are refused', async () => {
  for (const [flags, text] of [
    [['--no-mining', '--block-time=1'], 'cannot be combined with --block-time'],
    [['--mixed-mining'], 'needs --block-time'],
    [['--block-time=0'], 'a number of seconds above 0'],
    [['--dev-token=short'], '8 to 256 visible ASCII characters'],
  ] as const)
    expect(startProgram(...flags)).rejects.toThrow(text);
});
