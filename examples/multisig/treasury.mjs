// A treasury of three people, of whom two must sign. Each signs at home: only the unsigned transaction and signatures travel. node treasury.mjs
import { createNode } from 'serac';
import {
  baseTx,
  createAddressFormatter,
  formatTx,
  makeTx,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  sign,
  signDraft,
  transfer,
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
const payers = [ann, cleo].map(({ address }) => ({ address: parseAddress(address) }));
const utxos = (await readUtxos(ann.address)).filter(isOfTreasury);
const payment = [transfer(chainParams.feeAsset, 30_000_000_000n, ownedBy([parseAddress(supplier.address)]))];
const { unsigned, signers } = baseTx({ keys: payers, chainParams }, { utxos, change: treasury }, payment);

// Each of the two signs with the own key; the signatures are put together in the order that the transaction asks for.
const signAtHome = ({ privateKey }) => {
  const key = parseKey(privateKey);
  const mine = signers.map((all) => (all.some(({ address }) => address === key.address) ? [key] : []));
  return { address: key.address, credentials: sign(unsigned, mine).credentials };
};
const signed = [signAtHome(cleo), signAtHome(ann)];
const credentials = signers.map((all, input) => ({
  kind: 'secp256k1fx.Credential',
  signatures: all.flatMap(({ address }) => signed.find((one) => one.address === address)?.credentials[input].signatures ?? []),
}));

// One signature is too few.
const alone = credentials.map(({ kind, signatures }) => ({ kind, signatures: signatures.slice(0, 1) }));
await issue(makeTx(unsigned, alone)).catch(({ name }) => console.log(`one signature: ${name}`)); // one signature: SeracError
await issue(makeTx(unsigned, credentials));

const { balance } = await node.avm.getBalance({ address: supplier.address, assetID: 'AVAX' });
console.log(`supplier ${balance}`); // supplier 10030000000000
const [rest] = (await readUtxos(ben.address)).filter(isOfTreasury);
const format = createAddressFormatter('X', 'local');
console.log(`treasury ${rest.output.amount}, of ${rest.output.addresses.map(format).includes(ben.address)}`); // treasury 69999000000, of true
await node.close();
