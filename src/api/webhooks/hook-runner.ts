import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import type { Slots } from '../../base/timing/slots.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { EventHub } from '../events/hub.ts';
import type { StreamEvent } from '../events/stream-event.ts';
import { createDeliveryWindow, type DeliveryWindow, type Pending } from './delivery-window.ts';
import { createHookSubscription } from './hook-subscription.ts';
import { createMessage, type Message, readEvent } from './message.ts';
import { sendAttempt } from './send-attempt.ts';
import type { SendMessage } from './send-message.ts';
import type { Attempt, DeliveryState, Gap, Webhook } from './webhook.ts';
import type { StoredWebhook } from './webhook-store.ts';

/** Limits of the deliveries of a webhook. */
export type DeliveryLimits = {
  /** Requests of one webhook at the same time. */
  readonly running: number;
  /** Deliveries of one webhook that wait, about; further events stay in the log. */
  readonly waiting: number;
  /** Milliseconds between two attempts. */
  readonly backoff: { readonly first: number; readonly max: number };
  /** Seconds of failures after which a webhook is made inactive. */
  readonly failingSeconds: number;
};

export const deliveryLimits: DeliveryLimits = {
  running: 4,
  waiting: 64,
  backoff: { first: 1000, max: 300_000 },
  failingSeconds: 86_400,
};

/** What the runners of all webhooks share. */
export type RunnerDeps = {
  readonly hub: Pick<EventHub, 'subscribe' | 'unsubscribe'>;
  readonly send: SendMessage;
  readonly timers: Pick<Timers, 'after'>;
  /** Unix seconds. */
  readonly now: () => number;
  /** Unix milliseconds, for the list of attempts. */
  readonly milliseconds: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Limits the requests of all webhooks together. The owner of a request is the API key of its webhook; the operator's have none. */
  readonly slots: Pick<Slots, 'run'>;
  readonly limits: DeliveryLimits;
  readonly formatAddress: (chainID: Id) => (address: Address) => string;
  readonly observer: RunnerObserver;
  readonly logError: (error: unknown) => void;
};

type RunnerObserver = {
  /** Called after every change of the state. */
  readonly onState: (id: string, state: DeliveryState) => void;
  /** Called when deliveries have failed for too long: the runner has stopped. */
  readonly onGivenUp: (id: string, reason: string) => void;
  readonly onAttempt: (id: string, attempt: Attempt) => void;
};

export type HookRunner = ReturnType<typeof startHookRunner>;

/**
 * Delivers the events of one webhook: takes them from the event stream (hook-subscription.ts), sends those that do not wait for others
 * (delivery-window.ts), and after a failure pauses and tries again.
 */
export function startHookRunner({ webhook: first, state: firstState }: StoredWebhook, deps: RunnerDeps) {
  const { hub, timers, now, limits, observer, logError } = deps;
  const window = createDeliveryWindow<Message>(firstState.position);
  const aborting = new AbortController();
  const keys = new Set<string>([...first.filter.keys]);
  let webhook = first;
  let state = firstState;
  let isStopped = false;
  /** Attempts of the deliveries that are not finished. */
  const attempts = new Map<Pending<Message>, number>();
  const pause = createPause(timers, createBackoff(limits.backoff, deps.random), () => startNext());

  const setState = (change: Partial<DeliveryState>): void => {
    state = { ...state, ...change, position: window.position() };
    observer.onState(webhook.id, state);
  };

  /** Takes events while there is room; those that are not taken stay in the log. */
  const pump = (): void => {
    while (window.size() < limits.waiting) {
      const events = subscription.take();
      if (events.length === 0) break;
      const before = window.position();
      for (const event of events) {
        const gap = addEvent(webhook, keys, event, window, deps);
        if (gap !== undefined) setState({ gap });
      }
      if (window.position() !== before) setState({});
    }
    startNext();
  };
  const subscription = createHookSubscription(first, { hub, timers, last: window.last, onEvents: pump, logError });

  const startNext = (): void => {
    if (isStopped || pause.isOn()) return;
    // After a failure one request tries whether the receiver answers again.
    const maxRunning = state.failedAttempts > 0 ? 1 : limits.running;
    for (const pending of window.start(maxRunning)) void deps.slots.run(() => deliver(pending), webhook.owner);
  };

  const deliver = async (pending: Pending<Message>): Promise<void> => {
    if (isStopped || pause.isOn()) {
      window.fail(pending);
      return;
    }
    const number = (attempts.get(pending) ?? 0) + 1;
    attempts.set(pending, number);
    const { send, milliseconds } = deps;
    const attempt = await sendAttempt({
      message: pending.value,
      attempt: number,
      webhook,
      send,
      now,
      milliseconds,
      signal: aborting.signal,
    });
    if (isStopped) return;
    observer.onAttempt(webhook.id, attempt);
    if (attempt.error !== undefined) {
      window.fail(pending);
      retryLater(attempt.error);
      return;
    }
    window.finish(pending);
    attempts.delete(pending);
    pause.reset();
    setState({ delivered: state.delivered + 1, deliveredAt: now(), failedAttempts: 0, failingSince: undefined, lastError: undefined });
    subscription.open();
    pump();
  };

  const retryLater = (failure: string): void => {
    const failingSince = state.failingSince ?? now();
    setState({ failedAttempts: state.failedAttempts + 1, failingSince, lastError: failure });
    if (now() - failingSince >= limits.failingSeconds) {
      stop();
      observer.onGivenUp(webhook.id, `no delivery succeeded for ${Math.floor((now() - failingSince) / 3600)} h: ${failure}`);
      return;
    }
    // Events wait in the log, not in memory, until the receiver answers again.
    subscription.close();
    pause.begin();
  };

  const stop = (): void => {
    isStopped = true;
    pause.cancel();
    subscription.close();
    aborting.abort();
  };

  subscription.open();
  return {
    state: (): DeliveryState => state,
    /** The number of deliveries that wait. */
    waiting: window.size,
    /** Uses other settings from now on; the filter is the same. */
    change: (changed: Webhook): void => {
      webhook = changed;
      if (!pause.isOn()) return;
      // A new URL is tried at once, and has its full time.
      pause.cancel();
      pause.reset();
      setState({ failedAttempts: 0, failingSince: undefined });
      startNext();
    },
    /** Aborts what is running. */
    stop,
  };
}

/** The pause after a failed delivery, in which nothing is sent. */
function createPause(timers: Pick<Timers, 'after'>, backoff: ReturnType<typeof createBackoff>, onEnd: () => void) {
  let cancel: (() => void) | undefined;
  return {
    isOn: () => cancel !== undefined,
    begin: (): void => {
      cancel ??= timers.after(backoff.next(), () => {
        cancel = undefined;
        onEnd();
      });
    },
    cancel: (): void => {
      cancel?.();
      cancel = undefined;
    },
    /** Makes the next pause as short as the first. */
    reset: backoff.reset,
  };
}

/** Adds the delivery of an event to the window. Returns the gap if events were lost before it. */
function addEvent(
  webhook: Webhook,
  keys: ReadonlySet<string>,
  event: StreamEvent,
  window: DeliveryWindow<Message>,
  deps: RunnerDeps,
): Gap | undefined {
  const parsed = readEvent(event);
  const isOfOtherChain = parsed.chainID !== undefined && parsed.chainID !== idText(webhook.chainID);
  if (event.kind === 'heartbeat' || isOfOtherChain) {
    window.pass(parsed.id);
    return undefined;
  }
  const isReset = event.kind === 'reset';
  const gap = isReset ? { after: window.last(), resumedAt: parsed.id, reason: String(parsed.reason), time: deps.now() } : undefined;
  const owners = [...(event.subject?.owners ?? [])];
  const concerned = webhook.filter.keyType === 'addresses' ? owners.filter((owner) => keys.has(owner)) : owners;
  window.add({
    value: createMessage(webhook, parsed, concerned, deps.formatAddress(webhook.chainID)),
    eventID: parsed.id,
    subjects: event.kind === 'tx' ? new Set(concerned) : undefined,
  });
  return gap;
}
