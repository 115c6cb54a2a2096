import { Avalanche } from '@avalabs/core-wallets-sdk';

const url = 'http://127.0.0.1:9650';
const context = (await Avalanche.JsonRpcProvider.fromBaseURL(url)).getContext();
const provider = new Avalanche.JsonRpcProvider(url, { ...context, networkID: Number(context.networkID) });
const mnemonic = 'test test test test test test test test test test test junk';
const wallet = Avalanche.StaticSigner.fromMnemonic(mnemonic, "m/44'/9000'/0'/0/0", "m/44'/60'/0'/0/0", provider);
const tx = wallet.exportX(2_000_000_000n, await wallet.getUTXOs('X'), 'C');
await wallet.signTx({ tx });
const { txID } = await provider.issueTx(tx.getSignedTx());
while ((await provider.getApiX().getTxStatus({ txID })).status !== 'Accepted') await new Promise((resolve) => setTimeout(resolve, 10));
console.log(Avalanche.getAssetBalance(await wallet.getUTXOs('X'), provider.getAvaxID()).available); // 9997999000000n
