import { expect, test } from 'bun:test';
import { idText, zeroId } from '../../base/bytes/id.ts';
import { createAmountFormatter, createAssetDescriber, findAsset } from './asset-labels.ts';
import { createScriptedClient, httpError, rpcError } from './scripted-client.fixture.ts';

const assetID = idText(zeroId);
const gold = { assetID, name: 'Gold', symbol: 'GLD', denomination: 2 };
const named = (asset: object) => (given: Readonly<Record<string, unknown>>) => ({ ...asset, name: given.assetID });

test('an asset is asked for by dev.getAsset, and of a node without it by its description; without a name that of fees', async () => {
  const dev = createScriptedClient({ 'dev.getAsset': named(gold) });
  expect([await findAsset(dev.client, 'GLD'), (await findAsset(dev.client, '')).name, dev.asked]).toEqual([
    { ...gold, name: 'GLD' },
    '',
    ['dev.getAsset', 'dev.getAsset'],
  ]);
  const other = createScriptedClient({ 'avm.getAssetDescription': named({ ...gold, denomination: '2' }) });
  expect([(await findAsset(other.client, 'GLD')).name, (await findAsset(other.client, '')).name]).toEqual(['GLD', 'AVAX']);
});

test('an asset that the node refuses is not looked for elsewhere', async () => {
  const { client, asked } = createScriptedClient({ 'dev.getAsset': rpcError('unknown asset'), 'avm.getAssetDescription': gold });
  await expect(findAsset(client, 'GLD')).rejects.toThrow('unknown asset');
  await Promise.resolve();
  expect(asked).toEqual(['dev.getAsset']);
});

test('a description is asked for once; of an unknown asset too, but again after the node was away', async () => {
  const known = createScriptedClient({ 'dev.getAsset': gold });
  const describe = createAssetDescriber(known.client);
  expect([await describe('a'), await describe('a'), (await describe('b'))?.symbol]).toEqual([gold, gold, 'GLD']);
  expect(known.asked).toHaveLength(2);

  const unknown = createScriptedClient({ 'dev.getAsset': rpcError('unknown asset') });
  const describeUnknown = createAssetDescriber(unknown.client);
  expect([await describeUnknown('a'), await describeUnknown('a'), unknown.asked.length]).toEqual([undefined, undefined, 1]);

  let isAway = true;
  const away = createScriptedClient({
    'dev.getAsset': () => (isAway ? httpError(503) : gold),
    'avm.getAssetDescription': () => httpError(503),
  });
  const describeLater = createAssetDescriber(away.client);
  expect(await describeLater('a')).toBeUndefined();
  isAway = false;
  expect(await describeLater('a')).toEqual(gold);
});

test('amounts have the symbol and the decimals of their asset, and a sign; without a description the ID', async () => {
  const format = createAmountFormatter(async (id) => (id === 'unknown' ? undefined : gold));
  expect(await Promise.all([format('150', 'a'), format(-150n, 'a'), format(0n, 'a'), format(-5n, 'unknown')])).toEqual([
    '1.5 GLD',
    '-1.5 GLD',
    '0 GLD',
    '-5 of unknown',
  ]);
});
