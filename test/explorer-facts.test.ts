import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { parseKey } from '../src/avm/wallet/texts.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { idText, parseId } from '../src/base/bytes/id.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { createAsset, createWallet, importTx, type Key, ownedBy, signDraft } from './wallet-kit.ts';

/** Facts that pages state, as text without tags. */

// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
type Json = any;
let node: DevNode;
let accounts: readonly Json[];

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=3');
  ({ accounts } = await node.dev('dev.accounts'));
});
afterAll(() => node.stop());

const address = (index: number): string => accounts[index].address;
const open = (path: string) => node.program().client.send('GET', path, { accept: 'text/html' });
const textOf = async (path: string): Promise<string> => {
  const { status, text } = await open(path);
  expect([path, status]).toEqual([path, 200]);
  return (text.split('id="payload"')[0] as string)
    .replaceAll(/<\/?(a|span|b|small|i|code)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, '|')
    .replaceAll(/\s+/g, ' ');
};
const rpc = async (path: string, method: string, params: object): Promise<Json> =>
  (await node.program().client.call(path, method, params)).result;

test('a lock that has passed is a lock that was', async () => {
  const { time } = await node.dev('dev.getTime');
  const { txID } = await node.dev('dev.send', { from: 1, to: address(2), amount: '1 AVAX', locktime: Number(time) + 3600 });
  expect(await textOf(`/tx/${txID}`)).toContain('locked until');
  await node.dev('dev.increaseTime', { seconds: 7200 });
  const after = await textOf(`/tx/${txID}`);
  expect(after).toContain('its lock ended');
  expect(after).not.toContain('no lock');
});

test('a property is not an NFT family, and its output is not an NFT', async () => {
  const { assetID } = await node.dev('dev.createProperty', { name: 'Deeds', symbol: 'DEED' });
  const { txID } = await node.dev('dev.mintProperty', { assetID, to: address(1) });
  const [asset, tx] = [await textOf(`/asset/${assetID}`), await textOf(`/tx/${txID}`)];
  expect(asset).toContain('property family');
  expect(asset).not.toContain('NFT');
  expect(tx).toContain('1 DEED property');
  expect(tx).not.toContain('NFT');
});

test('an import to oneself is not change', async () => {
  await node.dev('dev.atomicDeposit', { from: 'C', to: address(1), amount: '5 AVAX' });
  const { utxos } = await rpc('/ext/bc/X', 'avm.getUTXOs', { addresses: [address(1)], sourceChain: 'C', encoding: 'hex' });
  const { blockchainID } = await rpc('/ext/info', 'info.getBlockchainID', { alias: 'C' });
  const wallet = createWallet('facts', { count: 0, keys: [parseKey(accounts[1].privateKey)] });
  const tx = signDraft(importTx(wallet, { utxos: [] }, parseId(blockchainID), [parseUtxo(parseHex('hex', utxos[0]))]));
  const { txID } = await rpc('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) });
  await node.untilAccepted(tx);
  const text = await textOf(`/tx/${txID}`);
  expect(text).toContain('4.999 AVAX');
  expect(text).not.toContain('change');
  // What goes back to the sender is.
  const sent = await node.dev('dev.send', { from: 1, to: address(2), amount: '1 AVAX' });
  expect((await textOf(`/tx/${sent.txID}`)).match(/AVAX · change/g)?.length).toBeGreaterThan(0);
});

test('minters show their threshold', async () => {
  const { assetID } = await node.dev('dev.createAsset', { name: 'Alone', symbol: 'ONE', supply: '1', mintable: true });
  expect(await textOf(`/asset/${assetID}`)).toContain('|Minters||account 0 |');
  const [one, two] = [1, 2].map((index) => parseKey(accounts[index].privateKey)) as [Key, Key];
  const { utxos } = await rpc('/ext/bc/X', 'avm.getUTXOs', { addresses: [address(1)], encoding: 'hex' });
  const funds = { utxos: utxos.map((hex: string) => parseUtxo(parseHex('hex', hex))) };
  const right = { kind: 'secp256k1fx.MintOutput', ...ownedBy([one, two], 2) } as const;
  const spec = { name: 'Shared', symbol: 'TWO', states: [{ fxIndex: 0, outputs: [right] }] };
  const shared = signDraft(createAsset(createWallet('facts', { count: 0, keys: [one] }), funds, spec));
  await node.issue(shared);
  await node.untilAccepted(shared);
  expect(await textOf(`/asset/${idText(shared.id)}`)).toMatch(/Minters\|\|2 of 2: account [12] account [12]/);
});

test('an NFT card shows who owns it, also after it was sent', async () => {
  const { assetID } = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD', groups: 2 });
  const { utxoID } = await node.dev('dev.mintNFT', { assetID, to: address(1), payload: 'ace' });
  expect(await textOf(`/asset/${assetID}`)).toContain('owned by account 1');
  await node.dev('dev.sendNFT', { utxoID, to: address(2) });
  const text = await textOf(`/asset/${assetID}`);
  expect(text).toContain('owned by account 2');
  expect(text).toContain('NFT family');
  expect(text).toContain('2 rights to mint');
});

test('a dropped transaction says that it can be sent again only if its checks pass', async () => {
  await node.dev('dev.setAutomine', { enabled: false });
  const { txID } = await node.dev('dev.send', { from: 1, to: address(2), amount: '2 AVAX' });
  await node.dev('dev.dropTx', { txID });
  expect(await textOf(`/tx/${txID}`)).toContain('Its bytes can be sent again.');
  // The same output is spent by another transaction.
  const rival = await node.dev('dev.send', { from: 1, to: address(2), amount: '3 AVAX' });
  await node.dev('dev.mine');
  await node.dev('dev.setAutomine', { enabled: true });
  expect(rival.txID).not.toBe(txID);
  const text = await textOf(`/tx/${txID}`);
  expect(text).toContain('Its bytes would be refused now');
  expect(text).not.toContain('can be sent again');
});

test('a node that is neither this one nor a peer is not found', async () => {
  const { nodeID } = await rpc('/ext/info', 'info.getNodeID', {});
  const own = await open(`/search?q=${nodeID}`);
  expect([own.status, own.headers.location]).toEqual([302, `/node#${nodeID}`]);
  const other = await open('/search?q=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg');
  expect([other.status, other.text.includes('Nothing found')]).toEqual([404, true]);
});
