import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { compareHex } from '../bytes/octets.ts';
import type { Block } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { type BalanceDelta, createTally, ownersOf } from './balance.ts';
import type { Diff } from './diff.ts';
import { stored } from './stored-utxo.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** What a block changes, as rows. Outputs that it both makes and consumes are history only: nobody ever owned them between two blocks. */
export type BlockChange = {
  /** All it makes, with the transaction of the same block that consumes one. */
  readonly made: readonly (NumberedUtxo & { readonly spent: number | null })[];
  /** Those of them that stay. */
  readonly created: readonly NumberedUtxo[];
  readonly consumed: readonly (NumberedUtxo & { readonly spent: number })[];
  /** One for each balance it touches: they are read and written once, however often it touches them. */
  readonly deltas: readonly BalanceDelta[];
  readonly touched: ReadonlySet<Address>;
};

/** A block as it was stored, with the numbers of its rows: for those who keep more about it in the same transaction. */
export type StoredBlock = Pick<BlockChange, 'made' | 'consumed'> &
  Pick<Diff, 'applied'> & {
    readonly block: Block;
    /** Number of its first transaction; the others follow. */
    readonly firstTx: number;
    /** Outputs of other chains that its imports take, as far as they are known. */
    readonly imported: ReadonlyMap<Id, Utxo>;
    /** Outputs older than history that had to be stored before it, made at height 0: it consumes them. */
    readonly older?: readonly NumberedUtxo[];
  };

/** A block to be stored. One that another node accepted may bring what is older than history, and what its imports took. */
export type NewBlock = {
  readonly block: Block;
  readonly diff: Pick<Diff, 'applied' | 'consumed'>;
  /** Outputs it consumes that no block tells of. */
  readonly preLinearizationUtxos?: readonly Utxo[];
  /** Creations of assets that no block tells of. */
  readonly preLinearizationAssets?: readonly Tx[];
  readonly imported?: ReadonlyMap<Id, Utxo>;
};

export type Numbering = {
  readonly height: number;
  readonly firstTx: number;
  readonly firstUtxo: number;
  readonly held: (utxo: Utxo) => NumberedUtxo;
};

export function blockChange(
  { applied, consumed }: Pick<Diff, 'applied' | 'consumed'>,
  { height, firstTx, firstUtxo, held }: Numbering,
): BlockChange {
  const young = new Map<Id, { utxo: Utxo; spent: number | null }>();
  const old: (NumberedUtxo & { spent: number })[] = [];
  for (const [i, { effects }] of applied.entries()) {
    for (const id of effects.spent) {
      const own = young.get(id);
      const before = consumed.get(id);
      if (own !== undefined) own.spent = firstTx + i;
      // What is in neither was never there; the peer lets that pass as well. Peer: vms/components/avax/utxo_state.go, DeleteUTXO.
      else if (before !== undefined) old.push({ ...held(before), spent: firstTx + i });
    }
    for (const utxo of effects.created) young.set(utxo.id, { utxo, spent: null });
  }
  // The smallest id has the largest number: see the `utxo` table in schema.ts.
  const made = [...young.values()]
    .sort((a, b) => compareHex(b.utxo.id, a.utxo.id))
    .map(({ utxo, spent }, i) => ({ utxo, seq: firstUtxo + i, height, bytes: stored(utxo), spent }));
  const created = made.filter(({ spent }) => spent === null);
  const tally = createTally();
  for (const { utxo } of created) tally.add(utxo);
  for (const { utxo } of old) tally.remove(utxo);
  return { made, created, consumed: old, deltas: tally.deltas(), touched: ownersOfAll([...made, ...old]) };
}

export function ownersOfAll(utxos: readonly NumberedUtxo[]): Set<Address> {
  const addresses = new Set<Address>();
  for (const { utxo } of utxos) for (const address of ownersOf(utxo)) addresses.add(address);
  return addresses;
}
