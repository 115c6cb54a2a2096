import { messageOf } from '../../base/fault.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { WebhookError } from './fault.ts';
import { checkTargetAddress, hostOf, parseTarget, policyForOwner, type TargetPolicy } from './target-policy.ts';

/** Sends one request and returns the status. Rejects with the reason unless the receiver answers with a status from 200 to 299. */
export type SendMessage = (attempt: {
  readonly url: string;
  /** The API key of the webhook; undefined: the operator. */
  readonly owner: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<number>;

/** What sends need of the platform. */
export type PostSockets = {
  /** The IP addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Sends a POST to exactly this IP address, follows no redirect, and returns the status of the response. */
  readonly post: (request: PostRequest) => Promise<number>;
};

export type PostRequest = {
  readonly url: URL;
  /** The IP address to connect to. The host of the URL is in the request, and in the certificate that is checked. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request with its reason. */
  readonly signal: AbortSignal;
  /** Bytes that are read of the response. */
  readonly maxResponseBytes: number;
};

/** Milliseconds of one request, from the resolution of its name on. */
const requestTimeout = 10_000;
const maxResponseBytes = 16_384;

/**
 * Sends messages to targets that the policy allows. The addresses of a name are checked at every attempt, and the connection is made to one
 * that was checked: a name that resolves differently the second time reaches nothing else.
 */
export function createSendMessage(
  { resolve, post }: PostSockets,
  serverPolicy: TargetPolicy,
  version: string,
  timers: Pick<Timers, 'after'>,
): SendMessage {
  const findAddresses = shareRunning(resolve);
  return async ({ url: text, owner, headers, body, signal: outer }) => {
    const policy = policyForOwner(serverPolicy, owner);
    const url = parseTarget(text, policy);
    const host = hostOf(url);
    const { signal, end } = startDeadline(outer, timers);
    try {
      const addresses = await Promise.race([findAddresses(host), rejectOnAbort(signal)]).catch((error: unknown) => {
        throw noAddress(host, `: ${reasonOf(error)}`);
      });
      for (const address of addresses) checkTargetAddress(host, address, policy);
      if (addresses.length === 0) throw noAddress(host, '');
      const sentHeaders = { 'user-agent': `serac/${version}`, ...headers };
      const postTo = (address: string) => post({ url, address, headers: sentHeaders, body, signal, maxResponseBytes });
      const status = await postToFirst(addresses, postTo).catch((error: unknown) => {
        throw new WebhookError(`the request to ${url.host} failed: ${reasonOf(error)}`, { code: 'WEBHOOK_FAILED', status: undefined });
      });
      if (status >= 200 && status <= 299) return status;
      const reason = status >= 300 && status <= 399 ? 'redirects are not followed' : 'a status from 200 to 299 is needed';
      throw new WebhookError(`${url.host} answered with status ${status}; ${reason}`, { code: 'WEBHOOK_FAILED', status });
    } finally {
      end();
    }
  };
}

/**
 * Posts to the first address that takes a connection. A name such as `localhost` often has an address of IPv6 too, at which nothing listens, and many
 * machines have no IPv6.
 */
async function postToFirst([address, ...others]: readonly string[], postTo: (address: string) => Promise<number>): Promise<number> {
  try {
    return await postTo(address as string);
  } catch (error) {
    if (others.length === 0 || !connectErrors.has((error as { code?: string }).code)) throw error;
    return postToFirst(others, postTo);
  }
}

/** Codes of a connection that was not made: nothing was sent. */
const connectErrors: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/**
 * Lets calls for the same key share the promise of the one that runs. A resolution cannot be aborted: one that takes longer than its request
 * runs on, and the next attempt waits for it in place of starting another.
 */
function shareRunning<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return (key) => {
    const started = running.get(key) ?? work(key).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

/** A signal that is aborted with `outer`, or when the time of a request is over. Call `end` when the request is done. */
function startDeadline(outer: AbortSignal, timers: Pick<Timers, 'after'>) {
  const controller = new AbortController();
  const tooLate = () => new WebhookError(`no response in ${requestTimeout / 1000} s`, { code: 'WEBHOOK_FAILED', status: undefined });
  const cancel = timers.after(requestTimeout, () => controller.abort(tooLate()));
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort);
  const end = (): void => {
    cancel();
    outer.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, end };
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

const noAddress = (host: string, reason: string) =>
  new WebhookError(`the name ${host} has no address${reason}`, { code: 'WEBHOOK_NO_ADDRESS', host });

/** The message of an error of the platform, without its class. */
const reasonOf = (error: unknown): string => (error as { message?: string }).message ?? messageOf(error);
