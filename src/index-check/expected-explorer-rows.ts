import { cb58Encode } from '../bytes/cb58.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import type { ExplorerTables } from '../index/explorer-tables.ts';
import { txKinds } from '../index/tables.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { ChainModel, ModelTx } from './chain-model.ts';
import { burnedInTx, isMintUtxo, nftCount, sumHex, unitsIn } from './expected-rows.ts';

/** The rows that the tables of the explorer routes should have, as texts in the form of expected-rows.ts. */
export function explorerRows({ spec, blocks, txs, unspentBy }: ChainModel): { readonly [T in keyof ExplorerTables]: readonly string[] } {
  const holders: string[] = [];
  const counts = new Map<Id, { holders: number; held: bigint; minted: bigint; mintedNfts: number }>();
  const countOf = (asset: Id) => {
    const count = counts.get(asset) ?? { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };
    counts.set(asset, count);
    return count;
  };
  for (const [address, outputs] of unspentBy) {
    const owned = [...outputs].map(({ utxo }) => utxo).filter((utxo) => !isMintUtxo(utxo));
    for (const asset of new Set(owned.map(({ assetID }) => assetID))) {
      const ofAsset = owned.filter(({ assetID }) => assetID === asset);
      const amount = sum(ofAsset, unitsIn);
      holders.push(`${asset} ${address} ${sumHex(amount)} ${countNfts(ofAsset)}`);
      const count = countOf(asset);
      count.holders++;
      count.held += amount;
    }
  }
  for (const tx of txs)
    for (const [asset, minted] of mintedIn(tx)) {
      const count = countOf(asset);
      count.minted += sum(minted, unitsIn);
      count.mintedNfts += countNfts(minted);
    }
  const withTxs = blocks.filter(({ height, txs: own }) => height > 0 && own.length > 0);
  return {
    assetHolder: holders,
    assetCount: [...counts].map(
      ([asset, { holders, held, minted, mintedNfts }]) => `${asset} ${holders} ${sumHex(held)} ${sumHex(minted)} ${mintedNfts}`,
    ),
    blockStat: withTxs.map(({ height, txs: own }) => {
      const bytes = own.reduce((total, { tx }) => total + tx.bytes.length, 0);
      const fees = own.reduce((total, tx) => total + burnedInTx(tx, spec.feeAsset), 0n);
      const kinds = Object.keys(txKinds).map((kind) => own.filter(({ tx }) => tx.unsigned.kind === kind).length);
      return `${height} ${bytes} ${sumHex(fees)} ${kinds.join(' ')}`;
    }),
    blockTxIds: withTxs.map(({ height, txs: own }) => {
      const list = JSON.stringify(own.map(({ tx }) => cb58Encode(idToBytes(tx.id))));
      return `${height} ${toHex(Buffer.from(list.slice(2, -2)))}`;
    }),
  };
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
