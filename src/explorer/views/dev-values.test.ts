import { expect, test } from 'bun:test';
import { clientServices } from '../../api/contract/client-services.ts';
import type { DevChoices } from '../load/dev-choices.ts';
import { type ActionName, actionNames, devActions } from './dev-actions.ts';
import { currentValues, faultPlace, fillParams, optionsOf, parseUnits } from './dev-values.ts';

const [zero, one, far] = ['X-local1zero', 'X-local1one', `X-local1${'q'.repeat(38)}`];
const assetOf = (assetId: string, symbol: string, unitType: 'secp256k1' | 'nft', isMinted: boolean, denomination = 0) => ({
  assetId,
  name: `The ${symbol}`,
  symbol,
  denomination,
  unitType,
  supply: '5000',
  isMinted,
});
const choices: DevChoices = {
  payers: [
    { address: zero, name: 'account 0' },
    { address: one, name: 'alice (account 1)' },
  ],
  impersonated: [],
  receivers: [
    { address: zero, name: 'account 0' },
    { address: one, name: 'alice (account 1)' },
  ],
  assets: [
    assetOf('avax', 'AVAX', 'secp256k1', false, 9),
    assetOf('ice', 'ICE', 'secp256k1', true, 2),
    assetOf('card', 'CARD', 'nft', true),
  ],
  balances: { [zero]: { avax: '1500000000' }, [one]: { ice: '125' } },
  outputs: { nft: [{ value: 'n1', text: 'CARD 0, ace, of account 0' }], property: [], export: [], pending: [] },
  txCount: 3,
};
const fill = (name: ActionName, typed: Record<string, string>) =>
  fillParams(devActions[name], currentValues(devActions[name], typed, choices), choices);
const fieldOf = (name: ActionName, field: string) => {
  const found = devActions[name].fields.find((one) => one.name === field);
  if (found === undefined) throw new Error(`${name} has no field ${field}`);
  return found;
};

test('every field of an action is a parameter of its method', () => {
  const { methods } = clientServices.dev as unknown as { readonly methods: Record<string, { readonly params: object }> };
  for (const name of actionNames) {
    const { method, fields } = devActions[name];
    const known = Object.keys(methods[method.slice(4)]?.params ?? {});
    expect([name, fields.filter((field) => !known.includes(field.name))]).toEqual([name, []]);
  }
});

test('amounts are in the unit of the chosen asset, and what is sent is in its smallest unit', () => {
  expect(fill('send', { amount: '1.5' })).toEqual({
    params: { from: zero, to: one, amount: '1500000000', assetID: 'avax', memo: undefined },
    shown: { from: 'account 0', to: 'alice (account 1)', amount: '1.5 AVAX', assetID: 'AVAX', memo: '' },
  });
  expect(fill('send', { from: one, to: '', 'to-other': ` ${far} `, amount: '1,250.5', assetID: 'ice' })).toMatchObject({
    params: { from: one, to: far, amount: '125050', assetID: 'ice' },
    shown: { to: 'qqqqq…qqqqqq', amount: '1,250.5 ICE' },
  });
  expect(fill('createAsset', { denomination: '3', supply: '2.5', mintable: '' })).toMatchObject({
    params: { denomination: 3, supply: '2500', mintable: false },
    shown: { supply: '2.5 ICE' },
  });
  expect(fill('send', { amount: '0.001', assetID: 'ice' })).toEqual({ field: 'amount', text: 'ICE has 2 decimals at most.' });
  expect(fill('send', { to: '', 'to-other': '' })).toEqual({ field: 'to', text: 'Fill this in.' });
  expect(fill('burnProperty', {})).toEqual({ field: 'utxoID', text: 'Choose one.' });
});

test('amounts that are not numbers, or finer than the asset, are errors', () => {
  const unit = { symbol: 'ICE', denomination: 2 };
  expect([parseUnits('7', unit), parseUnits('0.10', unit), parseUnits('1.500', unit)]).toEqual([700n, 10n, 150n]);
  for (const text of ['', '1,5', '-1', '1e9', '.5', 'ten'])
    expect([text, parseUnits(text, unit)]).toEqual([text, { text: 'Type a number, such as 1.5.' }]);
  expect(parseUnits('1.5', { symbol: 'CARD', denomination: 0 })).toEqual({ text: 'CARD has no decimals.' });
  expect(parseUnits('1', undefined)).toEqual({ text: 'Choose an asset first.' });
});

test('assets are listed with what the sender can spend, and to mint only those that an account can mint', () => {
  const texts = (name: ActionName, typed: Record<string, string>) =>
    optionsOf(fieldOf(name, 'assetID'), currentValues(devActions[name], typed, choices), choices)?.map(({ text }) => text);
  expect(texts('send', {})).toEqual(['AVAX, The AVAX: 1.5', 'ICE, The ICE: 0']);
  expect(texts('send', { from: one })).toEqual(['AVAX, The AVAX: 0', 'ICE, The ICE: 1.25']);
  expect(texts('mint', {})).toEqual(['ICE, The ICE: 50']);
  expect(texts('mintNFT', {})).toEqual(['CARD, The CARD: 5000'.replace('5000', '5,000')]);
});

test('a choice that is gone falls back to the first one; what is typed stays', () => {
  expect(currentValues(devActions.send, { assetID: 'gone', amount: '17', from: one }, choices)).toMatchObject({
    assetID: 'avax',
    amount: '17',
    from: one,
  });
});

test('an error is shown at the field that it is about, with what to do on the page', () => {
  const placeOf = (name: ActionName, fault: object, values = {}) => faultPlace(devActions[name], 'no funds', { ...fault }, values);
  expect(placeOf('send', { code: 'DEV_INSUFFICIENT_FUNDS' })).toEqual({
    field: 'amount',
    text: 'No funds. Send less, choose another sender, or use the faucet first.',
  });
  expect(placeOf('createAsset', { code: 'DEV_BAD_AMOUNT' })?.field).toBe('supply');
  expect(placeOf('createAsset', { code: 'TX_SYMBOL_CHARACTER' })?.field).toBe('symbol');
  expect(placeOf('send', { code: 'AVM_BAD_ADDRESS', address: 'nobody' }, { 'to-other': 'nobody' })?.field).toBe('to');
  expect(placeOf('failNext', { code: 'RPC_BAD_ARGUMENT', argument: 'times' })?.field).toBe('times');
  expect(placeOf('reorg', { code: 'SNAPSHOT_NO_REORG' })?.field).toBe('depth');
  expect(placeOf('send', { code: 'DEV_TX_DROPPED' })).toBeUndefined();
});
