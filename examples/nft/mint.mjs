// Creates a collection of NFTs with `serac/codec`, which builds and signs the transactions itself, and mints one: node mint.mjs
import { createNode } from 'serac';
import {
  createAsset,
  effectsOf,
  formatTx,
  nftMint,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
} from 'serac/codec';

const node = await createNode();
const [, artist, collector] = node.accounts;
const wallet = { keys: [parseKey(artist.privateKey)], chainParams: await readChainParams(node) };
const readUtxos = async () => (await node.avm.getUTXOs([artist.address])).utxos.map(parseUtxoText);
const issue = async (tx) => {
  const accepted = node.events({ kind: 'tx', address: artist.address });
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of accepted) if (event.txID === txID) return txID;
};

const minters = [0, 1].map((groupID) => ({ kind: 'nftfx.MintOutput', groupID, ...ownedBy(wallet.keys) }));
const collection = createAsset(
  wallet,
  { utxos: await readUtxos() },
  { name: 'Glaciers', symbol: 'ICE', states: [{ fxIndex: 1, outputs: minters }] },
);
const assetID = await issue(signDraft(collection));

const utxos = await readUtxos();
const minter = utxos.find(({ output }) => output.kind === 'nftfx.MintOutput' && output.groupID === 0);
const payload = new TextEncoder().encode('ipfs://perito-moreno');
const mint = signDraft(nftMint(wallet, { utxos }, minter, payload, [ownedBy([parseAddress(collector.address)])]));
await issue(mint);

const [nft] = effectsOf(mint).created.filter(({ output }) => output.kind === 'nftfx.TransferOutput');
console.log(new TextDecoder().decode(nft.output.payload)); // ipfs://perito-moreno
const { balances } = await node.avm.getAllBalances(collector.address);
console.log(balances.find(({ asset }) => asset === assetID) === undefined); // true: an NFT has no amount
const response = await node.fetch(`/v1/networks/local/blockchains/x-chain/assets/${assetID}`);
console.log((await response.json()).name); // Glaciers
await node.close();
