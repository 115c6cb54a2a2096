import type { Credential } from '../../../src/avm/tx/credential.ts';
import type { TransferableInput } from '../../../src/avm/tx/input.ts';
import type { Operation } from '../../../src/avm/tx/operation.ts';
import type { InitialState, TransferableOutput } from '../../../src/avm/tx/output.ts';
import { makeTx } from '../../../src/avm/tx/tx.ts';
import { UnsignedTx } from '../../../src/avm/tx/unsigned.ts';
import { parseUtxo, type Utxo } from '../../../src/avm/tx/utxo.ts';
import type { Address } from '../../../src/base/bytes/address.ts';
import { createAddressFormatter } from '../../../src/base/bytes/address.ts';
import { formatHex, parseHex } from '../../../src/base/bytes/hex.ts';
import { parseId } from '../../../src/base/bytes/id.ts';
import { pack } from '../../../src/base/codec/pack.ts';
import { local } from './local-network.ts';
import type { Node } from './node.ts';

/** Signs the transactions built in this file, for which the client has no builder. The client still signs, sends and reads them. */
export type Signer = {
  readonly address: Address;
  readonly sign: (unsigned: Uint8Array) => Promise<Uint8Array>;
};

export type NewAsset = {
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly initialStates: InitialState[];
};

export async function createAssetTx(node: Node, signer: Signer, asset: NewAsset): Promise<string> {
  const paid = await payFee(node, signer.address, local.createAssetTxFee);
  return signTx({ kind: 'CreateAssetTx', ...paid, ...asset, name: Buffer.from(asset.name), symbol: Buffer.from(asset.symbol) }, signer);
}

export async function operationTx(node: Node, signer: Signer, operation: Operation): Promise<string> {
  return signTx({ kind: 'OperationTx', ...(await payFee(node, signer.address, local.txFee)), operations: [operation] }, signer);
}

/** All UTXOs of an address, including types that the clients cannot read. */
export async function listUtxos(node: Node, address: Address): Promise<Utxo[]> {
  const { utxos } = await node.call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', { addresses: [xAddress(address)] });
  return utxos.map((utxo) => parseUtxo(parseHex('hex', utxo)));
}

export const xAddress = createAddressFormatter('X', local.hrp);

/** One owner, no locktime. */
export const ownedBy = (address: Address) => ({ locktime: 0n, threshold: 1, addresses: [address] });

const avaxAssetID = parseId(local.avaxAssetID);

/** Spends all AVAX of the address for the fee, with one change output. */
async function payFee(node: Node, address: Address, fee: bigint) {
  const utxos = (await listUtxos(node, address)).filter((utxo) => utxo.assetID === avaxAssetID).sort(compareRefs);
  const inputs = utxos.map(spend);
  const change = inputs.reduce((sum, { input }) => sum + input.amount, 0n) - fee;
  const outputs: TransferableOutput[] = [
    { assetID: avaxAssetID, output: { kind: 'secp256k1fx.TransferOutput', amount: change, ...ownedBy(address) } },
  ];
  return { networkID: local.networkID, blockchainID: parseId(local.xBlockchainID), outputs, inputs, memo: new Uint8Array(0) };
}

function spend({ txID, outputIndex, assetID, output }: Utxo): TransferableInput {
  if (output.kind !== 'secp256k1fx.TransferOutput') throw new Error(`${output.kind} is not an AVAX output`);
  return { txID, outputIndex, assetID, input: { kind: 'secp256k1fx.TransferInput', amount: output.amount, signatureIndices: [0] } };
}

const compareRefs = (a: Utxo, b: Utxo): number => (a.txID === b.txID ? a.outputIndex - b.outputIndex : a.txID < b.txID ? -1 : 1);

/** Signs with the same signature for every input and operation, because one signer owns them all. */
async function signTx(unsigned: UnsignedTx, signer: Signer): Promise<string> {
  const signatures = [await signer.sign(pack(UnsignedTx, unsigned))];
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations : [];
  const credentials: Credential[] = [
    ...unsigned.inputs.map(() => ({ kind: 'secp256k1fx.Credential' as const, signatures })),
    ...operations.map(({ operation }) => ({ kind: `${fxOf(operation.kind)}.Credential` as const, signatures })),
  ];
  return formatHex('hex', makeTx(unsigned, credentials).bytes);
}

type Fx = 'secp256k1fx' | 'nftfx' | 'propertyfx';

const fxOf = (kind: string): Fx => kind.split('.')[0] as Fx;
