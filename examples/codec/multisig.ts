// Sign in rounds: two of three owners sign one after the other, and only the hex of the transaction travels between them.
import { createNode, type NodeAccount } from 'serac';
import {
  addSignatures,
  baseTx,
  formatTx,
  missingSigners,
  ownedBy,
  parseAddress,
  parseKey,
  parseTxText,
  parseUtxoText,
  readChainParams,
  signDraft,
  type Tx,
  transfer,
  watchOnlyKey,
} from 'serac/codec';

const node = await createNode();
const [, ann, ben, cleo, supplier] = node.accounts;
const chainParams = await readChainParams(node);
const treasury = ownedBy(
  [ann, ben, cleo].map(({ address }) => parseAddress(address)),
  2,
);
const readUtxos = async ({ address }: NodeAccount) => (await node.avm.getUTXOs([address])).utxos.map(parseUtxoText);
const issue = async (tx: Tx) => {
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
};
const annsWallet = { keys: [parseKey(ann.privateKey)], chainParams };
const filled = [transfer(chainParams.feeAsset, 9_000_000_000n, treasury)];
await issue(signDraft(baseTx(annsWallet, { utxos: await readUtxos(ann) }, filled)));

// Anybody writes the payment: addresses are enough. The two that will sign are chosen here.
const owned = (await readUtxos(ben)).filter(({ output }) => output.threshold === 2);
const keys = [ann, cleo].map(({ address }) => watchOnlyKey(parseAddress(address)));
const payment = [transfer(chainParams.feeAsset, 4_000_000_000n, ownedBy([parseAddress(supplier.address)]))];
let hex = formatTx(signDraft(baseTx({ keys, chainParams }, { utxos: owned, change: treasury }, payment)));

// Each round: read the outputs from the own node, sign, pass the hex on.
for (const signer of [cleo, ann]) {
  const tx = addSignatures(parseTxText(hex), await readUtxos(signer), [parseKey(signer.privateKey)]);
  console.log(missingSigners(tx, await readUtxos(signer)).length); // 1, then 0
  hex = formatTx(tx);
}
await issue(parseTxText(hex));

console.log((await node.avm.getBalance({ address: supplier.address, assetID: 'AVAX' })).balance); // 10004000000000n
await node.close();
