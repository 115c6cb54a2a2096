// Create and mint an asset: a CreateAssetTx, whose ID is that of the asset, and an OperationTx, which spends the mint output.
import { createNode } from 'serac';
import {
  createAsset,
  type Draft,
  effectsOf,
  formatTx,
  idText,
  mint,
  ownedBy,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
} from 'serac/codec';

const node = await createNode();
const [, { address, privateKey }] = node.accounts;
const wallet = { keys: [parseKey(privateKey)], chainParams: await readChainParams(node) };
const owner = ownedBy(wallet.keys);
const readUtxos = async () => (await node.avm.getUTXOs([address])).utxos.map(parseUtxoText);
const issue = async (draft: Draft) => {
  const tx = signDraft(draft);
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
  return tx;
};

const gold = await issue(
  createAsset(
    wallet,
    { utxos: await readUtxos() },
    {
      name: 'Gold',
      symbol: 'GLD',
      denomination: 2,
      states: [
        {
          fxIndex: 0, // amounts
          outputs: [
            { kind: 'secp256k1fx.TransferOutput', amount: 700n, ...owner },
            { kind: 'secp256k1fx.MintOutput', ...owner },
          ],
        },
      ],
    },
  ),
);

const [minter] = effectsOf(gold).created.filter(({ output }) => output.kind === 'secp256k1fx.MintOutput');
await issue(mint(wallet, { utxos: await readUtxos() }, minter, 50n, owner));

console.log((await node.avm.getBalance({ address, assetID: idText(gold.id) })).balance); // 750n
await node.close();
