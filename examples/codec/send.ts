// Send AVAX: a BaseTx, whose change goes back to the sender.
import { createNode } from 'serac';
import { baseTx, formatTx, ownedBy, parseAddress, parseKey, parseUtxoText, readChainParams, signDraft, transfer } from 'serac/codec';

const node = await createNode(); // a chain of this program, with funded accounts
const [, from, to] = node.accounts;
const chainParams = await readChainParams(node);
const wallet = { keys: [parseKey(from.privateKey)], chainParams };

const { utxos } = await node.avm.getUTXOs([from.address]);
const sent = [transfer(chainParams.feeAsset, 5n, ownedBy([parseAddress(to.address)]))];
const tx = signDraft(baseTx(wallet, { utxos: utxos.map(parseUtxoText) }, sent));
const { txID } = await node.avm.issueTx(formatTx(tx));
for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break; // accepted

console.log((await node.avm.getBalance({ address: to.address, assetID: 'AVAX' })).balance); // 10000000000005n
await node.close();
