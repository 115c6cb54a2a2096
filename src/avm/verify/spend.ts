import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { RecoverSigner } from '../../base/crypto/recover.ts';
import type { Credential } from '../tx/credential.ts';
import { consumedRefs } from '../tx/effects.ts';
import { fxIndexOf } from '../tx/fx.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import type { Operation } from '../tx/operation.ts';
import type { TransferableOutput } from '../tx/output.ts';
import { type Tx, unsignedBytes } from '../tx/tx.ts';
import { dispatchTx, type TxHandlers } from '../tx/unsigned.ts';
import { refId, type Utxo } from '../tx/utxo.ts';
import type { View } from '../view.ts';
import { isExempt } from './exemptions.ts';
import { TxError } from './fault.ts';
import { requireCredential } from './fx.ts';
import { verifyFxOperation, verifyFxTransfer } from './fx-table.ts';
import { type SignatureContext, verifySignaturesOnly } from './owners.ts';
import { type SubnetContext, verifySameSubnet } from './subnet.ts';
import { type FaultLabels, type SpentOutput, verifyEach } from './verify-each.ts';

export type SpendContext = SubnetContext & {
  /** Unix seconds of the local clock. */
  readonly now: bigint;
  readonly recover: RecoverSigner;
  /** Formats an address with the chain's alias and prefix. */
  readonly addressText: (address: Address) => string;
  /** False while catching up with the network: signatures, operations and imports are then not verified again. */
  readonly bootstrapped: boolean;
  /** See SignatureContext. */
  readonly onExpectedSignature?: SignatureContext['onExpectedSignature'];
  /** See SignatureContext. */
  readonly acceptUnsigned?: SignatureContext['acceptUnsigned'];
};

/**
 * Verifies a transaction on the chain state. Throws a TxError for the first fault, so the checks are in AvalancheGo's order.
 * The transaction must have passed verifySyntax: one credential per input is assumed.
 * AvalancheGo: vms/avm/txs/executor/semantic_verifier.go.
 */
export function verifySpend(tx: Tx, view: View, context: SpendContext): void {
  const { inputs, outputs } = tx.unsigned;
  const check = createSpendCheck(tx, view, context);
  if (consumesNothing(tx)) verifyNew(tx, view);
  verifyEach('inputs', inputs, check, verifyLocalTransfer, transferLabels);
  verifyEach('outputs', outputs, view, verifyOutputFx, outputLabels);
  dispatchTx(checksByKind, tx.unsigned, check);
}

/** Whether a transaction has no inputs, which is possible where the fee is 0. Its acceptance does not make it invalid. */
export const consumesNothing = (tx: Tx): boolean => tx.unsigned.inputs.length === 0 && consumedRefs(tx).length === 0;

/** Verifies that a transaction is not accepted yet. AvalancheGo accepts one without inputs again and again; here it is stored once. */
export function verifyNew({ id }: Tx, view: View): void {
  if (view.tx(id) === undefined) return;
  const txID = idText(id);
  throw new TxError(`tx is already accepted: ${txID}`, { code: 'TX_ALREADY_ACCEPTED', txID });
}

const verifyLocalTransfer = (input: TransferableInput, check: SpendCheck, i: number): void =>
  verifyTransfer(input, i, localUtxo(input, check.view), check);

const verifyOutputFx = ({ output, assetID }: TransferableOutput, view: View): void => verifyFxUsage(output, assetID, view);

export function createSpendCheck(tx: Tx, view: View, context: SpendContext): SpendCheck {
  const { now, recover, addressText, bootstrapped, onExpectedSignature, acceptUnsigned } = context;
  const signing = { message: unsignedBytes(tx), now, recover, addressText, bootstrapped, onExpectedSignature, acceptUnsigned };
  return { tx, view, context, signing };
}

/** What the checks of one transaction share. */
export type SpendCheck = { readonly tx: Tx; readonly view: View; readonly context: SpendContext; readonly signing: SignatureContext };

const noCheck = (): void => {};

/** The checks that a transaction type adds to those of BaseTx. */
const checksByKind: TxHandlers<void, SpendCheck> = {
  BaseTx: noCheck,
  CreateAssetTx: noCheck,
  OperationTx: ({ inputs, operations }, check) => {
    if (!check.context.bootstrapped || isExempt('operations', check.tx.id)) return;
    verifyEach('operations', operations, check, (operation, _, i) => verifyOperation(operation, inputs.length + i, check));
  },
  ImportTx: ({ inputs, sourceChain, importedInputs }, check) => {
    if (!check.context.bootstrapped) return;
    verifySameSubnet(sourceChain, check.context);
    // All outputs are fetched before the first is verified, as in AvalancheGo.
    const utxos: (Utxo | 'unknown')[] = [];
    verifyEach(
      'importedInputs',
      importedInputs,
      check.view,
      (input, view) => utxos.push(atomicUtxo(input, sourceChain, view)),
      importLabels,
    );
    const verifyImport = (input: TransferableInput, _: SpendCheck, i: number): void => {
      const utxo = utxos[i] as Utxo | 'unknown';
      if (utxo === 'unknown') verifyUnknownOutput(input, inputs.length + i, check);
      else verifyTransfer(input, inputs.length + i, utxo, check);
    };
    verifyEach('importedInputs', importedInputs, check, verifyImport, importLabels);
  },
  ExportTx: ({ destinationChain, exportedOutputs }, check) => {
    if (check.context.bootstrapped) verifySameSubnet(destinationChain, check.context);
    verifyEach('exportedOutputs', exportedOutputs, check.view, verifyOutputFx);
  },
};

export function verifyTransfer(
  { assetID, input }: TransferableInput,
  credentialIndex: number,
  utxo: Utxo,
  { tx, view, signing }: SpendCheck,
): void {
  verifyAsset(utxo, assetID);
  const credential = tx.credentials[credentialIndex] as Credential;
  verifyFxUsage(credential, assetID, view);
  verifyFxTransfer(input, credential, utxo.output, signing);
}

/** Verifies an import whose output is unknown: owners and amount cannot be compared, but the signatures can be verified. */
function verifyUnknownOutput({ assetID, input }: TransferableInput, credentialIndex: number, { tx, view, signing }: SpendCheck): void {
  const credential = tx.credentials[credentialIndex] as Credential;
  verifyFxUsage(credential, assetID, view);
  verifySignaturesOnly(input.signatureIndices, requireCredential('secp256k1fx.Credential', credential).signatures, signing);
}

export function verifyOperation(
  { assetID, inputIDs, operation }: Operation,
  credentialIndex: number,
  { tx, view, signing }: SpendCheck,
): void {
  const spent = inputIDs.map((ref) => {
    const utxo = view.utxo(ref);
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
 * Verifies that the asset was created with the feature extension of the value. Assets created earlier in the same block are in the view.
 * AvalancheGo's error "unknown feature extension" cannot occur here, because every type belongs to a feature extension.
 */
export function verifyFxUsage({ kind }: { readonly kind: string }, assetID: Id, view: View): void {
  const asset = view.asset(assetID);
  if (asset === undefined) throw new TxError('not found', { code: 'TX_ASSET_NOT_FOUND', assetID: idText(assetID) });
  if (asset === 'not-an-asset') throw new TxError('not an asset', { code: 'TX_NOT_AN_ASSET', assetID: idText(assetID) });
  if (!asset.fxs.includes(fxIndexOf(kind)))
    throw new TxError('incompatible feature extension', { code: 'TX_INCOMPATIBLE_FX', assetID: idText(assetID), kind });
}

export function localUtxo(ref: UtxoRef, view: View): Utxo {
  const utxo = view.utxo(ref);
  if (utxo === undefined) throw new TxError(`failed to get utxo ${refText(ref)}: not found`, { code: 'TX_UTXO_NOT_FOUND' });
  return utxo;
}

export function atomicUtxo(ref: UtxoRef, sourceChain: Id, view: View): Utxo | 'unknown' {
  const utxo = view.atomic(sourceChain, refId(ref));
  if (utxo === undefined) throw new TxError('not found', { code: 'TX_UTXO_NOT_FOUND', sourceChain: idText(sourceChain) });
  return utxo;
}

const refText = (ref: UtxoRef): string => idText(refId(ref));
export const spentOutput = (ref: UtxoRef): SpentOutput => ({
  utxoID: refText(ref),
  createdBy: idText(ref.txID),
  outputIndex: ref.outputIndex,
});

/** AvalancheGo prefixes messages about inputs, but not those about imported inputs and operations. */
const transferLabels: FaultLabels<UtxoRef> = { prefix: 'failed to verify transfer: ', spends: spentOutput };
const outputLabels: FaultLabels<TransferableOutput> = { prefix: 'failed to verify fx usage: ' };
const importLabels: FaultLabels<UtxoRef> = { spends: spentOutput };
