import type { DevNode } from './dev-node.ts';

/** Transactions per second of the made-up stream. */
export const busyRate = 500;

/** Passes everything to the node, counts its event streams, and can stop passing events without closing the streams. */
export function startStreamCounter(node: DevNode): {
  readonly url: string;
  readonly streams: () => number;
  readonly silence: () => void;
  readonly stop: () => void;
} {
  const target = node.program().url;
  let opened = 0;
  let isSilent = false;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const response = await forward(request, target + pathname + search);
      if (pathname !== '/ext/events') return response;
      opened++;
      const pass = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          if (!isSilent) controller.enqueue(chunk);
        },
      });
      return new Response(response.body?.pipeThrough(pass), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    streams: () => opened,
    silence: () => {
      isSilent = true;
    },
    stop: () => void server.stop(true),
  };
}

/**
 * Passes everything to the node except the event stream, which has made-up blocks at a steady rate. The first page is loaded once: the node
 * knows nothing of these blocks.
 */
export function startBusyProxy(node: DevNode): { readonly url: string; readonly stop: () => void } {
  const target = node.program().url;
  let isLoaded = false;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/' && isLoaded) return new Response('', { status: 503 });
      if (pathname === '/') isLoaded = true;
      if (pathname === '/ext/events') return new Response(busyEvents(), { headers: { 'content-type': 'text/event-stream' } });
      return forward(request, target + pathname + search);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const forward = ({ method, headers, body }: Request, url: string): Promise<Response> =>
  fetch(url, { method, headers, body, decompress: false });

const chainID = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';
const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe';

function busyEvents(): ReadableStream<Uint8Array> {
  let height = 1000;
  let timer: Timer;
  const blocksPerSecond = 20;
  return new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => {
        const time = Math.floor(Date.now() / 1000);
        height++;
        const txs = Array.from({ length: busyRate / blocksPerSecond }, (_, at) => `${height}x${at}`.padEnd(50, 'a'));
        const events: object[] = [{ kind: 'block', chainID, height, blockID: `block${height}`, time, txIDs: txs }];
        for (const txID of txs) {
          const changes = ['-5001000', '5000000'].map((change, at) => ({
            address: `X-local1${'q'.repeat(37)}${at}`,
            assetID,
            change,
            sharedChange: '0',
          }));
          events.push({
            kind: 'tx',
            chainID,
            height,
            time,
            txID,
            txType: 'BaseTx',
            tx: { unsignedTx: { inputs: [] } },
            summary: {
              action: 'send',
              from: [{ addresses: [`X-local1${'q'.repeat(37)}0`], threshold: 1 }],
              fromCount: 1,
              to: [{ addresses: [`X-local1${'q'.repeat(37)}1`], threshold: 1 }],
              toCount: 1,
              isToSelf: false,
              amounts: [{ assetId: assetID, type: 'secp256k1', amount: '5000000' }],
              amountCount: 1,
              change: [],
            },
            balanceChanges: changes,
          });
        }
        const text = events.map((event) => `event: ${(event as { kind: string }).kind}\ndata: ${JSON.stringify(event)}\n\n`).join('');
        controller.enqueue(Buffer.from(text));
      }, 1000 / blocksPerSecond);
    },
    cancel: () => clearInterval(timer),
  });
}
