import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { isMintOutput, isNft, isSingleOwner, unitsOf } from '../index/output-amount.ts';
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
  /** By `balanceKey`. Outputs created and spent within the block are left out. */
  readonly balanceChanges: ReadonlyMap<string, BalanceChange>;
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
  readonly addresses: ReadonlySet<Address>;
  readonly assets: ReadonlySet<Id>;
};

export type BalanceChange = {
  readonly address: Address;
  readonly asset: Id;
  readonly locktime: bigint;
  amount: bigint;
  /** Outputs with an amount. */
  count: number;
  /** NFTs and properties. */
  nfts: number;
};

export function blockFacts({ block, firstTx, applied, created, consumed, imported }: BlockToIndex, feeAsset: Id): BlockFacts {
  const sums = createChangeSums();
  const inputs = new Map<number, Utxo[]>();
  const consume = (tx: number, utxo: Utxo): void => {
    const others = inputs.get(tx);
    if (others === undefined) inputs.set(tx, [utxo]);
    else others.push(utxo);
  };
  for (const { utxo, spent } of created) {
    if (spent === null) sums.add(utxo, 1n);
    else consume(spent, utxo);
  }
  for (const { utxo, spent } of consumed) {
    sums.add(utxo, -1n);
    consume(spent, utxo);
  }
  const senders = new Set<Address>();
  const involved = new Set<Address>();
  let burned = 0n;
  const txs = applied.map(({ tx, effects }, i): TxFacts => {
    const seq = firstTx + i;
    const addresses = new Set<Address>();
    const assets = new Set<Id>();
    const addInput = (utxo: Utxo): void => {
      assets.add(utxo.assetID);
      for (const address of utxo.output.addresses) {
        addresses.add(address);
        senders.add(address);
      }
    };
    const addOutput = (utxo: Utxo): void => {
      assets.add(utxo.assetID);
      for (const address of utxo.output.addresses) addresses.add(address);
    };
    for (const utxo of inputs.get(seq) ?? []) addInput(utxo);
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imported.get(id);
      if (utxo !== undefined) addInput(utxo);
    }
    for (const utxo of effects.created) addOutput(utxo);
    for (const utxo of effects.exported?.utxos ?? []) addOutput(utxo);
    for (const asset of assetsNamedIn(tx)) assets.add(asset);
    for (const address of addresses) involved.add(address);
    burned += burnedAmount(tx, feeAsset);
    return { seq, kind: txKinds[tx.unsigned.kind], addresses, assets };
  });
  return {
    height: Number(block.height),
    time: Number(block.time),
    txs,
    senders,
    involved,
    burned,
    balanceChanges: sums.balanceChanges,
    supplyChanges: sums.supplyChanges,
  };
}

/** The key of a balance: address, asset and lock time. */
export const balanceKey = (address: Address, asset: Id, locktime: bigint): string =>
  locktime === 0n ? address + asset : address + asset + locktime;

/** Assets that a transaction names without a known output: a CreateAssetTx may create none, and the outputs of an import may be unknown. */
function assetsNamedIn({ id, unsigned }: Tx): readonly Id[] {
  if (unsigned.kind === 'CreateAssetTx') return [id];
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map(({ assetID }) => assetID) : [];
}

export type ChangeSums = ReturnType<typeof createChangeSums>;

/** Sums up changes of balances and supplies: `add` an output with sign 1 when it is created, with -1 when it is spent. */
export function createChangeSums() {
  const balanceChanges = new Map<string, BalanceChange>();
  const supplyChanges = new Map<Id, SupplyChange>();
  const add = ({ assetID: asset, output }: Utxo, sign: 1n | -1n): void => {
    const units = sign * unitsOf(output);
    const nfts = isNft(output) ? Number(sign) : 0;
    const supply = supplyChanges.get(asset);
    if (supply === undefined) supplyChanges.set(asset, { units, nfts });
    else {
      supply.units += units;
      supply.nfts += nfts;
    }
    const [address] = output.addresses;
    if (address === undefined || !isSingleOwner(output) || isMintOutput(output)) return;
    const key = balanceKey(address, asset, output.locktime);
    const count = Number(sign) - nfts;
    const change = balanceChanges.get(key);
    if (change === undefined) balanceChanges.set(key, { address, asset, locktime: output.locktime, amount: units, count, nfts });
    else {
      change.amount += units;
      change.count += count;
      change.nfts += nfts;
    }
  };
  return { add, balanceChanges, supplyChanges };
}
