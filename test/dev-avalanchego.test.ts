import { expect, test } from 'bun:test';
import golden from '../vectors/accounts.json' with { type: 'json' };
import { startAvalancheGo } from './avalanchego.ts';
import type { Client } from './http.ts';
import { startProgramAsUsers } from './program.ts';

/** AvalancheGo accepts every transaction that the accounts of the developer's chain make: the funding in block 1 and those of `dev.*`. */
const binary = process.env.AVALANCHEGO;

const call = async <T>(client: Client, path: string, method: string, params?: unknown): Promise<T> => {
  const { result, error } = (await client.call(path, method, params)) as { result?: T; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result as T;
};

if (binary === undefined) console.log('skipped: transactions of the accounts on AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test('transactions of the accounts are accepted by AvalancheGo', async () => {
    const [avalanchego, serac] = await Promise.all([startAvalancheGo(binary), startProgramAsUsers()]);
    try {
      const dev = (method: string, params: unknown) =>
        call<{ assetID: string; utxoID: string }>(serac.client, '/ext/dev', `dev.${method}`, params);
      const [zero, one, two] = golden.networks.local.accounts.map(({ address }) => address);
      await dev('faucet', { to: two });
      await dev('send', { from: 1, to: [zero, two], threshold: 2, amount: '1.5 AVAX', memo: '0x00ff', locktime: '2100-01-01T00:00:00Z' });
      const gold = await dev('createAsset', { name: 'Gold', symbol: 'GLD', denomination: 2, supply: '5 GLD', owner: one, mintable: true });
      await dev('mint', { assetID: gold.assetID, to: two, amount: '0.25 GLD' });
      await dev('send', { from: 2, to: one, amount: 3, assetID: gold.assetID });
      const cards = await dev('createNFT', { name: 'Cards', symbol: 'CRD' });
      const card = await dev('mintNFT', { assetID: cards.assetID, to: one, payload: 'ace' });
      await dev('sendNFT', { utxoID: card.utxoID, to: two });
      const titles = await dev('createProperty', { name: 'Titles', symbol: 'TTL' });
      const title = await dev('mintProperty', { assetID: titles.assetID, to: one });
      await dev('burnProperty', { utxoID: title.utxoID });
      await dev('export', { destinationChain: 'P', from: 2, amount: '1 AVAX' });
      const { height } = await call<{ height: string }>(serac.client, '/ext/bc/X', 'avm.getHeight');
      const txIDs: string[] = [];
      for (let at = 1; at <= Number(height); at++) {
        const { block } = await call<{ block: { txs: { id: string }[] } }>(serac.client, '/ext/bc/X', 'avm.getBlockByHeight', {
          height: at,
          encoding: 'json',
        });
        txIDs.push(...block.txs.map(({ id }) => id));
      }
      expect(txIDs).toHaveLength(13);
      expect(txIDs[0]).toBe(golden.networks.local.txID);
      for (const txID of txIDs) {
        const { tx } = await call<{ tx: string }>(serac.client, '/ext/bc/X', 'avm.getTx', { txID, encoding: 'hex' });
        expect(await call<{ txID: string }>(avalanchego.client, '/ext/bc/X', 'avm.issueTx', { tx, encoding: 'hex' })).toEqual({ txID });
        const until = performance.now() + 20_000;
        const status = async () => (await call<{ status: string }>(avalanchego.client, '/ext/bc/X', 'avm.getTxStatus', { txID })).status;
        while ((await status()) !== 'Accepted') {
          if (performance.now() > until) throw new Error(`${txID} was not accepted`);
          await Bun.sleep(20);
        }
      }
    } finally {
      await Promise.all([avalanchego.stop(), serac.stop()]);
    }
  });
