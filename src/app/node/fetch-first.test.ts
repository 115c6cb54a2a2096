import { expect, test } from 'bun:test';
import type { Services } from '../../api/rpc/method.ts';
import type { DelivererReading } from '../../api/webhooks/deliverer.ts';
import { Fault } from '../../base/fault.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { parseValid, withFetchedFirst } from './fetch-first.ts';
import { checkDeliveries, registerDeliveryMetrics } from './webhook-delivery.ts';

test('a method runs when what its parameters name was fetched; others run at once', async () => {
  const steps: string[] = [];
  const method = (name: string) => ({ run: async () => void steps.push(`run ${name}`) });
  const services = { methods: new Map(['a.b', 'a.c'].map((name) => [name, method(name)])) } as unknown as Services;
  const fetched = withFetchedFirst(services, {
    'a.b': async ({ address }) => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`fetched ${address}`);
    },
  });
  await fetched.methods.get('a.b')?.run({ address: 'alice' });
  await fetched.methods.get('a.c')?.run({});
  expect(steps).toEqual(['fetched alice', 'run a.b', 'run a.c']);
  expect(fetched.methods.get('a.c')).toBe(services.methods.get('a.c') as never);
  const failing = withFetchedFirst(services, { 'a.b': () => Promise.reject(new TypeError('away')) });
  await expect(failing.methods.get('a.b')?.run({}) as Promise<unknown>).rejects.toThrow('away');
  const nothing = withFetchedFirst(services, { 'a.b': () => undefined });
  await nothing.methods.get('a.b')?.run({});
  expect(steps.at(-1)).toBe('run a.b');
});

test('texts that cannot be parsed are left out; another error is thrown', () => {
  const parse = (text: string): number => {
    if (text === 'bad') throw new Fault('bad', { code: 'BAD' } as never);
    if (text === 'bug') throw new TypeError('bug');
    return Number(text);
  };
  expect(parseValid(parse, ['1', 'bad', '2'])).toEqual([1, 2]);
  expect(() => parseValid(parse, ['1', 'bug'])).toThrow('bug');
});

const reading = {
  ...{ error: undefined, active: 5, failing: 1, waiting: 7, longestWait: 2.5, givenUp: 3, delivered: 11, failedAttempts: 13 },
} as unknown as DelivererReading;

test('only deliveries that cannot be stored make the node unhealthy', () => {
  const details = { active: 5, failing: 1, waiting: 7, longestWait: 2.5, givenUp: 3 };
  expect(checkDeliveries(reading)).toEqual({ details, error: undefined });
  expect(checkDeliveries({ ...reading, error: 'disk full' } as never)).toEqual({
    details,
    error: 'deliveries of webhooks cannot be stored: disk full',
  });
});

test('metrics of deliveries are there while this process delivers', () => {
  let current: DelivererReading | undefined = reading;
  const registry = createMetricRegistry();
  registerDeliveryMetrics(registry, () => current);
  const values = () =>
    Object.fromEntries(registry.families().map(({ name, samples }) => [name, samples.map(([, value]) => Number(value))]));
  expect(values()).toEqual({
    serac_webhooks_active: [5],
    serac_webhooks_failing: [1],
    serac_webhook_deliveries_waiting: [7],
    serac_webhook_longest_wait_seconds: [2.5],
    serac_webhook_attempts_total: [11, 13],
    serac_webhooks_given_up_total: [3],
  });
  current = undefined;
  expect(Object.values(values()).flat()).toEqual([]);
});
