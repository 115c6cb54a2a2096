import { Avalanche, BN } from 'avalanche';

const x = new Avalanche('127.0.0.1', 9650, 'http', 12345).XChain();
x.keyChain().importKey('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN');
const [from, to] = [x.keyChain().getAddressStrings(), 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465'];
const { utxos } = await x.getUTXOs(from);
const tx = await x.buildBaseTx(utxos, new BN(5_000_000_000), await x.getAVAXAssetID(), [to], from, from);
const txID = await x.issueTx(tx.sign(x.keyChain()));
while ((await x.getTxStatus(txID)) !== 'Accepted') await new Promise((resolve) => setTimeout(resolve, 10));
console.log((await x.getBalance(to, 'AVAX')).balance.toString()); // 5000000000
