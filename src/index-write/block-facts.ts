import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { isAlone, isNft, isRight, unitsOf } from '../index/output-amount.ts';
import { kinds } from '../index/tables.ts';
import type { StoredBlock } from '../state/block-change.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** A stored block, as far as the index looks at it. */
export type NewInIndex = Omit<StoredBlock, 'block'> & { readonly block: Pick<StoredBlock['block'], 'height' | 'time'> };

/** What a block did, in the index's terms: a pure function of the block and of the outputs it consumed. */
export type BlockFacts = {
  readonly height: number;
  readonly time: number;
  readonly txs: readonly TxFacts[];
  /** Addresses whose outputs it consumed. */
  readonly senders: ReadonlySet<Address>;
  /** Those and all whom it gave an output. */
  readonly involved: ReadonlySet<Address>;
  readonly burned: bigint;
  /** By `balanceKey`. Nothing for what came and went within the block. */
  readonly changes: ReadonlyMap<string, BalanceChange>;
  /** By how much the supply of an asset on this chain changed. */
  readonly supply: ReadonlyMap<Id, SupplyChange>;
};

/** Units, and NFTs with properties: an asset may have both. */
export type SupplyChange = { units: bigint; nfts: number };

export type TxFacts = {
  readonly seq: number;
  readonly kind: number;
  /** Owners of what it consumed and of what it made, on other chains too. */
  readonly addresses: ReadonlySet<Address>;
  readonly assets: ReadonlySet<Id>;
};

export type BalanceChange = {
  readonly address: Address;
  readonly asset: Id;
  readonly locktime: bigint;
  amount: bigint;
  /** Outputs that hold an amount. */
  count: number;
  nfts: number;
};

export function blockFacts({ block, firstTx, applied, made, consumed, imported }: NewInIndex, feeAsset: Id): BlockFacts {
  const ledger = ledgerChanges();
  const inputs = new Map<number, Utxo[]>();
  const consume = (tx: number, utxo: Utxo): void => {
    const before = inputs.get(tx);
    if (before === undefined) inputs.set(tx, [utxo]);
    else before.push(utxo);
  };
  for (const { utxo, spent } of made) {
    if (spent === null) ledger.add(utxo, 1n);
    else consume(spent, utxo);
  }
  for (const { utxo, spent } of consumed) {
    ledger.add(utxo, -1n);
    consume(spent, utxo);
  }
  const senders = new Set<Address>();
  const involved = new Set<Address>();
  let burned = 0n;
  const txs = applied.map(({ tx, effects }, i): TxFacts => {
    const seq = firstTx + i;
    const addresses = new Set<Address>();
    const assets = new Set<Id>();
    const spends = (utxo: Utxo): void => {
      assets.add(utxo.assetID);
      for (const address of utxo.output.addresses) {
        addresses.add(address);
        senders.add(address);
      }
    };
    const makes = (utxo: Utxo): void => {
      assets.add(utxo.assetID);
      for (const address of utxo.output.addresses) addresses.add(address);
    };
    for (const utxo of inputs.get(seq) ?? []) spends(utxo);
    for (const id of effects.imported?.ids ?? []) {
      const utxo = imported.get(id);
      if (utxo !== undefined) spends(utxo);
    }
    for (const utxo of effects.created) makes(utxo);
    for (const utxo of effects.exported?.utxos ?? []) makes(utxo);
    for (const asset of namedAssets(tx)) assets.add(asset);
    for (const address of addresses) involved.add(address);
    burned += burnedBy(tx, feeAsset);
    return { seq, kind: kinds[tx.unsigned.kind], addresses, assets };
  });
  return {
    height: Number(block.height),
    time: Number(block.time),
    txs,
    senders,
    involved,
    burned,
    changes: ledger.changes,
    supply: ledger.supply,
  };
}

/** One name for an address, an asset and a lock time. */
export const balanceKey = (address: Address, asset: Id, locktime: bigint): string =>
  locktime === 0n ? address + asset : address + asset + locktime;

/** An asset may be named without an output to show for it: its creation may make none, and what an import takes may be unknown here. */
function namedAssets({ id, unsigned }: Tx): readonly Id[] {
  if (unsigned.kind === 'CreateAssetTx') return [id];
  return unsigned.kind === 'ImportTx' ? unsigned.importedInputs.map(({ assetID }) => assetID) : [];
}

/** What the inputs bring beyond what the outputs take: the fee and whatever its sender left. Minting has its own balance. */
export function burnedBy({ unsigned }: Tx, asset: Id): bigint {
  let sum = 0n;
  for (const { assetID, input } of unsigned.inputs) if (assetID === asset) sum += input.amount;
  for (const { assetID, output } of unsigned.outputs) if (assetID === asset) sum -= output.amount;
  if (unsigned.kind === 'ImportTx') for (const { assetID, input } of unsigned.importedInputs) if (assetID === asset) sum += input.amount;
  if (unsigned.kind === 'ExportTx') for (const { assetID, output } of unsigned.exportedOutputs) if (assetID === asset) sum -= output.amount;
  return sum > 0n ? sum : 0n;
}

/** Sums of outputs that come and go. */
export function ledgerChanges() {
  const changes = new Map<string, BalanceChange>();
  const supply = new Map<Id, SupplyChange>();
  const add = ({ assetID: asset, output }: Utxo, sign: 1n | -1n): void => {
    const units = sign * unitsOf(output);
    const nfts = isNft(output) ? Number(sign) : 0;
    const before = supply.get(asset);
    if (before === undefined) supply.set(asset, { units, nfts });
    else {
      before.units += units;
      before.nfts += nfts;
    }
    const [address] = output.addresses;
    if (address === undefined || !isAlone(output) || isRight(output)) return;
    const key = balanceKey(address, asset, output.locktime);
    const count = Number(sign) - nfts;
    const change = changes.get(key);
    if (change === undefined) changes.set(key, { address, asset, locktime: output.locktime, amount: units, count, nfts });
    else {
      change.amount += units;
      change.count += count;
      change.nfts += nfts;
    }
  };
  return { add, changes, supply };
}
