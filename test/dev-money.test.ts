import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { cb58Decode } from '../src/base/bytes/cb58.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { idText, zeroId } from '../src/base/bytes/id.ts';
import { eventually, untilReader } from './processes.ts';
import { type Program, runProgram, startProgramAsUsers } from './program.ts';
import { createWallet, importTx, keyFrom, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The money and cross-chain methods of `dev.*` through the real program, with answers of the Node RPC and the Data API checked. */

const folder = mkdtempSync(join(tmpdir(), 'serac-money-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modes: readonly [string, readonly string[]][] = [
  ['in memory', []],
  ['with a data directory and a reader process', [`--data-dir=${join(folder, 'data')}`, '--workers=1']],
];

type Failure = { code: number; message: string; data: { code: string } & Record<string, unknown> };

describe.each(modes)('dev.* %s', (_, flags) => {
  let node: Program;
  let addresses: string[];
  beforeAll(async () => {
    node = await startProgramAsUsers(...flags);
    if (flags.length > 0) await untilReader(node.pid);
    addresses = (node.banner.accounts as { address: string }[]).map(({ address }) => address);
  });
  afterAll(async () => {
    await node.stop();
    if (flags.length === 0) return;
    const { code, out } = await runProgram('check', '--data-dir', join(folder, 'data'));
    expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
  });

  const call = async <T = Record<string, string>>(method: string, params?: unknown): Promise<T> => {
    const path = method.startsWith('dev.') ? '/ext/dev' : method.startsWith('platform.') ? '/ext/bc/P' : '/ext/bc/X';
    const { result, error } = (await node.client.call(path, method, params)) as { result?: T; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as T;
  };
  const fail = async (method: string, params: unknown): Promise<Failure> =>
    (await node.client.call('/ext/dev', method, params)).error as unknown as Failure;
  const get = async <T>(path: string): Promise<T> =>
    JSON.parse((await node.client.send('GET', `/v1/networks/local/blockchains/x-chain/${path}`)).text) as T;
  const account = (index: number) => addresses[index] as string;
  const balance = async (address: string, assetID = 'AVAX') => (await call('avm.getBalance', { address, assetID })).balance;
  /** The amount of an asset by the Data API, unlocked; undefined if there is none. */
  const dataBalance = async (address: string, assetID: string) => {
    const { balances } = await get<{ balances: { unlocked: { assetId: string; amount: string }[] } }>(`balances?addresses=${address}`);
    return balances.unlocked.find(({ assetId }) => assetId === assetID)?.amount;
  };
  const unsignedTx = async (txID: string | undefined) =>
    (await call<{ tx: { unsignedTx: Record<string, unknown> } }>('avm.getTx', { txID, encoding: 'json' })).tx.unsignedTx;
  const readUtxos = async (method: string, params: unknown): Promise<Utxo[]> =>
    (await call<{ utxos: string[] }>(method, params)).utxos.map((hex) => parseUtxo(parseHex('hex', hex)));
  const issue = async (tx: Tx): Promise<void> => {
    await call('avm.issueTx', { tx: formatHex('hex', tx.bytes) });
    await eventually(
      () => call('avm.getTxStatus', { txID: idText(tx.id) }),
      ({ status }) => status === 'Accepted',
    );
  };
  const avax = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe';
  // An address without a key in the node.
  const stranger = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';

  test('accounts', async () => {
    const { accounts } = await call<{ accounts: { index: number; address: string; privateKey: string; balance: string }[] }>(
      'dev.accounts',
    );
    expect(accounts.map(({ index, address }) => [index, address])).toEqual(addresses.map((address, index) => [index, address]));
    expect(accounts[0]?.privateKey).toBe('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN');
    expect(accounts[1]?.privateKey).toMatch(/^PrivateKey-\w{48,51}$/);
    for (const { address, balance: shown } of accounts) expect(shown).toBe((await balance(address)) as string);
  });

  test('faucet: 1,000 AVAX by default, or the given amount', async () => {
    await call('dev.faucet', { to: stranger });
    expect(await balance(stranger)).toBe('1000000000000');
    await call('dev.faucet', { to: stranger, amount: '0.5 AVAX' });
    expect(await balance(stranger)).toBe('1000500000000');
    expect(await dataBalance(stranger, avax)).toBe('1000500000000');
  });

  test('send: from an account, with amounts in both units and a memo', async () => {
    const before = BigInt((await balance(account(1))) as string);
    const { txID } = await call('dev.send', { from: account(1), to: account(2), amount: '1.25 AVAX', memo: 'lunch' });
    expect(await call('avm.getTxStatus', { txID })).toEqual({ status: 'Accepted' });
    expect(BigInt((await balance(account(1))) as string)).toBe(before - 1_250_000_000n - 1_000_000n);
    expect((await unsignedTx(txID)).memo).toBe('0x6c756e6368');
    const byIndex = await call('dev.send', { from: 1, to: account(2), amount: 7, memo: '0x00ff' });
    expect((await unsignedTx(byIndex.txID)).memo).toBe('0x00ff');
    expect(await balance(account(2))).toBe('10001250000007');
    const shown = await get<{ txHash: string; memo: string }>(`transactions/${byIndex.txID}`);
    expect(shown.txHash).toBe(byIndex.txID as string);
  });

  test('send: several owners with a threshold, and a lock time as RFC 3339', async () => {
    const locktime = '2100-01-01T00:00:00Z';
    const { txID } = await call('dev.send', { to: [account(3), account(4)], threshold: 2, amount: '42', locktime });
    const outputs = (await unsignedTx(txID)).outputs as {
      output: { amount: number; threshold: number; locktime: number; addresses: string[] };
    }[];
    expect(outputs.map(({ output }) => output).find(({ amount }) => amount === 42)).toEqual({
      amount: 42,
      threshold: 2,
      locktime: 4102444800,
      addresses: expect.arrayContaining([account(3), account(4)]) as never,
    });
  });

  test('twenty sends at once do not conflict', async () => {
    const before = BigInt((await balance(account(5))) as string);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => call('dev.send', { to: account(5), amount: i + 1 })));
    expect(new Set(sent.map(({ txID }) => txID)).size).toBe(20);
    expect(BigInt((await balance(account(5))) as string)).toBe(before + 210n);
  });

  test('createAsset and mint', async () => {
    const { assetID, txID } = await call('dev.createAsset', {
      name: 'Gold',
      symbol: 'GLD',
      denomination: 2,
      supply: '10.5 GLD',
      owner: account(6),
      mintable: true,
    });
    expect(assetID).toBe(txID as string);
    expect(await call('avm.getAssetDescription', { assetID })).toEqual({
      assetID: assetID as string,
      name: 'Gold',
      symbol: 'GLD',
      denomination: '2',
    });
    expect(await balance(account(6), assetID)).toBe('1050');
    for (const amount of ['0.5 GLD', 7]) await call('dev.mint', { assetID, to: account(7), amount });
    expect(await balance(account(7), assetID)).toBe('57');
    expect(await dataBalance(account(7), assetID as string)).toBe('57');
    await call('dev.send', { from: 7, to: stranger, amount: '0.01 GLD', assetID });
    expect(await balance(stranger, assetID)).toBe('1');
  });

  test('createNFT, mintNFT and sendNFT: each group is minted once', async () => {
    const { assetID } = await call('dev.createNFT', { name: 'Cards', symbol: 'CRD', groups: 2 });
    const first = await call<{ txID: string; groupID: number; utxoID: string }>('dev.mintNFT', { assetID, to: account(1), payload: 'ace' });
    const second = await call<{ txID: string; groupID: number }>('dev.mintNFT', { assetID, to: account(1), payload: '0x01' });
    expect([first.groupID, second.groupID]).toEqual([0, 1]);
    const refusal = await fail('dev.mintNFT', { assetID, to: account(1), payload: '' });
    expect(refusal.data).toMatchObject({ code: 'DEV_CANNOT_MINT', assetID });
    expect(refusal.message).toContain('each group is minted once');
    const moved = await call('dev.sendNFT', { utxoID: first.utxoID, to: stranger });
    const { utxos } = await get<{ utxos: { utxoId: string; payload?: string; groupId?: number }[] }>(
      `utxos?addresses=${stranger}&assetId=${assetID}`,
    );
    expect(utxos.map(({ utxoId }) => utxoId)).toEqual([moved.utxoID as string]);
    // The new owner has no key here.
    expect((await fail('dev.sendNFT', { utxoID: moved.utxoID, to: account(1) })).data).toMatchObject({ code: 'WALLET_CANNOT_SIGN' });
    expect((await fail('dev.sendNFT', { utxoID: first.utxoID, to: account(1) })).data).toMatchObject({ code: 'DEV_UNKNOWN_OUTPUT' });
  });

  test('createNFT: ten groups by default', async () => {
    const { assetID } = await call('dev.createNFT', { name: 'Tickets', symbol: 'TCK' });
    const { initialStates } = (await unsignedTx(assetID)) as { initialStates: { outputs: { groupID: number }[] }[] };
    expect(initialStates[0]?.outputs.map(({ groupID }) => groupID)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('createProperty, mintProperty and burnProperty', async () => {
    const { assetID } = await call('dev.createProperty', { name: 'Titles', symbol: 'TTL' });
    const minted = [];
    for (const to of [account(1), account(2)]) minted.push(await call('dev.mintProperty', { assetID, to }));
    const { txID } = await call('dev.burnProperty', { utxoID: minted[0]?.utxoID });
    expect(await call('avm.getTxStatus', { txID })).toEqual({ status: 'Accepted' });
    expect((await fail('dev.burnProperty', { utxoID: minted[0]?.utxoID })).data).toMatchObject({ code: 'DEV_UNKNOWN_OUTPUT' });
    // Also by transaction and index.
    const { utxos } = await get<{ utxos: { utxoId: string; txHash: string; outputIndex: string }[] }>(
      `utxos?addresses=${account(2)}&assetId=${assetID}`,
    );
    expect(utxos.map(({ utxoId }) => utxoId)).toEqual([minted[1]?.utxoID as string]);
  });

  test('errors name the cause', async () => {
    const { message, data } = await fail('dev.send', { from: 8, to: stranger, amount: '10000 AVAX' });
    expect(message).toBe(`not enough funds: account 8 (${account(8)}) can spend 10000 AVAX, 10000.001 AVAX is needed (asset ${avax})`);
    expect(data).toEqual({
      code: 'DEV_INSUFFICIENT_FUNDS',
      account: 8,
      address: account(8),
      assetID: avax,
      have: '10000000000000',
      need: '10000001000000',
    });
    const cases: [method: string, params: unknown, code: string][] = [
      ['dev.send', { to: stranger, amount: 1.5 }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { to: stranger, amount: '1 GLD' }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { to: stranger, amount: '1.0000000001 AVAX' }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { to: stranger, amount: 0 }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { to: stranger, amount: '18446744073709551616' }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { to: stranger }, 'DEV_BAD_AMOUNT'],
      ['dev.send', { amount: 1 }, 'DEV_BAD_OWNERS'],
      ['dev.send', { to: [stranger], threshold: 2, amount: 1 }, 'DEV_BAD_OWNERS'],
      ['dev.send', { to: 'X-fuji1x', amount: 1 }, 'AVM_BAD_ADDRESS'],
      ['dev.send', { to: stranger, amount: 1, from: stranger }, 'DEV_NOT_AN_ACCOUNT'],
      ['dev.send', { to: stranger, amount: 1, from: 11 }, 'DEV_NOT_AN_ACCOUNT'],
      ['dev.send', { to: stranger, amount: 1, memo: '0xzz' }, 'DEV_BAD_BYTES'],
      ['dev.send', { to: stranger, amount: 1, memo: 'x'.repeat(257) }, 'TX_MEMO_TOO_LARGE'],
      ['dev.send', { to: stranger, amount: 1, locktime: 'tomorrow' }, 'DEV_BAD_TIME'],
      ['dev.send', { to: {}, amount: 1 }, 'RPC_BAD_ARGUMENT'],
      ['dev.send', { to: stranger, amount: true }, 'RPC_BAD_ARGUMENT'],
      ['dev.send', { to: stranger, amount: 1, assetID: 'NOPE' }, 'DEV_UNKNOWN_ASSET'],
      ['dev.faucet', { to: stranger, assetID: avax }, 'DEV_BAD_AMOUNT'],
      ['dev.mint', { assetID: 'AVAX', to: stranger, amount: 1 }, 'DEV_CANNOT_MINT'],
      ['dev.createNFT', { name: 'Many', symbol: 'MNY', groups: 257 }, 'DEV_BAD_GROUPS'],
      ['dev.createAsset', { name: '', symbol: 'A', denomination: 0, supply: 1 }, 'TX_NAME_TOO_SHORT'],
      ['dev.sendNFT', { utxoID: 'none', to: stranger }, 'DEV_UNKNOWN_OUTPUT'],
      ['dev.atomicDeposit', { from: 'X', to: stranger, amount: 1 }, 'DEV_WRONG_CHAIN'],
      ['dev.atomicDeposit', { from: 'Q', to: stranger, amount: 1 }, 'DEV_WRONG_CHAIN'],
      ['dev.atomicDeposit', { to: stranger, amount: 1 }, 'DEV_WRONG_CHAIN'],
      ['dev.export', { destinationChain: 'X', amount: 1 }, 'DEV_WRONG_CHAIN'],
      ['dev.export', { to: stranger, amount: 1 }, 'DEV_WRONG_CHAIN'],
      ['dev.export', { destinationChain: 'P', to: account(1).replace('X-', 'C-'), amount: 1 }, 'AVM_BAD_ADDRESS'],
      ['dev.claimExport', { utxoID: avax }, 'DEV_UNKNOWN_OUTPUT'],
    ];
    const found = [];
    for (const [method, params] of cases) found.push([method, params, (await fail(method, params))?.data.code]);
    expect(found as unknown).toEqual(cases);
  });

  test('an unknown parameter is refused with the nearest name, and nothing is sent', async () => {
    const before = await balance(stranger);
    const cases: [method: string, params: Record<string, unknown>, param: string, didYouMean?: string][] = [
      ['dev.send', { to: stranger, amount: 5, assset: 'GLD' }, 'assset', 'asset'],
      ['dev.send', { to: stranger, amount: 5, asset_id: 'GLD' }, 'asset_id', 'assetID'],
      ['dev.faucet', { address: stranger, amount: 5 }, 'address'],
      ['dev.mine', { count: 3 }, 'count'],
      ['dev.accounts', { index: 1 }, 'index'],
      ['dev.getAsset', { assetid: 'AVAX', verbose: true }, 'verbose'],
    ];
    for (const [method, params, param, didYouMean] of cases) {
      const { data, message } = await fail(method, params);
      expect([method, data.code, data.param, data.didYouMean]).toEqual([method, 'RPC_UNKNOWN_PARAM', param, didYouMean]);
      expect(message).toContain(`unknown parameter "${param}"`);
    }
    expect(await balance(stranger)).toBe(before as string);
  });

  test('atomicDeposit and listAtomic', async () => {
    const deposits = [];
    for (const from of ['P', 'C', 'P'] as const) deposits.push(await call('dev.atomicDeposit', { from, to: account(9), amount: '3 AVAX' }));
    expect(new Set(deposits.map(({ utxoID }) => utxoID)).size).toBe(3);
    const { utxos, truncated } = await call<{ utxos: Record<string, unknown>[]; truncated: boolean }>('dev.listAtomic');
    expect([utxos.map(({ sourceChain }) => sourceChain), truncated]).toEqual([['P', 'C', 'P'], false]);
    expect(utxos[0]).toEqual({
      utxoID: deposits[0]?.utxoID as string,
      sourceChain: 'P',
      destinationChain: 'X',
      txID: expect.any(String),
      outputIndex: 0,
      assetID: avax,
      amount: '3000000000',
      addresses: [account(9)],
      threshold: 1,
      locktime: '0',
    });
    expect(await call('dev.listAtomic', { limit: 2 })).toMatchObject({
      utxos: [{ sourceChain: 'P' }, { sourceChain: 'C' }],
      truncated: true,
    } as never);
    const listed = await readUtxos('avm.getUTXOs', { addresses: [account(9)], sourceChain: 'P' });
    expect(listed.map(({ id }) => idText(id))).toContain(deposits[0]?.utxoID as string);
    // The X-Chain imports a deposit: its owner signs.
    const { accounts } = await call<{ accounts: { privateKey: string }[] }>('dev.accounts');
    const owner = keyFrom(cb58Decode(String(accounts[9]?.privateKey).slice('PrivateKey-'.length)));
    const wallet = createWallet('', { count: 0, keys: [owner] });
    const tx = signDraft(importTx(wallet, { utxos: [] }, zeroId, listed));
    await issue(tx);
    expect(await balance(account(9))).toBe('10005999000000');
    expect((await call<{ utxos: unknown[] }>('dev.listAtomic')).utxos).toHaveLength(1);
  });

  test('import: what waits for an account, from all chains or one, to itself or others; imported AVAX pays', async () => {
    type Imports = {
      txID: string;
      imports: { txID: string; sourceChain: string; outputs: number; amounts: { assetID: string; amount: string }[] }[];
      remaining: number;
    };
    const deposit = (from: string, amount: string | number, more: object = {}) =>
      call('dev.atomicDeposit', { from, to: account(8), amount, ...more });
    const { assetID } = await call('dev.createAsset', { name: 'Imported', symbol: 'IMP', supply: 1000 });
    const { assetID: family } = await call('dev.createNFT', { name: 'Never', symbol: 'NVR', groups: 1 });
    expect((await fail('dev.import', { from: 8 })).data).toEqual({
      code: 'DEV_NOTHING_TO_IMPORT',
      account: 8,
      address: account(8),
      waiting: 0,
    });
    const before = BigInt((await balance(account(8))) as string);
    await deposit('C', '2 AVAX');
    await deposit('P', '3 AVAX');
    await deposit('P', 70, { assetID });
    await deposit('P', '4 AVAX', { locktime: '2100-01-01T00:00:00Z' });
    // An NFT asset has no amounts, so this can never be imported; it must not block the others.
    await deposit('P', 1, { assetID: family });
    const { txID, imports, remaining } = await call<Imports>('dev.import', { from: 8 });
    expect(imports.map(({ sourceChain, outputs, amounts }) => [sourceChain, outputs, amounts])).toEqual([
      [
        'P',
        2,
        [
          { assetID: avax, amount: '3000000000' },
          { assetID: assetID as string, amount: '70' },
        ],
      ],
      ['C', 1, [{ assetID: avax, amount: '2000000000' }]],
    ]);
    expect([txID, remaining]).toEqual([imports[1]?.txID as string, 2]);
    for (const one of imports) expect(await call('avm.getTxStatus', { txID: one.txID })).toEqual({ status: 'Accepted' });
    expect(BigInt((await balance(account(8))) as string)).toBe(before + 5_000_000_000n - 2_000_000n);
    expect(await balance(account(8), assetID)).toBe('70');
    expect(await dataBalance(account(8), assetID as string)).toBe('70');
    expect((await fail('dev.import', { from: account(8) })).data).toMatchObject({ code: 'DEV_NOTHING_TO_IMPORT', waiting: 2 });
    // To another owner; the account pays the fee of an import without AVAX.
    await deposit('C', 5, { assetID });
    await call('dev.import', { from: 8, sourceChain: 'C', to: account(7), memo: 'in' });
    expect(await balance(account(7), assetID)).toBe('5');
    expect(BigInt((await balance(account(8))) as string)).toBe(before + 5_000_000_000n - 3_000_000n);
    expect((await fail('dev.import', { from: 8, sourceChain: 'X' })).data.code).toBe('DEV_WRONG_CHAIN');
    expect((await fail('dev.import', { from: stranger })).data.code).toBe('DEV_NOT_AN_ACCOUNT');
    // Two calls at once do not import the same output.
    await deposit('C', '1 AVAX');
    const both = await Promise.all([0, 1].map(() => node.client.call('/ext/dev', 'dev.import', { from: 8 })));
    expect(both.map(({ error }) => (error as Failure | undefined)?.data.code).sort()).toEqual(['DEV_NOTHING_TO_IMPORT', undefined]);
  });

  test('import: for an impersonated address', async () => {
    const owner = 'X-local1zg69v7yszg69v7yszg69v7yszg69v7yse2396p';
    await call('dev.atomicDeposit', { from: 'C', to: owner, amount: '2 AVAX' });
    await call('dev.impersonate', { address: owner });
    // The P-Chain brings no AVAX; that of the C-Chain pays for both.
    const { assetID } = await call('dev.createAsset', { name: 'Unpaid', symbol: 'UNP', supply: 9 });
    await call('dev.atomicDeposit', { from: 'P', to: owner, amount: 9, assetID });
    await call('dev.import', { from: owner });
    await call('dev.stopImpersonating', { address: owner });
    expect([await balance(owner), await balance(owner, assetID)]).toEqual(['1998000000', '9']);
  });

  test('export: to the C-Chain, by default to the sender itself', async () => {
    const { utxoID } = await call('dev.export', { destinationChain: 'C', from: 4, amount: 5, memo: 'out' });
    const { utxos } = await call<{ utxos: Record<string, unknown>[] }>('dev.listAtomic');
    expect(utxos.find((utxo) => utxo.utxoID === utxoID)).toMatchObject({
      sourceChain: 'X',
      destinationChain: 'C',
      amount: '5',
      addresses: [account(4).replace('X-', 'C-')],
    });
  });

  test('an asset may be given as asset or assetID, but not as both', async () => {
    const { assetID } = await call('dev.createAsset', { name: 'Two Names', symbol: 'TWN', denomination: 0, supply: 100, mintable: true });
    await call('dev.send', { to: account(3), amount: 5, asset: 'TWN' });
    await call('dev.send', { to: account(3), amount: 2, assetID: 'TWN' });
    await call('dev.faucet', { to: account(3), amount: 1, asset: assetID });
    await call('dev.mint', { asset: 'TWN', to: account(3), amount: 10 });
    await call('dev.export', { destinationChain: 'P', amount: 3, asset: 'TWN' });
    await call('dev.atomicDeposit', { from: 'P', to: account(3), amount: 1, asset: 'TWN' });
    expect(await call('dev.getAsset', { asset: 'TWN' })).toMatchObject({ assetID });
    expect(await balance(account(3), assetID)).toBe('18');
    const refused = await fail('dev.send', { to: account(3), amount: 5, asset: 'TWN', assetID: 'AVAX' });
    expect([refused.data.code, refused.data.param]).toEqual(['RPC_REPEATED_PARAM', 'assetID']);
    expect(await balance(account(3), assetID)).toBe('18');
  });

  test('addAtomicUTXO: an output that was imported is refused, since the chain could not store a second import of it', async () => {
    const owner = keyFrom(sha256(Buffer.from('imported twice')));
    const { feeAsset } = localChainParams;
    const utxo = makeUtxo(zeroId, 7, feeAsset, transfer(feeAsset, 9_000_000n, ownedBy([owner])).output);
    const add = { sourceChain: 'P', utxo: formatHex('hex', utxo.bytes) };
    await call('dev.addAtomicUTXO', add);
    const tx = signDraft(importTx({ keys: [owner], chainParams: localChainParams }, { utxos: [] }, zeroId, [utxo]));
    await issue(tx);
    expect((await fail('dev.addAtomicUTXO', add)).data.code).toBe('STATE_DUPLICATE_PUT');
    await expect(issue(tx)).rejects.toThrow('TX_UTXO_NOT_FOUND');
  });

  test('claimExport: the P-Chain consumes an export, in all interfaces', async () => {
    const owner = keyFrom(sha256(Buffer.from('claimExport')));
    const address = createAddressFormatter('X', 'local')(owner.address);
    const to = address.replace('X-', 'P-');
    const { txID, utxoID } = await call('dev.export', { destinationChain: 'P', to, amount: '0.009 AVAX' });
    expect(await call('avm.getTxStatus', { txID })).toEqual({ status: 'Accepted' });
    const atP = { addresses: [to], sourceChain: 'X' };
    expect((await readUtxos('platform.getUTXOs', atP)).map(({ id }) => idText(id))).toEqual([utxoID as string]);
    const shared = async () =>
      (await get<{ balances: { atomicMemoryUnlocked: { amount: string }[] } }>(`balances?addresses=${address}`)).balances
        .atomicMemoryUnlocked;
    expect((await shared()).map(({ amount }) => amount)).toEqual(['9000000']);
    expect(await call('dev.claimExport', { utxoID })).toEqual({ utxoID: utxoID as string, destinationChain: 'P' });
    expect(await readUtxos('platform.getUTXOs', atP)).toEqual([]);
    // Several times, because the processes share the port.
    for (let i = 0; i < 8; i++) expect(await shared()).toEqual([]);
    expect((await fail('dev.claimExport', { utxoID })).data).toMatchObject({ code: 'DEV_UNKNOWN_OUTPUT' });
  });
});

test('errors about AVAX are the usual ones on a copy of mainnet, whose genesis is larger than a transaction may be', async () => {
  const node = await startProgramAsUsers('--network-id=mainnet');
  const from = createAddressFormatter('X', 'avax')(keyFrom(sha256(Buffer.from('poor'))).address);
  const fail = async (method: string, params: unknown): Promise<Failure> =>
    (await node.client.call('/ext/dev', method, params)).error as unknown as Failure;
  expect((await fail('dev.mint', { assetID: 'AVAX', to: 0, amount: '1 AVAX' })).message).toContain('its supply is fixed');
  await node.client.call('/ext/dev', 'dev.impersonate', { address: from });
  expect((await fail('dev.send', { from, to: 0, amount: '1 AVAX' })).data.code).toBe('DEV_INSUFFICIENT_FUNDS');
  await node.stop();
});
