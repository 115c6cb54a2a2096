import { idText } from '../src/base/bytes/id.ts';
import type { Fixture } from './fixture.ts';
import { rpcBody, xPath } from './fixture.ts';
import { createPosts, type Requests } from './load.ts';
import type { LoadCall } from './socket-load.ts';

/**
 * The mixed reads of the memory row: calls of the Node RPC, pages of the Data API and `avg_tps`. No two pages are the same request: an unused
 * filter makes each one different, so that the response cache fills and evicts.
 */
export function createMixedReads(
  { richAddress, smallTxs, wideTxs }: Pick<Fixture, 'richAddress' | 'smallTxs' | 'wideTxs'>,
  count: number,
): Requests {
  const data = '/v1/networks/local/blockchains/x-chain';
  const kinds: readonly ((at: number) => LoadCall)[] = [
    (at) => createRpcCall('avm.getTx', { txID: idText(nth(smallTxs, at).id), encoding: 'json' }),
    (at) => ({ path: `${data}/transactions?pageSize=100&startTimestamp=${at + 1}` }),
    (at) => createRpcCall('avm.getTxStatus', { txID: idText(nth(smallTxs, at).id) }),
    () => ({ path: '/v1/avg_tps/X' }),
    (at) => createRpcCall('avm.getUTXOs', { addresses: [richAddress], limit: 1 + (at % 1024) }),
    (at) => ({ path: `${data}/blocks?pageSize=100&startTimestamp=${at + 1}` }),
    (at) => createRpcCall('avm.getTx', { txID: idText(nth(wideTxs, at).id), encoding: 'hex' }),
    (at) => ({ path: `${data}/utxos?addresses=${richAddress}&pageSize=100&minUtxoAmount=${at + 1}` }),
    () => createRpcCall('avm.getHeight'),
    (at) => ({ path: `${data}/balances?addresses=${richAddress}&blockTimestamp=${farFuture + at}` }),
    // A fast node puts the transactions of the chain into few blocks.
    (at) => createRpcCall('avm.getBlockByHeight', { height: 1 + (at % 10), encoding: 'hex' }),
    (at) => ({ path: `${data}/transactions/${idText(nth(smallTxs, at).id)}` }),
  ];
  return Array.from({ length: count }, (_, at) => nth(kinds, at)(Math.floor(at / kinds.length)));
}

/** Unix seconds later than any block: the balances are those of the tip. */
const farFuture = 4_000_000_000;

const createRpcCall = (method: string, params?: unknown): LoadCall => createPosts(xPath, [rpcBody(method, params)])[0] as LoadCall;

const nth = <T>(items: readonly T[], at: number): T => items[at % items.length] as T;
