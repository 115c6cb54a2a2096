import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import { createDataDeps } from '../data/deps.ts';
import { sampleChain, sampleServed, sampleServedChain, txs } from '../data/sample-chain.fixture.ts';
import { createScanningReads } from '../data/scanning-reads.fixture.ts';
import { assetListRoutes } from './asset-routes.ts';
import type { ExplorerDeps } from './deps.ts';

const avax = txs.avax.id;

/** Routes of a chain to which another process adds a block after the first explorer read; every block adds a unit to the only holder. */
function openRoutes() {
  let height = 5;
  let reads = 0;
  const readNext = <T>(value: (amount: bigint) => T): T => {
    const found = value(BigInt(height));
    if (++reads === 1) height++;
    return found;
  };
  const scanning = createScanningReads(sampleChain());
  const explorer = {
    assetCounts: async () => readNext((held) => new Map([[avax, { holders: 1, held, minted: held, mintedNfts: 0 }]])),
    createdAssets: async () => [{ seq: 1, id: avax }],
  } as unknown as ExplorerReads;
  const chain = sampleServedChain(
    {
      ...scanning,
      tip: async () => ({ height, id: idOf(Buffer.from(`${height}`)), time: 1, lastTx: 1 }),
      assets: async (ids) => {
        const found = await scanning.assets(ids);
        return new Map([...found].map(([id, entry]) => [id, { ...entry, supply: BigInt(height) }]));
      },
    },
    { explorer },
  );
  const deps = createDataDeps(sampleServed(chain), { epoch: () => 0, budget: budgetFor('pieces', 0) }) as unknown as ExplorerDeps;
  const paging = { cursor: undefined, nextPageToken: () => '' };
  return async (id: string, params: object) => {
    const route = assetListRoutes.find((one) => one.id === id) as (typeof assetListRoutes)[number];
    const all = { network: 'local', blockchainId: 'x-chain', pageSize: 10, sortOrder: 'asc', ...params };
    return (await route.run(deps, all as never, { paging } as never)) as Record<string, never>;
  };
}

test('supply and held supply of an asset are of the same block', async () => {
  const { assets } = (await openRoutes()('listAssets', {})) as unknown as { assets: { supply: string; heldSupply: string }[] };
  expect(assets.map(({ supply, heldSupply }) => [supply, heldSupply])).toEqual([['6', '6']]);
});
