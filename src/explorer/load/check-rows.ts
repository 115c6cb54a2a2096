import type { TxCheckResult, TxChecks } from '../../api/contract/answers.ts';
import { amountText, groupDigits, plural, shortId } from '../text/text-format.ts';
import type { PageContext } from './page-context.ts';

/** The checks of one rule over all parts of a transaction, as one row. */
export type CheckRow = {
  readonly rule: string;
  readonly word: string;
  readonly result: TxCheckResult['result'];
  /** The first check that failed. */
  readonly failed: TxCheckResult | undefined;
  readonly note: string;
};

/** What each rule of verification checks, in words. */
const words: { readonly [rule: string]: string } = {
  type: 'Bytes decode, contents of its type',
  'chain and memo': 'Network, chain and memo',
  'amounts and fee': 'Amounts cover outputs and fee',
  'contents of the type': 'Parts are sorted and complete',
  credentials: 'One credential for each input',
  new: 'Not accepted before',
  utxo: 'Every input is unspent',
  asset: 'Assets of inputs and outputs match',
  'feature extension': 'Asset allows this kind of output',
  output: 'Amounts and owners match',
  locktime: 'Locks have passed',
  threshold: 'Enough signers',
  signatures: 'Signatures match owners',
  'source chain': 'Source chain is known',
  'destination chain': 'Destination chain is known',
  mempool: 'Mempool accepts it',
};

/** One row for each rule, in the order in which the rules are checked. */
export function checkRows({ checks, hex }: TxChecks, context: PageContext): CheckRow[] {
  return [...Map.groupBy(checks, ({ rule }) => rule)].map(([rule, list]) => {
    const failed = list.find(({ result }) => result === 'fail');
    const isNotRun = list.some(({ result }) => result === 'not-run');
    return {
      rule,
      word: words[rule] ?? rule,
      result: failed !== undefined ? 'fail' : isNotRun ? 'not-run' : 'pass',
      failed,
      note: rule === 'type' ? `${groupDigits((hex.length - 2) / 2)} B` : noteOf(rule, list, context),
    };
  });
}

function noteOf(rule: string, list: readonly TxCheckResult[], context: PageContext): string {
  const passed = list.filter(({ result }) => result === 'pass').length;
  if (list.some(({ result }) => result === 'not-run') && passed === 0) return 'needs all checks before it';
  if (rule === 'amounts and fee') return sumsText(list[0]?.values.assets, context);
  if (rule === 'locktime') {
    const locked = list.filter(({ values }) => Number(values.locktime) > Number(values.now)).length;
    return locked === 0 ? 'none locked' : `${plural(locked, 'output')} locked`;
  }
  return list.length > 1 ? `${passed} of ${list.length}` : '';
}

type AssetSum = { readonly assetID: string; readonly have: string; readonly amount: string; readonly fee: string };

/** `1,540.5 AVAX ≥ 1,540.499 + 0.001` */
function sumsText(assets: unknown, { chain }: PageContext): string {
  if (!Array.isArray(assets)) return '';
  return (assets as readonly AssetSum[])
    .slice(0, 3)
    .map(({ assetID, have, amount, fee }) => {
      const isFeeAsset = assetID === chain.feeAsset;
      const text = (value: string): string => amountText(value, isFeeAsset ? chain.feeDecimals : 0);
      const isEnough = BigInt(have) >= BigInt(amount) + BigInt(fee);
      const sum = BigInt(fee) === 0n ? text(amount) : `${text(amount)} + ${text(fee)}`;
      return `${text(have)} ${isFeeAsset ? chain.feeSymbol : shortId(assetID)} ${isEnough ? '≥' : '<'} ${sum}`;
    })
    .join('; ');
}

type DropReason = { readonly code: string; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };

/** Whether the same bytes would be taken now. */
function resendText(checks: Pick<TxChecks, 'isIssuable' | 'refusal'> | undefined): string {
  if (checks === undefined) return '';
  return checks.isIssuable
    ? ' Its bytes can be sent again.'
    : ` Its bytes would be refused now: ${checks.refusal?.message ?? 'a check fails'}.`;
}

/** One sentence why a transaction was dropped and what to do, for the codes that readers meet most. */
export function dropSentence(
  { code, message, data = {} }: DropReason,
  checks: Pick<TxChecks, 'isIssuable' | 'refusal'> | undefined,
): string {
  const input = /^(?:inputs|importedInputs)\[(\d+)\]/.exec(String(data.path ?? ''))?.[1];
  const part = input === undefined ? 'An input' : `Input ${input}`;
  if (code === 'TX_UTXO_NOT_FOUND' && data.isSpent === true)
    return checks?.isIssuable
      ? `${part} was spent by another transaction, which is no longer in the chain.${resendText(checks)}`
      : `${part} was spent by another transaction before this one reached a block. Sending the same bytes again gives the same answer: build it from unspent outputs.`;
  if (code === 'TX_UTXO_NOT_FOUND' && data.createdByStatus === 'Processing')
    return `${part} spends an output of a transaction that still waits for a block. Send it again when that one is accepted, or use wallet.issueTx.`;
  if (code === 'MEMPOOL_CONFLICT')
    return 'Another transaction that waits for a block spends one of its inputs. Only one of them can be accepted.';
  if (code === 'MEMPOOL_DROPPED_BY_CALLER') return `It was removed from the mempool by a caller of dev.dropTx.${resendText(checks)}`;
  if (code === 'TX_TIME_LOCKED')
    return `${part} spends an output that is still locked. Send it again after the lock has passed, or spend another output.`;
  return message;
}
