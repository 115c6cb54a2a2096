import { BN, getConfigFromUrl, SingletonWallet, setNetwork } from '@avalabs/avalanche-wallet-sdk';

setNetwork(await getConfigFromUrl('http://127.0.0.1:9650'));
const wallet = new SingletonWallet('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN');
await wallet.updateUtxosX();
await wallet.exportXChain(new BN(2_000_000_000), 'C');
console.log(wallet.getAvaxBalanceX().unlocked.toString()); // 299899997998000000
process.exit(); // else a timer of the SDK keeps the program running for 20 s
