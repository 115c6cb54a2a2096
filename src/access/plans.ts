import { Fault } from '../fault.ts';
import type { Limits } from './window.ts';

/** How much each plan may ask of an interface, and what a request of each route counts for. */
export type ApiPlans = {
  /** For each caller without a key. */
  readonly anonymous: Limits;
  /** For each key, by the name of its plan. */
  readonly keyed: ReadonlyMap<string, Limits>;
  readonly weights: ReadonlyMap<string, number>;
};
export type Plans = { readonly data: ApiPlans; readonly metrics: ApiPlans };
export type Api = keyof Plans;

/** The ids of every route, by interface. */
export type RouteIds = { readonly [A in Api]: readonly string[] };

/** The plan of a key that was made without naming one. */
export const defaultPlan = 'free';

/** The hosted API's plans, counted in requests. The Metrics interface knows no keys, so it has one plan. */
export const defaultPlans: Plans = {
  data: {
    anonymous: { perMinute: 6_000, perDay: 1_200_000 },
    keyed: new Map([
      [defaultPlan, { perMinute: 8_000, perDay: 2_000_000 }],
      ['base', { perMinute: 10_000, perDay: 3_750_000 }],
      ['growth', { perMinute: 14_000, perDay: 11_200_000 }],
      ['pro', { perMinute: 20_000, perDay: 25_000_000 }],
    ]),
    weights: new Map(),
  },
  metrics: { anonymous: { perMinute: 8_000, perDay: 1_200_000 }, keyed: new Map(), weights: new Map() },
};

/** What a key may ask of an interface. If its plan is no longer in the file, it is on the default one. */
export const limitsOf = ({ anonymous, keyed }: ApiPlans, plan: string): Limits => keyed.get(plan) ?? keyed.get(defaultPlan) ?? anonymous;

/** A path without a route counts like a route without a weight. */
export const weightOf = ({ weights }: ApiPlans, route: string | undefined): number => weights.get(route ?? '') ?? 1;

/**
 * The text of a `--rate-limit-plans` file. What it says replaces or adds to the defaults, plan by plan. Everything that is wrong with it is
 * told at once, each with its path inside the file.
 */
export function readPlans(text: string, routes: RouteIds): Plans {
  const file = parse(text);
  const problems: string[] = [];
  const plans = readFile(file, routes, problems);
  if (problems.length > 0) throw badPlans(problems);
  return plans;
}

/** Far above any real plan, and far below where counters end. */
const mostPerWindow = 1_000_000_000;
const mostWeight = 1_000_000;
const planName = /^[a-z0-9][a-z0-9._-]{0,31}$/i;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badPlans([`the file is not JSON: ${(cause as { message: string }).message}`]);
  }
}

function readFile(file: unknown, routes: RouteIds, problems: string[]): Plans {
  const parts = entriesOf(file, 'the file', problems);
  for (const [name] of parts)
    if (!Object.hasOwn(defaultPlans, name)) problems.push(`${name} is not an interface: there are data and metrics`);
  const given = new Map(parts);
  const read = (api: Api): ApiPlans => (given.has(api) ? readApi(api, given.get(api), routes[api], problems) : defaultPlans[api]);
  return { data: read('data'), metrics: read('metrics') };
}

function readApi(api: Api, value: unknown, routes: readonly string[], problems: string[]): ApiPlans {
  const parts = new Map(entriesOf(value, api, problems));
  const weights = readWeights(`${api}.weights`, parts.get('weights') ?? {}, routes, problems);
  parts.delete('weights');
  const plans = new Map([['anonymous', defaultPlans[api].anonymous], ...defaultPlans[api].keyed]);
  for (const [name, part] of parts) {
    const path = `${api}.${name}`;
    if (!planName.test(name)) problems.push(`${path}: the name of a plan has at most 32 letters, digits, dots and dashes`);
    else if (api === 'metrics' && name !== 'anonymous')
      problems.push(`${path}: the Metrics interface knows no keys, so its only plan is anonymous`);
    else plans.set(name, readLimits(path, part, problems));
  }
  if (problems.length === 0) problems.push(...tooHeavy(api, plans, weights));
  const { anonymous } = Object.fromEntries(plans) as { anonymous: Limits };
  plans.delete('anonymous');
  return { anonymous, keyed: plans, weights };
}

function readWeights(path: string, value: unknown, routes: readonly string[], problems: string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [route, weight] of entriesOf(value, path, problems))
    if (routes.includes(route)) weights.set(route, whole(`${path}.${route}`, weight, 0, mostWeight, problems));
    else problems.push(`${path}.${route}: there is no such route; the routes are ${routes.join(', ')}`);
  return weights;
}

function readLimits(path: string, value: unknown, problems: string[]): Limits {
  const given = new Map(entriesOf(value, path, problems));
  for (const name of given.keys())
    if (name !== 'perMinute' && name !== 'perDay') problems.push(`${path}.${name} is not known: a plan has perMinute and perDay`);
  const limit = (name: string) => whole(`${path}.${name}`, given.get(name), 1, mostPerWindow, problems);
  return { perMinute: limit('perMinute'), perDay: limit('perDay') };
}

/** A request that counts for more than a plan allows could never be made under it. */
function tooHeavy(api: Api, plans: ReadonlyMap<string, Limits>, weights: ReadonlyMap<string, number>): string[] {
  return [...weights].flatMap(([route, weight]) =>
    [...plans]
      .filter(([, { perMinute, perDay }]) => weight > Math.min(perMinute, perDay))
      .map(
        ([plan, { perMinute, perDay }]) =>
          `${api}.weights.${route} is ${weight}, more than ${api}.${plan} ever allows (${Math.min(perMinute, perDay)})`,
      ),
  );
}

function entriesOf(value: unknown, path: string, problems: string[]): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  problems.push(`${path} must be an object, not ${shown(value)}`);
  return [];
}

function whole(path: string, value: unknown, least: number, most: number, problems: string[]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  problems.push(
    `${path} must be a whole number from ${least} to ${most}, ${value === undefined ? 'but it is missing' : `not ${shown(value)}`}`,
  );
  return most;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export type PlansFault = { code: 'ACCESS_BAD_PLANS'; problems: readonly string[] };
export class PlansError extends Fault<PlansFault> {}

const badPlans = (problems: readonly string[]) =>
  new PlansError(`rate limit plans: ${problems.join('; ')}`, { code: 'ACCESS_BAD_PLANS', problems });
