import type { OutputOwners } from '../../avm/tx/output.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { importTx } from '../../avm/wallet/transactions.ts';
import { type Draft, findSigners, ownedBy, transfer, type Wallet } from '../../avm/wallet/wallet.ts';
import type { Id } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import type { ReadUtxoPage } from '../rpc/utxo-query.ts';
import { amountOf, findOutputs, largestFirst, maxInputs, type OutputReads } from './coin-selection.ts';
import type { Payer } from './dev-wallet.ts';

/** What to import: outputs of the payer in the memory shared with the chain `source`. */
export type ImportRequest = {
  readonly payer: Payer;
  readonly source: Id;
  /** Reads the memory that chains share. */
  readonly readPage: ReadUtxoPage;
  /** Whether amounts of an asset can be on the chain that imports. */
  readonly isTransferable: (assetID: Id) => boolean;
  /** The new owners; the payer if undefined. */
  readonly to: OutputOwners | undefined;
  readonly memo: Uint8Array;
  readonly noWait: boolean;
};

/** An ImportTx to sign: the number of its imported outputs, their sums by asset, and how many outputs of the payer still wait. */
export type ImportDraft = {
  /** Undefined if no output can be imported now. */
  readonly draft: Draft | undefined;
  readonly outputs: number;
  readonly amounts: ReadonlyMap<Id, bigint>;
  readonly remaining: number;
};

/** The most waiting outputs that an import reads. */
const maxWaiting = 65_536;

/**
 * Builds an ImportTx of what waits for the payer, as much as fits one transaction. Imported AVAX pays the fee; `payFee` selects outputs of the payer
 * for what that does not cover.
 */
export async function draftImport(
  { payer, source, readPage, isTransferable, to, memo }: ImportRequest,
  {
    wallet,
    outputs,
    payFee,
    time,
  }: {
    readonly wallet: Wallet;
    readonly outputs: OutputReads;
    readonly payFee: (missing: bigint) => Promise<readonly Utxo[]>;
    readonly time: bigint;
  },
): Promise<ImportDraft> {
  const { feeAsset, txFee } = wallet.chainParams;
  const shared: OutputReads = { ...outputs, chainID: source, utxoPage: readPage, pendingTxs: () => [] };
  const waiting = await findOutputs(shared, [payer.key], () => true, maxWaiting);
  const canImport = (utxo: Utxo): boolean =>
    utxo.output.kind === 'secp256k1fx.TransferOutput' &&
    isTransferable(utxo.assetID) &&
    findSigners({ keys: [payer.key] }, utxo, time) !== undefined;
  const { imported, amounts } = selectImports(waiting.filter(canImport), feeAsset);
  const found = { outputs: imported.length, amounts, remaining: waiting.length - imported.length };
  if (imported.length === 0) return { ...found, draft: undefined };
  const received = new Map(amounts).set(feeAsset, (amounts.get(feeAsset) ?? 0n) - txFee);
  const missingFee = -(received.get(feeAsset) as bigint);
  const utxos = missingFee > 0n ? await payFee(missingFee) : [];
  const change = ownedBy([payer.key]);
  const sent = [...received].filter(([, amount]) => amount > 0n).map(([assetID, amount]) => transfer(assetID, amount, to ?? change));
  return { ...found, draft: importTx(wallet, { utxos, change, now: time, memo }, source, imported, sent) };
}

/**
 * Selects outputs that fit one ImportTx, and sums them by asset. Those of the fee asset come first, the largest before the others, because they
 * pay the fee. An output that would make the sum of its asset larger than an output can hold is left out.
 */
function selectImports(
  waiting: readonly Utxo[],
  feeAsset: Id,
): { readonly imported: readonly Utxo[]; readonly amounts: ReadonlyMap<Id, bigint> } {
  const imported: Utxo[] = [];
  const amounts = new Map<Id, bigint>();
  const paying = waiting.filter(({ assetID }) => assetID === feeAsset).sort(largestFirst);
  for (const utxo of [...paying, ...waiting.filter(({ assetID }) => assetID !== feeAsset)]) {
    const sum = (amounts.get(utxo.assetID) ?? 0n) + amountOf(utxo);
    if (imported.length === maxInputs || sum > maxU64) continue;
    imported.push(utxo);
    amounts.set(utxo.assetID, sum);
  }
  return { imported, amounts };
}
