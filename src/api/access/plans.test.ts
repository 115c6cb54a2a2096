import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { defaultPlans, limitsOf, PlansError, readPlans, weightOf } from './plans.ts';

const routes = { data: ['listUtxos', 'getBlock'], metrics: ['avgTps'] };
const problemsOf = (text: string): readonly string[] => {
  try {
    readPlans(text, routes);
    return [];
  } catch (cause) {
    if (!(cause instanceof PlansError)) throw cause;
    expect(cause.message).toBe(`rate limit plans: ${cause.fault.problems.join('; ')}`);
    return cause.fault.problems;
  }
};

test('the defaults are the plans of the hosted API, every request with weight 1', () => {
  expect(defaultPlans.data.anonymous).toEqual({ perMinute: 6_000, perDay: 1_200_000 });
  expect(limitsOf(defaultPlans.data, 'free')).toEqual({ perMinute: 8_000, perDay: 2_000_000 });
  expect(limitsOf(defaultPlans.data, 'pro')).toEqual({ perMinute: 20_000, perDay: 25_000_000 });
  expect(limitsOf(defaultPlans.data, 'gone')).toEqual(limitsOf(defaultPlans.data, 'free'));
  expect(defaultPlans.metrics.anonymous).toEqual({ perMinute: 8_000, perDay: 1_200_000 });
  expect(weightOf(defaultPlans.data, 'listUtxos')).toBe(1);
});

test('a file replaces and adds plans, plan by plan', () => {
  const file = {
    data: {
      anonymous: { perMinute: 60, perDay: 1_000 },
      shop: { perMinute: 5_000, perDay: 9_000 },
      weights: { listUtxos: 20, getBlock: 0 },
    },
    metrics: { anonymous: { perMinute: 7, perDay: 70 }, weights: { avgTps: 2 } },
  };
  const plans = readPlans(JSON.stringify(file), routes);
  expect(plans.data.anonymous).toEqual({ perMinute: 60, perDay: 1_000 });
  expect([...plans.data.keyed.keys()]).toEqual(['free', 'base', 'growth', 'pro', 'shop']);
  expect(limitsOf(plans.data, 'shop')).toEqual({ perMinute: 5_000, perDay: 9_000 });
  expect([weightOf(plans.data, 'listUtxos'), weightOf(plans.data, 'getBlock')]).toEqual([20, 0]);
  expect(plans.metrics).toEqual({ anonymous: { perMinute: 7, perDay: 70 }, keyed: new Map(), weights: new Map([['avgTps', 2]]) });
  const node = { anonymous: { perMinute: 5, perDay: 50 } };
  expect(readPlans(JSON.stringify({ node }), routes)).toEqual({ ...defaultPlans, node: { ...defaultPlans.node, ...node } });
  expect(readPlans('{}', routes)).toEqual(defaultPlans);
  expect(readPlans('{"data":{}}', routes)).toEqual(defaultPlans);
});

test('all problems are reported at once, each with its path', () => {
  const file = {
    data: {
      anonymous: { perMinute: '60', perDay: 0 },
      free: { perMinute: 10, perHour: 5 },
      base: [],
      'a plan': { perMinute: 1, perDay: 1 },
      weights: { listUtxo: 2, getBlock: -1 },
    },
    metrics: { pro: { perMinute: 1, perDay: 1 }, weights: 3 },
    glacier: {},
  };
  expect(problemsOf(JSON.stringify(file))).toEqual([
    'glacier is not an API: the APIs are data, metrics and node',
    'data.weights.listUtxo: there is no such route; the routes are listUtxos, getBlock',
    'data.weights.getBlock must be a whole number from 0 to 1000000, not -1',
    'data.anonymous.perMinute must be a whole number from 1 to 1000000000, not "60"',
    'data.anonymous.perDay must be a whole number from 1 to 1000000000, not 0',
    'data.free.perHour is not a known setting: a plan has perMinute and perDay',
    'data.free.perDay must be a whole number from 1 to 1000000000, but it is missing',
    'data.base must be an object, not []',
    'data.base.perMinute must be a whole number from 1 to 1000000000, but it is missing',
    'data.base.perDay must be a whole number from 1 to 1000000000, but it is missing',
    'data.a plan: a plan name is 1 to 32 letters, digits, dots, dashes and underscores, and starts with a letter or digit',
    'metrics.weights must be an object, not 3',
    'metrics.pro: the Metrics API has no keys, so its only plan is anonymous',
  ]);
  expect(problemsOf('[]')).toEqual(['the file must be an object, not []']);
  expect(problemsOf('{"data":')[0]).toStartWith('the file is not JSON: ');
  expect(problemsOf('{"data":{"__proto__":{"perMinute":1,"perDay":1}}}')).toHaveLength(1);
});

test('a weight above the limit of a plan is rejected', () => {
  const file = { data: { anonymous: { perMinute: 10, perDay: 100 }, weights: { listUtxos: 11 } } };
  expect(problemsOf(JSON.stringify(file))).toEqual(['data.weights.listUtxos is 11, more than the limit of data.anonymous (10)']);
});

test('any file is read, or rejected with a list of problems', () => {
  fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => void problemsOf(text)));
});
