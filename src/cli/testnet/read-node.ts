import type { NodeReading } from './node-status.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Milliseconds for one answer. */
const answerTimeout = 2000;

/** The chains that must be bootstrapped, by the kind of the node. */
const chainsOf = { Serac: ['X'], AvalancheGo: ['P', 'X', 'C'] } as const;

/** Asks a node for its height, peers and health; undefined while it does not answer. */
export async function readNode(
  fetch: Fetch,
  { url, kind }: { readonly url: string; readonly kind: keyof typeof chainsOf },
): Promise<NodeReading | undefined> {
  const call = async (path: string, method: string, params: object): Promise<{ readonly [name: string]: unknown }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(answerTimeout),
    });
    return ((await response.json()) as { readonly result?: { readonly [name: string]: unknown } }).result ?? {};
  };
  /** Failing checks of `/ext/health`, by name. */
  const readFailing = async (): Promise<ReadonlyMap<string, string>> => {
    const response = await fetch(`${url}/ext/health`, { method: 'GET', signal: AbortSignal.timeout(answerTimeout) });
    const { checks = {} } = (await response.json()) as { readonly checks?: { readonly [name: string]: { readonly error?: string } } };
    return new Map(Object.entries(checks).flatMap(([name, { error }]) => (error === undefined ? [] : [[name, error] as const])));
  };
  try {
    const [failing, { height }, { numPeers }, ...chains] = await Promise.all([
      readFailing(),
      call('/ext/bc/X', 'avm.getHeight', {}),
      call('/ext/info', 'info.peers', { nodeIDs: [] }),
      ...chainsOf[kind].map((chain) => call('/ext/info', 'info.isBootstrapped', { chain })),
    ]);
    if (typeof numPeers !== 'string') return undefined;
    return {
      failing,
      // AvalancheGo serves the X-Chain only when it has begun to run; until then the height is shown as 0.
      height: typeof height === 'string' ? BigInt(height) : 0n,
      peers: Number(numPeers),
      isBootstrapped: chains.every(({ isBootstrapped }) => isBootstrapped === true),
    };
  } catch {
    return undefined;
  }
}
