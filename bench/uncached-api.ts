import { createDataDeps } from '../src/api/data/deps.ts';
import { dataRoutes } from '../src/api/data/routes.ts';
import { sampleServed, sampleServedChain } from '../src/api/data/sample-chain.fixture.ts';
import { createExplorerDeps } from '../src/api/explorer-routes/deps.ts';
import { explorerRoutes } from '../src/api/explorer-routes/routes.ts';
import type { Handler } from '../src/api/http/message.ts';
import { metricsApiRoutes } from '../src/api/metrics-api/routes.ts';
import { createSeriesCache } from '../src/api/metrics-api/series-cache.ts';
import { paramContextFor } from '../src/api/rest/chain-name.ts';
import { createApi } from '../src/api/rest/dispatch.ts';
import { allowAllGate, createTestRequest } from '../src/api/rest/requests.fixture.ts';
import { bindRoutes } from '../src/api/rest/route.ts';
import type { ServedChain } from '../src/api/rest/served-chains.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { budgetFor } from '../src/base/cache/budget.fixture.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import type { ExplorerReads } from '../src/ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../src/ledger/index-read/index-reads.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import type { LoadCall } from './socket-load.ts';

export type UncachedChain = {
  readonly reads: IndexReads;
  readonly explorer?: ExplorerReads | undefined;
  readonly pageSecret: Uint8Array;
  /** What a followed chain must backfill. Without it nothing is. */
  readonly backfill?: Pick<ServedChain, 'backfillAddresses' | 'backfills' | 'foreignImports'> | undefined;
};

/**
 * The routes of the Data and Metrics APIs in this process, without HTTP and without a response cache. With `pieceCacheBytes` 0 every item is
 * rendered in every call, as if for the first time.
 */
export function createUncachedApi(chain: UncachedChain, pieceCacheBytes: number): (call: LoadCall) => Promise<void> {
  const api = createUncachedHandler(chain, pieceCacheBytes);
  return async ({ path, body }) => {
    const response = await api(createTestRequest(path, body === undefined ? {} : { method: 'POST', body }));
    if (response.status !== 200) throw new BenchError(`${path} returned status ${response.status}: ${response.body}`);
  };
}

/** The same as a handler of requests, with the routes of the explorer too. */
export function createUncachedHandler({ reads, explorer, pageSecret, backfill }: UncachedChain, pieceCacheBytes: number): Handler {
  const { blockchainID: id, feeAsset } = localChainParams;
  const served = sampleServed(
    { ...sampleServedChain(reads, { id, feeAsset, explorer, ...backfill }), epoch: () => 0 },
    { now: () => Math.floor(Date.now() / 1000) },
  );
  const deps = createDataDeps(served, {
    recover: (unsigned, signature) => recoverNative(sha256(unsigned), signature.subarray(0, 64), (signature[64] as number) & 3),
    epoch: () => 0,
    budget: budgetFor('pieces', pieceCacheBytes),
  });
  return createApi({
    routes: [
      ...bindRoutes('data', dataRoutes(), deps),
      ...bindRoutes('data', explorerRoutes({ hasLifecycle: false, hasMempool: false }), createExplorerDeps(deps)),
      ...bindRoutes('metrics', metricsApiRoutes(), { ...served, seriesCache: createSeriesCache(budgetFor('points', 1_048_576)) }),
    ],
    gate: allowAllGate,
    context: paramContextFor(served),
    sealKey: pageSecret,
    epoch: () => 0,
    now: served.now,
    caller: () => '127.0.0.1',
    origin: () => 'http://127.0.0.1',
    onUnexpectedError: (error) => console.error(error),
  });
}
