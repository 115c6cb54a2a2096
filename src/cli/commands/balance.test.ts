import { expect, test } from 'bun:test';
import type { Output } from '../../avm/tx/output.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { idText, parseId, zeroId } from '../../base/bytes/id.ts';
import { balance, formatHolding, readHoldings } from './balance.ts';
import { createScriptedClient, rpcError, runCommand } from './scripted-client.fixture.ts';

const address = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const [gold, other] = [idText(zeroId), '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'];
const asset = (assetId: string, amount: string, type = 'secp256k1') => ({
  assetId,
  name: 'Gold bars of the bank',
  symbol: 'GLD',
  denomination: 2,
  type,
  amount,
});
const described = { assetID: gold, name: 'Gold', symbol: 'GLD', denomination: '2' };
const noBalances = { unlocked: [], locked: [], atomicMemoryUnlocked: [], atomicMemoryLocked: [] };
const accounts = { 'dev.accounts': { accounts: [{ index: 0, address, balance: '0' }] } };
const exported = (amount: bigint, index: number, assetID = zeroId): string => {
  const output: Output = { kind: 'secp256k1fx.TransferOutput', amount, locktime: 0n, threshold: 1, addresses: [zeroAddress] };
  return formatHex('hex', makeUtxo(zeroId, index, assetID, output).bytes);
};

test('holdings of the Data API by state, without outputs that only allow minting', async () => {
  const balances = {
    unlocked: [asset(gold, '150'), asset(other, '0'), asset(other, '3', 'nft')],
    locked: [asset(gold, '1')],
    atomicMemoryUnlocked: [asset(gold, '2')],
    atomicMemoryLocked: [asset(gold, '4')],
  };
  const { client } = createScriptedClient({ '/balances': { balances } });
  const holdings = await readHoldings(client, address);
  expect(holdings.map(formatHolding)).toEqual([
    '1.5 GLD spendable',
    '3 GLD spendable',
    '0.01 GLD locked',
    '0.02 GLD exported, not imported there yet',
    '0.04 GLD exported, locked',
  ]);
  expect(holdings.map(({ isNft }) => isNft)).toEqual([false, true, false, false, false]);
});

test('outputs with other owners are added up by asset and type, over at most ten pages', async () => {
  const page = { utxos: [{ asset: asset(gold, '5') }, { asset: asset(gold, '1', 'nft') }, { asset: asset(other, '0') }] };
  const { client, asked } = createScriptedClient({
    '/balances': { balances: noBalances },
    '/shared-utxos': { ...page, nextPageToken: 'a b' },
  });
  const holdings = await readHoldings(client, address);
  expect(holdings.map(formatHolding)).toEqual(['0.5 GLD with other owners', '10 GLD with other owners']);
  const pages = asked.filter((path) => path.startsWith('/shared-utxos'));
  expect([pages.length, pages[0], pages[9]]).toEqual([
    10,
    `/shared-utxos?addresses=${address}&pageSize=100`,
    `/shared-utxos?addresses=${address}&pageSize=100&pageToken=a%20b`,
  ]);
});

test('what other chains have exported to the address is added up by asset; the account that can import it is named', async () => {
  const utxos = [exported(100n, 0), exported(50n, 1), exported(7n, 2, parseId(other))];
  const importable = {
    '/balances': { balances: noBalances },
    'avm.getUTXOs': ({ sourceChain }: Readonly<Record<string, unknown>>) => ({
      numFetched: '3',
      utxos: sourceChain === 'P' ? utxos : [],
      endIndex: { address, utxo: gold },
      encoding: 'hex',
    }),
    'avm.getAssetDescription': ({ assetID }: Readonly<Record<string, unknown>>) =>
      assetID === gold ? described : { ...described, assetID: other, symbol: 'X', denomination: '0' },
  };
  const own = await readHoldings(createScriptedClient({ ...importable, ...accounts }).client, address);
  expect(own.map(formatHolding)).toEqual(['1.5 GLD at P-Chain: serac import 0', '7 X at P-Chain: serac import 0']);
  const foreign = await readHoldings(createScriptedClient(importable).client, address);
  expect(foreign.map(({ state }) => state)).toEqual(['at P-Chain', 'at P-Chain']);
});

test('of a node without a Data API what can be spent; an asset that it does not describe has its ID as symbol', async () => {
  const balances = [
    { asset: gold, balance: '150' },
    { asset: other, balance: '7' },
  ];
  const { client } = createScriptedClient({
    'avm.getAllBalances': { balances },
    'avm.getAssetDescription': ({ assetID }) => (assetID === gold ? described : rpcError('unknown')),
  });
  const holdings = await readHoldings(client, address);
  expect(holdings.map(formatHolding)).toEqual(['1.5 GLD spendable', `7 ${other} spendable`]);
  expect(holdings[1]).toEqual({ assetID: other, name: '', symbol: other, denomination: 0, amount: '7', isNft: false, state: 'spendable' });
});

test('the command prints one address, or all accounts; without accounts it says so', async () => {
  const answers = { ...accounts, '/balances': { balances: { ...noBalances, unlocked: [asset(gold, '150')] } } };
  const { client } = createScriptedClient(answers);
  const table = ['   AMOUNT  ASSET             STATE', '  1.5 GLD  Gold bars of the  spendable'];
  const printed = async (...args: string[]) =>
    (await runCommand(balance, client, args)).lines.map((line, i) => (i === 1 ? line.toUpperCase() : line));
  expect(await printed()).toEqual([address, ...table]);
  expect(await printed(address)).toEqual([address, ...table]);
  expect(await printed('all')).toEqual([`account 0  ${address}`, ...table]);
  expect((await runCommand(balance, createScriptedClient({}).client, ['all'])).lines).toEqual(['this node has no accounts']);
  const poor = createScriptedClient({ ...accounts, '/balances': { balances: noBalances } });
  expect((await runCommand(balance, poor.client)).lines).toEqual([address, '  nothing']);
  const json = async (...args: string[]) => JSON.parse((await runCommand(balance, client, args, { json: true })).lines.join('')) as object;
  expect(await json()).toMatchObject({ address, balances: [{ amount: '150', state: 'spendable' }] });
  expect(await json('all')).toMatchObject({ accounts: [{ account: 0, address, balances: [{ amount: '150' }] }] });
});
