import { type Id, idOf, zeroId } from '../bytes/id.ts';
import { codecVersion } from '../codec/pack.ts';
import { address, bytes, id, list, u32, u64 } from '../codec/primitive.ts';
import { Reader } from '../codec/reader.ts';
import { struct } from '../codec/struct.ts';
import { union } from '../codec/union.ts';
import { TransferableIn, TransferInput } from '../tx/input.ts';
import { TransferableOutput, TransferOutput } from '../tx/output.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import type { ForeignChain } from './remote.ts';

/** Which chains an export must lead from and to. */
export type Route = { readonly from: Id; readonly to: Id };

/**
 * What an export of the P- or C-Chain put into the memory it shares with this chain: none if it led elsewhere, undefined if the
 * transaction is no export. Reads no further than it must: signatures behind the outputs are the other chain's business.
 * Throws a CodecError for what is no transaction at all.
 */
export function exportedOutputs(chain: ForeignChain, txBytes: Uint8Array, { from, to }: Route): readonly Utxo[] | undefined {
  const reader = new Reader(txBytes);
  const { typeID, read } = layouts[chain];
  if (reader.u16() !== codecVersion || reader.u32() !== typeID) return undefined;
  const { blockchainID, destinationChain, before, exported } = read(reader);
  if (blockchainID !== from || destinationChain !== to) return [];
  const txID = idOf(txBytes);
  return exported.map(({ assetID, output }, i) => makeUtxo(txID, before + i, assetID, output));
}

/** The P-Chain's own id. */
export const platformChain = zeroId;

/** `before`: how many outputs the transaction makes on its own chain; exported ones are numbered after them. */
type Layout = {
  readonly typeID: number;
  readonly read: (reader: Reader) => { blockchainID: Id; destinationChain: Id; before: number; exported: TransferableOutput[] };
};

/** Peer: registration order in vms/platformvm/txs/codec.go. Funds locked for staking stay on the P-Chain but may stand beside an export. */
const names = { 5: 'secp256k1fx.TransferInput', 7: 'secp256k1fx.TransferOutput', 21: 'stakeable.LockIn', 22: 'stakeable.LockOut' };
const transferOut = { 'secp256k1fx.TransferOutput': [7, TransferOutput] } as const;
const lockOut = struct({ locktime: u64, output: union('avax.TransferableOut', names, transferOut) });
const lockIn = struct({ locktime: u64, input: TransferableIn });
const platformOutput = struct({ assetID: id, output: union('avax.TransferableOut', names, { ...transferOut, LockOut: [22, lockOut] }) });
const platformInput = struct({
  txID: id,
  outputIndex: u32,
  assetID: id,
  input: union('avax.TransferableIn', names, { 'secp256k1fx.TransferInput': [5, TransferInput], LockIn: [21, lockIn] }),
});

/** Peer: vms/platformvm/txs/export_tx.go. */
const platformExport = struct({
  networkID: u32,
  blockchainID: id,
  outputs: list(platformOutput),
  inputs: list(platformInput),
  memo: bytes,
  destinationChain: id,
  exported: list(TransferableOutput),
});

/** Peer: graft/coreth/plugin/evm/atomic/export_tx.go; an input is an account's balance and nonce. */
const contractExport = struct({
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
      const { outputs, ...tx } = platformExport.read(reader);
      return { ...tx, before: outputs.length };
    },
  },
  C: { typeID: 1, read: (reader) => ({ ...contractExport.read(reader), before: 0 }) },
};
