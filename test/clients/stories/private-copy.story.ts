/**
 * @avalanche-sdk/client on private copies of fuji and mainnet. It builds exports and imports only for these networks, whose chain IDs it has in
 * a list; Serac funds the accounts there and plays the part of the P- and C-Chain.
 */
import { describe, expect, test } from 'bun:test';
import { createAvalancheWalletClient } from '@avalanche-sdk/client';
import { privateKeyToAvalancheAccount } from '@avalanche-sdk/client/accounts';
import { avalanche, avalancheFuji } from '@avalanche-sdk/client/chains';
import { cb58Decode } from '../../../src/base/bytes/cb58.ts';
import golden from '../../../vectors/accounts.json' with { type: 'json' };
import { startProgramAsUsers } from '../../program.ts';
import { hexOf } from './keys.ts';

const networks = [
  { name: 'fuji', hrp: 'fuji', chain: avalancheFuji },
  { name: 'mainnet', hrp: 'avax', chain: avalanche },
] as const;

describe.each(networks)('avalanche-sdk on a private copy of $name', ({ name, hrp, chain }) => {
  test('prepareBaseTxn, prepareExportTxn and prepareImportTxn with a funded account', async () => {
    const node = await startProgramAsUsers(`--network-id=${name}`);
    const call = async <T>(path: string, method: string, params?: unknown): Promise<T> => {
      const { result, error } = (await node.client.call(path, method, params)) as { result?: T; error?: unknown };
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result as T;
    };
    try {
      const { accounts } = await call<{ accounts: { address: string; privateKey: string; balance: string }[] }>('/ext/dev', 'dev.accounts');
      expect(accounts.map(({ address }) => address)).toEqual(golden.networks[name].accounts.map(({ address }) => address));
      const [, owner, other] = accounts as [(typeof accounts)[0], (typeof accounts)[0], (typeof accounts)[0]];
      const account = privateKeyToAvalancheAccount(`0x${hexOf(cb58Decode(owner.privateKey.slice('PrivateKey-'.length)))}`);
      expect(account.getXPAddress('X', hrp)).toBe(owner.address);
      const client = createAvalancheWalletClient({ account, chain, transport: { type: 'http', url: node.url } });
      const send = async (tx: Parameters<typeof client.sendXPTransaction>[0]['tx']) => {
        const { txHash } = await client.sendXPTransaction({ tx, chainAlias: 'X' });
        await client.waitForTxn({ txHash, chainAlias: 'X', sleepTime: 10, maxRetries: 2_000 });
        return txHash;
      };
      const balance = async (address: string) =>
        BigInt((await call<{ balance: string }>('/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).balance);
      const funded = 10_000n * 1_000_000_000n;
      const fee = 1_000_000n;

      await send((await client.xChain.prepareBaseTxn({ outputs: [{ addresses: [other.address], amount: 5n }] })).tx);
      expect([await balance(owner.address), await balance(other.address)]).toEqual([funded - 5n - fee, funded + 5n]);

      for (const destinationChain of ['P', 'C'] as const) {
        const to = account.getXPAddress(destinationChain, hrp);
        const { tx } = await client.xChain.prepareExportTxn({ destinationChain, exportedOutputs: [{ addresses: [to], amount: 7n }] });
        const txHash = await send(tx);
        const { utxos } = await call<{ utxos: { utxoID: string; txID: string; destinationChain: string }[] }>('/ext/dev', 'dev.listAtomic');
        const exported = utxos.find(({ txID }) => txID === txHash);
        expect(exported?.destinationChain).toBe(destinationChain);
        await call('/ext/dev', 'dev.claimExport', { utxoID: exported?.utxoID });
      }

      const before = await balance(owner.address);
      for (const sourceChain of ['P', 'C'] as const) {
        await call('/ext/dev', 'dev.atomicDeposit', { from: sourceChain, to: owner.address, amount: '2 AVAX' });
        await send((await client.xChain.prepareImportTxn({ sourceChain, importedOutput: { addresses: [owner.address] } })).tx);
      }
      expect(await balance(owner.address)).toBe(before + 4_000_000_000n - 2n * fee);
    } finally {
      await node.stop();
    }
  }, 60_000);
});
