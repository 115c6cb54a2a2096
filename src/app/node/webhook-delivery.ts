import type { EventHub } from '../../api/events/hub.ts';
import { type Deliverer, type DelivererReading, startDeliverer } from '../../api/webhooks/deliverer.ts';
import { deliveryLimits, type RunnerDeps } from '../../api/webhooks/hook-runner.ts';
import { createSendMessage } from '../../api/webhooks/send-message.ts';
import type { TargetPolicy } from '../../api/webhooks/target-policy.ts';
import type { WebhookStore } from '../../api/webhooks/webhook-store.ts';
import type { Outcome } from '../../base/health/result.ts';
import type { MetricRegistry } from '../../base/metrics/registry.ts';
import type { Env } from '../platform/env.ts';

/** Delivers the events of the webhooks of a database, from this process. */
export const startWebhookDelivery = (
  env: Env,
  {
    store,
    hub,
    policy,
    formatAddress,
    logError,
  }: {
    readonly store: WebhookStore;
    readonly hub: EventHub;
    readonly policy: TargetPolicy;
    readonly formatAddress: RunnerDeps['formatAddress'];
    readonly logError: (error: unknown) => void;
  },
): Deliverer =>
  startDeliverer({
    store,
    hub,
    formatAddress,
    logError,
    send: createSendMessage(env.postSockets, policy, env.version, env.timers),
    timers: env.timers,
    now: () => Number(env.clock.unixSeconds()),
    milliseconds: () => Number(env.clock.unixNanos() / 1_000_000n),
    random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
    limits: deliveryLimits,
    log: (line) => env.log(line, 'warn'),
  });

/** The deliveries as a health check: a webhook that fails is its receiver's fault, so only storing them may fail. */
export const checkDeliveries = ({ error, active, failing, waiting, longestWait, givenUp }: DelivererReading): Outcome => ({
  details: { active, failing, waiting, longestWait, givenUp },
  error: error === undefined ? undefined : `deliveries of webhooks cannot be stored: ${error}`,
});

/** Registers the metrics of deliveries. `read` returns undefined while this process does not deliver. */
export function registerDeliveryMetrics(registry: MetricRegistry, read: () => DelivererReading | undefined): void {
  const gauge = (name: string, help: string, value: (reading: DelivererReading) => number): void =>
    registry.addReading('gauge', name, help, () => {
      const reading = read();
      return reading && value(reading);
    });
  gauge('serac_webhooks_active', 'Webhooks that this process delivers.', ({ active }) => active);
  gauge('serac_webhooks_failing', 'Of these, those whose last attempt failed.', ({ failing }) => failing);
  gauge('serac_webhook_deliveries_waiting', 'Deliveries that were read from the event log and are not finished.', ({ waiting }) => waiting);
  gauge(
    'serac_webhook_longest_wait_seconds',
    'Time that the oldest request of a webhook has waited because too many others were running.',
    ({ longestWait }) => longestWait,
  );
  registry.addReading('counter', 'serac_webhook_attempts_total', 'Requests of webhooks by result.', () => {
    const reading = read();
    if (reading === undefined) return [];
    return [
      [{ result: 'delivered' }, reading.delivered],
      [{ result: 'failed' }, reading.failedAttempts],
    ];
  });
  registry.addReading(
    'counter',
    'serac_webhooks_given_up_total',
    'Webhooks that were made inactive because they failed for too long.',
    () => read()?.givenUp,
  );
}
