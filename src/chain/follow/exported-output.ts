import { TransferableIn, TransferInput } from '../../avm/tx/input.ts';
import { TransferableOutput, TransferOutput } from '../../avm/tx/output.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { codecVersion } from '../../base/codec/pack.ts';
import { address, bytes, id, list, u32, u64 } from '../../base/codec/primitive.ts';
import { Reader } from '../../base/codec/reader.ts';
import { struct } from '../../base/codec/struct.ts';
import { union } from '../../base/codec/union.ts';
import type { ForeignChain } from './remote.ts';

/** The chain that outputs are exported from (P- or C-Chain), and the one they are exported to (this chain). */
type ExportRoute = { readonly from: Id; readonly to: Id };

/**
 * Returns the outputs that an ExportTx of the P- or C-Chain exported to this chain, as UTXOs. export-lookup.ts calls it with transactions from the
 * followed node: an ImportTx of this chain names the outputs it spends only by transaction and index, and their owners and amounts are in no
 * block of this chain. Returns an empty list for an export between other chains, and undefined if codec version or type ID are not those of an
 * ExportTx. Throws a CodecError if the bytes end early or the ExportTx is malformed. Credentials are not read: the other chain has verified them.
 */
export function parseExportedOutputs(chain: ForeignChain, txBytes: Uint8Array, { from, to }: ExportRoute): readonly Utxo[] | undefined {
  const reader = new Reader(txBytes);
  const { typeID, read } = layouts[chain];
  if (reader.u16() !== codecVersion || reader.u32() !== typeID) return undefined;
  const { blockchainID, destinationChain, outputIndex, exported } = read(reader);
  if (blockchainID !== from || destinationChain !== to) return [];
  const txID = idOf(txBytes);
  return exported.map(({ assetID, output }, i) => makeUtxo(txID, outputIndex + i, assetID, output));
}

/**
 * How to read an ExportTx of a chain. `outputIndex`: index of the first exported output; the outputs that stay on the source chain (change) come
 * before the exported ones.
 */
type Layout = {
  readonly typeID: number;
  readonly read: (reader: Reader) => { blockchainID: Id; destinationChain: Id; outputIndex: number; exported: TransferableOutput[] };
};

/**
 * Type IDs of the P-Chain with their Go names, for error messages of `union`; which of them may stand at a place is said there. AvalancheGo:
 * vms/platformvm/txs/codec.go (registration order). Outputs locked for staking cannot be exported but may be inputs and change outputs of an export.
 */
const goTypeNames = { 5: 'secp256k1fx.TransferInput', 7: 'secp256k1fx.TransferOutput', 21: 'stakeable.LockIn', 22: 'stakeable.LockOut' };
const transferOut = { 'secp256k1fx.TransferOutput': [7, TransferOutput] } as const;
const lockOut = struct({ locktime: u64, output: union('avax.TransferableOut', goTypeNames, transferOut) });
const lockIn = struct({ locktime: u64, input: TransferableIn });
const pChainOutput = struct({
  assetID: id,
  output: union('avax.TransferableOut', goTypeNames, { ...transferOut, 'stakeable.LockOut': [22, lockOut] }),
});
const pChainInput = struct({
  txID: id,
  outputIndex: u32,
  assetID: id,
  input: union('avax.TransferableIn', goTypeNames, { 'secp256k1fx.TransferInput': [5, TransferInput], 'stakeable.LockIn': [21, lockIn] }),
});

/** AvalancheGo: vms/platformvm/txs/export_tx.go. */
const pChainExport = struct({
  networkID: u32,
  blockchainID: id,
  outputs: list(pChainOutput),
  inputs: list(pChainInput),
  memo: bytes,
  destinationChain: id,
  exported: list(TransferableOutput),
});

/** AvalancheGo: graft/coreth/plugin/evm/atomic/export_tx.go. An input is an amount of an account and its nonce. */
const cChainExport = struct({
  networkID: u32,
  blockchainID: id,
  destinationChain: id,
  inputs: list(struct({ account: address, amount: u64, assetID: id, nonce: u64 })),
  exported: list(TransferableOutput),
});

const layouts: { readonly [C in ForeignChain]: Layout } = {
  P: {
    typeID: 18,
    read: (reader) => {
      const { outputs, ...tx } = pChainExport.read(reader);
      return { ...tx, outputIndex: outputs.length };
    },
  },
  C: { typeID: 1, read: (reader) => ({ ...cChainExport.read(reader), outputIndex: 0 }) },
};
