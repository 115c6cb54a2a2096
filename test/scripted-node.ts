import { addressWriter, zeroAddress } from '../src/bytes/address.ts';
import { formatHex, parseHex } from '../src/bytes/hex.ts';
import { type Id, idText, parseId, zeroId } from '../src/bytes/id.ts';
import type { HttpAnswer, HttpRequest, Transport } from '../src/follow/transport.ts';
import { parseTx } from '../src/tx/tx.ts';
import type { SourceChain } from './source-chain.ts';
import { localTerms } from './wallet-kit.ts';

/**
 * The transport's other end, with a real chain behind it and moods of its own: what a follower must live through without a node that
 * can be told to misbehave.
 */
export type ScriptedNode = {
  readonly transport: Transport;
  /** How it takes the next question; `well` unless told. */
  mood: (asked: Asked) => Mood;
  /** Height up to which it has blocks; all there are unless told. */
  height: bigint | undefined;
  networkID: number;
  chainID: Id;
  /** Whether it knows the transactions of the other chains. */
  foreign: boolean;
  /** Blocks it gives instead of the real ones. */
  readonly instead: Map<bigint, Uint8Array>;
  readonly asked: Asked[];
};

export type Asked = { readonly method: string; readonly params: Record<string, unknown> };

export type Mood = keyof typeof moods;

export function scriptNode(source: SourceChain): ScriptedNode {
  const { state } = source.local;
  const node: ScriptedNode = {
    mood: () => 'well',
    height: undefined,
    networkID: localTerms.networkID,
    chainID: localTerms.blockchainID,
    foreign: true,
    instead: new Map(),
    asked: [],
    transport: async (request) => {
      const { id, method, params } = JSON.parse(request.body) as Asked & { id: number };
      const one = { method, params };
      node.asked.push(one);
      const text = (): string => JSON.stringify({ jsonrpc: '2.0', ...answer(one), id });
      return moods[node.mood(one)](text, request);
    },
  };

  const top = (): bigint => node.height ?? state.height();
  const found = (bytes: Uint8Array | undefined, name: string) =>
    bytes === undefined ? refusal('not found') : { result: { [name]: formatHex('hex', bytes), encoding: 'hex' } };

  const answer = ({ method, params }: Asked): object => {
    switch (method) {
      case 'info.getNetworkID':
        return { result: { networkID: String(node.networkID) } };
      case 'info.getBlockchainID':
        return { result: { blockchainID: idText(node.chainID) } };
      case 'avm.getHeight':
        return { result: { height: String(top()) } };
      case 'avm.getBlockByHeight': {
        const height = BigInt(params.height as string);
        return found(height > top() ? undefined : (node.instead.get(height) ?? state.blockAt(height)), 'block');
      }
      case 'avm.getTx':
        return found(state.txBytes(parseId(params.txID as string)), 'tx');
      case 'avm.getTxStatus':
        return { result: { status: state.hasTx(parseId(params.txID as string)) ? 'Accepted' : 'Unknown' } };
      case 'avm.getUTXOs':
        return utxosOf(source, params);
      case 'platform.getTx':
      case 'avax.getAtomicTx':
        return node.foreign ? found(source.foreignTxs.get(parseId(params.txID as string)), 'tx') : refusal('not found');
      case 'avm.issueTx':
        return issued(parseHex('hex', params.tx as string));
      default:
        return refusal(`rpc: can't find method "${method}"`);
    }
  };
  return node;
}

const refusal = (message: string) => ({ error: { code: -32000, message, data: null } });

/** Takes what is for its network, as a node with nothing else to say would. */
function issued(bytes: Uint8Array): object {
  const { id, unsigned } = parseTx(bytes);
  return unsigned.networkID === localTerms.networkID ? { result: { txID: idText(id) } } : refusal('tx has wrong network ID');
}

const show = addressWriter('X', 'local');

function utxosOf({ local: { state }, model }: SourceChain, params: Record<string, unknown>): object {
  const owners = [...model.utxos.values()].flatMap(({ output }) => output.addresses);
  const address = owners.find((owner) => (params.addresses as string[])[0] === show(owner)) ?? zeroAddress;
  const { utxo } = (params.startIndex ?? { utxo: idText(zeroId) }) as { utxo: string };
  const query = { addresses: [address], start: { address, utxoID: parseId(utxo) }, limit: params.limit as number };
  const { utxos, end } = state.utxos(state.id, query, true);
  const texts = utxos.map((bytes) => formatHex('hexnc', bytes));
  return {
    result: {
      numFetched: String(texts.length),
      utxos: texts,
      endIndex: { address: show(end.address), utxo: idText(end.utxoID) },
      encoding: 'hex',
    },
  };
}

type Say = (text: () => string, request: HttpRequest) => Promise<HttpAnswer>;

const ok = (text: string | undefined): HttpAnswer => ({ status: 200, text });

const moods = {
  well: async (text) => ok(text()),
  gone: async () => {
    throw new Error('connection refused');
  },
  hanging: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  starting: async () => ({ status: 404, text: '404 page not found\n' }),
  busy: async () => ({ status: 503, text: 'API call rejected because chain is not done bootstrapping\n' }),
  html: async () => ok('<html><body>Bad gateway</body></html>'),
  cut: async (text) => ok(text().slice(0, -20)),
  stranger: async (text) => ok(text().replace(/"id":\d+}$/, '"id":0}')),
  flipped: async (text) => ok(text().replace(/[0-9a-f](?=[0-9a-f]{30})/, (digit) => (digit === '0' ? '1' : '0'))),
  endless: async () => ok(undefined),
  empty: async () => ok(''),
} satisfies Record<string, Say>;
