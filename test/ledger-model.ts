import type { UtxoRef } from '../src/avm/tx/input.ts';
import type { Operation } from '../src/avm/tx/operation.ts';
import type { Output } from '../src/avm/tx/output.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo, utxoId } from '../src/avm/tx/utxo.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { Key } from './wallet-kit.ts';

/**
 * A model of the ledger as plain maps; tests compare the node's state with it. It computes the effects of a transaction independently of
 * `src/`. The supply is computed in another way, from the amounts in the transactions.
 */
export type LedgerModel = {
  /** Unspent outputs of this chain. */
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** The feature extensions each asset was created with. */
  readonly assets: ReadonlyMap<Id, readonly number[]>;
  /** Outputs that the given chain exported to this one. */
  readonly inbound: (chain: Id) => ReadonlyMap<Id, Utxo>;
  /** Outputs that this chain exported to the given chain. */
  readonly outbound: (chain: Id) => ReadonlyMap<Id, Utxo>;
  /** Spent outputs, the newest last. */
  readonly spent: readonly Utxo[];
  /** Supply of each asset: initial + minted + imported - exported - burnt. */
  readonly supply: ReadonlyMap<Id, bigint>;
  readonly accepted: readonly Tx[];
  readonly apply: (tx: Tx) => void;
  readonly deposit: (from: Id, utxo: Utxo) => void;
};

export function createLedgerModel(genesis: { readonly txs: readonly Tx[]; readonly utxos: readonly Utxo[] }): LedgerModel {
  const utxos = new Map(genesis.utxos.map((utxo) => [utxo.id, utxo]));
  const assets = new Map<Id, readonly number[]>();
  const inbound = new Map<Id, Map<Id, Utxo>>();
  const outbound = new Map<Id, Map<Id, Utxo>>();
  const supply = new Map<Id, bigint>();
  const spent: Utxo[] = [];
  const accepted: Tx[] = [];
  const add = (assetID: Id, amount: bigint) => supply.set(assetID, (supply.get(assetID) ?? 0n) + amount);
  const sharedUtxos = (sharedMemory: Map<Id, Map<Id, Utxo>>, chain: Id): Map<Id, Utxo> => {
    const known = sharedMemory.get(chain) ?? new Map<Id, Utxo>();
    sharedMemory.set(chain, known);
    return known;
  };
  const recordAsset = ({ id, unsigned }: Tx) => {
    if (unsigned.kind === 'CreateAssetTx')
      assets.set(
        id,
        unsigned.initialStates.map((state) => state.fxIndex),
      );
  };

  const recordSupply = ({ id, unsigned }: Tx): void => {
    for (const { assetID, input } of unsigned.inputs) add(assetID, -input.amount);
    for (const { assetID, output } of unsigned.outputs) add(assetID, output.amount);
    // Imported amounts are in the outputs, and exported amounts are not: both are covered by the lines above.
    if (unsigned.kind === 'CreateAssetTx')
      for (const { outputs } of unsigned.initialStates)
        for (const output of outputs) if (output.kind === 'secp256k1fx.TransferOutput') add(id, output.amount);
    if (unsigned.kind === 'OperationTx')
      for (const { assetID, operation } of unsigned.operations)
        if (operation.kind === 'secp256k1fx.MintOperation') add(assetID, operation.transferOutput.amount);
  };

  for (const tx of genesis.txs) {
    recordAsset(tx);
    recordSupply(tx);
  }
  return {
    utxos,
    assets,
    inbound: (chain) => sharedUtxos(inbound, chain),
    outbound: (chain) => sharedUtxos(outbound, chain),
    spent,
    supply,
    accepted,
    apply: (tx) => {
      const { unsigned } = tx;
      for (const id of spentBy(tx)) {
        const utxo = utxos.get(id);
        if (utxo === undefined) throw new Error(`transaction ${tx.id} spends ${id}, which the model does not have`);
        spent.push(utxo);
        utxos.delete(id);
      }
      if (unsigned.kind === 'ImportTx')
        for (const ref of unsigned.importedInputs)
          if (!sharedUtxos(inbound, unsigned.sourceChain).delete(refId(ref)))
            throw new Error(`transaction ${tx.id} imports an output that the model does not have`);
      for (const utxo of createdBy(tx)) utxos.set(utxo.id, utxo);
      for (const utxo of exportedBy(tx)) sharedUtxos(outbound, exportTarget(tx)).set(utxo.id, utxo);
      recordAsset(tx);
      recordSupply(tx);
      accepted.push(tx);
    },
    deposit: (from, utxo) => sharedUtxos(inbound, from).set(utxo.id, utxo),
  };
}

/** Whether these keys can spend an output at time `now`. */
export function canSpend({ output }: Utxo, keys: readonly Key[], now: bigint): boolean {
  if (output.locktime > now) return false;
  // Loops, because it is asked of every output after every block, which took a tenth of the time of long tests.
  let signers = 0;
  for (const address of output.addresses)
    for (const key of keys)
      if (key.address === address) {
        signers++;
        break;
      }
  return signers >= output.threshold;
}

/** Outputs that a transaction creates on this chain, with consecutive indices. */
export function createdBy({ id, unsigned }: Tx): Utxo[] {
  const outputs: { assetID: Id; output: Output }[] = [...unsigned.outputs];
  if (unsigned.kind === 'CreateAssetTx')
    for (const state of unsigned.initialStates) outputs.push(...state.outputs.map((output) => ({ assetID: id, output })));
  if (unsigned.kind === 'OperationTx')
    for (const operation of unsigned.operations)
      outputs.push(...operationOutputs(operation).map((output) => ({ assetID: operation.assetID, output })));
  return outputs.map(({ assetID, output }, index) => makeUtxo(id, index, assetID, output));
}

/** Outputs of this chain that a transaction consumes. */
export const spentBy = ({ unsigned }: Tx): Id[] => [
  ...unsigned.inputs.map(refId),
  ...(unsigned.kind === 'OperationTx' ? unsigned.operations.flatMap(({ inputIDs }) => inputIDs.map(refId)) : []),
];

/** Exported outputs. Their indices follow those of the other outputs. */
export const exportedBy = ({ id, unsigned }: Tx): Utxo[] =>
  unsigned.kind !== 'ExportTx'
    ? []
    : unsigned.exportedOutputs.map(({ assetID, output }, i) => makeUtxo(id, unsigned.outputs.length + i, assetID, output));

export const exportTarget = ({ unsigned }: Tx): Id => (unsigned.kind === 'ExportTx' ? unsigned.destinationChain : unsigned.blockchainID);

function operationOutputs({ operation }: Operation): Output[] {
  switch (operation.kind) {
    case 'secp256k1fx.MintOperation': {
      const { mintOutput, transferOutput } = operation;
      return [
        { kind: 'secp256k1fx.MintOutput', ...mintOutput },
        { kind: 'secp256k1fx.TransferOutput', ...transferOutput },
      ];
    }
    case 'nftfx.MintOperation': {
      const { groupID, payload } = operation;
      return operation.outputs.map((owners) => ({ kind: 'nftfx.TransferOutput', groupID, payload, ...owners }));
    }
    case 'nftfx.TransferOperation':
      return [{ kind: 'nftfx.TransferOutput', ...operation.output }];
    case 'propertyfx.MintOperation': {
      const { mintOutput, ownedOutput } = operation;
      return [
        { kind: 'propertyfx.MintOutput', ...mintOutput },
        { kind: 'propertyfx.OwnedOutput', ...ownedOutput },
      ];
    }
    case 'propertyfx.BurnOperation':
      return [];
  }
}

export const refId = ({ txID, outputIndex }: UtxoRef): Id => utxoId(txID, outputIndex);
