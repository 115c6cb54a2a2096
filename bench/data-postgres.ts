import { paramContextFor } from '../src/api/chain-name.ts';
import { bindRoutes, createApi } from '../src/api/dispatch.ts';
import { allowAllGate, createTestRequest } from '../src/api/requests.fixture.ts';
import { sha256 } from '../src/bytes/hash.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createDataDeps } from '../src/data/deps.ts';
import { dataRoutes } from '../src/data/routes.ts';
import { sampleServed, sampleServedChain } from '../src/data/sample-chain.fixture.ts';
import { statsRoutes } from '../src/stats/routes.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import type { DataRow } from './data-rows.ts';
import { BenchError } from './fault.ts';
import type { PostgresBenchChain } from './postgres-chain.ts';
import type { LoadCall } from './socket-load.ts';
import type { SqlCount } from './sql-counter.ts';

/** Round trips and statements of a row: with empty caches, and again when labels and pieces of its items are cached. */
export type RowStatements = { readonly first: SqlCount; readonly again: SqlCount };

/**
 * Counts the statements of each row, by running its routes in this process without a response cache. A server runs one more statement per
 * request: it reads the chain's version for the response cache.
 */
export async function countStatements(chain: PostgresBenchChain, rows: readonly DataRow[]): Promise<ReadonlyMap<DataRow, RowStatements>> {
  const counts = new Map<DataRow, RowStatements>();
  for (const row of rows) {
    const respond = createUncachedApi(chain);
    const first = await chain.counter.count(() => respond(row.repeated));
    counts.set(row, { first, again: await chain.counter.count(() => respond(row.repeated)) });
  }
  return counts;
}

export function formatStatements(counts: ReadonlyMap<DataRow, RowStatements>): string[] {
  const text = ({ roundTrips, statements }: SqlCount) => `${roundTrips} (${statements})`;
  const lines = [...counts].map(([{ name }, { first, again }]) => `  ${name}: ${text(first)}, again ${text(again)}`);
  return ['round trips (statements) per response that is not in the response cache:', ...lines];
}

function createUncachedApi({ reads, pageSecret }: PostgresBenchChain): (call: LoadCall) => Promise<void> {
  const { blockchainID: id, feeAsset } = localChainParams;
  const served = sampleServed(sampleServedChain(reads, { id, feeAsset }), { now: () => Math.floor(Date.now() / 1000) });
  const deps = createDataDeps(served, {
    recover: (unsigned, signature) => recoverNative(sha256(unsigned), signature.subarray(0, 64), (signature[64] as number) & 3),
    epoch: () => 0,
    pieceCacheBytes: 32 * 1024 * 1024,
  });
  const api = createApi({
    routes: [...bindRoutes('data', dataRoutes(), deps), ...bindRoutes('metrics', statsRoutes(), served)],
    gate: allowAllGate,
    context: paramContextFor(served),
    sealKey: pageSecret,
    epoch: () => 0,
    now: served.now,
    caller: () => '127.0.0.1',
    origin: () => 'http://127.0.0.1',
    onUnexpectedError: (error) => console.error(error),
  });
  return async ({ path, body }) => {
    const response = await api(createTestRequest(path, body === undefined ? {} : { method: 'POST', body }));
    if (response.status !== 200) throw new BenchError(`${path} returned status ${response.status}: ${response.body}`);
  };
}
