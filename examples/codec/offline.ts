// Sign offline: the machine with the node knows only an address, the machine with the key has no network.
import { createNode } from 'serac';
import {
  addSignatures,
  baseTx,
  createJsonContext,
  formatTx,
  ownedBy,
  parseAddress,
  parseKey,
  parseTxText,
  parseUtxoText,
  readChainParams,
  signDraft,
  transfer,
  txJson,
  watchOnlyKey,
} from 'serac/codec';

const node = await createNode();
const [, from, to] = node.accounts;
const chainParams = await readChainParams(node);

// Online: writes the transaction without a key. The file has its hex and that of the outputs it spends.
const { utxos } = await node.avm.getUTXOs([from.address]);
const watching = { keys: [watchOnlyKey(parseAddress(from.address))], chainParams };
const sent = [transfer(chainParams.feeAsset, 5n, ownedBy([parseAddress(to.address)]))];
const unsigned = formatTx(signDraft(baseTx(watching, { utxos: utxos.map(parseUtxoText) }, sent)));
const file = JSON.stringify({ tx: unsigned, utxos });

// Offline: shows what is signed, then signs.
const given = JSON.parse(file);
const shown = JSON.parse(txJson(parseTxText(given.tx), createJsonContext('X', 'local')));
console.log(shown.unsignedTx.outputs.map(({ output }: { output: { amount: number } }) => output.amount).join()); // 5,9999998999995
const signed = formatTx(addSignatures(parseTxText(given.tx), given.utxos.map(parseUtxoText), [parseKey(from.privateKey)]));

// Online: issues it.
const { txID } = await node.avm.issueTx(signed);
for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
console.log((await node.avm.getTxStatus(txID)).status); // Accepted
await node.close();
