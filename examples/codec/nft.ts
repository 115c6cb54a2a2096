// Mint and send an NFT: a CreateAssetTx with a group of NFTs, then two OperationTxs, one that mints and one that transfers.
import { createNode, type NodeAccount } from 'serac';
import {
  createAsset,
  type Draft,
  effectsOf,
  formatTx,
  nftMint,
  nftTransfer,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
} from 'serac/codec';

const node = await createNode();
const [, from, to] = node.accounts;
const wallet = { keys: [parseKey(from.privateKey)], chainParams: await readChainParams(node) };
const owner = ownedBy(wallet.keys);
const readUtxos = async ({ address }: NodeAccount) => (await node.avm.getUTXOs([address])).utxos.map(parseUtxoText);
const issue = async (draft: Draft) => {
  const tx = signDraft(draft);
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) break;
  return effectsOf(tx).created;
};

const created = await issue(
  createAsset(
    wallet,
    { utxos: await readUtxos(from) },
    {
      name: 'Glaciers',
      symbol: 'ICE',
      states: [{ fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 0, ...owner }] }], // 1: NFTs
    },
  ),
);

const [minter] = created.filter(({ output }) => output.kind === 'nftfx.MintOutput');
const payload = new TextEncoder().encode('ipfs://perito-moreno'); // at most 1,024 bytes
const minted = await issue(nftMint(wallet, { utxos: await readUtxos(from) }, minter, payload, [owner]));

const [nft] = minted.filter(({ output }) => output.kind === 'nftfx.TransferOutput');
await issue(nftTransfer(wallet, { utxos: await readUtxos(from) }, nft, ownedBy([parseAddress(to.address)])));

for (const { output } of await readUtxos(to))
  if (output.kind === 'nftfx.TransferOutput') console.log(new TextDecoder().decode(output.payload)); // ipfs://perito-moreno
await node.close();
