import { expect, test } from 'bun:test';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { ClientContext } from './client-command.ts';
import { listCommands } from './list-commands.ts';

/** The NFTs that `serac nft list --json` prints of a chain whose assets have the given numbers of NFTs, each of its own owner. */
async function listNfts(...supplies: readonly number[]) {
  const asked: string[] = [];
  const assets = supplies.map((supply, i) => ({ assetId: `a${i}`, nftSupply: String(supply) }));
  const page = (all: readonly unknown[], name: string, query: URLSearchParams) => {
    const [from, size] = [Number(query.get('pageToken') ?? 0), Number(query.get('pageSize'))];
    return { [name]: all.slice(from, from + size), nextPageToken: from + size < all.length ? String(from + size) : undefined };
  };
  const answer = (path: string, query: URLSearchParams): unknown => {
    if (path.endsWith('/assets')) return page(assets, 'assets', query);
    const [, holdersOf] = /\/assets\/a(\d+)\/holders$/.exec(path) ?? [];
    if (holdersOf !== undefined)
      return page(
        Array.from({ length: supplies[Number(holdersOf)] as number }, (_, i) => ({ address: `o${i}` })),
        'holderList',
        query,
      );
    const owners = (query.get('addresses') as string).split(',');
    const asset = { type: 'nft', symbol: 'N', assetId: query.get('assetId') };
    return page(
      owners.map((owner) => ({ asset, utxoType: 'transfer', groupId: 1, utxoId: `${asset.assetId} ${owner}`, addresses: [owner] })),
      'utxos',
      query,
    );
  };
  const client = {
    url: 'http://node',
    call: async () => ({ networkName: 'local' }),
    request: async (target: string) => {
      const { pathname, searchParams } = new URL(target, 'http://node');
      asked.push(pathname.slice(pathname.lastIndexOf('x-chain') + 'x-chain'.length));
      return Response.json(answer(pathname, searchParams));
    },
    readText: (response: Response) => response.text(),
  } as unknown as RpcClient;
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  await listCommands['nft list']({ client, args: [], options: { json: true }, print } as unknown as ClientContext);
  const { nfts, truncated } = JSON.parse(lines.join('')) as { nfts: { utxoID: string }[]; truncated: boolean };
  return { count: nfts.length, last: nfts.at(-1)?.utxoID, truncated, asked };
}

test('NFTs of all assets are listed; assets without NFTs are not asked for', async () => {
  const { asked, ...listed } = await listNfts(2, 0, 1);
  expect(listed).toEqual({ count: 3, last: 'a2 o0', truncated: false });
  expect(asked).toEqual(['/assets', '/assets/a0/holders', '/utxos', '/assets/a2/holders', '/utxos']);
});

test('1,000 NFTs are listed at most, and a list without the others says so', async () => {
  expect(await listNfts(1000)).toMatchObject({ count: 1000, truncated: false });
  expect(await listNfts(999, 1)).toMatchObject({ count: 1000, last: 'a1 o0', truncated: false });
  expect(await listNfts(1000, 1)).toMatchObject({ count: 1000, truncated: true });
  expect(await listNfts(999, 2)).toMatchObject({ count: 1000, truncated: true });
  expect(await listNfts(1100)).toMatchObject({ count: 1000, truncated: true });
});

test('the NFTs of an address are found by its balances: outputs of other assets do not count', async () => {
  const asked: string[] = [];
  const amount = (assetId: string, type: string) => ({ assetId, type, amount: '1' });
  const answers = (path: string, query: URLSearchParams): unknown => {
    if (path.endsWith('/balances'))
      return {
        balances: { unlocked: [amount('avax', 'secp256k1'), amount('a', 'nft')], locked: [amount('a', 'nft'), amount('b', 'nft')] },
      };
    const asset = { type: 'nft', symbol: 'N', assetId: query.get('assetId') };
    return { utxos: [{ asset, utxoType: 'transfer', groupId: 1, utxoId: `${asset.assetId} 0`, addresses: ['o'] }] };
  };
  const client = {
    url: 'http://node',
    call: async () => ({ networkName: 'local' }),
    request: async (target: string) => {
      const { pathname, searchParams } = new URL(target, 'http://node');
      asked.push(`${pathname.slice(pathname.lastIndexOf('/'))} ${searchParams.get('assetId')}`);
      return Response.json(answers(pathname, searchParams));
    },
    readText: (response: Response) => response.text(),
  } as unknown as RpcClient;
  const lines: string[] = [];
  const address = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
  const context = { client, args: [address], options: { json: true }, print: (line: string) => void lines.push(line) };
  await listCommands['nft list'](context as unknown as ClientContext);
  expect(JSON.parse(lines.join('')).nfts.map(({ utxoID }: { utxoID: string }) => utxoID)).toEqual(['a 0', 'b 0']);
  expect(asked).toEqual(['/balances null', '/utxos a', '/utxos b']);
});
