import type { Block } from '../src/avm/tx/block.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import { readGenesisBlock } from './chain-store.ts';
import { createGrowingChain, txsPerBlock } from './growing-chain.ts';

/*
 * A node, as `serac index --trust-node` asks it, that makes each block of bench/growing-chain.ts when it is first asked for. It keeps the last blocks only.
 * Arguments: port, transactions.
 */

const [port, txs] = Bun.argv.slice(2).map(Number) as [number, number];
const last = 1 + Math.ceil(txs / txsPerBlock);
const chain = createGrowingChain(last * txsPerBlock);
const kept = new Map<number, string>();
/** Blocks that an indexer may ask for again after a restart, and more than it fetches ahead. */
const keptBlocks = 8192;
let parent: Pick<Block, 'id' | 'height' | 'time'> = readGenesisBlock();

function blockAt(height: number): string | undefined {
  while (Number(parent.height) < Math.min(height, last)) {
    const block = chain.nextBlock(parent);
    kept.set(Number(block.height), formatHex('hex', block.bytes));
    kept.delete(Number(block.height) - keptBlocks);
    parent = { id: block.id, height: block.height, time: block.time };
  }
  return kept.get(height);
}

type Answer = (params: { readonly height?: string }) => object | undefined;

const methods: { readonly [method: string]: Answer } = {
  'info.getNetworkID': () => ({ networkID: String(localChainParams.networkID) }),
  'info.getBlockchainID': () => ({ blockchainID: idText(localChainParams.blockchainID) }),
  'avm.getHeight': () => ({ height: String(last) }),
  'avm.getBlockByHeight': ({ height }) => {
    const block = blockAt(Number(height));
    return block === undefined ? undefined : { block, encoding: 'hex' };
  },
};

Bun.serve({
  hostname: '127.0.0.1',
  port,
  fetch: async (request) => {
    const { id, method, params } = (await request.json()) as { id: number; method: string; params: { height?: string } };
    const result = methods[method]?.(params);
    return Response.json({
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32000, message: 'not found' } } : { result }),
    });
  },
});
