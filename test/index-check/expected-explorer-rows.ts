import { effectsOf } from '../../src/avm/tx/effects.ts';
import { type Utxo, utxoId } from '../../src/avm/tx/utxo.ts';
import { cb58Encode } from '../../src/base/bytes/cb58.ts';
import { sha256 } from '../../src/base/bytes/hash.ts';
import { toHex } from '../../src/base/bytes/hex.ts';
import { type Id, idToBytes } from '../../src/base/bytes/id.ts';
import type { ExplorerTables } from '../../src/ledger/index/explorer-tables.ts';
import type { ChainModel, ModelOutput, ModelTx } from './chain-model.ts';
import { isMintUtxo, nftCount, sumHex, unitsIn } from './expected-rows.ts';

type ExpectedAssetCounts = { holders: number; held: bigint; minted: bigint; mintedNfts: number };

/** Holders and minted units of each asset that has any. */
export function assetCounts({ txs, unspentBy }: ChainModel): ReadonlyMap<Id, ExpectedAssetCounts> {
  const counts = new Map<Id, ExpectedAssetCounts>();
  const countOf = (asset: Id) => {
    const count = counts.get(asset) ?? { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };
    counts.set(asset, count);
    return count;
  };
  for (const { asset, amount } of holdersIn(unspentBy)) {
    const count = countOf(asset);
    count.holders++;
    count.held += amount;
  }
  for (const tx of txs)
    for (const [asset, minted] of mintedIn(tx)) {
      const count = countOf(asset);
      count.minted += sum(minted, unitsIn);
      count.mintedNfts += countNfts(minted);
    }
  return counts;
}

/** The last columns of an asset's row. */
export function assetCountText(counts: ReadonlyMap<Id, ExpectedAssetCounts>, asset: Id): string {
  const { holders, held, minted, mintedNfts } = counts.get(asset) ?? { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };
  return `${holders} ${sumHex(held)} ${sumHex(minted)} ${mintedNfts}`;
}

/** The addresses that alone own unspent outputs of an asset. */
const holdersIn = (unspentBy: ChainModel['unspentBy']) =>
  [...unspentBy.values()].flatMap((unspent) => {
    const owned = [...unspent].map(({ utxo }) => utxo).filter((utxo) => !isMintUtxo(utxo));
    return [...new Set(owned.map(({ assetID }) => assetID))].map((asset) => {
      const ofAsset = owned.filter(({ assetID }) => assetID === asset);
      return { asset, amount: sum(ofAsset, unitsIn) };
    });
  });

/** The rows that the tables of the explorer routes should have, as texts in the form of expected-rows.ts. */
export function explorerRows({ blocks, outputs }: ChainModel): {
  readonly [T in keyof ExplorerTables]: readonly string[];
} {
  const large = blocks.filter(({ height, txs: own }) => height > 0 && own.length > 4);
  return {
    assetOwner: [...new Set([...outputs.values()].flatMap(ownerOfBalance))],
    blockTxIds: large.map(({ height, txs: own }) => {
      const list = JSON.stringify(own.map(({ tx }) => cb58Encode(idToBytes(tx.id))));
      return `${height} ${toHex(Buffer.from(list.slice(2, -2)))}`;
    }),
  };
}

/** The owner of an output that was once unspent after a block and belongs to one address. */
function ownerOfBalance({ utxo, height, spentBy, isPreLinearization }: ModelOutput): string[] {
  const isBalance = !isMintUtxo(utxo) && (spentBy?.height !== height || isPreLinearization);
  return isBalance && utxo.output.addresses.length === 1 ? [`${utxo.assetID} ${utxo.output.addresses[0]}`] : [];
}

/** The numbers of transactions and what is stored with them about the outputs they consume. */
export const txOutputTexts = ({ txs, outputs }: ChainModel): readonly string[] => txs.flatMap((tx) => txOutputsText(tx, outputs) ?? []);

/** Of a BaseTx, unless one of its consumed outputs is unknown, is no transfer output, or differs from its input. */
function txOutputsText({ seq, tx: { unsigned } }: ModelTx, outputs: ChainModel['outputs']): string | undefined {
  if (unsigned.kind !== 'BaseTx') return undefined;
  const number = (value: number | undefined) => (value as number).toString(16).padStart(12, '0');
  let hex = '';
  for (const { txID, outputIndex, assetID, input } of unsigned.inputs) {
    const consumed = outputs.get(utxoId(txID, outputIndex));
    const output = consumed?.utxo.output;
    if (consumed === undefined || output?.kind !== 'secp256k1fx.TransferOutput') return undefined;
    if (output.amount !== input.amount || consumed.utxo.assetID !== assetID) return undefined;
    const { locktime, threshold, addresses } = output;
    hex += number(consumed.time) + locktime.toString(16).padStart(16, '0');
    hex += [threshold, addresses.length].map((value) => value.toString(16).padStart(8, '0')).join('') + addresses.join('');
  }
  return hex.length > 2 * 4096 ? undefined : `${seq} ${hex}${toHex(sha256(Buffer.from(hex, 'hex'))).slice(-8)}`;
}

const sum = (utxos: readonly Utxo[], amountOf: (utxo: Utxo) => bigint): bigint => utxos.reduce((total, utxo) => total + amountOf(utxo), 0n);

const countNfts = (utxos: readonly Utxo[]): number => utxos.reduce((total, utxo) => total + nftCount(utxo), 0);

/**
 * The outputs of each asset that a transaction creates out of nothing: those of a new asset, and those of operations except transfers. An
 * operation that changes nothing but mint outputs is listed too.
 */
function mintedIn({ tx }: ModelTx): Map<Id, readonly Utxo[]> {
  const { created } = effectsOf(tx);
  const minted = new Map<Id, readonly Utxo[]>();
  const { unsigned } = tx;
  if (unsigned.kind === 'CreateAssetTx')
    minted.set(
      tx.id,
      created.filter(({ assetID }) => assetID === tx.id),
    );
  if (unsigned.kind !== 'OperationTx') return minted;
  let at = unsigned.outputs.length;
  for (const { assetID, operation } of unsigned.operations) {
    const count = { 'propertyfx.BurnOperation': 0, 'nftfx.TransferOperation': 1 }[operation.kind as string] ?? mintOutputCount(operation);
    const outputs = created.filter(({ outputIndex }) => outputIndex >= at && outputIndex < at + count);
    at += count;
    if (operation.kind.endsWith('MintOperation') && count > 0) minted.set(assetID, [...(minted.get(assetID) ?? []), ...outputs]);
  }
  return minted;
}

/** An NFT mint creates an output per owner; the other mints create a mint output and what is minted. */
const mintOutputCount = (operation: object): number => ('outputs' in operation ? (operation.outputs as readonly unknown[]).length : 2);
