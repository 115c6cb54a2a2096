import type { Address } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import type { View } from '../state/view.ts';
import type { Credential } from '../tx/credential.ts';
import { fxIndexOf } from '../tx/fx.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import type { Operation } from '../tx/operation.ts';
import { signedPart, type Tx } from '../tx/tx.ts';
import { handle, type TxHandlers } from '../tx/unsigned.ts';
import { type Utxo, utxoId } from '../tx/utxo.ts';
import { TxError } from './fault.ts';
import { credentialOf } from './fx.ts';
import { verifyFxOperation, verifyFxTransfer } from './fx-table.ts';
import { type Signing, verifySignaturesOnly } from './owners.ts';
import { each, type Naming, type SpentOutput } from './place.ts';
import { isWaived } from './quirks.ts';
import { type SubnetContext, verifySameSubnet } from './subnet.ts';

export type SpendContext = SubnetContext & {
  /** Unix seconds of the local clock. */
  readonly now: bigint;
  readonly recover: RecoverSigner;
  /** An address as this chain writes it. */
  readonly addressText: (address: Address) => string;
  /** False while catching up with the network: signatures, operations and imports are then taken as judged. */
  readonly bootstrapped: boolean;
  /** See Signing. */
  readonly expect?: Signing['expect'];
};

/**
 * What a transaction may do on the ledger it meets. Throws a TxError; the first fault wins, so the order is the peer's.
 * Only for what verifySyntax has passed: it takes for granted that there is a credential for each input.
 * Peer: vms/avm/txs/executor/semantic_verifier.go.
 */
export function verifySpend(tx: Tx, view: View, context: SpendContext): void {
  const { inputs, outputs } = tx.unsigned;
  const { now, recover, addressText, bootstrapped, expect } = context;
  const pass: Pass = { tx, view, context, signing: { message: signedPart(tx), now, recover, addressText, bootstrapped, expect } };
  each('inputs', inputs, (input, i) => verifyTransfer(input, i, localUtxo(input, view), pass), transfers);
  each('outputs', outputs, ({ output, assetID }) => verifyFxUsage(output, assetID, view), { prefix: 'failed to verify fx usage: ' });
  handle(beyondBase(pass), tx.unsigned);
}

type Pass = { readonly tx: Tx; readonly view: View; readonly context: SpendContext; readonly signing: Signing };

const nothing = (): void => {};

const beyondBase = (pass: Pass): TxHandlers<void> => ({
  BaseTx: nothing,
  CreateAssetTx: nothing,
  OperationTx: ({ inputs, operations }) => {
    if (!pass.context.bootstrapped || isWaived('operations', pass.tx.id)) return;
    each('operations', operations, (operation, i) => verifyOperation(operation, inputs.length + i, pass));
  },
  ImportTx: ({ inputs, sourceChain, importedInputs }) => {
    if (!pass.context.bootstrapped) return;
    verifySameSubnet(sourceChain, pass.context);
    // All are fetched before the first is judged.
    const utxos: (Utxo | 'unknown')[] = [];
    each('importedInputs', importedInputs, (input) => utxos.push(atomicUtxo(input, sourceChain, pass.view)), imports);
    const verifyImport = (input: TransferableInput, i: number): void => {
      const utxo = utxos[i] as Utxo | 'unknown';
      if (utxo === 'unknown') verifyUntold(input, inputs.length + i, pass);
      else verifyTransfer(input, inputs.length + i, utxo, pass);
    };
    each('importedInputs', importedInputs, verifyImport, imports);
  },
  ExportTx: ({ destinationChain, exportedOutputs }) => {
    if (pass.context.bootstrapped) verifySameSubnet(destinationChain, pass.context);
    each('exportedOutputs', exportedOutputs, ({ output, assetID }) => verifyFxUsage(output, assetID, pass.view));
  },
});

function verifyTransfer({ assetID, input }: TransferableInput, credentialIndex: number, utxo: Utxo, { tx, view, signing }: Pass): void {
  verifyAsset(utxo, assetID);
  const credential = tx.credentials[credentialIndex] as Credential;
  verifyFxUsage(credential, assetID, view);
  verifyFxTransfer(input, credential, utxo.output, signing);
}

/** Of an output that nobody could tell there is nothing to compare with; that the signatures are good can be told all the same. */
function verifyUntold({ assetID, input }: TransferableInput, credentialIndex: number, { tx, view, signing }: Pass): void {
  const credential = tx.credentials[credentialIndex] as Credential;
  verifyFxUsage(credential, assetID, view);
  verifySignaturesOnly(input.signatureIndices, credentialOf('secp256k1fx.Credential', credential).signatures, signing);
}

function verifyOperation({ assetID, inputIDs, operation }: Operation, credentialIndex: number, { tx, view, signing }: Pass): void {
  const spent = inputIDs.map((ref) => {
    const utxo = view.utxo(refId(ref));
    if (utxo === undefined) throw new TxError('not found', { code: 'TX_UTXO_NOT_FOUND', ...spentOutput(ref) });
    verifyAsset(utxo, assetID);
    return utxo.output;
  });
  verifyFxUsage(operation, assetID, view);
  verifyFxOperation(operation, tx.credentials[credentialIndex] as Credential, spent, signing);
}

function verifyAsset(utxo: Utxo, got: Id): void {
  if (utxo.assetID !== got)
    throw new TxError("asset IDs in the input don't match the utxo", {
      code: 'TX_ASSET_MISMATCH',
      utxoID: idText(utxo.id),
      want: idText(utxo.assetID),
      got: idText(got),
    });
}

/**
 * That an asset was created with the feature extension of a value. Assets made earlier in the same block count: the view has them.
 * Every kind has a feature extension, so the peer's "unknown feature extension" cannot come up here.
 */
function verifyFxUsage({ kind }: { readonly kind: string }, assetID: Id, view: View): void {
  const asset = view.asset(assetID);
  if (asset === undefined) throw new TxError('not found', { code: 'TX_ASSET_NOT_FOUND', assetID: idText(assetID) });
  if (asset === 'not-an-asset') throw new TxError('not an asset', { code: 'TX_NOT_AN_ASSET', assetID: idText(assetID) });
  if (!asset.fxs.includes(fxIndexOf(kind)))
    throw new TxError('incompatible feature extension', { code: 'TX_INCOMPATIBLE_FX', assetID: idText(assetID), kind });
}

function localUtxo(ref: UtxoRef, view: View): Utxo {
  const utxo = view.utxo(refId(ref));
  if (utxo === undefined) throw new TxError(`failed to get utxo ${refText(ref)}: not found`, { code: 'TX_UTXO_NOT_FOUND' });
  return utxo;
}

function atomicUtxo(ref: UtxoRef, sourceChain: Id, view: View): Utxo | 'unknown' {
  const utxo = view.atomic(sourceChain, refId(ref));
  if (utxo === undefined) throw new TxError('not found', { code: 'TX_UTXO_NOT_FOUND', sourceChain: idText(sourceChain) });
  return utxo;
}

const refId = ({ txID, outputIndex }: UtxoRef): Id => utxoId(txID, outputIndex);
const refText = (ref: UtxoRef): string => idText(refId(ref));
const spentOutput = (ref: UtxoRef): SpentOutput => ({ utxoID: refText(ref), createdBy: idText(ref.txID), outputIndex: ref.outputIndex });

/** The peer names the step for plain inputs; for imported ones and operations it does not. */
const transfers: Naming<UtxoRef> = { prefix: 'failed to verify transfer: ', spends: spentOutput };
const imports: Naming<UtxoRef> = { spends: spentOutput };
