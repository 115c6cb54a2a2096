import { createAvalancheWalletClient } from '@avalanche-sdk/client';
import { mnemonicsToAvalancheAccount } from '@avalanche-sdk/client/accounts';
import { avalancheFuji } from '@avalanche-sdk/client/chains';

const account = mnemonicsToAvalancheAccount('test test test test test test test test test test test junk');
const transport = { type: 'http', url: 'http://127.0.0.1:9650' };
const client = createAvalancheWalletClient({ account, chain: avalancheFuji, transport });
const send = async ({ tx }) => {
  const { txHash } = await client.sendXPTransaction({ tx, chainAlias: 'X' });
  await client.waitForTxn({ txHash, chainAlias: 'X', sleepTime: 10, maxRetries: 500 });
};
const [address, onC] = ['X', 'C'].map((chain) => account.getXPAddress(chain, 'fuji'));
await send(
  await client.xChain.prepareExportTxn({ destinationChain: 'C', exportedOutputs: [{ addresses: [onC], amount: 2_000_000_000n }] }),
);
console.log((await client.xChain.getBalance({ address, assetID: 'AVAX' })).balance); // 9997999000000n
