import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { type DevNode, devModes, outputOf, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The chain's clock, through the running program and all its processes. */

const wallet = createWallet('time', { keys: [ewoq], count: 2 });
const owner = wallet.keys[1] as Key;
const address = createAddressFormatter('X', 'local')(owner.address);
const avax = localChainParams.feeAsset;
const coin = 1_000_000_000n;
const unlockTime = 4_000_000_000n;
const lock = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(avax, 5n * coin, ownedBy([owner], 1, unlockTime))]));
const lockedOutput = [0, 1].map((index) => outputOf(lock, index)).find(({ output }) => output.locktime > 0n)!;
const spend = signDraft(baseTx(wallet, { utxos: [lockedOutput], now: unlockTime }, [transfer(avax, coin, ownedBy([ewoq]))]));
const dataPath = `/v1/networks/local/blockchains/x-chain/balances?addresses=${address}`;

test('a follower stores the blocks up to the real time, and says why it refuses the next', async () => {
  const node = await startDevNode('in memory');
  let follower: Program | undefined;
  try {
    await node.issue(lock);
    await node.untilAccepted(lock);
    await node.dev('dev.setTime', { time: String(unlockTime) });
    expect((await node.issue(spend)).error).toBeUndefined();
    await node.untilAccepted(spend);
    follower = await startProgram('follow', node.program().url, '--workers=0', '--log-level=info');
    const text = await eventually(follower.stderrText, (now) => now.includes('dev.increaseTime'));
    expect(text).toContain('block 2 of the followed node');
    expect(text).toContain('until its time has come');
    expect((await follower.client.call('/ext/bc/X', 'avm.getHeight')).result as unknown).toEqual({ height: '1' });
  } finally {
    await follower?.stop();
    await node.stop();
  }
});

for (const mode of devModes)
  describe(`time, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode, ...(mode === 'in memory' ? ['--strict'] : []));
      await node.issue(lock);
      await node.untilAccepted(lock);
    });
    afterAll(() => node.stop());

    const balances = async () =>
      (await node.everywhere('/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).map(({ result }) => result.balance);
    const dataBalances = async () =>
      (await node.getEverywhere(dataPath)).map(({ balances }) => Object.keys(balances).filter((key) => balances[key].length > 0));
    const time = async () => Number((await node.dev('dev.getTime')).time);

    test('a locked output can be spent after dev.setTime, also if the same transaction was refused before', async () => {
      expect((await node.issue(spend)).error?.message).toContain('output is time locked');
      expect(await balances()).toEqual(['0']);
      expect(await dataBalances()).toEqual([['locked']]);
      await node.dev('dev.setTime', { time: String(unlockTime) });
      expect(await balances()).toEqual([String(5n * coin)]);
      expect(await dataBalances()).toEqual([['unlocked']]);
      // With --strict the node repeats why it dropped a transaction, unless the clock was changed.
      expect((await node.issue(spend)).error).toBeUndefined();
      await node.untilAccepted(spend);
      expect(Number((await node.dev('dev.nodeInfo')).blockTime)).toBeGreaterThanOrEqual(Number(unlockTime));
    });

    test('dev.increaseTime, dev.freezeTime and dev.setNextBlockTime', async () => {
      const before = await time();
      await node.dev('dev.increaseTime', { seconds: '30d' });
      expect((await time()) - before - 30 * 86_400).toBeLessThan(10);
      const frozen = await node.dev('dev.freezeTime');
      expect(frozen.frozen).toBe(true);
      await Bun.sleep(1100);
      expect((await node.dev('dev.getTime')).time).toBe(frozen.time);
      expect(await node.dev('dev.mine', { blocks: 2, interval: '1h' })).toMatchObject({ time: String(Number(frozen.time) + 3600) });
      const next = Number(frozen.time) + 1_000_000;
      await node.dev('dev.setNextBlockTime', { time: next });
      expect(await node.dev('dev.mine')).toMatchObject({ time: String(next) });
      expect(await node.dev('dev.getTime')).toMatchObject({ time: String(next), frozen: true });
      expect((await node.devError('dev.setNextBlockTime', { time: 1 })).message).toContain('block times never decrease');
      expect((await node.devError('dev.setTime', {})).message).toContain("couldn't unmarshal an argument");
    });

    test('metrics and health have the time of the clock', async () => {
      await node.dev('dev.setTime', { time: '2100-01-01T00:00:00Z' });
      const [tps] = await node.getEverywhere('/v1/avg_tps/X');
      expect(JSON.stringify(tps)).toContain('41024448');
      await node.dev('dev.setUnhealthy', { check: 'database', message: 'broken' });
      const { result } = (await node.program().client.call('/ext/health', 'health.health', {})) as {
        result?: { checks: { database: { timestamp: string } } };
      };
      expect(result?.checks.database.timestamp).toStartWith('2100-01-01');
      await node.dev('dev.setUnhealthy', { check: 'database' });
    });

    test('dev.resetTime returns to the real clock; block times do not decrease', async () => {
      await node.dev('dev.mine');
      const { blockTime } = await node.dev('dev.nodeInfo');
      expect(await node.dev('dev.resetTime')).toMatchObject({ offset: '0', frozen: false });
      expect(Math.abs((await time()) - Date.now() / 1000)).toBeLessThan(10);
      expect(await node.dev('dev.mine')).toMatchObject({ time: blockTime });
    });

    if (mode === 'with a reader process')
      test('the clock is kept over a restart', async () => {
        await node.dev('dev.setTime', { time: 5_000_000_000 });
        await node.dev('dev.freezeTime');
        const before = await node.dev('dev.getTime');
        await node.restart();
        expect((await node.dev('dev.getTime')).time).toBe(before.time);
      });
  });
