import { expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { idText, zeroId } from '../../base/bytes/id.ts';
import { showNodeAddress, showNodeBlock, showNodeTx } from './node-answers.ts';
import { type Answers, createScriptedClient, runCommand } from './scripted-client.fixture.ts';

const id = idText(zeroId);
const block = { parentID: id, height: 5, time: 1_700_000_000, merkleRoot: id, txs: [{ id }], id };
const blockAnswers: Answers = {
  'avm.getHeight': { height: '5' },
  'avm.getBlockByHeight': ({ height }) => ({ block: { ...block, height: Number(height) }, encoding: 'json' }),
  'avm.getBlock': { block: { ...block, height: 9 }, encoding: 'json' },
};

test('a block is found by height, by ID, or as the latest one', async () => {
  const { client, asked } = createScriptedClient(blockAnswers);
  const shown = async (name: string) => (await runCommand(showNodeBlock, client, [name])).lines;
  expect(await shown('7')).toEqual([`block 7 ${id}`, `parent ${id}`, '2023-11-14T22:13:20Z, transactions: 1', `  ${id}`]);
  expect([(await shown('latest'))[0], (await shown(id))[0]]).toEqual([`block 5 ${id}`, `block 9 ${id}`]);
  expect(asked).toEqual(['avm.getBlockByHeight', 'avm.getHeight', 'avm.getBlockByHeight', 'avm.getBlock']);
});

test('a block as JSON is that of the node', async () => {
  const { lines } = await runCommand(showNodeBlock, createScriptedClient(blockAnswers).client, ['7'], { json: true });
  expect(JSON.parse(lines.join(''))).toEqual({ ...block, height: 7 });
});

test('a transaction is shown as the JSON of the node, in lines or with its status', async () => {
  const { client } = createScriptedClient({ 'avm.getTx': { tx: { id, memo: '0x' }, encoding: 'json' } });
  const shown = async (isJson: boolean): Promise<string[]> => {
    const lines: string[] = [];
    await showNodeTx(client, id, isJson, (line) => lines.push(line));
    return lines;
  };
  expect(await shown(false)).toEqual([`${id}: Accepted`, '{', `  "id": "${id}",`, '  "memo": "0x"', '}']);
  expect(await shown(true)).toEqual([JSON.stringify({ txID: id, status: 'Accepted', tx: { id, memo: '0x' } })]);
});

const owners = { locktime: 0n, threshold: 1, addresses: [zeroAddress] };
const transfer = { kind: 'secp256k1fx.TransferOutput', amount: 150n, ...owners } as const;
const nft = { kind: 'nftfx.MintOutput', groupID: 1, ...owners } as const;

async function showAddress(count: number, balances: readonly object[], options: object = {}) {
  const utxos = Array.from({ length: count }, (_, i) => makeUtxo(zeroId, i, zeroId, i === 0 ? nft : transfer));
  const { client } = createScriptedClient({
    'avm.getAllBalances': { balances },
    'avm.getUTXOs': ({ limit }) => {
      expect(limit).toBe(10);
      const texts = utxos.map(({ bytes }) => formatHex('hex', bytes));
      return { numFetched: String(count), utxos: texts, endIndex: { address: 'a', utxo: id }, encoding: 'hex' };
    },
    'avm.getAssetDescription': { assetID: id, name: 'Gold', symbol: 'GLD', denomination: '2' },
  });
  const { lines } = await runCommand((context) => showNodeAddress(context, 'X-a', { Bech32: 'X-a', hex: '0x1' }), client, [], options);
  return { lines, ids: utxos.map((utxo) => idText(utxo.id)) };
}

test('an address is shown with its spellings, balances and first outputs', async () => {
  const { lines, ids } = await showAddress(2, [{ asset: id, balance: '150' }]);
  expect(lines).toEqual([
    'Bech32   X-a',
    'hex      0x1',
    '',
    'balance  1.5 GLD',
    `output   ${ids[0]}  nftfx.MintOutput`,
    `output   ${ids[1]}  1.5 GLD`,
  ]);
});

test('an address without anything, and one that may have more outputs, say so', async () => {
  expect((await showAddress(0, [])).lines).toEqual(['Bech32   X-a', 'hex      0x1', '', 'balance  nothing']);
  expect((await showAddress(9, [])).lines.at(-1)).toMatch(/^output/);
  expect((await showAddress(10, [])).lines.at(-1)).toBe('         the first 10 are shown; avm.getUTXOs lists all');
});

test('an address as JSON has amounts in the smallest unit', async () => {
  const { lines } = await showAddress(1, [{ asset: id, balance: '150' }], { json: true });
  expect(JSON.parse(lines.join(''))).toEqual({
    spellings: { Bech32: 'X-a', hex: '0x1' },
    nodeRpc: { balances: [{ asset: id, balance: '150' }], utxos: [expect.stringMatching(/^0x0000/)] },
  });
});
