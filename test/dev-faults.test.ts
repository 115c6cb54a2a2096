import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DevNode, devModes, startDevNode } from './dev-node.ts';

/** Ordered delays, failures and unhealthy checks, and the names of Anvil, through the running program and all its processes. */

for (const mode of devModes)
  describe(`faults and aliases, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode);
    });
    afterAll(() => node.stop());

    const getHeight = () => node.everywhere('/ext/bc/X', 'avm.getHeight', {});

    test('dev.failNext makes exactly that many calls fail, in whatever process they arrive', async () => {
      await node.dev('dev.failNext', { method: 'avm.getHeight', times: 3, error: 'try later' });
      expect(await getHeight()).toHaveLength(2);
      expect(await getHeight()).toMatchObject([{ result: { height: '0' } }]);
      await node.dev('dev.failNext', { method: 'avm.getHeight', times: 16, error: 'try later' });
      expect(await getHeight()).toMatchObject([
        { error: { message: 'try later', data: { code: 'DEV_ORDERED_FAILURE', method: 'avm.getHeight' } } },
      ]);
      expect(await getHeight()).toMatchObject([{ result: { height: '0' } }]);
      expect(await node.dev('dev.nodeInfo')).toMatchObject({ faults: [] });
    });

    test('dev.setLatency delays one method or all, and can be ended', async () => {
      const measure = async () => {
        const start = performance.now();
        await getHeight();
        return performance.now() - start;
      };
      await node.dev('dev.setLatency', { ms: 300, method: 'avm.getHeight' });
      expect(await measure()).toBeGreaterThanOrEqual(295);
      expect((await node.dev('dev.nodeInfo')).faults).toEqual([{ kind: 'latency', target: 'avm.getHeight', ms: 300 }]);
      await node.dev('dev.setLatency', { ms: 0, method: 'avm.getHeight' });
      await node.dev('dev.setLatency', { ms: 300 });
      expect(await measure()).toBeGreaterThanOrEqual(295);
      await node.dev('dev.setLatency', { ms: 0 });
      expect(Math.min(await measure(), await measure(), await measure())).toBeLessThan(295);
    });

    test('unknown methods and values above the limits are refused', async () => {
      expect((await node.devError('dev.failNext', { method: 'avm.getHeigt' })).data).toMatchObject({
        code: 'DEV_UNKNOWN_METHOD',
        didYouMean: 'avm.getHeight',
      });
      expect((await node.devError('dev.setLatency', { ms: 20_001 })).data).toMatchObject({ code: 'DEV_LIMIT', max: 20_000 });
      expect((await node.devError('dev.setUnhealthy', { message: 'x' })).data).toMatchObject({
        code: 'RPC_BAD_ARGUMENT',
        argument: 'check',
      });
    });

    test('dev.setUnhealthy makes an existing or a new check fail until it is called without a message', async () => {
      const health = async () => {
        const { status, text } = await node.program().client.send('GET', '/ext/health');
        return { status, checks: (JSON.parse(text) as { checks: Record<string, { error?: string }> }).checks };
      };
      for (const check of ['X', 'weather']) {
        await node.dev('dev.setUnhealthy', { check, message: 'on fire' });
        const sick = await health();
        expect([sick.status, sick.checks[check]?.error]).toEqual([503, 'on fire']);
        expect((await node.dev('dev.nodeInfo')).faults).toEqual([{ kind: 'unhealthy', target: check, message: 'on fire' }]);
        await node.dev('dev.setUnhealthy', { check });
        expect((await health()).status).toBe(200);
      }
    });

    test('the names of Anvil, Hardhat and Ganache take positional parameters and have the results of Anvil', async () => {
      const height = async () => Number((await node.dev('dev.nodeInfo')).height);
      const before = await height();
      expect(await node.dev('evm_mine', [])).toBe('0x0');
      expect(await node.dev('evm_mine', [{ blocks: 2 }])).toBe('0x0');
      expect(await node.dev('anvil_mine', ['0x2', 60])).toBeNull();
      expect(await node.dev('hardhat_mine', [])).toBeNull();
      expect(await height()).toBe(before + 6);
      expect(await node.dev('evm_increaseTime', ['0x3c'])).toBeGreaterThanOrEqual(60);
      const time = 3_000_000_000;
      expect(await node.dev('evm_setNextBlockTimestamp', [time])).toBeNull();
      await node.dev('evm_mine', []);
      expect(await node.dev('anvil_nodeInfo', [])).toMatchObject({ currentBlockNumber: before + 7, currentBlockTimestamp: time });
      await node.dev('evm_mine', [time + 1000]);
      expect(await node.dev('dev.nodeInfo')).toMatchObject({ blockTime: String(time + 1000) });
      expect(await node.dev('evm_setTime', [(time + 100_000) * 1000])).toBeGreaterThan(98_000);
      expect(await node.dev('evm_setAutomine', [false])).toBeNull();
      expect(await node.dev('anvil_getAutomine', [])).toBe(false);
      expect(await node.dev('evm_setIntervalMining', [3600])).toBeNull();
      expect(await node.dev('anvil_getIntervalMining', [])).toBe(3600);
      expect(await node.dev('anvil_setIntervalMining', [0])).toBeNull();
      expect(await node.dev('anvil_getIntervalMining', [])).toBeNull();
      expect(await node.dev('anvil_setAutomine', [true])).toBeNull();
      const address = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
      expect(await node.dev('anvil_impersonateAccount', [address])).toBeNull();
      expect(await node.dev('dev.nodeInfo')).toMatchObject({ impersonated: 1 });
      expect(await node.dev('hardhat_stopImpersonatingAccount', [address])).toBeNull();
      expect(await node.dev('anvil_autoImpersonateAccount', [true])).toBeNull();
      expect(await node.dev('anvil_autoImpersonateAccount', [false])).toBeNull();
      expect(await node.dev('anvil_dropAllTransactions', [])).toBeNull();
      expect((await node.devError('anvil_dropTransaction', ['tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af'])).data).toMatchObject({
        code: 'DEV_NOT_PENDING',
      });
      expect((await node.devError('evm_increaseTime', ['soon'])).data).toMatchObject({ code: 'RPC_BAD_ARGUMENT', argument: 'seconds' });
      expect((await node.devError('evm_increaseTime', { seconds: 1 })).data).toMatchObject({ code: 'RPC_BAD_ARGUMENT' });
    });

    test('evm_snapshot returns a new number each time, and evm_revert deletes the snapshot and later ones', async () => {
      const height = async () => Number((await node.dev('dev.nodeInfo')).height);
      const [before, first] = [await height(), await node.dev('evm_snapshot', [])];
      await node.dev('evm_mine', []);
      const second = await node.dev('anvil_snapshot', []);
      expect([first, second]).toEqual(['0x0', '0x1']);
      await node.dev('evm_mine', []);
      expect(await node.dev('evm_revert', [second])).toBe(true);
      expect(await height()).toBe(before + 1);
      expect(await node.dev('evm_revert', [second])).toBe(false);
      expect(await node.dev('evm_snapshot', [])).toBe('0x2');
      await node.dev('dev.snapshot', { name: 'named' });
      expect(await node.dev('anvil_revert', [first])).toBe(true);
      expect(await height()).toBe(before);
      expect((await node.dev('dev.listSnapshots')).snapshots.map(({ name }: { name: string }) => name)).toEqual(['named']);
      await node.dev('dev.deleteSnapshot', { name: 'named' });
      expect((await node.devError('evm_revert', ['clean'])).data).toMatchObject({ code: 'RPC_BAD_ARGUMENT', argument: 'snapshot' });
      // A test suite that takes a snapshot before each test and reverts to it after does not reach the limit of snapshots.
      for (let i = 0; i < 30; i++) expect(await node.dev('evm_revert', [await node.dev('evm_snapshot', [])])).toBe(true);
      expect((await node.dev('dev.listSnapshots')).snapshots).toEqual([]);
    });

    test('anvil_setBalance raises a balance and refuses to lower it', async () => {
      const address = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
      const balance = async () =>
        (await node.program().client.call('/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).result as unknown;
      expect(await node.dev('anvil_setBalance', [address, '0x3e8'])).toBeNull();
      expect(await balance()).toMatchObject({ balance: '1000' });
      expect(await node.dev('hardhat_setBalance', [address, 1500])).toBeNull();
      expect(await node.dev('anvil_setBalance', [address, '1500'])).toBeNull();
      expect(await balance()).toMatchObject({ balance: '1500' });
      expect((await node.devError('anvil_setBalance', [address, 7])).data).toMatchObject({ code: 'DEV_BALANCE_TOO_HIGH', balance: '1500' });
    });

    test('anvil_dumpState, anvil_loadState and anvil_reset', async () => {
      const info = async () => (await node.dev('dev.nodeInfo')).blockID;
      await node.dev('evm_mine', []);
      const [saved, state] = [await info(), await node.dev('anvil_dumpState', [])];
      expect(state).toMatch(/^0x[0-9a-f]+$/);
      expect(await node.dev('anvil_reset', [])).toBeNull();
      expect((await node.dev('dev.nodeInfo')).height).toBe('0');
      expect(await node.dev('anvil_loadState', [state])).toBe(true);
      expect(await info()).toBe(saved);
      expect((await node.devError('anvil_loadState', ['0x1234'])).data).toMatchObject({ code: 'STATE_FILE_FOREIGN' });
      expect((await node.devError('anvil_loadState', ['state'])).data).toMatchObject({ code: 'RPC_BAD_ARGUMENT', argument: 'state' });
      expect(await info()).toBe(saved);
      expect(await node.dev('hardhat_reset', [])).toBeNull();
      expect((await node.dev('dev.nodeInfo')).height).toBe('0');
    });
  });
