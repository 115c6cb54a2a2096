import { idText } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { type AnyFault, faultOf } from '../../base/fault.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import type { Operation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import type { Tx } from '../tx/tx.ts';
import { dispatchTx, type TxHandlers } from '../tx/unsigned.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { View } from '../view.ts';
import { TxError } from './fault.ts';
import type { Rules } from './rules.ts';
import {
  atomicUtxo,
  consumesNothing,
  createSpendCheck,
  localUtxo,
  type SpendCheck,
  type SpendContext,
  spentOutput,
  verifyFxUsage,
  verifyNew,
  verifyOperation,
  verifyTransfer,
} from './spend.ts';
import { verifySameSubnet } from './subnet.ts';
import { flowOf, syntaxChecks } from './syntax.ts';

/**
 * One check of a transaction: the rule, the part of the transaction, the result and the values that were compared. `ok` is null if the check
 * could not run because one before it failed. A failed check has the code, message and facts of its fault.
 */
export type TxCheck = {
  readonly rule: string;
  readonly path?: string;
  readonly ok: boolean | null;
  readonly code?: string;
  readonly message?: string;
  readonly [value: string]: CheckValue | undefined;
};

type CheckValue = string | number | boolean | null | readonly CheckValue[] | { readonly [name: string]: CheckValue };

/** Adds facts to the fault of a failed check. */
export type EnrichFault = (error: AnyFault) => AnyFault;

/** Lists every check of a transaction with its result. The rules are those of verifySyntax and verifySpend, run part by part. */
export function explainTx(tx: Tx, view: View, rules: Rules, context: SpendContext, enrich: EnrichFault = (error) => error): TxCheck[] {
  const check = createSpendCheck(tx, view, context);
  const syntax = syntaxChecks.map(({ rule, verify }) => ({
    ...runCheck({ rule }, () => verify(tx, rules), enrich),
    assets: rule === 'amounts and fee' ? sumAssets(tx, rules) : undefined,
  }));
  const { inputs, outputs } = tx.unsigned;
  return [
    ...syntax,
    ...(consumesNothing(tx) ? [runCheck({ rule: 'new' }, () => verifyNew(tx, view), enrich)] : []),
    ...inputs.flatMap((input, i) => explainInput(`inputs[${i}]`, input, i, () => localUtxo(input, view), check, enrich)),
    ...outputs.map(({ assetID, output }, i) => explainFx(`outputs[${i}]`, () => verifyFxUsage(output, assetID, view), enrich)),
    ...dispatchTx(checksByKind(check, enrich), tx.unsigned, undefined),
  ];
}

const checksByKind = (check: SpendCheck, enrich: EnrichFault): TxHandlers<TxCheck[]> => ({
  BaseTx: () => [],
  CreateAssetTx: () => [],
  OperationTx: ({ inputs, operations }) =>
    operations.flatMap((operation, i) => explainOperation(`operations[${i}]`, operation, inputs.length + i, check, enrich)),
  ImportTx: ({ inputs, sourceChain, importedInputs }) => [
    runCheck({ rule: 'source chain', chainID: idText(sourceChain) }, () => verifySameSubnet(sourceChain, check.context), enrich),
    ...importedInputs.flatMap((input, i) =>
      explainInput(
        `importedInputs[${i}]`,
        input,
        inputs.length + i,
        () => atomicUtxo(input, sourceChain, check.view) as Utxo,
        check,
        enrich,
      ),
    ),
  ],
  ExportTx: ({ destinationChain, exportedOutputs }) => [
    runCheck(
      { rule: 'destination chain', chainID: idText(destinationChain) },
      () => verifySameSubnet(destinationChain, check.context),
      enrich,
    ),
    ...exportedOutputs.map(({ assetID, output }, i) =>
      explainFx(`exportedOutputs[${i}]`, () => verifyFxUsage(output, assetID, check.view), enrich),
    ),
  ],
});

/** The rules for spending an output, in the order in which they are checked, with the codes of their faults. */
const spendRules: readonly { readonly rule: string; readonly codes: readonly string[] }[] = [
  { rule: 'asset', codes: ['TX_ASSET_MISMATCH'] },
  {
    rule: 'feature extension',
    codes: [
      'TX_ASSET_NOT_FOUND',
      'TX_NOT_AN_ASSET',
      'TX_INCOMPATIBLE_FX',
      'TX_CANNOT_TRANSFER',
      'TX_WRONG_CREDENTIAL_TYPE',
      'TX_WRONG_UTXO_TYPE',
      'TX_WRONG_UTXO_COUNT',
    ],
  },
  {
    rule: 'output',
    codes: [
      'TX_WRONG_AMOUNT',
      'TX_NO_VALUE_OUTPUT',
      'TX_OUTPUT_UNSPENDABLE',
      'TX_OUTPUT_UNOPTIMIZED',
      'TX_ADDRESSES_NOT_SORTED',
      'TX_PAYLOAD_TOO_LARGE',
      'TX_WRONG_MINT_OUTPUT',
      'TX_WRONG_GROUP',
      'TX_WRONG_PAYLOAD',
    ],
  },
  { rule: 'locktime', codes: ['TX_TIME_LOCKED'] },
  { rule: 'threshold', codes: ['TX_TOO_MANY_SIGNERS', 'TX_TOO_FEW_SIGNERS', 'TX_SIGNATURE_COUNT', 'TX_SIGNER_OUT_OF_BOUNDS'] },
  // Every other fault is one of a signature.
  { rule: 'signatures', codes: [] },
];

function explainInput(
  path: string,
  input: TransferableInput,
  credentialIndex: number,
  find: () => Utxo,
  check: SpendCheck,
  enrich: EnrichFault,
): TxCheck[] {
  let utxo: Utxo | undefined;
  const found = runCheck({ rule: 'utxo', path, ...spentOutput(input) }, () => (utxo = find()), withSpentOutput(input, enrich));
  const verify = (now: SpendCheck) => verifyTransfer(input, credentialIndex, utxo as Utxo, now);
  return [found, ...explainSpend(path, utxo?.output, credentialIndex, check, verify, enrich)];
}

function explainOperation(path: string, operation: Operation, credentialIndex: number, check: SpendCheck, enrich: EnrichFault): TxCheck[] {
  const checks = operation.inputIDs.map((ref, i) =>
    runCheck(
      { rule: 'utxo', path: `${path}.inputIDs[${i}]`, ...spentOutput(ref) },
      () => localUtxo(ref, check.view),
      withSpentOutput(ref, enrich),
    ),
  );
  const [first] = operation.inputIDs;
  const isFound = checks.length > 0 && checks.every(({ ok }) => ok === true);
  const spent = isFound && first !== undefined ? check.view.utxo(first)?.output : undefined;
  return [
    ...checks,
    ...explainSpend(path, spent, credentialIndex, check, (now) => verifyOperation(operation, credentialIndex, now), enrich),
  ];
}

/** Adds the output to be spent to a fault, as verifySpend does, so that `enrich` can look it up. */
const withSpentOutput =
  (ref: UtxoRef, enrich: EnrichFault): EnrichFault =>
  (error) =>
    enrich(error instanceof TxError ? new TxError(error.message, { ...error.fault, ...spentOutput(ref) }) : error);

/** The checks of `spendRules` for one spent output; undefined if it was not found. A lock is reported, and the rules after it are still checked. */
function explainSpend(
  path: string,
  spent: Output | undefined,
  credentialIndex: number,
  check: SpendCheck,
  verify: (check: SpendCheck) => void,
  enrich: EnrichFault,
): TxCheck[] {
  if (spent === undefined || check.tx.credentials[credentialIndex] === undefined)
    return spendRules.map(({ rule }) => ({ rule, path, ok: null }));
  const values = valuesOf(spent, check);
  const error = faultOf(() => verify(check));
  const isLocked = error?.fault.code === 'TX_TIME_LOCKED';
  const later = isLocked ? faultOf(() => verify({ ...check, signing: { ...check.signing, now: maxU64 } })) : error;
  const failedAt = later === undefined ? spendRules.length : findRule(later);
  return spendRules.map(({ rule }, i): TxCheck => {
    const part = { rule, path, ...values[rule] };
    if (rule === 'locktime' && isLocked) return formatFailure(part, error, enrich);
    if (i === failedAt && later !== undefined) return formatFailure(part, later, enrich);
    return formatCheck(part, i < failedAt ? true : null);
  });
}

function findRule({ fault: { code } }: AnyFault): number {
  const at = spendRules.findIndex(({ codes }) => codes.includes(code));
  return at < 0 ? spendRules.length - 1 : at;
}

const valuesOf = (
  spent: Output,
  { signing }: SpendCheck,
): { readonly [rule: string]: { readonly [name: string]: CheckValue | undefined } } => ({
  output: { type: spent.kind, amount: 'amount' in spent ? String(spent.amount) : undefined },
  locktime: { locktime: String(spent.locktime), now: String(signing.now) },
  threshold: { threshold: spent.threshold },
  signatures: {
    owners: spent.addresses.map(signing.addressText),
    impersonated: spent.addresses.filter((owner) => signing.acceptUnsigned?.(owner) === true).map(signing.addressText),
  },
});

const explainFx = (path: string, verify: () => void, enrich: EnrichFault): TxCheck =>
  runCheck({ rule: 'feature extension', path }, verify, enrich);

function runCheck(part: CheckedPart, verify: () => void, enrich: EnrichFault): TxCheck {
  const error = faultOf(verify);
  return error === undefined ? formatCheck(part, true) : formatFailure(part, error, enrich);
}

/** The rule, the part of the transaction and the compared values. */
type CheckedPart = { readonly rule: string; readonly path?: string; readonly [value: string]: CheckValue | undefined };

function formatFailure(part: CheckedPart, error: AnyFault, enrich: EnrichFault): TxCheck {
  const { message, fault } = enrich(error);
  return { ...formatCheck(part, false), message, ...(fault as { readonly code: string }) };
}

/** The result comes before the values. */
const formatCheck = ({ rule, path, ...values }: CheckedPart, ok: boolean | null): TxCheck => ({
  rule,
  ...(path !== undefined && { path }),
  ok,
  ...values,
});

/** Amounts in, out and burned as fee, by asset. */
function sumAssets({ unsigned }: Tx, rules: Rules): CheckValue {
  const { fee, inputs, outputs } = flowOf(unsigned, rules);
  const sums = new Map([[rules.feeAsset, { have: 0n, amount: 0n, fee }]]);
  const sumOf = (assetID: typeof rules.feeAsset) => {
    const sum = sums.get(assetID) ?? { have: 0n, amount: 0n, fee: 0n };
    sums.set(assetID, sum);
    return sum;
  };
  for (const { assetID, input } of Object.values(inputs).flat()) sumOf(assetID).have += input.amount;
  for (const { assetID, output } of Object.values(outputs).flat()) sumOf(assetID).amount += output.amount;
  return [...sums].map(([assetID, { have, amount, fee }]) => ({
    assetID: idText(assetID),
    have: String(have),
    amount: String(amount),
    fee: String(fee),
    burned: String(have - amount),
  }));
}
