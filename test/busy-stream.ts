import type { HomeData } from '../src/explorer/load/load-home.ts';
import type { PagePayload } from '../src/explorer/views/page-payload.ts';
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
 * Passes everything to the node except the event stream, which has made-up blocks at a steady rate, and the first page, which shows them: its
 * numbers are read again every 2 s.
 */
export function startBusyProxy(node: DevNode): { readonly url: string; readonly loads: () => number; readonly stop: () => void } {
  const target = node.program().url;
  const chain = startBusyChain();
  let loads = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/ext/events') return new Response(chain.stream(), { headers: { 'content-type': 'text/event-stream' } });
      const response = await forward(request, target + pathname + search, pathname === '/');
      if (pathname !== '/') return response;
      loads++;
      const [before, payload = '', after] = (await response.text()).split(/(?<= id="payload">)(.*)(?=<\/script>)/s);
      const json = JSON.stringify(chain.show(JSON.parse(payload))).replaceAll('<', '\\u003c');
      return new Response(`${before}${json}${after}`, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    },
  });
  const stop = (): void => {
    chain.stop();
    void server.stop(true);
  };
  return { url: `http://127.0.0.1:${server.port}`, loads: () => loads, stop };
}

const forward = ({ method, headers, body }: Request, url: string, decompress = false): Promise<Response> =>
  fetch(url, { method, headers, body, decompress });

const chainID = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';
const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe';
const [sender, receiver] = ['0', '1'].map((end) => `X-local1${'q'.repeat(37)}${end}`) as [string, string];
const summary = {
  action: 'send',
  from: [{ addresses: [sender], threshold: 1 }],
  fromCount: 1,
  to: [{ addresses: [receiver], threshold: 1 }],
  toCount: 1,
  isToSelf: false,
  amounts: [{ assetId: assetID, type: 'secp256k1', amount: '5000000' }],
  amountCount: 1,
  change: [],
} as const;

const blocksPerSecond = 20;
type BusyBlock = { readonly height: number; readonly time: number; readonly txs: readonly string[] };

function startBusyChain() {
  const listeners = new Set<(text: string) => void>();
  /** Those of the last minute, oldest first. */
  const blocks: BusyBlock[] = [];
  let height = 1000;
  let txCount = 0;
  const timer = setInterval(() => {
    height++;
    const txs = Array.from({ length: busyRate / blocksPerSecond }, (_, at) => `${height}x${at}`.padEnd(50, 'a'));
    const block = { height, time: Math.floor(Date.now() / 1000), txs };
    txCount += txs.length;
    blocks.push(block);
    if (blocks.length > 60 * blocksPerSecond) blocks.shift();
    const text = eventsOf(block);
    for (const send of listeners) send(text);
  }, 1000 / blocksPerSecond);

  return {
    stop: () => clearInterval(timer),
    stream: () => {
      let listener: (text: string) => void;
      return new ReadableStream<Uint8Array>({
        start: (controller) => {
          listener = (text) => controller.enqueue(Buffer.from(text));
          listeners.add(listener);
        },
        cancel: () => void listeners.delete(listener),
      });
    },
    /** The payload of the first page, with the blocks, transactions and figures of this chain. */
    show: (payload: PagePayload): PagePayload => {
      const newest = blocks.toReversed();
      const bySecond = Map.groupBy(blocks, ({ time }) => time);
      const home = payload.data as HomeData;
      const data: HomeData = {
        ...home,
        blocks: newest.slice(0, 100).map(({ height: at, time, txs }) => {
          const { sizeBytes, txCountByType } = sizesOf(txs);
          return { height: at, id: `block${at}`, time, txs: txs.length, kinds: txCountByType, bytes: sizeBytes };
        }),
        seconds: [...bySecond].map(([time, all]) => [time, { ...noTxs, BaseTx: all.reduce((sum, { txs }) => sum + txs.length, 0) }]),
        countedTo: height,
        txs: newest
          .flatMap(({ height: at, time, txs }) =>
            txs.toReversed().map((id) => ({ id, type: 'BaseTx' as const, height: at, time, summary })),
          )
          .slice(0, 12),
        figures: home.figures && { ...home.figures, txsAll: txCount, txsDay: txCount },
      };
      return { ...payload, height, position: `busy-${height}`, now: Date.now() / 1000, data };
    },
  };
}

const noTxs = { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 0, ExportTx: 0 };

const sizesOf = (txs: readonly string[]) => ({ sizeBytes: 90 + 300 * txs.length, txCountByType: { ...noTxs, BaseTx: txs.length } });

/** The events of a block as they are in the stream. */
function eventsOf({ height, time, txs }: BusyBlock): string {
  const balanceChanges = [
    { address: sender, assetID, change: '-5001000', sharedChange: '0' },
    { address: receiver, assetID, change: '5000000', sharedChange: '0' },
  ];
  const block = { kind: 'block', chainID, height, blockID: `block${height}`, time, ...sizesOf(txs), txIDs: txs };
  const rows = txs.map((txID) => ({
    kind: 'tx',
    ...{ chainID, height, time, txID, txType: 'BaseTx', sizeBytes: 300, tx: { unsignedTx: { inputs: [] } }, summary, balanceChanges },
  }));
  return [block, ...rows]
    .map(
      (event, at) =>
        `id: busy-${height}.${at}\nevent: ${event.kind}\ndata: ${JSON.stringify({ ...event, id: `busy-${height}.${at}` })}\n\n`,
    )
    .join('');
}
