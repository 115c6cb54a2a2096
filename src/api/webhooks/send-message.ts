import { messageOf } from '../../base/fault.ts';
import { WebhookError } from './fault.ts';
import { checkTargetAddress, hostOf, parseTarget, policyForOwner, type TargetPolicy } from './target-policy.ts';

/** Sends one request. Rejects with the reason unless the receiver answers with a status from 200 to 299. */
export type SendMessage = (attempt: {
  readonly url: string;
  /** The API key of the webhook; undefined: the operator. */
  readonly owner: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<void>;

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
  readonly signal: AbortSignal;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  /** Bytes that are read of the response. */
  readonly maxResponseBytes: number;
};

/** Limits of one request. */
const requestLimits = { timeout: 10_000, maxResponseBytes: 16_384 } as const;

/**
 * Sends messages to targets that the policy allows. The addresses of a name are checked at every attempt, and the connection is made to one
 * that was checked: a name that resolves differently the second time reaches nothing else.
 */
export const createSendMessage =
  ({ resolve, post }: PostSockets, serverPolicy: TargetPolicy, version: string): SendMessage =>
  async ({ url: text, owner, headers, body, signal }) => {
    const policy = policyForOwner(serverPolicy, owner);
    const url = parseTarget(text, policy);
    const host = hostOf(url);
    const addresses = await resolve(host).catch((error: unknown) => {
      throw noAddress(host, `: ${reasonOf(error)}`);
    });
    for (const address of addresses) checkTargetAddress(host, address, policy);
    const [address] = addresses;
    if (address === undefined) throw noAddress(host, '');
    const status = await post({
      ...{ url, address, body, signal },
      ...requestLimits,
      headers: { 'user-agent': `serac/${version}`, ...headers },
    }).catch((error: unknown) => {
      throw new WebhookError(`the request to ${url.host} failed: ${reasonOf(error)}`, { code: 'WEBHOOK_FAILED', status: undefined });
    });
    if (status >= 200 && status <= 299) return;
    const reason = status >= 300 && status <= 399 ? 'redirects are not followed' : 'a status from 200 to 299 is needed';
    throw new WebhookError(`${url.host} answered with status ${status}; ${reason}`, { code: 'WEBHOOK_FAILED', status });
  };

const noAddress = (host: string, reason: string) =>
  new WebhookError(`the name ${host} has no address${reason}`, { code: 'WEBHOOK_NO_ADDRESS', host });

/** The message of an error of the platform, without its class. */
const reasonOf = (error: unknown): string => (error as { message?: string }).message ?? messageOf(error);
