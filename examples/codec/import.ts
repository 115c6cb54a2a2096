// Import from another chain: an ImportTx of everything that the C-Chain has exported to an address; the fee comes out of it.
import { createNode } from 'serac';
import { formatTx, importTx, parseId, parseKey, parseUtxoText, readChainParams, signDraft } from 'serac/codec';

const node = await createNode();
const [, { address, privateKey }] = node.accounts;
const wallet = { keys: [parseKey(privateKey)], chainParams: await readChainParams(node) };
const cChain = parseId((await node.info.getBlockchainID('C')).blockchainID);
await node.dev.atomicDeposit({ from: 'C', to: address, amount: '3 AVAX' }); // stands for an export on the C-Chain

const { utxos } = await node.avm.getUTXOs({ addresses: [address], sourceChain: 'C' });
// Imported AVAX pays the fee. Where none is imported, give outputs of the X-Chain as `utxos`.
const tx = signDraft(importTx(wallet, { utxos: [] }, cChain, utxos.map(parseUtxoText)));
const { txID } = await node.avm.issueTx(formatTx(tx));
for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;

console.log((await node.avm.getBalance({ address, assetID: 'AVAX' })).balance); // 10002999000000n
await node.close();
