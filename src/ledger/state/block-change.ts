import type { Block } from '../../avm/tx/block.ts';
import { createdOutputs, type Effects, effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type BalanceChange, type BalanceDelta, createBalanceDeltas } from './balance.ts';
import type { Diff } from './diff.ts';
import { outputNumber } from './output-number.ts';
import { encodeStoredUtxo } from './stored-utxo.ts';
import { encodeTxOutputs, unknownOutputs } from './tx-outputs.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** The changes of a block, as rows. An output that the block both creates and consumes changes no owner and no balance. */
export type BlockChange = {
  /** All outputs the block creates. `spent`: number of the transaction of the same block that consumes the output, if any. */
  readonly created: readonly (NumberedUtxo & { readonly spent: number | null })[];
  /** The created outputs that are unspent after the block. */
  readonly unspent: readonly NumberedUtxo[];
  /** Outputs of earlier blocks that the block consumes. `spent`: number of the consuming transaction. */
  readonly consumed: readonly (NumberedUtxo & { readonly spent: number })[];
  /** What is stored with each transaction about outputs; see `encodeTxOutputs`. */
  readonly txOutputs: readonly (Uint8Array | null)[];
  /** One delta per affected balance, so that each balance is read and written once. */
  readonly deltas: readonly BalanceDelta[];
};

/** A stored block with the numbers of its rows. Callbacks use it to store more data about the block in the same transaction. */
export type StoredBlock = Pick<BlockChange, 'created' | 'consumed'> &
  Pick<Diff, 'applied'> & {
    readonly block: Block;
    /** Number of its first transaction; the others have the next numbers. */
    readonly firstTx: number;
    /** Outputs of other chains that its transactions import, as far as they are known. */
    readonly imported: ReadonlyMap<Id, Utxo>;
    /** Outputs from before linearization that the block consumes. They were stored just before it, with height 0. */
    readonly preLinearizationUtxos?: readonly NumberedUtxo[];
    /** The transaction is from before linearization and added to block 0, which is stored already. */
    readonly extendsGenesis?: boolean;
    /** The balances that the block and these outputs change. Undefined if the rows of the balances are not stored with the block. */
    readonly balances?: readonly BalanceChange[];
    /** The changes of balances by the block alone, if they were computed. */
    readonly deltas?: readonly BalanceDelta[];
  };

/** A block to store. A block of a followed node may come with data from before linearization and with the outputs it imports. */
export type NewBlock = {
  readonly block: Block;
  readonly diff: Pick<Diff, 'applied' | 'consumed'>;
  /** Outputs from before linearization that the block consumes. */
  readonly preLinearizationUtxos?: readonly Utxo[];
  /** CreateAssetTx transactions from before linearization. */
  readonly preLinearizationAssets?: readonly Tx[];
  readonly imported?: ReadonlyMap<Id, Utxo>;
  /** Its transactions that were accepted without the signatures of impersonated addresses. */
  readonly impersonatedTxs?: readonly Id[];
};

/** The numbers for the rows of a block. */
type BlockNumbering = {
  readonly height: number;
  readonly firstTx: number;
  /** Finds the row of an unspent output of an earlier block. */
  readonly unspentRow: (utxo: Utxo) => NumberedUtxo;
  /** The time of this block or an earlier one, in Unix seconds. */
  readonly timeAt: (height: number) => number;
};

export function computeBlockChange(
  { applied, consumed }: Pick<Diff, 'applied' | 'consumed'>,
  { height, firstTx, unspentRow, timeAt }: BlockNumbering,
): BlockChange {
  const earlierRow = (id: Id): NumberedUtxo | undefined => {
    const utxo = consumed.get(id);
    return utxo && unspentRow(utxo);
  };
  const { createdByID, consumedByID } = numberOutputs(applied, { height, firstTx }, earlierRow);
  const created = [...createdByID.values()];
  const consumedRows = [...consumedByID.values()];
  const unspent = created.filter(({ spent }) => spent === null);
  const balances = createBalanceDeltas();
  for (const { utxo } of unspent) balances.add(utxo);
  for (const { utxo } of consumedRows) balances.remove(utxo);
  const consumedBy = (id: Id) => {
    const row = consumedByID.get(id) ?? createdByID.get(id);
    return row && { utxo: row.utxo, time: timeAt(row.height) };
  };
  const txOutputs = applied.map(({ tx, effects }) => (hasUnknownOutputs(tx, effects) ? unknownOutputs : encodeTxOutputs(tx, consumedBy)));
  return { created, unspent, consumed: consumedRows, txOutputs, deltas: balances.deltas() };
}

/** Numbers the outputs that transactions create, and finds those of earlier blocks that they consume. `spent`: the consuming transaction. */
export function numberOutputs(
  applied: Diff['applied'],
  { height, firstTx }: Pick<BlockNumbering, 'height' | 'firstTx'>,
  earlierRow: (id: Id) => NumberedUtxo | undefined,
) {
  const createdByID = new Map<Id, NumberedUtxo & { spent: number | null }>();
  const consumedByID = new Map<Id, NumberedUtxo & { spent: number }>();
  for (let i = 0; i < applied.length; i++) {
    const { effects } = applied[i] as Diff['applied'][number];
    for (const ref of effects.spent) {
      const id = refId(ref);
      const createdHere = createdByID.get(id);
      const earlier = createdHere === undefined ? earlierRow(id) : undefined;
      if (createdHere !== undefined) createdHere.spent = firstTx + i;
      // An unknown output is ignored, as AvalancheGo does. AvalancheGo: vms/components/avax/utxo_state.go, DeleteUTXO.
      else if (earlier !== undefined) {
        const { utxo, seq, height: createdAt, bytes } = earlier;
        consumedByID.set(id, { utxo, seq, height: createdAt, bytes, spent: firstTx + i });
      }
    }
    for (const utxo of effects.created) {
      const seq = outputNumber(firstTx + i, utxo.outputIndex);
      createdByID.set(utxo.id, { utxo, seq, height, bytes: encodeStoredUtxo(utxo), spent: null });
    }
  }
  return { createdByID, consumedByID };
}

/** The changes of block 0. `outputs`: see `ChainWriter.init`. */
export const genesisChanges = (txs: readonly Tx[], outputs: 'unspent' | 'unknown'): Pick<Diff, 'applied' | 'consumed'> => ({
  applied: txs.map((tx) => ({ tx, effects: outputs === 'unspent' ? effectsOf(tx) : { ...effectsOf(tx), created: [] } })),
  consumed: new Map(),
});

/** Whether a transaction is of a genesis whose outputs are unknown at block 0: see `ChainWriter.init`. */
const hasUnknownOutputs = (tx: Tx, { created }: Effects): boolean =>
  tx.unsigned.kind === 'CreateAssetTx' && created.length === 0 && createdOutputs(tx).length > 0;
