import type { EventParamContext } from '../../api/events/filter.ts';
import { createEventHub, type EventHub, type HubDeps } from '../../api/events/hub.ts';
import { openPostgresEventLog } from '../../api/events/postgres-event-log.ts';
import { paramContextFor } from '../../api/rest/chain-name.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { idText } from '../../base/bytes/id.ts';
import { indexedChains } from '../../ledger/index/migrate.ts';
import { blocksChannel } from '../../ledger/index-postgres/postgres-chain.ts';
import type { Env } from '../setup/env.ts';
import type { PostgresSource } from './postgres-source.ts';

/** Milliseconds between two reads of the index without a notification: the connection that listens may be down. */
const pollInterval = 1000;

/**
 * Creates the event hub of `serac api`: it sends the blocks that `serac index` writes to PostgreSQL. While it has clients, it listens for
 * notifications.
 */
export async function createApiHub(
  env: Env,
  { sql, served, sealKey }: Pick<PostgresSource, 'sql' | 'served' | 'sealKey'>,
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
  const watch = (): void => {
    const unlisten = sql.listen(blocksChannel, () => hub.advance());
    let cancel = (): void => {};
    const poll = (): void => {
      cancel = env.timers.after(pollInterval, () => {
        hub.advance();
        poll();
      });
    };
    poll();
    stop = () => {
      unlisten();
      cancel();
    };
  };
  const hub = createEventHub({
    log: openPostgresEventLog(sql, { number, id: x.id }, sha256Hex(sealKey).slice(0, 12)),
    textOf: () => text,
    timers: env.timers,
    longWork,
    onActive: (isActive) => (isActive ? watch() : stop()),
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
