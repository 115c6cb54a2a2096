import { messageOf } from '../../base/fault.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { PostgresError, withoutPrefix } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import type { DatabaseHost, HostState } from './database-host.ts';
import { createPrimaryChoice } from './primary.ts';
import { describePosition, isAtLeast, type ReadPosition, startPosition } from './read-position.ts';
import { createReplicaLag } from './replica-lag.ts';

export type ReadPositionOf = (sql: Sql) => Promise<ReadPosition>;

/** `notifier`: the address of the primary without a pooler, which passes notifications on. */
type Primary = { readonly host: DatabaseHost; readonly state: HostState; readonly notifier: DatabaseHost | undefined };

type Answer = { readonly host: DatabaseHost; readonly state: HostState; readonly position: ReadPosition };
type Probed = Answer | { readonly host: DatabaseHost; readonly error: unknown };

/** Milliseconds within which a host must answer, if there are others. */
const probeTimeout = 1000;

/**
 * Selects which host is read, and finds which is the primary. Used by `openDatabaseHosts`. `reserve`: the servers' own addresses, if `hosts` are poolers;
 * they are read while no pooler can be.
 */
export function createHostSelection(
  hosts: readonly DatabaseHost[],
  config: DatabaseConfig,
  env: ClusterEnv,
  reserve: readonly DatabaseHost[] = [],
) {
  const isAlone = hosts.length + reserve.length === 1;
  const lag = createReplicaLag(env.clock.monotonic);
  const choosePrimary = createPrimaryChoice();
  const logLeftOut = createHostLog(env);
  // Each process begins with another replica.
  const first = (env.random(1)[0] as number) % hosts.length;
  const order = [...hosts.slice(first), ...hosts.slice(0, first), ...reserve];
  const listeners = new Set<() => void>();
  let current: DatabaseHost | undefined;
  let lastRead: DatabaseHost | undefined;
  /** The host with most blocks, also if it lacks some that were served. */
  let fullest: DatabaseHost | undefined;
  let primary: Primary | undefined;
  let readPosition: ReadPositionOf = async () => startPosition;
  let changes = 0;
  let leftOut: readonly string[] = [];

  const probe = async (host: DatabaseHost): Promise<Probed> => {
    const answer = (async () => ({ host, state: await host.probe(), position: await readPosition(host.sql) }))();
    try {
      // A lone host has nobody to take over: its own timeouts are enough.
      return await (isAlone ? answer : withTimeout(env, answer, host.name));
    } catch (error) {
      return { host, error };
    }
  };

  const setCurrent = (host: DatabaseHost | undefined): void => {
    current = host;
    // A host that failed once and is selected again is not another one.
    if (host === undefined || host === lastRead) return;
    if (lastRead !== undefined) changes++;
    lastRead = host;
    if (!isAlone) env.log(`reading from ${host.name}`);
  };

  const setPrimary = (found: Primary | undefined): void => {
    const isSame =
      primary?.host === found?.host && primary?.notifier === found?.notifier && primary?.state.timeline === found?.state.timeline;
    primary = found;
    if (!isSame) for (const listener of listeners) listener();
  };

  /** Why a host is not read; undefined if it may be. */
  const reasonAgainst = (one: Probed, wanted: ReadPosition): string | undefined => {
    if ('error' in one) return withoutPrefix(messageOf(one.error), one.host.name);
    const behind = one.state.role === 'replica' ? lag.of(one.position) : 0;
    if (one.state.role === 'primary' && one.state.server !== primary?.state.server)
      return 'it accepts writes, but another host was promoted; make it a replica of that one';
    if (behind > config.maxLag) return `it is a replica ${describeLag(behind)}, at ${describePosition(one.position)}`;
    return isAtLeast(one.position, wanted)
      ? undefined
      : `it is at ${describePosition(one.position)}, and ${describePosition(wanted)} was served`;
  };

  /**
   * Asks all hosts and selects one to be read; see `openDatabaseHosts`. If none has `wanted` it throws, but one that has `least` is read from now on:
   * when a single caller wants a block that no host has, the others keep their host.
   */
  const select = async (wanted: ReadPosition, least = wanted): Promise<void> => {
    const probed = await Promise.all(order.map(probe));
    const answers = probed.filter((one): one is Answer => 'position' in one);
    // In the order in which the flag names them: of two hosts that were promoted apart from each other, every process takes the same one.
    const found = choosePrimary([...hosts, ...reserve].flatMap((host) => answers.filter((one) => one.host === host)));
    if (found !== undefined) lag.add(found.position);
    setPrimary(found && { ...found, notifier: findNotifier(answers, found) });
    const reasons = new Map(probed.map((one) => [one.host, reasonAgainst(one, least)]));
    const usable = answers.filter(({ host }) => reasons.get(host) === undefined);
    const hasNamed = usable.some(({ host }) => !reserve.includes(host));
    leftOut = [...reasons].flatMap(([host, reason]) =>
      reason === undefined || (hasNamed && reserve.includes(host)) ? [] : [`${host.name} is not read: ${reason}`],
    );
    if (!isAlone) logLeftOut(leftOut);
    const choose = (from: readonly Answer[]): DatabaseHost | undefined => {
      const named = from.filter(({ host }) => !reserve.includes(host));
      return chooseHost(named.length > 0 ? named : from, config.readsReplicas ? 'replica' : 'primary', current);
    };
    const chosen = choose(usable.filter(({ position }) => isAtLeast(position, wanted)));
    setCurrent(chosen ?? choose(usable));
    fullest = findFullest(answers.filter(({ state }) => state.role === 'replica' || state.server === found?.state.server));
    if (chosen !== undefined) return;
    const [only] = probed;
    if (isAlone && only !== undefined && 'error' in only) throw only.error;
    throw answers.length > 0
      ? behindServed(current === undefined ? leftOut : [`no host is at ${describePosition(wanted)}`])
      : unreadable(leftOut);
  };

  return {
    /** The host that is read; undefined until one is selected, and after it has failed. */
    current: (): DatabaseHost | undefined => current,
    /** The host that is read, or the one with most blocks: enough for answers that no later block changes. */
    fullest: (): DatabaseHost | undefined => current ?? fullest,
    primary: (): Primary | undefined => primary,
    select,
    /** Called with a host that does not answer: it is not read until it is selected again. */
    dropCurrent: (host: DatabaseHost): void => {
      if (current === host) setCurrent(undefined);
      if (fullest === host) fullest = undefined;
    },
    /** The same for the primary. */
    dropPrimary: (host: DatabaseHost): void => {
      if (primary?.host === host) setPrimary(undefined);
    },
    changes: (): number => changes,
    leftOut: (): readonly string[] => leftOut,
    /** Calls `listener` when another host is the primary. Returns a function that ends this. */
    onPrimary: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Says how the position of a host is read. Until then every host counts as having everything. */
    setReadPosition: (read: ReadPositionOf): void => {
      readPosition = read;
    },
    readPosition: (sql: Sql): Promise<ReadPosition> => readPosition(sql),
  };
}

const findFullest = (answers: readonly Answer[]): DatabaseHost | undefined =>
  answers.toSorted((a, b) => (b.position.heights[0] ?? 0) - (a.position.heights[0] ?? 0))[0]?.host;

const findNotifier = (answers: readonly Answer[], primary: Answer): DatabaseHost | undefined =>
  answers.find(({ state }) => state.role === 'primary' && state.server === primary.state.server && !state.isPooled)?.host;

/** A host of the preferred role if there is one; the one that is read now if it is among them. */
function chooseHost(usable: readonly Answer[], preferred: HostState['role'], current: DatabaseHost | undefined): DatabaseHost | undefined {
  const pick = (from: readonly Answer[]) => (from.find(({ host }) => host === current) ?? from[0])?.host;
  return pick(usable.filter(({ state }) => state.role === preferred)) ?? pick(usable);
}

const describeLag = (milliseconds: number): string =>
  Number.isFinite(milliseconds) ? `${(milliseconds / 1000).toFixed(1)} s behind` : 'that has not caught up yet';

async function withTimeout<T>({ timers }: Pick<ClusterEnv, 'timers'>, answer: Promise<T>, name: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = timers.after(probeTimeout, () =>
    reject(new PostgresError(`${name}: no answer within ${probeTimeout} ms`, { code: 'DATABASE_DOWN', reason: 'timeout' })),
  );
  return Promise.race([answer, promise]).finally(cancel);
}

/** Logs hosts that are left out, and that they are used again, once each. */
function createHostLog({ log }: Pick<ClusterEnv, 'log'>): (leftOut: readonly string[]) => void {
  let before = new Set<string>();
  return (leftOut) => {
    // The numbers in a reason change all the time.
    const now = new Map(leftOut.map((text) => [text.split(' is not read')[0] as string, text]));
    for (const [name, text] of now) if (!before.has(name)) log(text, 'warn');
    for (const name of before) if (!now.has(name)) log(`${name} is used again`);
    before = new Set(now.keys());
  };
}

export const unreadable = (reasons: readonly string[]) =>
  new PostgresError(`no host of the database can be read: ${reasons.join('; ')}`, { code: 'DATABASE_DOWN', reason: 'no host' });

const behindServed = (reasons: readonly string[]) =>
  new PostgresError(`the database does not have what was served before; the indexer must catch up: ${reasons.join('; ')}`, {
    code: 'DATABASE_BEHIND',
    reason: 'behind',
  });
