import type { Block } from '../../avm/tx/block.ts';
import { parseUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { parseHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { unlessFault } from '../../base/fault.ts';
import { noResponse } from '../follow/fault.ts';
import type { RemoteBlocks } from '../follow/remote.ts';
import type { Transport } from '../follow/transport.ts';
import { ForkError } from './fault.ts';

/** Lists the outputs that an address had at an earlier block, in pages. */
export type ListPastOutputs = (address: Address) => AsyncGenerator<readonly Utxo[]>;

/** Bytes of an answer, items of a page, pages of an address, blocks with the same time, and milliseconds of a request. */
const limits = { bytes: 16 * 1024 * 1024, page: 1024, pages: 64, sameTime: 1000, time: 30_000 } as const;

type ListedOutput = {
  readonly timestamp: number;
  readonly creationTxHash: string;
  readonly createdOnChainId: string;
  readonly consumedOnChainId: string;
  readonly consumingTxHash?: string;
  readonly consumingTxTimestamp?: number;
  readonly utxoBytes?: string;
};

/**
 * Reads the outputs of addresses as of a block from the Data API of a node, which lists spent outputs too. The Node RPC has only the current
 * state. The API has times, not heights; transactions of later blocks in the second of that block are found by reading those blocks.
 */
export async function openPastOutputs(
  deps: {
    /** The URL of the node, and what is shown of it. */
    readonly url: string;
    readonly shownUrl: string;
    readonly transport: Transport;
    readonly remote: Pick<RemoteBlocks, 'blockAt'>;
    /** The ID of the X-Chain. */
    readonly chainID: string;
    readonly formatAddress: (address: Address) => string;
    readonly signal: AbortSignal;
  },
  height: bigint,
): Promise<ListPastOutputs> {
  const { url, shownUrl, transport, remote, chainID, formatAddress, signal } = deps;
  const fail = (why: string) =>
    new ForkError(`cannot fork ${shownUrl} at block ${height}: ${why}`, {
      code: 'FORK_NO_HEIGHT',
      url: shownUrl,
      height: String(height),
      why,
    });

  const block = await remote.blockAt(height);
  if (block === undefined) throw fail('the node has no such block');
  const later = await findLaterTxs(remote, block, fail);
  const isLater = (time: number, txID: string | undefined): boolean => BigInt(time) > block.time || (txID !== undefined && later.has(txID));
  const wasUnspent = (output: ListedOutput): boolean =>
    output.createdOnChainId === chainID &&
    output.consumedOnChainId === chainID &&
    !isLater(output.timestamp, output.creationTxHash) &&
    (output.consumingTxTimestamp === undefined || isLater(output.consumingTxTimestamp, output.consumingTxHash));

  const readPage = async (address: Address, token: string | undefined) => {
    const query = `includeSpent=true&pageSize=${limits.page}${token === undefined ? '' : `&pageToken=${token}`}`;
    const { status, text } = await transport({
      // Every network but mainnet answers to the name fuji too.
      url: `${url.replace(/\/+$/, '')}/v1/networks/${formatAddress(address).startsWith('X-avax1') ? 'mainnet' : 'fuji'}/blockchains/${chainID}/utxos?${query}`,
      body: JSON.stringify({ addresses: formatAddress(address) }),
      maxBytes: limits.bytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.time)]),
    }).catch((cause: unknown) => {
      throw noResponse('the Data API', String((cause as { message?: unknown } | null)?.message ?? cause));
    });
    if (status === 404)
      throw fail('it has no Data API; AvalancheGo cannot answer for an earlier block, but a Serac node that follows it can');
    if (status !== 200 || text === undefined) throw fail(`its Data API answered with status ${status}`);
    return readListing(text, fail);
  };

  const list: ListPastOutputs = async function* (address) {
    let token: string | undefined;
    for (let pages = 0; pages < limits.pages; pages++) {
      const { utxos, nextPageToken } = await readPage(address, token);
      const unspent = utxos.filter(wasUnspent);
      if (unspent.some(({ utxoBytes }) => utxoBytes === undefined)) throw fail('it does not know the bytes of an output of that time');
      const outputs = unspent.flatMap(({ utxoBytes = '' }) => unlessFault(() => parseUtxo(parseHex('hex', utxoBytes))) ?? []);
      if (outputs.length < unspent.length) throw fail('its Data API lists an output whose bytes are not valid');
      yield outputs;
      if (nextPageToken === undefined || nextPageToken === '') return;
      token = nextPageToken;
    }
    throw fail(`${formatAddress(address)} had more than ${limits.pages * limits.page} outputs`);
  };
  return list;
}

/** The transactions of later blocks that have the same time as a block. */
async function findLaterTxs(
  { blockAt }: Pick<RemoteBlocks, 'blockAt'>,
  block: Block,
  fail: (why: string) => ForkError,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let i = 1n; i <= limits.sameTime; i++) {
    const next = await blockAt(block.height + i);
    if (next === undefined || next.time > block.time) return found;
    for (const { id } of next.txs) found.add(idText(id));
  }
  throw fail(`more than ${limits.sameTime} blocks after it have the same time; choose another block`);
}

function readListing(
  text: string,
  fail: (why: string) => ForkError,
): { readonly utxos: readonly ListedOutput[]; readonly nextPageToken?: string } {
  try {
    const listing = JSON.parse(text) as { readonly utxos: readonly ListedOutput[]; readonly nextPageToken?: string };
    if (listing.utxos.every(isListedOutput)) return listing;
  } catch {
    // The same as another form of JSON.
  }
  throw fail('its Data API gave an answer of another form');
}

const isListedOutput = ({ timestamp, consumingTxTimestamp = 0, utxoBytes = '' }: ListedOutput): boolean =>
  Number.isSafeInteger(timestamp) && Number.isSafeInteger(consumingTxTimestamp) && typeof utxoBytes === 'string';
