// Imports what the C-Chain exported to an address: builds an ImportTx, signs it and issues it by hand. node import.mjs
import { createNode } from 'serac';
import { createJsonContext, formatTx, importTx, parseId, parseKey, parseUtxoText, readChainParams, signDraft, txJson } from 'serac/codec';

const node = await createNode();
const [, ann] = node.accounts;
const wallet = { keys: [parseKey(ann.privateKey)], chainParams: await readChainParams(node) };

// On a public network the C-Chain exports; here the node plays its part.
await node.dev.atomicDeposit({ from: 'C', to: ann.address, amount: '5 AVAX' });

// What waits for Ann in the memory that the X-Chain shares with the C-Chain.
const { utxos } = await node.avm.getUTXOs({ addresses: [ann.address], sourceChain: 'C' });
console.log(`waiting: ${utxos.length}`); // waiting: 1

// Imported AVAX pays the fee, so no output of the X-Chain is needed. Without imported AVAX, give those of avm.getUTXOs as `utxos`.
const { blockchainID } = await node.info.getBlockchainID('C');
const tx = signDraft(importTx(wallet, { utxos: [] }, parseId(blockchainID), utxos.map(parseUtxoText)));
const { unsignedTx } = JSON.parse(txJson(tx, createJsonContext('X', 'local')));
console.log(`imported inputs: ${unsignedTx.importedInputs.length}, outputs: ${unsignedTx.outputs.length}`); // imported inputs: 1, outputs: 1

const { txID } = await node.avm.issueTx(formatTx(tx));
for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
const { balance } = await node.avm.getBalance({ address: ann.address, assetID: 'AVAX' });
console.log(`balance: ${balance}`); // balance: 10004999000000
await node.close();
