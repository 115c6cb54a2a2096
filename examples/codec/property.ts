// Grant and burn a property: an asset without amounts, such as a right to vote; OperationTxs mint it and burn it.
import { createNode } from 'serac';
import {
  createAsset,
  type Draft,
  effectsOf,
  formatTx,
  ownedBy,
  parseKey,
  parseUtxoText,
  propertyBurn,
  propertyMint,
  readChainParams,
  signDraft,
  type Utxo,
} from 'serac/codec';

const node = await createNode();
const [, { address, privateKey }] = node.accounts;
const wallet = { keys: [parseKey(privateKey)], chainParams: await readChainParams(node) };
const owner = ownedBy(wallet.keys);
const readUtxos = async () => (await node.avm.getUTXOs([address])).utxos.map(parseUtxoText);
const findKind = (utxos: readonly Utxo[], kind: string) => utxos.filter(({ output }) => output.kind === kind);
const issue = async (draft: Draft) => {
  const tx = signDraft(draft);
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
  return effectsOf(tx).created;
};

const created = await issue(
  createAsset(
    wallet,
    { utxos: await readUtxos() },
    {
      name: 'Vote',
      symbol: 'VOTE',
      states: [{ fxIndex: 2, outputs: [{ kind: 'propertyfx.MintOutput', ...owner }] }], // 2: properties
    },
  ),
);

const [minter] = findKind(created, 'propertyfx.MintOutput');
const minted = await issue(propertyMint(wallet, { utxos: await readUtxos() }, minter, owner));
console.log(findKind(await readUtxos(), 'propertyfx.OwnedOutput').length); // 1

const [vote] = findKind(minted, 'propertyfx.OwnedOutput');
await issue(propertyBurn(wallet, { utxos: await readUtxos() }, vote));
console.log(findKind(await readUtxos(), 'propertyfx.OwnedOutput').length); // 0
await node.close();
