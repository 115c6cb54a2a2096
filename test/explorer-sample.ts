import type { DevNode } from './dev-node.ts';
import { addressHook, createWebhookCalls } from './webhook-receiver.ts';

/** A chain with something on every page of the explorer. */
type ExplorerSample = {
  /** Paths of all pages. */
  readonly paths: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
  readonly accounts: readonly any[];
  /** The height at which the snapshot `before` was taken. */
  readonly snapshotHeight: string;
};

/** Makes the chain on a new node with three accounts. */
export async function makeExplorerSample(node: DevNode): Promise<ExplorerSample> {
  const { accounts } = await node.dev('dev.accounts');
  const { assetID } = await node.dev('dev.createAsset', {
    name: 'Serac Ice',
    symbol: 'ICE',
    denomination: 2,
    supply: '1000',
    owner: accounts[1].address,
    mintable: true,
  });
  await node.dev('dev.mint', { assetID, to: accounts[1].address, amount: '500' });
  const { txID } = await node.dev('dev.send', {
    from: 1,
    to: accounts[2].address,
    amount: '2.5 AVAX',
    memo: '<img src=x onerror=alert(1)>',
  });
  // biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
  const addresses = accounts.map(({ address }: any) => address);
  await node.dev('dev.send', { from: 1, to: addresses, threshold: 2, amount: '7 AVAX' });
  await node.dev('dev.send', { from: 1, to: accounts[1].address, amount: '3 AVAX', locktime: Math.floor(Date.now() / 1000) + 1e6 });
  await node.dev('dev.export', { destinationChain: 'P', from: 1, to: accounts[1].address, amount: '1 AVAX' });
  // The longest name that the chain allows, without a place to break it.
  const long = await node.dev('dev.createAsset', { name: 'W'.repeat(128), symbol: 'WWWW', denomination: 32, supply: '9'.repeat(19) });
  const nft = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' });
  const { utxoID } = await node.dev('dev.mintNFT', { assetID: nft.assetID, to: accounts[1].address, payload: '<svg onload=alert(1)>' });
  await node.dev('dev.setAutomine', { enabled: false });
  const { txID: dropped } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
  await node.dev('dev.dropTx', { txID: dropped });
  await node.dev('dev.setAutomine', { enabled: true });
  const { height: snapshotHeight } = await node.dev('dev.snapshot', { name: 'before' });
  await makeWebhooks(node, accounts[1].address);
  return {
    accounts,
    snapshotHeight,
    paths: [
      '/',
      '/blocks',
      '/block/2',
      `/tx/${txID}`,
      `/tx/${assetID}`,
      `/graph/${txID}`,
      `/address/${accounts[1].address}`,
      `/outputs/${accounts[1].address}?state=all`,
      `/output/${utxoID}`,
      `/asset/${assetID}`,
      `/holders/${assetID}`,
      `/asset/${nft.assetID}`,
      `/asset/${long.assetID}`,
      '/mempool',
      '/assets',
      '/cross-chain',
      '/throughput?range=hour',
      '/throughput?range=minute',
      '/throughput?range=day',
      `/tx/${dropped}`,
      '/node',
      `/watch?addresses=${accounts[1].address}`,
      '/webhooks',
      '/dev',
      '/dev/calls',
      '/api',
      '/api/avm.getTx',
      '/api/data/getUtxosByAddressesV2',
      '/search?q=nothing-like-this',
    ],
  };
}

/** A webhook that waits, and one whose receiver does not answer. */
async function makeWebhooks(node: DevNode, address: string): Promise<void> {
  const call = createWebhookCalls(node.program().url);
  const { json } = await call('POST', '', addressHook('http://127.0.0.1:9/deposits', [address], { name: 'deposits' }));
  await call('POST', '', { url: 'http://127.0.0.1:9/all', eventType: 'asset_activity', metadata: { keyType: 'assets', keys: ['AVAX'] } });
  await call('PATCH', `/${json.id}`, { status: 'inactive' });
}
