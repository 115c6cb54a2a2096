import { type Client, createClient } from '../../http.ts';
import { startProgram } from '../../program.ts';

/** The node the stories are told to: the one SERAC_URL names, else the program itself, started for this file alone. */
export type Node = {
  readonly url: string;
  /** Plain JSON-RPC, for what no client can ask. An error answer is thrown with the node's own text. */
  readonly call: <T>(path: string, method: string, params?: unknown) => Promise<T>;
  /** Serac's own methods; AvalancheGo has none and answers 404. */
  readonly hasDev: () => Promise<boolean>;
  readonly close: () => Promise<unknown>;
};

export async function openNode(): Promise<Node> {
  const given = process.env.SERAC_URL;
  if (given === undefined || given === '') return startNode();
  const { hostname, port } = new URL(given);
  const client = createClient(Number(port), hostname);
  return reach(given, client, async () => client.close());
}

/** The program itself with these flags, whatever SERAC_URL says: for what AvalancheGo does not have. */
export async function startNode(...flags: string[]): Promise<Node> {
  const program = await startProgram(...flags);
  return reach(program.url, program.client, () => program.stop());
}

/** Waits until the client that sent a transaction hears that it was accepted (P says committed). */
export async function accepted(status: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + patience;
  for (let said = await status(); said !== 'Accepted' && said !== 'Committed'; said = await status()) {
    if (said === 'Rejected' || Date.now() > deadline) throw new Error(`not accepted: ${said}`);
    await Bun.sleep(pollEvery);
  }
}

/** The node's own words in a refusal. The clients wrap them differently: `details` is viem's. */
export async function refusal(sent: Promise<unknown>): Promise<string> {
  const why: Error & { details?: string } = await sent.then(
    (answer) => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  return why.details ?? why.message;
}

const patience = 20_000;
const pollEvery = 10;

const reach = (url: string, client: Client, close: () => Promise<unknown>): Node => ({
  url: url.replace(/\/$/, ''),
  call: async <T>(path: string, method: string, params?: unknown) => {
    const answer = (await client.call(path, method, params)) as { result?: T; error?: { message: string } };
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result as T;
  },
  hasDev: async () => (await client.send('POST', '/ext/dev', { 'content-type': 'application/json' }, '{}')).status !== 404,
  close,
});
