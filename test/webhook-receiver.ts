import { createHmac } from 'node:crypto';

/** A message that a receiver got. */
type ReceivedMessage = {
  readonly webhookId: string;
  readonly eventType: string;
  readonly messageId: string;
  readonly timestamp: number;
  readonly event: {
    readonly id: string;
    readonly kind: string;
    readonly txID?: string;
    readonly addresses?: readonly string[];
    readonly [name: string]: unknown;
  };
};

type Received = { readonly path: string; readonly headers: Headers; readonly body: string; readonly message: ReceivedMessage };

/** A real HTTP server that records the requests of webhooks; with `tls` over TLS. `answer` decides what it answers; default 200. */
export function startReceiver(tls?: { readonly cert: string; readonly key: string }) {
  const requests: Received[] = [];
  const receiver = {
    requests,
    answer: (_: Received): Response | Promise<Response> => new Response('ok'),
    url: '',
    messages: (): ReceivedMessage[] => requests.map(({ message }) => message),
    /** The transactions in the order in which each first arrived. */
    txIDs: (): string[] => [...new Set(requests.flatMap(({ message: { event } }) => (event.txID === undefined ? [] : [event.txID])))],
    stop: () => server.stop(true),
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(tls && { tls }),
    fetch: async (request) => {
      const body = await request.text();
      const received = {
        path: new URL(request.url).pathname,
        headers: request.headers,
        body,
        message: JSON.parse(body) as ReceivedMessage,
      };
      requests.push(received);
      return receiver.answer(received);
    },
  });
  // The certificates of tests are for a name, see certificates.ts.
  receiver.url = tls ? `https://localhost:${server.port}/hook` : `http://127.0.0.1:${server.port}/hook`;
  return receiver;
}

export type Receiver = ReturnType<typeof startReceiver>;

/** Calls the routes of webhooks and returns status and JSON. */
export const createWebhookCalls =
  (url: string, headers: Readonly<Record<string, string>> = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever JSON the routes answer with.
  async (method: string, path: string, body?: object): Promise<{ readonly status: number; readonly json: any }> => {
    const response = await fetch(`${url}/v1/webhooks${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, json: await response.json() };
  };

export const addressHook = (url: string, keys: readonly string[], more: object = {}) => ({
  url,
  eventType: 'primary_network_address_activity',
  metadata: { keyType: 'addresses', keys },
  ...more,
});

/** Signs a body as a receiver does that checks it. */
export const signatureOf = (body: string, secret: string): string => createHmac('sha256', secret).update(body).digest('hex');
