// Mints a collection and serves a page with every NFT of some owners: node gallery.mjs prints what the page shows; PORT=3000 keeps it running.
import { createServer } from 'node:http';
import { createNode } from 'serac';
import {
  createAsset,
  formatTx,
  idText,
  nftMint,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
} from 'serac/codec';

const escapeHtml = (text) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** All NFTs of an address, page by page: the collection and the payload of each. */
export async function nftsOf(node, address) {
  const found = [];
  for (let startIndex; ; ) {
    const { utxos, endIndex, numFetched } = await node.avm.getUTXOs({ addresses: [address], startIndex, limit: 1024 });
    for (const { assetID, output } of utxos.map(parseUtxoText))
      if (output.kind === 'nftfx.TransferOutput')
        found.push({ assetID: idText(assetID), payload: new TextDecoder().decode(output.payload) });
    if (Number(numFetched) < 1024) return found.sort((a, b) => (a.payload < b.payload ? -1 : 1));
    startIndex = endIndex;
  }
}

/** The page. A payload is what anybody wrote on the chain, so it is escaped. */
async function gallery(node, owners) {
  const all = await Promise.all(owners.map(async (owner) => ({ owner, nfts: await nftsOf(node, owner) })));
  const names = new Map();
  for (const { assetID } of all.flatMap(({ nfts }) => nfts))
    if (!names.has(assetID)) names.set(assetID, (await node.avm.getAssetDescription(assetID)).name);
  const card = ({ assetID, payload }) => `<li><b>${escapeHtml(names.get(assetID))}</b> ${escapeHtml(payload)}</li>`;
  const shelves = all.map(({ owner, nfts }) => `<h2>${owner}</h2><ul>${nfts.map(card).join('')}</ul>`);
  return `<!doctype html><meta charset="utf-8"><title>Gallery</title><h1>Gallery</h1>${shelves.join('')}`;
}

const node = await createNode();
const [, artist, collector] = node.accounts;
const wallet = { keys: [parseKey(artist.privateKey)], chainParams: await readChainParams(node) };
const readUtxos = async () => (await node.avm.getUTXOs([artist.address])).utxos.map(parseUtxoText);
const issue = async (tx) => {
  const { txID } = await node.avm.issueTx(formatTx(tx));
  for await (const event of node.events({ kind: 'tx' })) if (event.txID === txID) return txID;
};
// A mint output is spent by its mint, so there is one for each.
const payloads = ['perito moreno', '<b>aletsch</b>'];
const minters = payloads.map((_, groupID) => ({ kind: 'nftfx.MintOutput', groupID, ...ownedBy(wallet.keys) }));
const spec = { name: 'Glaciers', symbol: 'ICE', states: [{ fxIndex: 1, outputs: minters }] };
await issue(signDraft(createAsset(wallet, { utxos: await readUtxos() }, spec)));
for (const payload of payloads) {
  const utxos = await readUtxos();
  const minter = utxos.find(({ output }) => output.kind === 'nftfx.MintOutput');
  const bytes = new TextEncoder().encode(payload);
  await issue(signDraft(nftMint(wallet, { utxos }, minter, bytes, [ownedBy([parseAddress(collector.address)])])));
}

const server = createServer(async (_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(await gallery(node, [collector.address]));
}).listen(Number(process.env.PORT ?? 0), '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
const page = await (await fetch(url)).text();
for (const [, item] of page.matchAll(/<li>(.*?)<\/li>/g)) console.log(item); // <b>Glaciers</b> perito moreno, and one that is escaped
if (process.env.PORT === undefined) {
  server.close();
  await node.close();
} else console.log(url);
