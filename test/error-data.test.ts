import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter, shortIdText } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { pChain } from './local-chain.ts';
import { type Program, startProgram } from './program.ts';
import {
  baseTx,
  createWallet,
  ewoq,
  ewoqGenesisUtxo,
  importTx,
  localChainParams,
  ownedBy,
  sign,
  signDraft,
  transfer,
} from './wallet-kit.ts';

/** The `data` of errors, as returned by the running program. */

const wallet = createWallet('errors', { keys: [ewoq], count: 1 });
const mine = ownedBy([ewoq]);
const addressText = createAddressFormatter('X', 'local');
const avax = localChainParams.feeAsset;
const fee = localChainParams.txFee;
const coin = 1_000_000_000n;

const pay = (from: Utxo, memo = '', amount = coin): Tx =>
  signDraft(baseTx(wallet, { utxos: [from], memo: Buffer.from(memo) }, [transfer(avax, amount, mine)]));

const split = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(avax, 10n * coin, mine), transfer(avax, 11n * coin, mine)]));
const outputOf = (tx: Tx, index: number): Utxo => effectsOf(tx).created[index] as Utxo;

const issue = async (client: Client, tx: Tx) => (await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) })).error;

async function accept(client: Client, tx: Tx): Promise<void> {
  expect(await issue(client, tx)).toBeUndefined();
  for (let i = 0; i < 200; i++) {
    const { result } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
    if ((result as { status: string } | undefined)?.status === 'Accepted') return;
    await Bun.sleep(20);
  }
  throw new Error(`${idText(tx.id)} was not accepted`);
}

const spentOutput = ({ id }: Utxo, createdBy: Id, outputIndex: number) => ({
  code: 'TX_UTXO_NOT_FOUND',
  path: 'inputs[0]',
  utxoID: idText(id),
  createdBy: idText(createdBy),
  outputIndex,
});

describe('a missing output', () => {
  let node: Program;
  // After the first block every transaction stays in the mempool.
  beforeAll(async () => {
    node = await startProgram('--min-block-delay=1h');
    await accept(node.client, split);
  });
  afterAll(() => node.stop());

  const waiting = pay(outputOf(split, 0), 'waits');

  test('that was spent: data has the spending transaction', async () => {
    const error = await issue(node.client, pay(ewoqGenesisUtxo, 'again'));
    expect(error?.message).toBe(`failed to verify transfer: failed to get utxo ${idText(ewoqGenesisUtxo.id)}: not found`);
    expect(error?.data).toEqual({
      ...spentOutput(ewoqGenesisUtxo, ewoqGenesisUtxo.txID, ewoqGenesisUtxo.outputIndex),
      isSpent: true,
      spentBy: idText(split.id),
    });
  });

  test('of a transaction that is issued again: data has that transaction', async () => {
    expect((await issue(node.client, split))?.data).toMatchObject({ isSpent: true, spentBy: idText(split.id) });
  });

  test('that a pending transaction spends: data has the pending transaction', async () => {
    expect(await issue(node.client, waiting)).toBeUndefined();
    const rival = pay(outputOf(split, 0), 'rival');
    expect(await issue(node.client, rival)).toEqual({
      code: -32000,
      message: `tx conflicts with other tx: ${idText(rival.id)}`,
      data: {
        code: 'MEMPOOL_CONFLICT',
        txID: idText(rival.id),
        utxoID: idText(outputOf(split, 0).id),
        spentBy: idText(waiting.id),
      },
    });
  });

  test('that a pending transaction creates: data has the status Processing', async () => {
    const made = outputOf(waiting, 0);
    expect((await issue(node.client, pay(made, '', coin / 10n)))?.data).toEqual({
      ...spentOutput(made, waiting.id, 0),
      isSpent: false,
      createdByStatus: 'Processing',
    });
  });

  test('that does not exist: data has the status of its transaction', async () => {
    const { output } = outputOf(split, 0);
    const beyond = makeUtxo(split.id, 9, avax, output);
    expect((await issue(node.client, pay(beyond)))?.data).toEqual({
      ...spentOutput(beyond, split.id, 9),
      isSpent: false,
      createdByStatus: 'Accepted',
    });
    const nowhere = makeUtxo('ab'.repeat(32) as Id, 0, avax, output);
    expect((await issue(node.client, pay(nowhere)))?.data).toMatchObject({ isSpent: false, createdByStatus: 'Unknown' });
  });

  test("addresses have the chain prefix in data, and AvalancheGo's short form in the message", async () => {
    const otherKey = wallet.keys[1] as (typeof wallet.keys)[number];
    const { unsigned } = baseTx(wallet, { utxos: [outputOf(split, 1)] }, [transfer(avax, coin, mine)]);
    const error = await issue(node.client, sign(unsigned, [[otherKey]]));
    expect(error?.message).toEndWith(`from ${shortIdText(ewoq.address)} but got from ${shortIdText(otherKey.address)}`);
    expect(error?.data).toMatchObject({
      code: 'TX_WRONG_SIGNATURE',
      want: addressText(ewoq.address),
      got: addressText(otherKey.address),
      createdBy: idText(split.id),
    });
  });

  test('insufficient funds: data splits the need into amount and fee', async () => {
    const { unsigned, signers } = baseTx(wallet, { utxos: [outputOf(split, 1)] }, []);
    const have = unsigned.inputs.reduce((sum, { input }) => sum + (input as { amount: bigint }).amount, 0n);
    const greedy = sign({ ...unsigned, outputs: [transfer(avax, have, mine)] } as typeof unsigned, signers);
    expect((await issue(node.client, greedy))?.data).toEqual({
      code: 'TX_INSUFFICIENT_FUNDS',
      assetID: idText(avax),
      need: String(have + fee),
      amount: String(have),
      fee: String(fee),
      have: String(have),
    });
  });
});

describe('an imported output', () => {
  const { output } = ewoqGenesisUtxo;
  const foreign = makeUtxo('cd'.repeat(32) as Id, 0, avax, output);
  const imported = signDraft(importTx(wallet, { utxos: [] }, pChain, [foreign]));
  const again = signDraft(importTx(wallet, { utxos: [], memo: Buffer.from('again') }, pChain, [foreign]));
  const withoutIndex = ['--data-api-enabled=false', '--metrics-api-enabled=false'];
  const rows: readonly [string, readonly string[], object][] = [
    ['that was imported before: data has the importing transaction', [], { isSpent: true, spentBy: idText(imported.id) }],
    ['that was imported before, without the history index: data has only isSpent', withoutIndex, { isSpent: true }],
  ];
  for (const [name, flags, known] of rows)
    test(name, async () => {
      const node = await startProgram(...flags);
      try {
        const missing = { ...spentOutput(foreign, foreign.txID, 0), path: 'importedInputs[0]', sourceChain: idText(pChain) };
        expect((await issue(node.client, imported))?.data).toEqual({ ...missing, isSpent: false });
        await node.client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'P', utxo: formatHex('hex', foreign.bytes) });
        await accept(node.client, imported);
        const error = await issue(node.client, again);
        expect(error?.message).toBe('not found');
        expect(error?.data).toEqual({ ...missing, ...known });
      } finally {
        await node.stop();
      }
    });
});

test('a followed node refuses a spent output: the follower adds the spending transaction', async () => {
  const node = await startProgram();
  const folder = mkdtempSync(join(tmpdir(), 'serac-errors-'));
  const follower = await startProgram('follow', node.url, `--data-dir=${folder}`);
  try {
    await accept(node.client, split);
    for (let i = 0; i < 200 && (await heightOf(follower.client)) === '0'; i++) await Bun.sleep(50);
    const error = await issue(follower.client, pay(ewoqGenesisUtxo, 'again'));
    expect(error?.message).toBe(`failed to verify transfer: failed to get utxo ${idText(ewoqGenesisUtxo.id)}: not found`);
    expect(error?.data).toMatchObject({
      code: 'FOLLOW_REFUSED',
      utxoID: idText(ewoqGenesisUtxo.id),
      isSpent: true,
      spentBy: idText(split.id),
    });
    const { error: balance } = await follower.client.call('/ext/bc/C/rpc', 'eth_getBalance', [`0x${'0'.repeat(40)}`, 'latest']);
    expect(balance?.data).toMatchObject({ code: 'COUNTERPART_NOT_RUN' });
  } finally {
    await follower.stop();
    await node.stop();
    rmSync(folder, { recursive: true });
  }
});

const heightOf = async (client: Client) =>
  ((await client.call('/ext/bc/X', 'avm.getHeight')).result as { height: string } | undefined)?.height;

type WrongCall = readonly [name: string, path: string, method: string, params: unknown, data: object];

const wrongCalls: readonly WrongCall[] = [
  [
    'a misspelt method',
    '/ext/bc/X',
    'avm.getBalances',
    {},
    { code: 'RPC_NO_METHOD', method: 'avm.getBalances', didYouMean: 'avm.getBalance' },
  ],
  [
    'a capital letter',
    '/ext/bc/X',
    'avm.GetHeight',
    {},
    { code: 'RPC_METHOD_UPPER_CASE', method: 'avm.GetHeight', didYouMean: 'avm.getHeight' },
  ],
  ['no service', '/ext/bc/X', 'getUTXOs', {}, { code: 'RPC_METHOD_ILL_FORMED', method: 'getUTXOs', didYouMean: 'avm.getUTXOs' }],
  ['another path', '/ext/bc/X', 'info.getNetworkID', {}, { code: 'RPC_NO_SERVICE', method: 'info.getNetworkID', path: '/ext/info' }],
  ['the wallet', '/ext/bc/X', 'wallet.issueTx', {}, { code: 'RPC_NO_SERVICE', method: 'wallet.issueTx', path: '/ext/bc/X/wallet' }],
  [
    'a removed method',
    '/ext/bc/X',
    'avm.getAddressTxs',
    {},
    {
      code: 'RPC_NO_METHOD',
      method: 'avm.getAddressTxs',
      replacedBy: 'GET /v1/networks/{network}/blockchains/x-chain/transactions?addresses={address}',
    },
  ],
  ['a method without a similar one', '/ext/bc/X', 'avm.fly', {}, { code: 'RPC_NO_METHOD', method: 'avm.fly' }],
  [
    'a misspelt parameter',
    '/ext/bc/X',
    'avm.getUTXOs',
    { address: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] },
    {
      code: 'AVM_NO_ADDRESSES',
      unknownParams: [{ name: 'address', didYouMean: 'addresses' }],
      params: ['addresses', 'sourceChain', 'limit', 'startIndex', 'encoding'],
    },
  ],
  [
    'a parameter by another name, in a list',
    '/ext/bc/X',
    'avm.getTx',
    [{ id: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', colour: 1 }],
    { code: 'AVM_NIL_TX_ID', unknownParams: [{ name: 'id', didYouMean: 'txID' }, { name: 'colour' }], params: ['txID', 'encoding'] },
  ],
  ['a wrong type', '/ext/bc/X', 'avm.getUTXOs', { limit: -1 }, { code: 'RPC_BAD_ARGUMENT', argument: 'limit', expected: 'uint32' }],
  ['another case is the same name', '/ext/bc/X', 'avm.getTx', { TXID: 5 }, { code: 'RPC_BAD_ARGUMENT', argument: 'txID', expected: 'ID' }],
];

describe('a wrong call', () => {
  let node: Program;
  let strict: Program;
  beforeAll(async () => {
    [node, strict] = await Promise.all([startProgram(), startProgram('--strict')]);
  });
  afterAll(() => Promise.all([node.stop(), strict.stop()]));

  for (const [name, path, method, params, data] of wrongCalls)
    test(`${name}: explained in data, which is null with --strict`, async () => {
      const { error } = await node.client.call(path, method, params);
      expect(error?.data).toEqual(data);
      expect((await strict.client.call(path, method, params)).error).toEqual({
        ...(error as { code: number; message: string }),
        data: null,
      });
    });

  test('the route that replaces avm.getAddressTxs exists', async () => {
    const path = '/v1/networks/local/blockchains/x-chain/transactions?addresses=X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
    const { status, text } = await node.client.send('GET', path);
    expect([status, Object.keys(JSON.parse(text) as object)]).toEqual([200, expect.arrayContaining(['transactions'])]);
  });
});
