import { type Client, createClient } from '../../http.ts';
import { startProgram } from '../../program.ts';

/** The node under test: the one that SERAC_URL names, else a Serac process started for this file. */
export type Node = {
  readonly url: string;
  /** Sends a JSON-RPC call without a client. An error response is thrown with the node's message. */
  readonly call: <T>(path: string, method: string, params?: unknown) => Promise<T>;
  /** Whether the node has Serac's `dev` methods; AvalancheGo answers 404. */
  readonly hasDev: () => Promise<boolean>;
  readonly close: () => Promise<unknown>;
};

export async function openNode(): Promise<Node> {
  const url = process.env.SERAC_URL;
  if (url === undefined || url === '') return startNode();
  const { hostname, port } = new URL(url);
  const client = createClient(Number(port), hostname);
  return nodeAt(url, client, async () => client.close());
}

/** Starts Serac with these flags, even if SERAC_URL is set: for APIs that AvalancheGo does not have. */
export async function startNode(...flags: string[]): Promise<Node> {
  return nodeOf(await startProgram(...flags));
}

/** A node that the caller has started, and stops. */
export const nodeOf = ({
  url,
  client,
  stop,
}: {
  readonly url: string;
  readonly client: Client;
  readonly stop: () => Promise<unknown>;
}): Node => nodeAt(url, client, stop);

/** Waits until `status` returns Accepted (Committed on the P-Chain). */
export async function waitForAccepted(status: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + acceptTimeout;
  for (let current = await status(); current !== 'Accepted' && current !== 'Committed'; current = await status()) {
    if (current === 'Rejected' || Date.now() > deadline) throw new Error(`not accepted: ${current}`);
    await Bun.sleep(pollInterval);
  }
}

/** Returns the node's error message. The clients wrap it differently: `details` is viem's field. */
export async function errorMessageOf(sent: Promise<unknown>): Promise<string> {
  const why: Error & { details?: string } = await sent.then(
    (answer) => new Error(`the call succeeded: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  return why.details ?? why.message;
}

const acceptTimeout = 20_000;
const pollInterval = 10;

const nodeAt = (url: string, client: Client, close: () => Promise<unknown>): Node => ({
  url: url.replace(/\/$/, ''),
  call: async <T>(path: string, method: string, params?: unknown) => {
    const answer = (await client.call(path, method, params)) as { result?: T; error?: { message: string } };
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result as T;
  },
  hasDev: async () => (await client.send('POST', '/ext/dev', { 'content-type': 'application/json' }, '{}')).status !== 404,
  close,
});
