import { messageOf } from '../../base/fault.ts';
import { createSlots } from '../../base/timing/slots.ts';
import { every } from '../../base/timing/timers.ts';
import { type HookRunner, type RunnerDeps, startHookRunner } from './hook-runner.ts';
import { readSentMessage } from './message.ts';
import { sendAttempt } from './send-attempt.ts';
import { createStateSaver } from './state-saver.ts';
import type { StoredWebhook, WebhookStore } from './webhook-store.ts';

export type Deliverer = ReturnType<typeof startDeliverer>;

/** What metrics and the health check show of a deliverer. */
export type DelivererReading = {
  readonly active: number;
  /** Active webhooks whose last attempt failed. */
  readonly failing: number;
  readonly waiting: number;
  /** Seconds that the oldest request has waited because too many others were running. */
  readonly longestWait: number;
  readonly delivered: number;
  readonly failedAttempts: number;
  /** Webhooks that were made inactive since the start, because they failed for too long. */
  readonly givenUp: number;
  /** Why webhooks cannot be read, or their state not be stored. */
  readonly error: string | undefined;
};

/** Requests of all webhooks at the same time. */
const maxRequests = 32;
/** Those of one API key. */
const maxRequestsOfKey = 8;
/** Those that all API keys together leave to the operator, and the operator to them. */
const reservedRequests = 8;
export const requestCounts = { total: maxRequests, reserved: reservedRequests, ofOwner: maxRequestsOfKey } as const;
/** Milliseconds between two looks for changes that another process has made. */
const refreshInterval = 1000;

/** Delivers the events of all active webhooks, with a runner for each (hook-runner.ts). One process per database has one. */
export function startDeliverer(
  deps: Omit<RunnerDeps, 'slots' | 'observer'> & {
    readonly store: Pick<WebhookStore, 'revision' | 'changedSince' | 'saveStates' | 'update' | 'find' | 'takeWanted'>;
    readonly log: (line: string) => void;
  },
) {
  const { store, hub, send, timers, now, milliseconds, random, limits, formatAddress, log, logError } = deps;
  /** One per active webhook, so at most as many as there are webhooks. */
  const runners = new Map<string, { readonly runner: HookRunner; readonly filterText: string }>();
  let known = -1;
  let isClosed = false;
  let error: string | undefined;
  let [delivered, failedAttempts, givenUp] = [0, 0, 0];

  const fail = (cause: unknown): void => {
    error = messageOf(cause);
    logError(cause);
  };
  const saver = createStateSaver(store, timers, (cause) => {
    if (cause === undefined) error = undefined;
    else fail(cause);
  });
  /** Makes a webhook inactive that has no runner any more. Tries again until it is stored, unless the webhook was changed meanwhile and runs again. */
  const deactivate = (id: string, reason: string): void => {
    if (isClosed || runners.has(id)) return;
    store
      .update(id, (webhook) => ({ ...webhook, isActive: false, inactiveReason: reason }))
      .catch((cause: unknown) => {
        fail(cause);
        timers.after(refreshInterval, () => deactivate(id, reason));
      });
  };
  const slots = createSlots(requestCounts, now);
  const observer: RunnerDeps['observer'] = {
    onState: saver.put,
    onGivenUp: (id, reason) => {
      givenUp++;
      runners.delete(id);
      log(`webhook ${id} is inactive now: ${reason}`);
      deactivate(id, reason);
    },
    onAttempt: (id, attempt) => {
      saver.addAttempt(id, attempt);
      if (attempt.error === undefined) delivered++;
      else failedAttempts++;
    },
  };

  const stopRunner = (id: string): void => {
    runners.get(id)?.runner.stop();
    runners.delete(id);
  };
  const apply = ({ webhook, state }: StoredWebhook): void => {
    const filterText = JSON.stringify(webhook.filter);
    const running = runners.get(webhook.id);
    if (running !== undefined && webhook.isActive && running.filterText === filterText) {
      running.runner.change(webhook);
      return;
    }
    stopRunner(webhook.id);
    if (!webhook.isActive) return;
    // The position that this process knows may be newer than the stored one.
    const position = (running?.runner.state() ?? saver.unsaved(webhook.id) ?? state).position;
    const runner = startHookRunner(
      { webhook, state: { ...state, position } },
      { hub, send, timers, now, milliseconds, random, slots, limits, formatAddress, observer, logError },
    );
    runners.set(webhook.id, { runner, filterText });
  };

  const aborting = new AbortController();
  /** Sends a message again that somebody asked for. It changes nothing else: the webhook delivers as before. */
  const sendAgain = async ({ webhookID, body }: { readonly webhookID: string; readonly body: string | undefined }): Promise<void> => {
    const found = await store.find(webhookID).catch((cause: unknown) => void fail(cause));
    if (found === undefined || body === undefined || isClosed) return;
    const { webhook } = found;
    await slots.run(async () => {
      const message = readSentMessage(body);
      const attempt = await sendAttempt({ message, attempt: 1, webhook, send, now, milliseconds, signal: aborting.signal });
      if (!isClosed) observer.onAttempt(webhookID, attempt);
    }, webhook.owner);
  };

  const readChanges = async (): Promise<void> => {
    const revision = await store.revision();
    if (revision === known || isClosed) return;
    const { ids, changed } = await store.changedSince(known);
    if (isClosed) return;
    const present = new Set(ids);
    for (const id of runners.keys()) if (!present.has(id)) stopRunner(id);
    for (const stored of changed) apply(stored);
    for (const wanted of await store.takeWanted()) void sendAgain(wanted);
    // Last: what has failed is read again.
    known = revision;
  };
  const refresher = createRefresher(() => readChanges().catch(fail));
  const stopRefreshing = every(timers, refreshInterval, refresher.run);
  refresher.run();

  return {
    /** Looks for changed webhooks now; otherwise once a second. */
    refresh: refresher.run,
    read: (): DelivererReading => {
      const counts = countRunners([...runners.values()].map(({ runner }) => runner));
      return { ...counts, longestWait: slots.longestWait(), delivered, failedAttempts, givenUp, error };
    },
    /** Aborts running requests and stores how far deliveries are. */
    close: async (): Promise<void> => {
      isClosed = true;
      aborting.abort();
      stopRefreshing();
      for (const { runner } of runners.values()) runner.stop();
      await refresher.idle();
      await saver.close();
    },
  };
}

const countRunners = (runners: readonly HookRunner[]) => ({
  active: runners.length,
  failing: runners.filter((runner) => runner.state().failedAttempts > 0).length,
  waiting: runners.reduce((sum, runner) => sum + runner.waiting(), 0),
});

/** Runs work once at a time; calls during a run make it run once more. */
function createRefresher(work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let runAgain = false;
  const runAll = async (): Promise<void> => {
    while (runAgain) {
      runAgain = false;
      await work();
    }
    running = undefined;
  };
  return {
    run: (): void => {
      runAgain = true;
      running ??= runAll();
    },
    idle: async () => running,
  };
}
