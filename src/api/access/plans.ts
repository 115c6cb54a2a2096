import { Fault } from '../../base/fault.ts';
import type { Limits } from './rate-limit.ts';

/** The rate limits of each plan of an API, and the weight of a request to each route. */
type ApiPlans = {
  /** For each caller (IP address) without a key. */
  readonly anonymous: Limits;
  /** For each key, by the name of its plan. */
  readonly keyed: ReadonlyMap<string, Limits>;
  readonly weights: ReadonlyMap<string, number>;
};
export type Plans = {
  readonly data: ApiPlans;
  readonly metrics: ApiPlans;
  /** The Node RPC, with `--public-api`. Every call counts, also in a batch. */
  readonly node: ApiPlans;
};
export type ApiName = keyof Plans;

/** The ids of all routes, by API. The Node RPC has none. */
export type RouteIds = { readonly [A in Exclude<ApiName, 'node'>]: readonly string[] };

/** The plan of a key that was created without `--plan`. */
export const defaultPlan = 'free';

/** The plans of the hosted API (AvaCloud), counted in requests. The Metrics API and the Node RPC have no keys, so they have one plan. */
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
  node: { anonymous: { perMinute: 6_000, perDay: 1_200_000 }, keyed: new Map(), weights: new Map() },
};

/** The limits of a plan. A plan that is no longer in the file has the limits of the default plan. */
export const limitsOf = ({ anonymous, keyed }: ApiPlans, plan: string): Limits => keyed.get(plan) ?? keyed.get(defaultPlan) ?? anonymous;

/** The weight of a request to a route. A route without a configured weight, and a path without a route, have weight 1. */
export const weightOf = ({ weights }: ApiPlans, route: string | undefined): number => weights.get(route ?? '') ?? 1;

/**
 * Reads the text of a `--rate-limit-plans` file. Its plans replace or extend the defaults, plan by plan. Throws a `PlansError` that lists all
 * problems at once, each with its path inside the file.
 */
export function readPlans(text: string, routes: RouteIds): Plans {
  const file = parseJson(text);
  const problems: string[] = [];
  const plans = readFile(file, routes, problems);
  if (problems.length > 0) throw plansError(problems);
  return plans;
}

/** Far above any real plan, and far below the largest exact integer. */
const maxPerWindow = 1_000_000_000;
const maxWeight = 1_000_000;
const planNamePattern = /^[a-z0-9][a-z0-9._-]{0,31}$/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw plansError([`the file is not JSON: ${(cause as { message: string }).message}`]);
  }
}

function readFile(file: unknown, routes: RouteIds, problems: string[]): Plans {
  const parts = entriesOf(file, 'the file', problems);
  for (const [name] of parts)
    if (!Object.hasOwn(defaultPlans, name)) problems.push(`${name} is not an API: the APIs are data, metrics and node`);
  const given = new Map(parts);
  const read = (api: ApiName): ApiPlans =>
    given.has(api) ? readApi(api, given.get(api), api === 'node' ? [] : routes[api], problems) : defaultPlans[api];
  return { data: read('data'), metrics: read('metrics'), node: read('node') };
}

function readApi(api: ApiName, value: unknown, routes: readonly string[], problems: string[]): ApiPlans {
  const parts = new Map(entriesOf(value, api, problems));
  const weights = readWeights(`${api}.weights`, parts.get('weights') ?? {}, routes, problems);
  parts.delete('weights');
  const plans = new Map([['anonymous', defaultPlans[api].anonymous], ...defaultPlans[api].keyed]);
  for (const [name, part] of parts) {
    const path = `${api}.${name}`;
    if (!planNamePattern.test(name))
      problems.push(`${path}: a plan name is 1 to 32 letters, digits, dots, dashes and underscores, and starts with a letter or digit`);
    else if (api !== 'data' && name !== 'anonymous')
      problems.push(`${path}: the ${api === 'node' ? 'Node RPC' : 'Metrics API'} has no keys, so its only plan is anonymous`);
    else plans.set(name, readLimits(path, part, problems));
  }
  if (problems.length === 0) problems.push(...weightsAboveLimits(api, plans, weights));
  const { anonymous } = Object.fromEntries(plans) as { anonymous: Limits };
  plans.delete('anonymous');
  return { anonymous, keyed: plans, weights };
}

function readWeights(path: string, value: unknown, routes: readonly string[], problems: string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [route, weight] of entriesOf(value, path, problems))
    if (routes.includes(route)) weights.set(route, readWholeNumber(`${path}.${route}`, weight, 0, maxWeight, problems));
    else problems.push(`${path}.${route}: there is no such route; the routes are ${routes.join(', ') || 'none'}`);
  return weights;
}

function readLimits(path: string, value: unknown, problems: string[]): Limits {
  const given = new Map(entriesOf(value, path, problems));
  for (const name of given.keys())
    if (name !== 'perMinute' && name !== 'perDay') problems.push(`${path}.${name} is not a known setting: a plan has perMinute and perDay`);
  const limit = (name: string) => readWholeNumber(`${path}.${name}`, given.get(name), 1, maxPerWindow, problems);
  return { perMinute: limit('perMinute'), perDay: limit('perDay') };
}

/** Problems of weights that are larger than the limit of a plan: such a request would always be refused. */
function weightsAboveLimits(api: ApiName, plans: ReadonlyMap<string, Limits>, weights: ReadonlyMap<string, number>): string[] {
  return [...weights].flatMap(([route, weight]) =>
    [...plans]
      .filter(([, { perMinute, perDay }]) => weight > Math.min(perMinute, perDay))
      .map(
        ([plan, { perMinute, perDay }]) =>
          `${api}.weights.${route} is ${weight}, more than the limit of ${api}.${plan} (${Math.min(perMinute, perDay)})`,
      ),
  );
}

function entriesOf(value: unknown, path: string, problems: string[]): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  problems.push(`${path} must be an object, not ${excerptOf(value)}`);
  return [];
}

function readWholeNumber(path: string, value: unknown, least: number, most: number, problems: string[]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  problems.push(
    `${path} must be a whole number from ${least} to ${most}, ${value === undefined ? 'but it is missing' : `not ${excerptOf(value)}`}`,
  );
  return most;
}

function excerptOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

type PlansFault = { code: 'ACCESS_BAD_PLANS'; problems: readonly string[] };
export class PlansError extends Fault<PlansFault> {}

const plansError = (problems: readonly string[]) =>
  new PlansError(`rate limit plans: ${problems.join('; ')}`, { code: 'ACCESS_BAD_PLANS', problems });
