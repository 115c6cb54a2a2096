import type { NodeReading } from './node-status.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Milliseconds for one answer. */
const answerTimeout = 2000;

/** The chains that must be bootstrapped, by the kind of the node. */
const chainsOf = { Serac: ['X'], AvalancheGo: ['P', 'X', 'C'] } as const;

/** Asks a node for its height and peers; undefined while it does not answer. */
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
  try {
    const [{ height }, { numPeers }, ...chains] = await Promise.all([
      call('/ext/bc/X', 'avm.getHeight', {}),
      call('/ext/info', 'info.peers', { nodeIDs: [] }),
      ...chainsOf[kind].map((chain) => call('/ext/info', 'info.isBootstrapped', { chain })),
    ]);
    if (typeof numPeers !== 'string') return undefined;
    return {
      // AvalancheGo serves the X-Chain only when it has begun to run; until then the height is shown as 0.
      height: typeof height === 'string' ? BigInt(height) : 0n,
      peers: Number(numPeers),
      isBootstrapped: chains.every(({ isBootstrapped }) => isBootstrapped === true),
    };
  } catch {
    return undefined;
  }
}
