import { parseTx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter, zeroAddress } from '../src/base/bytes/address.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { type Id, idText, parseId, zeroId } from '../src/base/bytes/id.ts';
import type { Transport, TransportRequest, TransportResponse } from '../src/chain/follow/transport.ts';
import type { SourceChain } from './source-chain.ts';
import { localChainParams } from './wallet-kit.ts';

/**
 * A fake node behind a transport: it answers from a real chain, and tests can make it misbehave.
 */
type ScriptedNode = {
  readonly transport: Transport;
  /** How it answers a call; always `normal` by default. */
  behavior: (call: ReceivedCall) => Behavior;
  /** Height of its last block; by default that of the chain. */
  height: bigint | undefined;
  networkID: number;
  chainID: Id;
  /** Whether it has the transactions of P-Chain and C-Chain. */
  knowsForeignTxs: boolean;
  /** Blocks it returns instead of the real ones, by height. */
  readonly replacedBlocks: Map<bigint, Uint8Array>;
  readonly requests: ReceivedCall[];
};

type ReceivedCall = { readonly method: string; readonly params: Record<string, unknown> };

export type Behavior = keyof typeof behaviors;

export function createScriptedNode(source: SourceChain): ScriptedNode {
  const { state } = source.local;
  const node: ScriptedNode = {
    behavior: () => 'normal',
    height: undefined,
    networkID: localChainParams.networkID,
    chainID: localChainParams.blockchainID,
    knowsForeignTxs: true,
    replacedBlocks: new Map(),
    requests: [],
    transport: async (request) => {
      const { id, method, params } = JSON.parse(request.body) as ReceivedCall & { id: number };
      const one = { method, params };
      node.requests.push(one);
      const text = (): string => JSON.stringify({ jsonrpc: '2.0', ...answer(one), id });
      return behaviors[node.behavior(one)](text, request);
    },
  };

  const top = (): bigint => node.height ?? state.height();
  const found = (bytes: Uint8Array | undefined, name: string, more: object = {}) =>
    bytes === undefined ? errorResponse('not found') : { result: { [name]: formatHex('hex', bytes), encoding: 'hex', ...more } };

  const answer = ({ method, params }: ReceivedCall): object => {
    switch (method) {
      case 'info.getNetworkID':
        return { result: { networkID: String(node.networkID) } };
      case 'info.getBlockchainID':
        return { result: { blockchainID: idText(node.chainID) } };
      case 'avm.getHeight':
        return { result: { height: String(top()) } };
      case 'avm.getBlockByHeight': {
        const height = BigInt(params.height as string);
        return found(height > top() ? undefined : (node.replacedBlocks.get(height) ?? state.blockAt(height)), 'block');
      }
      case 'avm.getTx':
        return found(state.txBytes(parseId(params.txID as string)), 'tx');
      case 'avm.getTxStatus':
        return { result: { status: state.hasTx(parseId(params.txID as string)) ? 'Accepted' : 'Unknown' } };
      case 'avm.getUTXOs':
        return utxosOf(source, params);
      case 'platform.getTx':
      case 'avax.getAtomicTx':
        return node.knowsForeignTxs
          ? found(source.foreignTxs.get(parseId(params.txID as string)), 'tx', method === 'avax.getAtomicTx' ? { blockHeight: '1' } : {})
          : errorResponse('not found');
      case 'avm.issueTx':
        return issueTx(parseHex('hex', params.tx as string));
      default:
        return errorResponse(`rpc: can't find method "${method}"`);
    }
  };
  return node;
}

const errorResponse = (message: string) => ({ error: { code: -32000, message, data: null } });

/** Accepts a transaction if its network ID is right; checks nothing else. */
function issueTx(bytes: Uint8Array): object {
  const { id, unsigned } = parseTx(bytes);
  return unsigned.networkID === localChainParams.networkID ? { result: { txID: idText(id) } } : errorResponse('tx has wrong network ID');
}

const formatAddress = createAddressFormatter('X', 'local');

function utxosOf({ local: { state }, model }: SourceChain, params: Record<string, unknown>): object {
  const owners = [...model.utxos.values()].flatMap(({ output }) => output.addresses);
  const address = owners.find((owner) => (params.addresses as string[])[0] === formatAddress(owner)) ?? zeroAddress;
  const { utxo } = (params.startIndex ?? { utxo: idText(zeroId) }) as { utxo: string };
  const query = { addresses: [address], start: { address, utxoID: parseId(utxo) }, limit: params.limit as number };
  const { utxos, end } = state.utxos(state.id, query, true);
  const texts = utxos.map((bytes) => formatHex('hexnc', bytes));
  return {
    result: {
      numFetched: String(texts.length),
      utxos: texts,
      endIndex: { address: formatAddress(end.address), utxo: idText(end.utxoID) },
      encoding: 'hex',
    },
  };
}

type Respond = (text: () => string, request: TransportRequest) => Promise<TransportResponse>;

const ok = (text: string | undefined): TransportResponse => ({ status: 200, text });

const behaviors = {
  normal: async (text) => ok(text()),
  unreachable: async () => {
    throw new Error('connection refused');
  },
  hanging: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  starting: async () => ({ status: 404, text: '404 page not found\n' }),
  busy: async () => ({ status: 503, text: 'API call rejected because chain is not done bootstrapping\n' }),
  html: async () => ok('<html><body>Bad gateway</body></html>'),
  truncated: async (text) => ok(text().slice(0, -20)),
  wrongId: async (text) => ok(text().replace(/"id":\d+}$/, '"id":0}')),
  corrupted: async (text) => ok(text().replace(/[0-9a-f](?=[0-9a-f]{30})/, (digit) => (digit === '0' ? '1' : '0'))),
  tooLong: async () => ok(undefined),
  empty: async () => ok(''),
} satisfies Record<string, Respond>;

/** Serves a scripted node on a port of its own, for programs that ask over HTTP. Whoever starts it stops the server. */
export function serveScriptedNode({ transport }: ScriptedNode) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { text = '', status } = await transport({ url: '', body: await request.text(), maxBytes: 1 << 26, signal: request.signal });
      return new Response(text, { status });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
