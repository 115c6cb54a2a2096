import type { Id } from '../src/bytes/id.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import type { Key } from './wallet-kit.ts';

/**
 * The ledger as plain maps, kept by a test beside the node's: what the node holds must be what is here. Supply is counted a second
 * way, from the amounts that transactions name, so that an output lost or made twice shows even if both sides lose it.
 */
export type Model = {
  /** Outputs of this chain. */
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** The feature extensions each asset was created with. */
  readonly assets: ReadonlyMap<Id, readonly number[]>;
  /** What another chain put into the memory it shares with this one, by that chain. */
  readonly inbound: (chain: Id) => ReadonlyMap<Id, Utxo>;
  /** What this chain exported, by the chain it is for. */
  readonly outbound: (chain: Id) => ReadonlyMap<Id, Utxo>;
  /** What is spent and gone, the newest last. */
  readonly spent: readonly Utxo[];
  /** Amounts of each asset by the books: initial + minted + imported - exported - burnt. */
  readonly supply: ReadonlyMap<Id, bigint>;
  readonly accepted: readonly Tx[];
  readonly apply: (tx: Tx) => void;
  readonly deposit: (from: Id, utxo: Utxo) => void;
};

export function createModel(genesis: { readonly txs: readonly Tx[]; readonly utxos: readonly Utxo[] }): Model {
  const utxos = new Map(genesis.utxos.map((utxo) => [utxo.id, utxo]));
  const assets = new Map<Id, readonly number[]>();
  const inbound = new Map<Id, Map<Id, Utxo>>();
  const outbound = new Map<Id, Map<Id, Utxo>>();
  const supply = new Map<Id, bigint>();
  const spent: Utxo[] = [];
  const accepted: Tx[] = [];
  const add = (assetID: Id, amount: bigint) => supply.set(assetID, (supply.get(assetID) ?? 0n) + amount);
  const of = (memory: Map<Id, Map<Id, Utxo>>, chain: Id): Map<Id, Utxo> => {
    const known = memory.get(chain) ?? new Map<Id, Utxo>();
    memory.set(chain, known);
    return known;
  };
  const noteAsset = ({ id, unsigned }: Tx) => {
    if (unsigned.kind === 'CreateAssetTx')
      assets.set(
        id,
        unsigned.initialStates.map((state) => state.fxIndex),
      );
  };

  const book = ({ id, unsigned }: Tx): void => {
    for (const { assetID, input } of unsigned.inputs) add(assetID, -input.amount);
    for (const { assetID, output } of unsigned.outputs) add(assetID, output.amount);
    // Imported amounts come in as outputs; exported ones are in no output of this chain: both are booked by the lines above.
    if (unsigned.kind === 'CreateAssetTx')
      for (const { outputs } of unsigned.initialStates)
        for (const output of outputs) if (output.kind === 'secp256k1fx.TransferOutput') add(id, output.amount);
    if (unsigned.kind === 'OperationTx')
      for (const { assetID, operation } of unsigned.operations)
        if (operation.kind === 'secp256k1fx.MintOperation') add(assetID, operation.transferOutput.amount);
  };

  for (const tx of genesis.txs) {
    noteAsset(tx);
    book(tx);
  }
  return {
    utxos,
    assets,
    inbound: (chain) => of(inbound, chain),
    outbound: (chain) => of(outbound, chain),
    spent,
    supply,
    accepted,
    apply: (tx) => {
      const effects = effectsOf(tx);
      for (const id of effects.spent) {
        const utxo = utxos.get(id);
        if (utxo === undefined) throw new Error(`transaction ${tx.id} spends ${id}, which the model does not have`);
        spent.push(utxo);
        utxos.delete(id);
      }
      for (const id of effects.imported?.ids ?? [])
        if (!of(inbound, effects.imported?.from as Id).delete(id)) throw new Error(`transaction ${tx.id} imports ${id} from nowhere`);
      for (const utxo of effects.created) utxos.set(utxo.id, utxo);
      for (const utxo of effects.exported?.utxos ?? []) of(outbound, effects.exported?.to as Id).set(utxo.id, utxo);
      noteAsset(tx);
      book(tx);
      accepted.push(tx);
    },
    deposit: (from, utxo) => of(inbound, from).set(utxo.id, utxo),
  };
}

/** Amounts of each asset, summed over outputs: what the books must say too. */
export function sumOf(utxos: Iterable<Utxo>): Map<Id, bigint> {
  const sums = new Map<Id, bigint>();
  for (const { assetID, output } of utxos)
    if (output.kind === 'secp256k1fx.TransferOutput') sums.set(assetID, (sums.get(assetID) ?? 0n) + output.amount);
  return sums;
}

/** Whether these keys alone can spend an output by this time. */
export function canSpend({ output }: Utxo, keys: readonly Key[], now: bigint): boolean {
  if (output.locktime > now) return false;
  return output.addresses.filter((address) => keys.some((key) => key.address === address)).length >= output.threshold;
}
