import { parseBlock } from '../src/avm/tx/block.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import type { PinnedBlock, TxQuery } from '../src/ledger/index-read/index-reads.ts';
import { createOracle, type Oracle } from '../src/ledger/index-read/reads-oracle.fixture.ts';
import { chainRoot, type DataRequest, type Json, plainAddress } from './data-requests.ts';
import type { Client } from './http.ts';
import { localGenesis } from './local-chain.ts';
import type { Random } from './random.ts';
import { chance, pickKeys } from './random-world.ts';
import { type Key, localChainParams, type Wallet } from './wallet-kit.ts';

/** Expected responses of the Data API at any height of a running chain, computed from all its blocks, which are read through the Node RPC. */
export type ChainOracle = {
  readonly oracle: Oracle;
  /** Reads the blocks that the node accepted since the last call. */
  readonly readNewBlocks: (deposited: readonly Utxo[]) => Promise<void>;
  readonly height: () => number;
  readonly pinAt: (height: number) => PinnedBlock;
};

/**
 * `keeps`: whether a transaction is part of the oracle, for a chain that is too long to keep; the lists that are compared must be of these
 * transactions only. Nothing of the others is kept but their blocks.
 */
export function createChainOracle(node: Client, keeps?: (tx: Tx) => boolean): ChainOracle {
  const { blockchainID, feeAsset } = localChainParams;
  const oracle = createOracle(blockchainID, feeAsset);
  const pins: PinnedBlock[] = [];
  const { x, first } = localGenesis();

  const accept = (block: typeof first, txs: typeof first.txs, deposited: readonly Utxo[]): void => {
    oracle.accept(block, txs, deposited);
    pins.push({ height: pins.length, id: block.id, time: Number(block.time), lastTx: oracle.allTxs.length });
  };
  accept(
    first,
    x.genesis.assets.map(({ tx }) => tx),
    [],
  );

  return {
    oracle,
    height: () => pins.length - 1,
    pinAt: (height) => pins[height] as PinnedBlock,
    readNewBlocks: async (deposited) => {
      const last = await heightOf(node);
      while (pins.length <= last) {
        const { result } = await node.call('/ext/bc/X', 'avm.getBlockByHeight', { height: pins.length, encoding: 'hexnc' });
        const block = parseBlock(Buffer.from((result as unknown as { block: string }).block.slice(2), 'hex'));
        const txs = keeps === undefined ? block.txs : block.txs.filter(keeps);
        accept(keeps === undefined ? block : { ...block, txs, bytes: new Uint8Array() }, txs, deposited);
      }
    },
  };
}

export const heightOf = async (node: Client): Promise<number> =>
  Number(((await node.call('/ext/bc/X', 'avm.getHeight')).result as unknown as { height: string }).height);

/** A listing to be read page by page: the request, and the expected items at a pinned height, each as one text. */
export type Listing = DataRequest & { readonly expectedItems: (oracle: Oracle, pin: PinnedBlock) => string[] };

/** An item of a listing as text, including whether its outputs are spent at the pinned height. */
export const itemText = ({ blockHash, txHash, utxoId, consumingTxHash, emittedUtxos }: Json): string =>
  txHash !== undefined
    ? `${txHash} ${emittedUtxos.map(itemText).join()}`
    : utxoId !== undefined
      ? `${utxoId}>${consumingTxHash ?? ''}`
      : blockHash;

/** A listing of random kind and parameters. */
export function randomListing(random: Random, wallet: Wallet, assets: readonly Id[]): Listing {
  const keys = pickKeys({ random, wallet }, 1 + random.below(3));
  return random.pick([blockListing, txListing, txListing, utxoListing, utxoListing, utxoListing])(random, keys, assets);
}

/** A listing of what the wallet owns or did, of random kind and parameters. */
export function randomWalletListing(random: Random, wallet: Wallet): Listing {
  const keys = pickKeys({ random, wallet }, 1 + random.below(3));
  return random.pick([walletTxListing, utxoListing])(random, keys, []);
}

type ListingMaker = (random: Random, keys: readonly Key[], assets: readonly Id[]) => Listing;

const anyTime = { from: undefined, to: undefined };
const noLimit = { after: undefined, limit: Number.POSITIVE_INFINITY };

const blockListing: ListingMaker = () => ({
  path: `${chainRoot}/blocks?`,
  expectedItems: (oracle, pin) => oracle.blockList({ pin, times: anyTime, order: 'desc', ...noLimit }).map(({ id }) => idText(id)),
});

const txListing: ListingMaker = (random, keys, assets) => {
  const asset = random.pick(assets);
  return random.pick([
    (): Listing => makeTxListing(random, 'transactions', random.pick(orders), undefined),
    () => walletTxListing(random, keys, assets),
    () => makeTxListing(random, `assets/${idText(asset)}/transactions`, 'desc', [{ asset }]),
  ])();
};

const walletTxListing: ListingMaker = (random, keys) =>
  makeTxListing(
    random,
    'transactions',
    random.pick(orders),
    keys.map(({ address }) => ({ address })),
    `addresses=${keys.map(plainAddress).join()}&`,
  );

const orders = ['asc', 'desc'] as const;

function makeTxListing(random: Random, route: string, order: TxQuery['order'], subjects: TxQuery['subjects'], filter = ''): Listing {
  const kinds = chance(random, 30) ? (['OperationTx', 'ExportTx'] as const) : undefined;
  const types = kinds?.map((kind) => `txTypes=${kind}&`).join('') ?? '';
  // The transactions of an asset have one order.
  const sort = route === 'transactions' ? `sortOrder=${order}&` : '';
  return {
    path: `${chainRoot}/${route}?${sort}${filter}${types}`,
    expectedItems: (oracle, pin) =>
      oracle
        .txList({ pin, kinds, times: anyTime, order, subjects, ...noLimit })
        .map(({ txID, emitted }) => `${idText(txID)} ${emitted.map(outputText).join()}`),
  };
}

const utxoListing: ListingMaker = (random, keys) => {
  const includeSpent = chance(random, 50);
  const sortBy = random.pick(['timestamp', 'amount'] as const);
  const order = random.pick(['asc', 'desc'] as const);
  const owners = keys.map(plainAddress).join();
  const inBody = chance(random, 30);
  const query = `includeSpent=${includeSpent}&sortBy=${sortBy}&sortOrder=${order}&`;
  const addresses = keys.map(({ address }) => address);
  return {
    path: `${chainRoot}/utxos?${query}${inBody ? '' : `addresses=${owners}&`}`,
    ...(inBody ? { body: JSON.stringify({ addresses: owners }) } : {}),
    expectedItems: (oracle, pin) =>
      oracle.utxoList({ pin, addresses, asset: undefined, minAmount: 0n, includeSpent, sortBy, order }).map(outputText),
  };
};

type Output = ReturnType<Oracle['utxoList']>[number];

const outputText = ({ utxo, spent }: Output): string => `${idText(utxo.id)}>${spent?.txID === undefined ? '' : idText(spent.txID)}`;
