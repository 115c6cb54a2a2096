import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { isNft, unitsOf } from '../index/output-amount.ts';
import { txKinds } from '../index/tables.ts';
import type { StoredBlock } from '../state/block-change.ts';
import { burnedAmount } from '../state/block-row.ts';

/** A stored block, with the parts of it that the index reads. */
export type BlockToIndex = Omit<StoredBlock, 'block'> & { readonly block: Pick<StoredBlock['block'], 'height' | 'time'> };

/** What a block changes in the index: a pure function of the block and of the outputs it consumed. */
export type BlockFacts = {
  readonly height: number;
  readonly time: number;
  readonly txs: readonly TxFacts[];
  /** Owners of the outputs it consumed, imported ones included. */
  readonly senders: ReadonlySet<Address>;
  /** The senders and the owners of the outputs it created or exported. */
  readonly involved: ReadonlySet<Address>;
  /** Burned amount of the fee asset. */
  readonly burned: bigint;
  /** Changes of the supply of each asset on this chain. */
  readonly supplyChanges: ReadonlyMap<Id, SupplyChange>;
};

/** `nfts` counts NFTs and properties. An asset may have both units and NFTs. */
export type SupplyChange = { units: bigint; nfts: number };

type TxFacts = {
  readonly seq: number;
  /** Number of its kind; see `txKinds`. */
  readonly kind: number;
  /** Owners of the outputs it consumed, imported, created or exported. */
  readonly addresses: readonly Address[];
  readonly assets: readonly Id[];
};

export function blockFacts({ block, firstTx, applied, created, consumed, imported }: BlockToIndex, feeAsset: Id): BlockFacts {
  const supply = createSupplySums();
  const inputs = new Map<number, Utxo[]>();
  const consume = (tx: number, utxo: Utxo): void => {
    const others = inputs.get(tx);
    if (others === undefined) inputs.set(tx, [utxo]);
    else others.push(utxo);
  };
  for (const { utxo, spent } of created) {
    if (spent === null) supply.add(utxo, 1n);
    else consume(spent, utxo);
  }
  for (const { utxo, spent } of consumed) {
    supply.add(utxo, -1n);
    consume(spent, utxo);
  }
  const senders = new Set<Address>();
  const involved = new Set<Address>();
  let burned = 0n;
  const txs = applied.map(({ tx, effects }, i): TxFacts => {
    const seq = firstTx + i;
    const addresses: Address[] = [];
    const assets: Id[] = [];
    for (const utxo of inputs.get(seq) ?? noUtxos) addNames(utxo, addresses, assets);
    if (effects.imported !== undefined)
      for (const id of effects.imported.ids) {
        const utxo = imported.get(id);
        if (utxo !== undefined) addNames(utxo, addresses, assets);
      }
    for (const sender of addresses) senders.add(sender);
    for (const utxo of effects.created) addNames(utxo, addresses, assets);
    if (effects.exported !== undefined) for (const utxo of effects.exported.utxos) addNames(utxo, addresses, assets);
    for (const asset of assetsNamedIn(tx)) assets.push(asset);
    for (const address of addresses) involved.add(address);
    burned += burnedAmount(tx, feeAsset);
    return { seq, kind: txKinds[tx.unsigned.kind], addresses: distinct(addresses), assets: distinct(assets) };
  });
  return {
    height: Number(block.height),
    time: Number(block.time),
    txs,
    senders,
    involved,
    burned,
    supplyChanges: supply.changes,
  };
}

/** Adds the owners and the asset of an output. */
function addNames({ assetID, output }: Utxo, addresses: Address[], assets: Id[]): void {
  assets.push(assetID);
  for (const address of output.addresses) addresses.push(address);
}

const noUtxos: readonly Utxo[] = [];
const noIds: readonly Id[] = [];

/** The values without duplicates, in their order. A set for each of the many transactions with few addresses takes longer than comparing them. */
function distinct<T>(values: readonly T[]): readonly T[] {
  if (values.length > 16) return [...new Set(values)];
  const found: T[] = [];
  for (const value of values) if (!found.includes(value)) found.push(value);
  return found;
}

/** Assets that a transaction names without a known output: a CreateAssetTx may create none, and the outputs of an import may be unknown. */
function assetsNamedIn({ id, unsigned }: Tx): readonly Id[] {
  if (unsigned.kind === 'CreateAssetTx') return [id];
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map(({ assetID }) => assetID) : noIds;
}

/** Sums up changes of supplies: `add` an output with sign 1 when it is created, with -1 when it is spent. */
export function createSupplySums() {
  const changes = new Map<Id, SupplyChange>();
  const add = ({ assetID, output }: Utxo, sign: 1n | -1n): void => {
    const units = sign * unitsOf(output);
    const nfts = isNft(output) ? Number(sign) : 0;
    const supply = changes.get(assetID);
    if (supply === undefined) changes.set(assetID, { units, nfts });
    else {
      supply.units += units;
      supply.nfts += nfts;
    }
  };
  return { add, changes };
}
