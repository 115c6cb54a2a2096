// Export to another chain: an ExportTx; the C- or P-Chain then imports the output.
import { createNode } from 'serac';
import {
  exportTx,
  formatTx,
  ownedBy,
  parseAddress,
  parseId,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
  transfer,
} from 'serac/codec';

const node = await createNode();
const [, from, to] = node.accounts;
const chainParams = await readChainParams(node);
const wallet = { keys: [parseKey(from.privateKey)], chainParams };
const cChain = parseId((await node.info.getBlockchainID('C')).blockchainID);

const { utxos } = await node.avm.getUTXOs([from.address]);
const sent = [transfer(chainParams.feeAsset, 2_000_000_000n, ownedBy([parseAddress(to.address)]))];
const tx = signDraft(exportTx(wallet, { utxos: utxos.map(parseUtxoText) }, cChain, sent));
const { txID } = await node.avm.issueTx(formatTx(tx));
for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;

const { utxos: waiting } = await node.dev.listAtomic(); // on a network: avax.getUTXOs of the C-Chain
console.log(waiting.map(({ destinationChain, amount }) => `${amount} for ${destinationChain}`).join()); // 2000000000 for C
await node.close();
