import { messageOf } from '../../base/fault.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError, withoutPrefix } from '../postgres/postgres-fault.ts';
import { addressesOf, type DatabaseConfig } from './database-config.ts';
import { type DatabaseHost, type HostState, openDatabaseHost } from './database-host.ts';

/*
 * Finds the primary among the hosts of a database, the one that is written to: for `serac index` (sole-writer.ts), for `serac api` (host-selection.ts),
 * and for commands that run once (`openPrimary`).
 */

/** What a host answered to a probe, or why it did not. */
export type ProbedHost = { readonly host: DatabaseHost } & ({ readonly state: HostState } | { readonly error: unknown });

export const probeHosts = (hosts: readonly DatabaseHost[]): Promise<ProbedHost[]> =>
  Promise.all(
    hosts.map((host) =>
      host.probe().then(
        (state) => ({ host, state }),
        (error: unknown) => ({ host, error }),
      ),
    ),
  );

/**
 * Returns a function that finds the primary: of the hosts that accept writes, the one with the highest timeline, a number that PostgreSQL raises at
 * each promotion. A former primary that came back after another host was promoted accepts writes too, and must not get any: so a host is left out
 * if its timeline is below the highest one that this function has seen.
 */
export function createPrimaryChoice(): <H extends ProbedHost>(probed: readonly H[]) => (H & { readonly state: HostState }) | undefined {
  let newestTimeline = 0;
  return <H extends ProbedHost>(probed: readonly H[]) => {
    let best: (H & { readonly state: HostState }) | undefined;
    for (const one of probed)
      if (isProbed(one) && one.state.role === 'primary' && one.state.timeline >= newestTimeline) {
        // Of two addresses of one server, the first.
        if (one.state.timeline !== best?.state.timeline) best = one;
        newestTimeline = one.state.timeline;
      }
    return best;
  };
}

const isProbed = <H extends ProbedHost>(one: H): one is H & { readonly state: HostState } => 'state' in one;

/** Returns a function that finds the primary now. It throws DATABASE_DOWN if there is none: a replica may be promoted soon. */
export function createPrimaryFinder(
  hosts: readonly DatabaseHost[],
): () => Promise<{ readonly host: DatabaseHost; readonly state: HostState }> {
  const choosePrimary = createPrimaryChoice();
  return async () => {
    const probed = await probeHosts(hosts);
    const primary = choosePrimary(probed);
    if (primary === undefined) throw noPrimary(probed);
    return primary;
  };
}

/** The hosts and what each of them is, for messages. */
const describeProbed = (one: ProbedHost): string => {
  const name = one.host.name.replace('PostgreSQL at ', '');
  return 'state' in one ? `${name} is a ${one.state.role}` : `${withoutPrefix(messageOf(one.error), one.host.name)} (${name})`;
};

/** Why no host can be written to: the error of a lone host, else what each of them is. */
function noPrimary(probed: readonly ProbedHost[]): unknown {
  const [only] = probed;
  if (probed.length === 1 && only !== undefined && 'error' in only) return only.error;
  return new PostgresError(`PostgreSQL has no primary now: ${probed.map(describeProbed).join('; ')}`, {
    code: 'DATABASE_DOWN',
    reason: 'no primary',
  });
}

/** Opens the primary of a database, for a command that is run once. `takesReplica`: without a primary, a replica will do, because it only reads. */
export async function openPrimary(
  database: DatabaseConfig,
  env: Pick<ClusterEnv, 'openPostgres' | 'log' | 'timers'>,
  takesReplica = false,
): Promise<Postgres> {
  const { named, direct } = addressesOf(database);
  const hosts = [...named, ...direct].map((url) =>
    openDatabaseHost(url, { statementTimeout: database.statementTimeout, poolSize: 1 }, env),
  );
  try {
    const probed = await probeHosts(hosts);
    const found = createPrimaryChoice()(probed) ?? (takesReplica ? probed.find(isProbed) : undefined);
    if (found === undefined) throw noPrimary(probed);
    const { host, state } = found;
    return env.openPostgres({
      url: host.url,
      max: 1,
      statementMilliseconds: database.statementTimeout,
      isPooled: state.isPooled,
      dialect: state.dialect,
    });
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
}
