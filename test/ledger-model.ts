import type { Id } from '../src/bytes/id.ts';
import type { UtxoRef } from '../src/tx/input.ts';
import type { Operation } from '../src/tx/operation.ts';
import type { Output } from '../src/tx/output.ts';
import type { Tx } from '../src/tx/tx.ts';
import { makeUtxo, type Utxo, utxoId } from '../src/tx/utxo.ts';
import type { Key } from './wallet-kit.ts';

/**
 * The ledger as plain maps, kept by a test beside the node's: what the node holds must be what is here. It works out for itself what
 * a transaction does. Supply is counted in yet another way, from the amounts that transactions name.
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
      const { unsigned } = tx;
      for (const id of spentBy(tx)) {
        const utxo = utxos.get(id);
        if (utxo === undefined) throw new Error(`transaction ${tx.id} spends ${id}, which the model does not have`);
        spent.push(utxo);
        utxos.delete(id);
      }
      if (unsigned.kind === 'ImportTx')
        for (const ref of unsigned.importedInputs)
          if (!of(inbound, unsigned.sourceChain).delete(idOfRef(ref))) throw new Error(`transaction ${tx.id} imports what is not there`);
      for (const utxo of madeBy(tx)) utxos.set(utxo.id, utxo);
      for (const utxo of exportedBy(tx)) of(outbound, exportTarget(tx)).set(utxo.id, utxo);
      noteAsset(tx);
      book(tx);
      accepted.push(tx);
    },
    deposit: (from, utxo) => of(inbound, from).set(utxo.id, utxo),
  };
}

/** Whether these keys alone can spend an output by this time. */
export function canSpend({ output }: Utxo, keys: readonly Key[], now: bigint): boolean {
  if (output.locktime > now) return false;
  return output.addresses.filter((address) => keys.some((key) => key.address === address)).length >= output.threshold;
}

/** Outputs a transaction leaves on this chain, numbered through. */
export function madeBy({ id, unsigned }: Tx): Utxo[] {
  const outputs: { assetID: Id; output: Output }[] = [...unsigned.outputs];
  if (unsigned.kind === 'CreateAssetTx')
    for (const state of unsigned.initialStates) outputs.push(...state.outputs.map((output) => ({ assetID: id, output })));
  if (unsigned.kind === 'OperationTx')
    for (const operation of unsigned.operations)
      outputs.push(...resultsOf(operation).map((output) => ({ assetID: operation.assetID, output })));
  return outputs.map(({ assetID, output }, index) => makeUtxo(id, index, assetID, output));
}

/** Outputs of this chain that a transaction consumes. */
export const spentBy = ({ unsigned }: Tx): Id[] => [
  ...unsigned.inputs.map(idOfRef),
  ...(unsigned.kind === 'OperationTx' ? unsigned.operations.flatMap(({ inputIDs }) => inputIDs.map(idOfRef)) : []),
];

/** Exports are numbered on after what stays here. */
const exportedBy = ({ id, unsigned }: Tx): Utxo[] =>
  unsigned.kind !== 'ExportTx'
    ? []
    : unsigned.exportedOutputs.map(({ assetID, output }, i) => makeUtxo(id, unsigned.outputs.length + i, assetID, output));

const exportTarget = ({ unsigned }: Tx): Id => (unsigned.kind === 'ExportTx' ? unsigned.destinationChain : unsigned.blockchainID);

function resultsOf({ operation }: Operation): Output[] {
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

const idOfRef = ({ txID, outputIndex }: UtxoRef): Id => utxoId(txID, outputIndex);
