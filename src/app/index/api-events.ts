import type { EventParamContext } from '../../api/events/filter.ts';
import { createEventHub, type EventHub, type HubDeps } from '../../api/events/hub.ts';
import { openPostgresEventLog } from '../../api/events/postgres-event-log.ts';
import { paramContextFor } from '../../api/rest/chain-name.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { idText } from '../../base/bytes/id.ts';
import { indexedChains } from '../../ledger/index/migrate.ts';
import type { TimeEnv } from '../setup/env.ts';
import type { PostgresSource } from './postgres-source.ts';

/**
 * Creates the event hub of `serac api`: it sends the blocks that `serac index` writes to PostgreSQL.
 */
export async function createApiHub(
  env: TimeEnv,
  { sql, onChange, served, sealKey }: Pick<PostgresSource, 'sql' | 'onChange' | 'served' | 'sealKey'>,
  { longWork, report }: Pick<HubDeps, 'longWork' | 'report'>,
): Promise<EventHub> {
  const {
    chains: [x],
    network,
  } = served;
  const number = (await indexedChains(sql)).find(({ id }) => id === x.id)?.number ?? 1;
  const [alias] = x.aliases;
  const text = { alias, json: { address: createAddressFormatter(alias, network.hrp), id: idText } };
  let stop = (): void => {};
  const hub = createEventHub({
    log: openPostgresEventLog(sql, { number, id: x.id }, sha256Hex(sealKey).slice(0, 12)),
    textOf: () => text,
    timers: env.timers,
    longWork,
    onActive: (isActive) => {
      stop();
      if (isActive) stop = onChange(() => hub.advance());
    },
    report,
  });
  return {
    ...hub,
    close: () => {
      hub.close();
      stop();
    },
  };
}

/** Reads addresses and assets in filters. The fee asset of the X-Chain is `AVAX`. */
export const createApiEventParams = (served: ServedChains): EventParamContext => ({
  ...paramContextFor(served),
  asset: (alias) => (alias === 'AVAX' ? served.chains[0].feeAsset : undefined),
});
