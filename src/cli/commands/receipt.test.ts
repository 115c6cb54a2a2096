import { describe, expect, test } from 'bun:test';
import { idText, zeroId } from '../../base/bytes/id.ts';
import { findSender, type Moved, printReceipts, readAssetAmount } from './receipt.ts';
import { type Answers, createScriptedClient, runCommand } from './scripted-client.fixture.ts';

const txID = idText(zeroId);
const [first, second] = ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'];
const gold = { symbol: 'GLD', denomination: '2', assetID: 'gold' };
const fees = { 'info.getTxFee': { txFee: '1000000', createAssetTxFee: '10000000' } };
const accepted = { ...fees, 'avm.getTxStatus': { status: 'Accepted' } };
const moved: Moved = { done: 'sent', amount: 150n, asset: gold, from: first, to: second, fee: 'txFee', txID };

const print = (receipts: readonly Moved[], answers: Answers = accepted, options: object = {}) =>
  runCommand((context) => printReceipts(context, receipts, { result: 1 }), createScriptedClient(answers).client, [], options);

describe('a receipt', () => {
  test('has a line for each field, and nothing for what does not apply', async () => {
    expect(await print([moved])).toEqual({
      lines: [
        '1.5 GLD sent',
        'amount       1.5 GLD',
        'assetID      gold',
        `from         ${first}`,
        `to           ${second}`,
        'fee          0.001 AVAX',
        `txID         ${txID}`,
        'status       Accepted',
      ],
      code: undefined,
    });
    expect((await print([{ done: 'created', asset: gold, fee: 'createAssetTxFee', txID }])).lines.slice(0, 3)).toEqual([
      'GLD created',
      'assetID      gold',
      'fee          0.01 AVAX',
    ]);
    expect((await print([{ done: 'done', fee: 'txFee', txID }], { 'avm.getTxStatus': { status: 'Accepted' } })).lines).toEqual([
      'done',
      `txID         ${txID}`,
      'status       Accepted',
    ]);
  });

  test('lists several addresses below each other, and further amounts behind the first', async () => {
    const { lines } = await print([
      { ...moved, to: `${first}, ${second}`, others: [{ amount: 7n, asset: { symbol: 'AG', denomination: 0 } }] },
    ]);
    expect(lines).toContain('amount       1.5 GLD, 7 AG');
    expect(lines.slice(4, 6)).toEqual([`to           ${first},`, `             ${second}`]);
  });

  test('without a transaction waits to be imported, costs nothing and is no failure', async () => {
    const { lines, code } = await print([{ ...moved, fee: 'none', txID: undefined, utxoID: 'u', note: 'group 1' }]);
    expect([lines.slice(5), code]).toEqual([
      ['fee          none', 'utxoID       u', 'status       Waiting', 'note         group 1'],
      undefined,
    ]);
  });

  test('of a transaction that is not accepted: exit code 1 and what to do, unless nobody waits', async () => {
    const byHand = { ...fees, 'avm.getTxStatus': { status: 'Processing' } };
    const unsettled = await print([{ ...moved, note: 'n' }], byHand, { 'no-wait': true });
    expect([unsettled.lines[0], unsettled.lines.at(-1), unsettled.code]).toEqual([
      'waiting: 1.5 GLD sent',
      'note         n; it is in no block yet; serac tx ID shows whether it is',
      undefined,
    ]);
    const dropped = { ...fees, 'avm.getTxStatus': { status: 'Dropped' } };
    expect((await print([moved], dropped)).code).toBe(1);
    expect((await print([moved], dropped, { 'no-wait': true })).code).toBeUndefined();
    expect((await print([moved, { ...moved, txID: undefined }], dropped)).code).toBe(1);
  });

  test('is apart from the one before', async () => {
    const { lines } = await print([moved, moved]);
    expect([lines.length, lines[8], lines[9]]).toEqual([17, '', '1.5 GLD sent']);
  });

  test('as JSON has the fields with their values, beside the result of the method', async () => {
    const { lines } = await print(
      [
        { ...moved, note: 'n' },
        { done: 'did', fee: 'none' },
      ],
      accepted,
      { json: true },
    );
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        ...{ result: 1, what: '1.5 GLD sent', amount: '150', assetID: 'gold', symbol: 'GLD', denomination: 2, from: first, to: second },
        ...{ fee: '1000000', txID, status: 'Accepted', note: 'n' },
      },
      { result: 1, what: 'did', fee: '0', status: 'Waiting' },
    ]);
  });

  test('begins with the sentence of the node, and has the height of the block, if the node tells them', async () => {
    const summary = {
      ...{ action: 'send', from: [], fromCount: 0, to: [], toCount: 0, isToSelf: false, change: [], amountCount: 1 },
      amounts: [{ assetId: 'gold', amount: '150', type: 'secp256k1', symbol: 'GLD', denomination: 2 }],
    };
    const { lines } = await print([moved], { ...accepted, '/transaction-summaries': { transactions: [{ summary, blockNumber: '7' }] } });
    expect(lines[0]).toContain('sent 1.5 GLD');
    expect(lines[0]).not.toBe('1.5 GLD sent');
    expect(lines.at(-1)).toBe('height       7');
  });
});

test('an amount is in the asset of --asset, else in the one that it names, else in AVAX', async () => {
  const { client } = createScriptedClient({
    'dev.getAsset': ({ assetID }) => ({ assetID: txID, name: 'n', symbol: assetID === '' ? 'AVAX' : assetID, denomination: 2 }),
  });
  const read = async (text: string, name?: string) => {
    const { amount, asset } = await readAssetAmount(client, text, name);
    return [amount, asset.symbol];
  };
  expect([await read('1.5'), await read('1.5 GLD'), await read('1.5', 'AG')]).toEqual([
    [150n, 'AVAX'],
    [150n, 'GLD'],
    [150n, 'AG'],
  ]);
});

test('a sender is account 0, an account or address, or several of them between commas; all of them must exist', async () => {
  const { client } = createScriptedClient({
    'dev.accounts': { accounts: [first, second].map((address, index) => ({ index, address, balance: '0' })) },
  });
  expect(await findSender(client)).toBe(first);
  expect([await findSender(client, '1'), await findSender(client, second)]).toEqual([second, second]);
  expect(await findSender(client, '1, 0')).toBe(`${second}, ${first}`);
  expect([await findSender(client, '0,9'), await findSender(client, 'nobody')]).toEqual([undefined, undefined]);
});
