import { type Id, idText } from '../src/bytes/id.ts';
import type { Pin } from '../src/index-read/index-reads.ts';
import { createOracle, type Oracle } from '../src/index-read/reads-oracle.fixture.ts';
import { parseBlock } from '../src/tx/block.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { chainRoot, type Json, plainAddress, type Question } from './data-questions.ts';
import type { Client } from './http.ts';
import { localGenesis } from './local-chain.ts';
import type { Random } from './random.ts';
import { chance, severalKeys } from './random-world.ts';
import { type Key, localTerms, type Wallet } from './wallet-kit.ts';

/** What the Data interface should say of a running chain at any height, found by looking at all its blocks, which the Node RPC tells. */
export type ChainOracle = {
  readonly oracle: Oracle;
  /** Takes in the blocks that the node has had since the last time. */
  readonly readOn: (deposited: readonly Utxo[]) => Promise<void>;
  readonly height: () => number;
  readonly pinAt: (height: number) => Pin;
};

export function createChainOracle(node: Client): ChainOracle {
  const { blockchainID, feeAsset } = localTerms;
  const oracle = createOracle(blockchainID, feeAsset);
  const pins: Pin[] = [];
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
    pinAt: (height) => pins[height] as Pin,
    readOn: async (deposited) => {
      const last = await heightOf(node);
      while (pins.length <= last) {
        const { result } = await node.call('/ext/bc/X', 'avm.getBlockByHeight', { height: pins.length, encoding: 'hexnc' });
        const block = parseBlock(Buffer.from((result as unknown as { block: string }).block.slice(2), 'hex'));
        accept(block, block.txs, deposited);
      }
    },
  };
}

export const heightOf = async (node: Client): Promise<number> =>
  Number(((await node.call('/ext/bc/X', 'avm.getHeight')).result as unknown as { height: string }).height);

/** A list to be read page by page: how it is asked for, and what it holds, each item in one text. */
export type Listing = Question & { readonly holds: (oracle: Oracle, pin: Pin) => string[] };

/** An item as it stood at the height of the list: what became of its outputs is part of it. */
export const itemText = ({ blockHash, txHash, utxoId, consumingTxHash, emittedUtxos }: Json): string =>
  txHash !== undefined
    ? `${txHash} ${emittedUtxos.map(itemText).join()}`
    : utxoId !== undefined
      ? `${utxoId}>${consumingTxHash ?? ''}`
      : blockHash;

/** Any list of any kind. */
export function someListing(random: Random, wallet: Wallet, assets: readonly Id[]): Listing {
  const keys = severalKeys({ random, wallet }, 1 + random.below(3));
  return random.pick([blockListing, txListing, txListing, utxoListing, utxoListing, utxoListing])(random, keys, assets);
}

type Maker = (random: Random, keys: readonly Key[], assets: readonly Id[]) => Listing;

const always = { from: undefined, to: undefined };
const endless = { after: undefined, limit: Number.POSITIVE_INFINITY };

const blockListing: Maker = () => ({
  path: `${chainRoot}/blocks?`,
  holds: (oracle, pin) => oracle.blockList({ pin, times: always, order: 'desc', ...endless }).map(({ id }) => idText(id)),
});

const txListing: Maker = (random, keys, assets) => {
  const order = random.pick(['asc', 'desc'] as const);
  const kinds = chance(random, 30) ? (['OperationTx', 'ExportTx'] as const) : undefined;
  const asset = random.pick(assets);
  const types = kinds?.map((kind) => `txTypes=${kind}&`).join('') ?? '';
  const [path, query] = random.pick([
    [`transactions?sortOrder=${order}&`, { order, subjects: undefined }],
    [
      `transactions?sortOrder=${order}&addresses=${keys.map(plainAddress).join()}&`,
      { order, subjects: keys.map(({ address }) => ({ address })) },
    ],
    [`assets/${idText(asset)}/transactions?`, { order: 'desc' as const, subjects: [{ asset }] }],
  ]);
  return {
    path: `${chainRoot}/${path}${types}`,
    holds: (oracle, pin) =>
      oracle
        .txList({ pin, kinds, times: always, ...query, ...endless })
        .map(({ txID, emitted }) => `${idText(txID)} ${emitted.map(outputText).join()}`),
  };
};

const utxoListing: Maker = (random, keys) => {
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
    holds: (oracle, pin) =>
      oracle.utxoList({ pin, addresses, asset: undefined, minAmount: 0n, includeSpent, sortBy, order }).map(outputText),
  };
};

type Output = ReturnType<Oracle['utxoList']>[number];

const outputText = ({ utxo, spent }: Output): string => `${idText(utxo.id)}>${spent?.txID === undefined ? '' : idText(spent.txID)}`;
