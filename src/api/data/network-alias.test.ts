import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import type { NetworkAlias } from '../rest/served-chains.ts';
import { type AnyJson, addressText, createDataApiClient, errorReader, jsonReader, sampleLabels } from './data-requests.fixture.ts';
import { chainID, people, sampleServed, txs } from './sample-chain.fixture.ts';

const plain = sampleServed();
const alias: NetworkAlias = { name: 'fuji', names: ['fuji', 'testnet'], hrp: 'fuji' };
const served = { ...plain, network: { ...plain.network, alias, names: [...plain.network.names, ...alias.names] } };
const ask = createDataApiClient(served);
const get = jsonReader(ask);
const refused = errorReader(ask);
const onFuji = (address: Address) => bech32Encode('fuji', fromHex(address));
const at = (network: string) => `/v1/networks/${network}/blockchains/x-chain`;
const { alice, bob } = people;
const posted = (addresses: string) => ({ method: 'POST', body: JSON.stringify({ addresses }) });

describe('a private network with the alias fuji', () => {
  test('responses name the network as in the request; testnet becomes fuji', async () => {
    for (const [requested, expected] of [
      ['local', 'local'],
      ['12345', 'local'],
      ['fuji', 'fuji'],
      ['testnet', 'fuji'],
    ] as const) {
      const target = at(requested);
      for (const list of [
        'blocks',
        'transactions',
        'vertices',
        `utxos?addresses=${onFuji(alice)}`,
        `balances?addresses=${addressText(alice)}`,
      ])
        expect([requested, list, (await get(`${target}/${list}`)).chainInfo]).toEqual([
          requested,
          list,
          { chainName: 'x-chain', network: expected },
        ]);
      expect((await get(`${target}/lastActivityTimestampByAddresses?addresses=${onFuji(alice)}`)).network).toBe(expected);
    }
    expect((await get('/v1/chains?network=fuji')).chains).toHaveLength(1);
    expect((await refused(`${at('mainnet')}/blocks`)).message).toContain('local or 12345 or fuji or testnet');
  });

  test('addresses have the prefix of the requested addresses, else of the requested network', async () => {
    const owners = async (target: string, sent?: Parameters<typeof get>[1]) =>
      new Set((await get(target, sent)).utxos.flatMap(({ addresses }: AnyJson) => addresses));
    for (const network of ['local', 'fuji']) {
      expect(await owners(`${at(network)}/utxos?addresses=${addressText(alice)}`)).toEqual(new Set([addressText(alice)]));
      expect(await owners(`${at(network)}/utxos?addresses=X-${onFuji(alice)}`)).toEqual(new Set([onFuji(alice)]));
      expect(await owners(`${at(network)}/utxos`, posted(onFuji(alice)))).toEqual(new Set([onFuji(alice)]));
    }
    const senders = async (target: string) => {
      const response = await get(target);
      const [tx] = response.transactions ?? [response];
      return tx.consumedUtxos.flatMap(({ addresses }: AnyJson) => addresses);
    };
    const gift = `transactions/${idText(txs.gift.id)}`;
    expect(await senders(`${at('local')}/${gift}`)).toEqual([addressText(alice)]);
    expect(await senders(`${at('fuji')}/${gift}`)).toEqual([onFuji(alice)]);
    const coins = `assets/${sampleLabels.coin.assetId}/transactions`;
    expect(await senders(`${at('testnet')}/${coins}`)).toEqual([onFuji(alice)]);
    expect(await senders(`${at('fuji')}/transactions?addresses=${addressText(alice)}&txTypes=BaseTx`)).toEqual([addressText(alice)]);
    expect((await get(`${at('fuji')}/assets/${sampleLabels.coin.assetId}`)).minters).toEqual([onFuji(alice)]);
    expect(await get(`/v1/networks/fuji/addresses:listChainIds?addresses=${onFuji(bob)}`)).toEqual({
      addresses: [{ address: onFuji(bob), blockchainIds: [idText(chainID)] }],
    });
  });
});

describe('a page token', () => {
  const pages = async (first: string, second: string, name: string, sent?: [AnyJson, AnyJson]) => {
    const { nextPageToken, [name]: items } = await get(first, sent?.[0]);
    const next = await get(`${second}${second.includes('?') ? '&' : '?'}pageToken=${nextPageToken}`, sent?.[1]);
    return [...items, ...(next[name] ?? [next])];
  };

  test('works under every name of the network and the chain', async () => {
    const whole = (await get(`${at('local')}/blocks?pageSize=4`)).blocks;
    for (const target of [
      at('fuji'),
      at('testnet'),
      at('12345'),
      ...['X', 'avm', idText(chainID)].map((name) => `/v1/networks/local/blockchains/${name}`),
    ])
      expect(await pages(`${at('local')}/blocks?pageSize=2`, `${target}/blocks?pageSize=2`, 'blocks')).toEqual(whole);
  });

  test('works for addresses with another prefix or order, and with explicit defaults', async () => {
    const ids = (list: AnyJson[]) => list.map(({ utxoId }) => utxoId);
    const first = `${at('local')}/utxos?pageSize=2&addresses=${addressText(alice)},${addressText(bob)}`;
    const whole = ids((await get(first.replace('pageSize=2', 'pageSize=4'))).utxos);
    for (const second of [
      `${at('fuji')}/utxos?pageSize=2&addresses=X-${onFuji(bob)},P-${onFuji(alice)}`,
      `${first}&sortBy=timestamp&sortOrder=desc&includeSpent=false&minUtxoAmount=0`,
    ])
      expect(ids(await pages(first, second, 'utxos'))).toEqual(whole);
    const bodies: [AnyJson, AnyJson] = [posted(`${addressText(alice)},${addressText(bob)}`), posted(`${onFuji(bob)},${onFuji(alice)}`)];
    const target = `${at('local')}/utxos?pageSize=2`;
    expect(ids(await pages(target, target, 'utxos', bodies))).toEqual(whole);
  });

  test('is rejected for another list', async () => {
    const { nextPageToken } = await get(`${at('local')}/utxos?pageSize=2&addresses=${addressText(alice)},${addressText(bob)}`);
    for (const other of [
      `utxos?addresses=${addressText(alice)}`,
      `utxos?addresses=${addressText(alice)},${addressText(bob)}&sortOrder=asc`,
      'blocks?',
    ])
      expect(await refused(`${at('local')}/${other}&pageSize=2&pageToken=${nextPageToken}`)).toEqual({
        status: 400,
        message: ['pageToken belongs to another query'],
      });
  });
});
