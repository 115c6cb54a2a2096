// A treasury of three people, of whom two must sign. Each signs at home: only the hex of the transaction travels. node treasury.mjs
import { createNode } from 'serac';
import {
  addSignatures,
  baseTx,
  createAddressFormatter,
  formatTx,
  ownedBy,
  parseAddress,
  parseKey,
  parseTxText,
  parseUtxoText,
  readChainParams,
  signDraft,
  transfer,
  watchOnlyKey,
} from 'serac/codec';

const node = await createNode();
const [, ann, ben, cleo, supplier] = node.accounts;
const chainParams = await readChainParams(node);
const people = [ann, ben, cleo].map(({ address }) => parseAddress(address));
const treasury = ownedBy(people, 2);
const issue = async (tx) => {
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) return txID;
};
const readUtxos = async (address) => (await node.avm.getUTXOs([address])).utxos.map(parseUtxoText);
const isOfTreasury = ({ output }) => output.threshold === 2 && output.addresses.length === 3;

// Ann fills it.
const wallet = { keys: [parseKey(ann.privateKey)], chainParams };
const filled = [transfer(chainParams.feeAsset, 100_000_000_000n, treasury)];
await issue(signDraft(baseTx(wallet, { utxos: await readUtxos(ann.address) }, filled)));

// Anybody can write the payment: addresses are enough for that. The change goes back to the treasury.
const payers = [ann, cleo].map(({ address }) => watchOnlyKey(parseAddress(address)));
const utxos = (await readUtxos(ann.address)).filter(isOfTreasury);
const payment = [transfer(chainParams.feeAsset, 30_000_000_000n, ownedBy([parseAddress(supplier.address)]))];
const unsigned = formatTx(signDraft(baseTx({ keys: payers, chainParams }, { utxos, change: treasury }, payment)));

// Each of the two signs with the own key, and passes the transaction on.
const signAtHome = (hex, { privateKey }) => formatTx(addSignatures(parseTxText(hex), utxos, [parseKey(privateKey)]));
const signedOnce = signAtHome(unsigned, cleo);
const signedTwice = signAtHome(signedOnce, ann);

// One signature is too few.
await issue(parseTxText(signedOnce)).catch(({ name }) => console.log(`one signature: ${name}`)); // one signature: SeracError
await issue(parseTxText(signedTwice));

const { balance } = await node.avm.getBalance({ address: supplier.address, assetID: 'AVAX' });
console.log(`supplier ${balance}`); // supplier 10030000000000
const [rest] = (await readUtxos(ben.address)).filter(isOfTreasury);
const format = createAddressFormatter('X', 'local');
console.log(`treasury ${rest.output.amount}, of ${rest.output.addresses.map(format).includes(ben.address)}`); // treasury 69999000000, of true
await node.close();
