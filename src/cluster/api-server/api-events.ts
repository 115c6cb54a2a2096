import type { EventLog } from '../../api/events/event-log.ts';
import type { EventParamContext } from '../../api/events/filter.ts';
import { createEventHub, type EventHub, type HubDeps } from '../../api/events/hub.ts';
import { parseEventID } from '../../api/events/position.ts';
import { paramContextFor } from '../../api/rest/chain-name.ts';
import type { ReadConsistency } from '../../api/rest/read-consistency.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { idText } from '../../base/bytes/id.ts';
import { openPostgresEventLog } from '../chain/postgres-event-log.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { isDatabaseDown } from '../postgres/postgres-fault.ts';
import type { PostgresSource } from './postgres-source.ts';

/** Creates the event hub of `serac api`: it sends the blocks that `serac index` writes to PostgreSQL. */
export function createApiHub(
  { timers }: Pick<ClusterEnv, 'timers'>,
  { sql, chains, onChange, served, sealKey, consistency }: PostgresSource,
  { longWork, logError }: Pick<HubDeps, 'longWork' | 'logError'>,
): EventHub {
  const {
    chains: [x],
    network,
  } = served;
  const number = chains.find(({ id }) => id === x.id)?.number ?? 1;
  const [alias] = x.aliases;
  const text = { alias, json: { address: createAddressFormatter(alias, network.hrp), id: idText } };
  const logID = eventLogIDOf(sealKey);
  let stop = (): void => {};
  const hub = createEventHub({
    log: readOnOneServer(openPostgresEventLog(sql, { number, id: x.id }, logID), consistency),
    textOf: () => text,
    timers,
    longWork,
    onActive: (isActive) => {
      stop();
      if (isActive) stop = onChange(() => hub.advance());
    },
    // That the database does not answer is in the log once; see `watchIndexStatus`.
    logError: (error) => {
      if (!isDatabaseDown(error)) logError(error);
    },
  });
  return {
    ...hub,
    subscribe: async (filter, lastEventId, stillAdmits) => {
      // A client may come from a server that has sent it blocks which this one has not read yet.
      const position = lastEventId === undefined ? undefined : parseEventID(logID, lastEventId);
      if (position !== undefined) await consistency.atLeast(position.entry);
      return hub.subscribe(filter, lastEventId, stillAdmits);
    },
    close: () => {
      hub.close();
      stop();
    },
  };
}

/** The ID of the event log of a database, the same in all its servers. */
export const eventLogIDOf = (pageSecret: Uint8Array): string => sha256Hex(pageSecret).slice(0, 12);

/** Reads again what was read on several servers; see `ReadConsistency`. */
function readOnOneServer(log: EventLog, { changes }: ReadConsistency): EventLog {
  const consistent = async <T>(read: () => T | Promise<T>): Promise<T> => {
    for (;;) {
      const before = changes();
      const result = await read();
      if (changes() === before) return result;
    }
  };
  return { id: log.id, last: () => consistent(log.last), read: (after) => consistent(() => log.read(after)) };
}

/** Reads addresses and assets in filters. The fee asset of the X-Chain is `AVAX`. */
export const createApiEventParams = (served: ServedChains): EventParamContext => ({
  ...paramContextFor(served),
  asset: (alias) => (alias === 'AVAX' ? served.chains[0].feeAsset : undefined),
});
