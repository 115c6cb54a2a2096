import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { toHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { getNetwork } from '../network.ts';
import { type ExtraChain, parseChainsFile } from './chains-file.ts';
import { GenesisError } from './fault.ts';

const sample = readFileSync('examples/chains.json', 'utf8');
const vectors = JSON.parse(readFileSync('vectors/genesis-config.json', 'utf8')).avm as {
  blockchainID: string;
  hex: string;
  genesisData: string | null;
}[];
const local = getNetwork(12345);
const address = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

const shown = ({ blockchainID, genesis }: ExtraChain) => ({ blockchainID: idText(blockchainID), hex: toHex(genesis.bytes) });

describe('the genesis is the one AvalancheGo builds', () => {
  test('for the example file', () => {
    const [games] = parseChainsFile(sample, local);
    expect(shown(games as ExtraChain)).toEqual({ blockchainID: vectors[0]?.blockchainID as string, hex: vectors[0]?.hex as string });
    expect(games?.fees).toEqual({ txFee: 1000n, createAssetTxFee: 10000n });
    expect(games?.genesis.assets.map((asset) => asset.alias)).toEqual(['GOLD', 'WOOD']);
  });

  test('for unsorted assets, holders and minters, a memo, numbers in quotes, addresses with a chain alias', () => {
    const file = `[{"alias":"games","genesis":{"networkID":"12345","encoding":"hexnc","genesisData":${vectors[1]?.genesisData}}}]`;
    const [games] = parseChainsFile(file, local);
    expect(shown(games as ExtraChain)).toEqual({ blockchainID: vectors[1]?.blockchainID as string, hex: vectors[1]?.hex as string });
    expect(games?.fees).toEqual(local.fees);
  });
});

describe('an invalid file is rejected with the path', () => {
  const asset = { name: 'Gold', symbol: 'GOLD', denomination: 0, initialState: { fixedCap: [{ amount: 1, address }] } };
  const chain = (change: object = {}, assetChange: object = {}) => ({
    alias: 'games',
    genesis: { genesisData: { GOLD: { ...asset, ...assetChange } } },
    ...change,
  });
  const state = (initialState: object) => chain({}, { initialState });
  const inAsset = '[0].genesis.genesisData.GOLD';
  const cases: [file: unknown, pathOrCode: string][] = [
    [{}, ''],
    [[chain({ alias: '' })], 'CHAINS_BAD_ALIAS'],
    [[chain({ alias: 'a b' })], 'CHAINS_BAD_ALIAS'],
    [[chain({ alias: 'a'.repeat(33) })], 'CHAINS_BAD_ALIAS'],
    ...['X', 'x', 'P', 'C', 'avm', 'platform', 'evm', 'network'].map((alias): [unknown, string] => [
      [chain({ alias })],
      'CHAINS_BAD_ALIAS',
    ]),
    [[chain(), chain({ alias: 'Games' })], 'CHAINS_BAD_ALIAS'],
    [Array.from({ length: 65 }, (_, i) => chain({ alias: `c${i}` })), 'CHAINS_TOO_MANY'],
    [[chain({ fee: 1 })], '[0].fee'],
    [[chain({}, { decimals: 9 })], `${inAsset}.decimals`],
    [[state({ fixedCap: [{ amount: 1, address }], cap: [] })], `${inAsset}.initialState.cap`],
    [[chain({ fees: { txFee: -1 } })], '[0].fees.txFee'],
    [[chain({ fees: { txFee: '18446744073709551616' } })], '[0].fees.txFee'],
    [[chain({ genesis: {} })], '[0].genesis.genesisData'],
    [[chain({ genesis: { networkID: 1, genesisData: { GOLD: asset } } })], '[0].genesis.networkID'],
    [[chain({ genesis: { encoding: 'cb58', genesisData: { GOLD: asset } } })], '[0].genesis.encoding'],
    [[chain({ genesis: { genesisData: { a: asset, b: asset } } })], '[0].genesis.genesisData'],
    [[chain({}, { name: ' Gold' })], `${inAsset}.name`],
    [[chain({}, { name: '' })], `${inAsset}.name`],
    [[chain({}, { symbol: 'gold' })], `${inAsset}.symbol`],
    [[chain({}, { denomination: 33 })], `${inAsset}.denomination`],
    [[chain({}, { memo: '0x00' })], `${inAsset}.memo`],
    [[state({})], `${inAsset}.initialState`],
    [[state({ nftMint: [] })], `${inAsset}.initialState.nftMint`],
    [[state({ fixedCap: [{ amount: 0, address }] })], `${inAsset}.initialState.fixedCap[0].amount`],
    [
      [
        state({
          fixedCap: [
            { amount: '18446744073709551615', address },
            { amount: 1, address },
          ],
        }),
      ],
      `${inAsset}.initialState.fixedCap`,
    ],
    [
      [state({ fixedCap: [{ amount: 1, address: 'fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut' }] })],
      `${inAsset}.initialState.fixedCap[0].address`,
    ],
    [
      [state({ fixedCap: [{ amount: 1, address: 'local1ur873jhz9qnaqv5qthk5sn3e8nj3e0s0elu0m' }] })],
      `${inAsset}.initialState.fixedCap[0].address`,
    ],
    [[state({ variableCap: [{ minters: [address], threshold: 2 }] })], `${inAsset}.initialState.variableCap[0].threshold`],
    [[state({ variableCap: [{ minters: [] }] })], `${inAsset}.initialState.variableCap[0].minters`],
    [[state({ variableCap: [{ minters: [address, `X-${address}`] }] })], `${inAsset}.initialState.variableCap[0].minters`],
  ];
  for (const [file, pathOrCode] of cases)
    test(`${pathOrCode} of ${JSON.stringify(file).slice(0, 100)}`, () => {
      let got: string | undefined;
      try {
        parseChainsFile(JSON.stringify(file), local);
      } catch (error) {
        const { fault } = error as GenesisError;
        expect(error).toBeInstanceOf(GenesisError);
        got = 'path' in fault ? fault.path : fault.code;
      }
      expect(got).toBe(pathOrCode);
    });

  test('the unchanged file is valid', () => expect(parseChainsFile(JSON.stringify([chain()]), local)).toHaveLength(1));
});
