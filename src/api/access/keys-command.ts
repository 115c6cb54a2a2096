import { dateText, readExpiry } from './expiry.ts';
import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, keyBytes, makeKey, stateOf, unmatchedGrants } from './keys.ts';
import { type KeysCommand, KeysError, keysUsageError } from './keys-flags.ts';
import { defaultPlan, type Plans, type RouteIds } from './plans.ts';

export type KeysDeps = {
  readonly keys: KeyStore;
  readonly plans: Plans;
  /** Where `plans` comes from. */
  readonly planSource: PlanSource;
  readonly routes: RouteIds;
  /** Unix seconds. */
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
};

/**
 * `file`: the `--rate-limit-plans` file given to this command. `server`: the server that was last started on this database.
 * `server-without-limits`: the same, but it does not count requests. `defaults`: no server was started yet.
 */
export type PlanSource = 'file' | 'server' | 'server-without-limits' | 'defaults' | 'defaults-of-servers';

/** Runs a `serac keys` command and returns the lines to print. */
export async function runKeysCommand(command: KeysCommand, deps: KeysDeps): Promise<string[]> {
  switch (command.action) {
    case 'create':
      return create(command, deps);
    case 'list':
      return list(command, deps);
    case 'revoke':
      return revoke(command, deps);
  }
}

type CommandFor<A extends KeysCommand['action']> = Extract<KeysCommand, { action: A }>;

async function create({ name = '', plan = defaultPlan, expires, routes, json }: CommandFor<'create'>, deps: KeysDeps): Promise<string[]> {
  const { keys, plans, now, random } = deps;
  if (!namePattern.test(name)) throw keysUsageError('keys create: --name takes at most 64 printable characters');
  const limits = plans.data.keyed.get(plan);
  if (limits === undefined)
    throw keysUsageError(`keys create: there is no plan "${plan}"; the plans are ${[...plans.data.keyed.keys()].join(', ')}`);
  const unmatched = unmatchedGrants(routes, deps.routes);
  if (unmatched.length > 0)
    throw keysUsageError(
      `keys create: --routes ${unmatched.join(', ')} matches no route; the routes are ${Object.values(deps.routes).flat().join(', ')}`,
    );
  const { text, key } = makeKey(random(keyBytes), { name, plan, created: now(), expires: readEnd(expires, now()), routes });
  await keys.add(key);
  if (json) return [JSON.stringify({ key: text, ...keyJson(key, now()) })];
  return [
    'This is the key. It is not stored and will not be shown again:',
    '',
    `  ${text}`,
    '',
    `  id       ${key.id}`,
    `  name     ${orDash(name)}`,
    `  plan     ${plan}: ${limits.perMinute} requests a minute, ${limits.perDay} a day${planNotes[deps.planSource]}`,
    `  expires  ${key.expires === undefined ? 'never' : dateText(key.expires)}`,
    `  routes   ${grantsText(key)}`,
    '',
    'Callers send it in the header x-service-api-key (or x-glacier-api-key).',
  ];
}

/** Where the printed limits of a plan come from. */
const planNotes: { readonly [S in PlanSource]: string } = {
  file: ' (from the file given here; start the server with the same file)',
  server: '',
  'server-without-limits': ' (not enforced: the server runs with --rate-limits off, or listens on loopback only)',
  'defaults-of-servers': ' (the defaults; servers with --rate-limit-plans have those of their file, which this command takes too)',
  defaults: ' (the defaults: no server was started here yet, and --rate-limit-plans can change them)',
};

function readEnd(expires: string | undefined, now: number): number | undefined {
  if (expires === undefined || expires === 'never') return undefined;
  const end = readExpiry(expires, now);
  if (end === undefined) throw keysUsageError(`keys create: --expires takes a time such as 30d, 12h or 2027-01-01, not "${expires}"`);
  if (end <= now) throw keysUsageError(`keys create: --expires ${expires} is in the past`);
  return end;
}

async function list({ json }: CommandFor<'list'>, { keys, now }: KeysDeps): Promise<string[]> {
  const all = await keys.list();
  if (json) return [JSON.stringify(all.map((key) => keyJson(key, now())))];
  if (all.length === 0) return ['There are no keys yet: create one with serac keys create'];
  return tableOf([
    ['ID', 'KEY', 'NAME', 'PLAN', 'STATE', 'CREATED', 'EXPIRES', 'ROUTES'],
    ...all.map((key) => [
      key.id,
      `${key.prefix}...`,
      orDash(key.name),
      key.plan,
      stateOf(key, now()),
      dateText(key.created),
      key.expires === undefined ? 'never' : dateText(key.expires),
      grantsText(key),
    ]),
  ]);
}

async function revoke({ key: wanted, json }: CommandFor<'revoke'>, { keys, now }: KeysDeps): Promise<string[]> {
  const { id, revoked } = findSingle(wanted, await keys.list());
  await keys.revoke(id, now());
  // Read again: another process may have revoked it first.
  const key = findSingle(id, await keys.list());
  if (json) return [JSON.stringify(keyJson(key, now()))];
  const label = `${key.id} (${orDash(key.name)})`;
  if (revoked !== undefined) return [`Key ${label} was revoked already, on ${dateText(revoked)}.`];
  return [`Key ${label} is revoked. Running servers refuse it within a second.`];
}

/** The key with this id or text or, if there is none, the only key whose id or text starts with it. */
function findSingle(wanted: string, all: readonly ApiKey[]): ApiKey {
  const hash = hashOf(wanted);
  const exact = all.filter((key) => key.id === wanted || key.hash === hash);
  const found =
    exact.length > 0 ? exact : all.filter(({ id, prefix }) => wanted !== '' && (id.startsWith(wanted) || prefix.startsWith(wanted)));
  const [key, second] = found;
  if (key === undefined)
    throw new KeysError(`there is no key ${wanted}: run serac keys list to see all keys`, { code: 'ACCESS_NO_SUCH_KEY', key: wanted });
  if (second !== undefined) {
    const ids = found.map(({ id }) => id);
    throw new KeysError(`more than one key starts with ${wanted}: ${ids.join(', ')}; use the full id`, {
      code: 'ACCESS_KEY_NOT_UNIQUE',
      ids,
    });
  }
  return key;
}

const keyJson = (key: ApiKey, now: number) => ({
  id: key.id,
  prefix: key.prefix,
  name: key.name,
  plan: key.plan,
  state: stateOf(key, now),
  created: key.created,
  expires: key.expires ?? null,
  revoked: key.revoked ?? null,
  routes: key.routes,
});

const grantsText = ({ routes }: ApiKey): string => (routes.length === 0 ? 'all' : routes.join(', '));
const orDash = (text: string): string => text || '-';

/** Excludes control characters, which could change the terminal. */
const namePattern = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{0,64}$/u;

function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
