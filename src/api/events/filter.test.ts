import { expect, test } from 'bun:test';
import { type Address, shortIdText } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { createParamContext } from '../rest/addresses.ts';
import { matchesSubject, readEventRequest, wantsKind } from './filter.ts';
import { formatEventID, parseEventID } from './position.ts';

const avax = '21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff' as Id;
const ewoq = '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Address;
const context = { ...createParamContext('local', 'fuji'), asset: (alias: string) => (alias === 'AVAX' ? avax : undefined) };
const read = (query: string) => readEventRequest(query, context);
const reasons = (query: string): readonly string[] => {
  try {
    read(query);
  } catch (error) {
    return (error as { fault: { reasons: readonly string[] } }).fault.reasons;
  }
  return [];
};

test('an address is read in any spelling', () => {
  const bech32 = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
  const chainID = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';
  for (const text of [
    bech32,
    `X-${bech32}`,
    `P-${bech32}`,
    `${chainID}-${bech32}`,
    shortIdText(ewoq),
    'fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t',
  ])
    expect([text, [...(read(`address=${text}`).filter.owners ?? [])]]).toEqual([text, [ewoq]]);
});

test('assets, kinds and the last ID are read; missing ones allow everything', () => {
  expect(read('').filter).toEqual({ owners: undefined, assets: undefined, kinds: undefined });
  expect(read(`asset=AVAX,${idText(avax)}&kind=tx&kind=block,time&lastEventId=a-1.2`)).toEqual({
    filter: { owners: undefined, assets: new Set([avax]), kinds: new Set(['tx', 'block', 'time']) },
    lastEventId: 'a-1.2',
  });
});

test('each bad parameter is named, also an unknown one', () => {
  expect(reasons('adress=x')).toEqual(['adress is not a parameter here; known are address, asset, kind, lastEventId']);
  expect(reasons('kind=txs&asset=GOLD')).toEqual([
    'asset must be asset IDs or aliases, separated by commas',
    'kind must be one of the following values: block, tx, reverted, mempool, time, settings, calls, health',
  ]);
  expect(reasons(`address=${Array(65).fill('x').join(',')}`)).toEqual(['address must have at most 64 addresses']);
  expect(reasons(`asset=${Array(65).fill('AVAX').join(',')}`)).toEqual(['asset must have at most 64 assets']);
});

test('a filter with address and asset needs both; kinds about the stream itself are always wanted', () => {
  const other = '00'.repeat(20) as Address;
  const { filter } = read(`address=${shortIdText(ewoq)}&asset=AVAX&kind=tx`);
  const subject = (owner: Address, asset: Id) => ({ owners: new Set([owner]), assets: new Set([asset]) });
  expect(matchesSubject(filter, subject(ewoq, avax))).toBe(true);
  expect(matchesSubject(filter, subject(other, avax))).toBe(false);
  expect(matchesSubject(filter, subject(ewoq, '11'.repeat(32) as Id))).toBe(false);
  expect((['tx', 'block', 'time', 'reset', 'heartbeat', 'closed'] as const).map((kind) => wantsKind(filter, kind))).toEqual([
    true,
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('an event ID is read back; one of another log or a malformed one is not', () => {
  for (const position of [
    { entry: 0, index: undefined },
    { entry: 17, index: 0 },
    { entry: 99_999_999, index: 12 },
  ])
    expect(parseEventID('ab12', formatEventID('ab12', position))).toEqual(position);
  for (const text of ['', 'ab12', 'ab12-', 'ab12-1.', 'ab13-1.2', 'ab12--1', 'ab12-1.2.3', 'ab12-1e3', `ab12-${'9'.repeat(40)}`])
    expect([text, parseEventID('ab12', text)]).toEqual([text, undefined]);
});
