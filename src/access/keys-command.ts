import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, idleGrants, keyBytes, makeKey, stateOf } from './keys.ts';
import { badCommand, type KeysCommand, KeysError } from './keys-flags.ts';
import { dateText, readExpiry } from './moment.ts';
import { defaultPlan, type Plans, type RouteIds } from './plans.ts';

export type KeysDeps = {
  readonly keys: KeyStore;
  readonly plans: Plans;
  /** Where the plans come from: a file, the server that started last, or nobody has said yet. */
  readonly plansOf: PlanSource;
  readonly routes: RouteIds;
  /** Unix seconds. */
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
};

export type PlanSource = 'file' | 'server' | 'server that does not count' | 'defaults';

/** Does what `serac keys ...` asks and gives the lines to print. */
export async function runKeys(command: KeysCommand, deps: KeysDeps): Promise<string[]> {
  switch (command.action) {
    case 'create':
      return create(command, deps);
    case 'list':
      return list(command, deps);
    case 'revoke':
      return revoke(command, deps);
  }
}

type Asked<A extends KeysCommand['action']> = Extract<KeysCommand, { action: A }>;

async function create({ name = '', plan = defaultPlan, expires, routes, json }: Asked<'create'>, deps: KeysDeps): Promise<string[]> {
  const { keys, plans, now, random } = deps;
  if (!nameShape.test(name)) throw badCommand('keys create: a name has at most 64 characters, all of them visible');
  const limits = plans.data.keyed.get(plan);
  if (limits === undefined)
    throw badCommand(`keys create: there is no plan "${plan}"; the plans are ${[...plans.data.keyed.keys()].join(', ')}`);
  const idle = idleGrants(routes, deps.routes);
  if (idle.length > 0)
    throw badCommand(`keys create: no route is called ${idle.join(', ')}; the routes are ${Object.values(deps.routes).flat().join(', ')}`);
  const { text, key } = makeKey(random(keyBytes), { name, plan, created: now(), expires: endOf(expires, now()), routes });
  await keys.add(key);
  if (json) return [JSON.stringify({ key: text, ...shownJson(key, now()) })];
  return [
    'This is the key. It is shown only this once:',
    '',
    `  ${text}`,
    '',
    `  id       ${key.id}`,
    `  name     ${orDash(name)}`,
    `  plan     ${plan}: ${limits.perMinute} requests a minute, ${limits.perDay} a day${planNotes[deps.plansOf]}`,
    `  expires  ${key.expires === undefined ? 'never' : dateText(key.expires)}`,
    `  routes   ${grantsText(key)}`,
    '',
    'Callers send it in the header x-service-api-key (or x-glacier-api-key).',
  ];
}

/** What to know about the figures of a plan. */
const planNotes: { readonly [S in PlanSource]: string } = {
  file: ' (by the file given here; start the server with the same)',
  server: '',
  'server that does not count': ' (the server does not count requests now: --rate-limits off, or it listens on loopback only)',
  defaults: ' (the defaults: no server has started here yet, --rate-limit-plans may change them)',
};

function endOf(expires: string | undefined, now: number): number | undefined {
  if (expires === undefined || expires === 'never') return undefined;
  const end = readExpiry(expires, now);
  if (end === undefined) throw badCommand(`keys create: --expires takes a time such as 30d, 12h or 2027-01-01, not "${expires}"`);
  if (end <= now) throw badCommand(`keys create: --expires ${expires} is in the past`);
  return end;
}

async function list({ json }: Asked<'list'>, { keys, now }: KeysDeps): Promise<string[]> {
  const all = await keys.list();
  if (json) return [JSON.stringify(all.map((key) => shownJson(key, now())))];
  if (all.length === 0) return ['There are no keys yet: make one with serac keys create'];
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

async function revoke({ key: asked, json }: Asked<'revoke'>, { keys, now }: KeysDeps): Promise<string[]> {
  const { id, revoked } = onlyOne(asked, await keys.list());
  await keys.revoke(id, now());
  // What is stored now, whoever was first.
  const key = onlyOne(id, await keys.list());
  if (json) return [JSON.stringify(shownJson(key, now()))];
  const called = `${key.id} (${orDash(key.name)})`;
  if (revoked !== undefined) return [`Key ${called} was revoked already, on ${dateText(revoked)}.`];
  return [`Key ${called} is revoked. Servers that run refuse it within a second.`];
}

/** By the whole id or key, else by how either begins. */
function onlyOne(asked: string, all: readonly ApiKey[]): ApiKey {
  const hash = hashOf(asked);
  const exact = all.filter((key) => key.id === asked || key.hash === hash);
  const found =
    exact.length > 0 ? exact : all.filter(({ id, prefix }) => asked !== '' && (id.startsWith(asked) || prefix.startsWith(asked)));
  const [key, another] = found;
  if (key === undefined)
    throw new KeysError(`there is no key ${asked}: serac keys list shows all`, { code: 'ACCESS_NO_SUCH_KEY', key: asked });
  if (another !== undefined) {
    const ids = found.map(({ id }) => id);
    throw new KeysError(`more than one key begins with ${asked}: ${ids.join(', ')}`, { code: 'ACCESS_KEY_NOT_UNIQUE', ids });
  }
  return key;
}

const shownJson = (key: ApiKey, now: number) => ({
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

/** Nothing that could move a terminal's cursor. */
const nameShape = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{0,64}$/u;

function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
