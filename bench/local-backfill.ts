import type { ServedChain } from '../src/api/rest/served-chains.ts';
import { zeroId } from '../src/base/bytes/id.ts';
import { createIndexerBackfill } from '../src/cluster/api-server/indexer-backfill.ts';
import type { Sql, SqlValue } from '../src/ledger/index/sql.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import type { PostgresBenchChain } from './postgres-chain.ts';

/** The indexer answers at once, so that results are looked for without a delay. */
const timing = {
  clock: { monotonic: () => performance.now() },
  timers: {
    soon: (run: () => void) => void setImmediate(run),
    after: (delay: number, run: () => void) => {
      const timer = setTimeout(run, delay > 100 ? delay : 0);
      return () => clearTimeout(timer);
    },
  },
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};

/**
 * The backfill of `serac api`, with an indexer that answers every request at once and finds no import: the P-Chain has imported none of the exports.
 * Only what it reads of the index is counted.
 */
export function createLocalBackfill({ sql, reads }: Pick<PostgresBenchChain, 'sql' | 'reads'>) {
  const primary: Sql = {
    dialect: 'postgres',
    all: <Row>(text: string, values: readonly SqlValue[]) =>
      Promise.resolve((text.startsWith('SELECT token') ? values.map((token) => ({ token, failure: null })) : []) as Row[]),
  };
  const chain = { number: 1, id: localChainParams.blockchainID, feeAsset: localChainParams.feeAsset };
  const backfill = createIndexerBackfill(timing as never, {
    primary,
    version: { writer: () => 1, reachPrimary: async () => {} },
    isAway: () => false,
    sql,
    chain,
    completeFrom: reads.completeFrom,
    findUnrecorded: async () => [],
    counterparts: [zeroId],
  });
  return { ...backfill, foreignImports: 'looked-up' } satisfies Partial<ServedChain>;
}
