import { expect } from 'bun:test';
import { createChainOracle, heightOf, randomListing, randomWalletListing } from '../chain-oracle.ts';
import { chainRoot, type DataRequest, plainAddress, sendRequest } from '../data-requests.ts';
import { createClient } from '../http.ts';
import { expectListingRead, readListing } from '../listing-reader.ts';
import { eventually } from '../processes.ts';
import { createRandom, type Random } from '../random.ts';
import { createWallet, ewoq, type Wallet } from '../wallet-kit.ts';
import { isDisconnect } from './disconnect.ts';
import type { Seen, Serving } from './kill-setup.ts';

/** Milliseconds for an index to catch up, on a slow machine. */
const patience = 120_000;
/** Lists that are compared at the end. */
const compared = 8;

/** Reads pages of the Data API until `stop`, or until the process is gone. `stop` returns how many were read. */
export function readUntil(port: number, seed: number): { readonly stop: () => Promise<number> } {
  const random = createRandom(seed);
  const wallet = createWallet('crash', { keys: [ewoq], count: 6 });
  const client = createClient(port);
  let isStopped = false;
  const run = async (): Promise<number> => {
    let [reads, lastHeight] = [0, 0];
    try {
      for (; !isStopped; reads++) {
        const listing = randomWalletListing(random, wallet);
        const request = random.pick<DataRequest>([
          { ...listing, path: `${listing.path}pageSize=${1 + random.below(100)}` },
          { path: `${chainRoot}/balances?addresses=${plainAddress(random.pick(wallet.keys))}` },
          { path: `${chainRoot}/blocks?pageSize=1` },
        ]);
        const { status, json } = await sendRequest(client, request);
        // A process that is being stopped refuses with 503.
        if (status !== 503) expect([request.path, status, json]).toEqual([request.path, 200, expect.any(Object)]);
        const [block] = json.blocks ?? [];
        if (block !== undefined) {
          expect(Number(block.blockNumber)).toBeGreaterThanOrEqual(lastHeight);
          lastHeight = Number(block.blockNumber);
        }
        await Bun.sleep(2);
      }
    } catch (error) {
      if (!isDisconnect(error)) throw error;
    } finally {
      client.close();
    }
    return reads;
  };
  const running = run();
  // `stop` throws it; this only avoids an unhandled rejection before.
  running.catch(() => {});
  return {
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

/**
 * Compares lists of the Data API with a plain recomputation from all blocks, which contain every transaction that was seen as accepted. Returns
 * height and number of transactions of the chain.
 */
export async function compareWithOracle(
  { port, issuePorts }: Serving,
  { accepted, deposits }: Seen,
  random: Random,
  wallet: Wallet,
): Promise<{ height: number; txs: number }> {
  const [node, data] = [createClient(issuePorts[0] as number), createClient(port)];
  try {
    const height = await heightOf(node);
    const readHeight = async () =>
      Number(JSON.parse((await data.send('GET', `${chainRoot}/blocks?pageSize=1`)).text).blocks[0].blockNumber);
    await eventually(readHeight, (reached) => reached === height, patience);
    const chain = createChainOracle(node);
    await chain.readNewBlocks(deposits);
    const stored = new Set<string>(chain.oracle.allTxs.map(({ tx }) => tx.id));
    expect([...accepted].filter((id) => !stored.has(id))).toEqual([]);
    const assets = chain.oracle.assetIDs();
    for (let i = 0; i < compared; i++)
      expectListingRead(chain, await readListing([data], randomListing(random, wallet, assets), 100, { height: readHeight, node }));
    const [genesis] = chain.oracle.blocks;
    return { height, txs: chain.oracle.allTxs.filter(({ block }) => block !== genesis).length };
  } finally {
    node.close();
    data.close();
  }
}
