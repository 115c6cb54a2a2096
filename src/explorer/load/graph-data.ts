import type { AssetAmount, Tx, TxType, Utxo } from '../../api/contract/answers.ts';
import type { SummaryAmount } from '../../api/summary/sentence.ts';
import { outputType } from './output-type.ts';
import { isMint } from './tx-kind.ts';

/** An output in the graph: an edge from the transaction that created it to the one that spent it. */
export type GraphOutput = {
  readonly id: string;
  readonly asset: AssetAmount;
  readonly type: SummaryAmount['type'];
  readonly isMintRight: boolean;
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly locktime: number;
  /** Where it was created. */
  readonly created: GraphEnd;
  /** Its index in the transaction that created it. */
  readonly index: string;
  /** Where it was spent, or is to be. */
  readonly spent: GraphEnd;
  readonly isSpent: boolean;
};

/** The transaction and the chain at an end of an edge. `id`: undefined if it is unspent, or if another chain spent it in an unknown transaction. */
export type GraphEnd = { readonly id: string | undefined; readonly chain: string };

/** An expanded transaction with the outputs that are shown of it. */
export type GraphTx = {
  readonly id: string;
  readonly type: TxType;
  readonly isMint: boolean;
  readonly height: number;
  readonly inputs: readonly GraphOutput[];
  readonly outputs: readonly GraphOutput[];
  /** How many are not shown. */
  readonly moreInputs: number;
  readonly moreOutputs: number;
};

export type GraphData = {
  /** What the URL names: a transaction or an output. */
  readonly name: string;
  readonly root: string;
  /** The output that the URL names. */
  readonly selected: string | undefined;
  /** Expanded transactions beside the root, in the order in which they were expanded. */
  readonly open: readonly string[];
  readonly txs: readonly GraphTx[];
};

/** Expanded transactions beside the root. */
export const maxOpen = 24;

/** Outputs shown on each side of a transaction; the others are counted. */
const maxOutputs = 8;

/** Outputs shown on each side of all transactions together, beside those that connect them: drawing the graph takes as long as it has boxes. */
const maxOutputsOfAll = 64;

/** Outputs shown on each side of a transaction of a graph with so many transactions. */
export const outputsPerTx = (txs: number): number => Math.max(1, Math.min(maxOutputs, Math.floor(maxOutputsOfAll / txs)));

/** `max`: outputs shown on each side, see `outputsPerTx`. */
export function graphTx(tx: Tx, isConnected: (utxo: Utxo) => boolean, max: number): GraphTx {
  const inputs = choose(tx.consumedUtxos, isConnected, ({ creationTxHash }) => creationTxHash, max);
  const outputs = choose(tx.emittedUtxos, isConnected, ({ consumingTxHash }) => consumingTxHash, max);
  return {
    id: tx.txHash,
    type: tx.txType,
    isMint: isMint(tx),
    height: tx.blockHeight,
    inputs: inputs.map(graphOutput),
    outputs: outputs.map(graphOutput),
    moreInputs: tx.consumedUtxos.length - inputs.length,
    moreOutputs: tx.emittedUtxos.length - outputs.length,
  };
}

/**
 * At most `max`, in their order: the first one that leads to each expanded transaction, then others that lead to one, then the first of the
 * others. Of the first kind there may be more, up to `maxOutputs`: without them an expanded transaction would not be in the graph.
 */
function choose(
  utxos: readonly Utxo[],
  isConnected: (utxo: Utxo) => boolean,
  neighbourOf: (utxo: Utxo) => string | undefined,
  max: number,
): readonly Utxo[] {
  if (utxos.length <= max) return utxos;
  const connected = utxos.filter(isConnected);
  const first = new Set(new Map(connected.toReversed().map((utxo) => [neighbourOf(utxo), utxo])).values());
  const sorted = new Set([...utxos.filter((utxo) => first.has(utxo)), ...connected, ...utxos]);
  const kept = new Set([...sorted].slice(0, Math.max(max, Math.min(first.size, maxOutputs))));
  return utxos.filter((utxo) => kept.has(utxo));
}

const graphOutput = (utxo: Utxo): GraphOutput => ({
  id: utxo.utxoId,
  asset: utxo.asset,
  type: outputType(utxo),
  isMintRight: utxo.utxoType === 'mint',
  addresses: utxo.addresses,
  threshold: utxo.threshold,
  locktime: utxo.locktime,
  created: { id: utxo.creationTxHash, chain: utxo.createdOnChainId },
  index: utxo.outputIndex,
  spent: { id: utxo.consumingTxHash, chain: utxo.consumedOnChainId },
  isSpent: utxo.consumingTxHash !== undefined || utxo.consumingTxTimestamp !== undefined,
});

/** The URL of a graph with these transactions expanded. */
export const graphUrl = (name: string, open: readonly string[]): string =>
  `/graph/${encodeURIComponent(name)}${open.length === 0 ? '' : `?open=${open.join(',')}`}`;
