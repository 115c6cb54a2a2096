import { cleanText } from '../../base/bytes/printable.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { ParamHint } from './param-hint.ts';

/** A call that was answered with an error, as a person reads it. Plain data of bounded size: a reader process sends it to the writer process. */
export type RefusedCall = {
  readonly method: string;
  /** The error code of `data`. */
  readonly code: string;
  readonly reason: string;
  /** What to do, from the facts of the error; empty if nothing is known. */
  readonly hint: string;
};

/** The most characters of each text. */
const maxText = 240;

export function describeRefusal(method: string, error: AnyFault, paramHint: ParamHint | undefined): RefusedCall {
  return {
    method: boundMethod(method),
    code: error.fault.code,
    reason: boundText(error.message, maxText),
    hint: boundText(findHint({ ...error.fault, ...paramHint }), maxText),
  };
}

/** A method name as it is shown; the caller may have sent any text. */
export const boundMethod = (method: string): string => boundText(method, 60);

/** What to do, from the facts of an error; empty if nothing is known. The first row whose facts are known gives the hint. Amounts and addresses in faults are texts already; see verify/fault.ts. */
export function findHint(facts: Facts): string {
  for (const row of hintRows) {
    const hint = row(facts);
    if (hint !== undefined) return hint;
  }
  return '';
}

type Facts = Readonly<Record<string, unknown>>;
type HintRow = (facts: Facts) => string | undefined;

/** A row for errors that have all the given facts as texts or numbers. */
const when =
  (names: readonly string[], hint: (...values: string[]) => string): HintRow =>
  (facts) => {
    const values = names.map((name) => facts[name]);
    return values.every((value) => (typeof value === 'string' && value !== '') || typeof value === 'number')
      ? hint(...values.map(String))
      : undefined;
  };

/** A row for errors with one code. */
const forCode =
  (code: string, row: HintRow): HintRow =>
  (facts) =>
    facts.code === code ? row(facts) : undefined;

const avax = (amount: string): string => (/^\d{1,30}$/.test(amount) ? formatUnits(BigInt(amount), 9) : amount);

const hintRows: readonly HintRow[] = [
  ({ unknownParams }) => {
    const [first] = (unknownParams ?? []) as ParamHint['unknownParams'];
    if (first === undefined) return undefined;
    return `unknown parameter ${first.name}${first.didYouMean === undefined ? '' : `; did you mean ${first.didYouMean}?`}`;
  },
  when(['didYouMean'], (name) => `did you mean ${name}?`),
  when(['replacedBy'], (other) => `use ${other}`),
  ({ code, path }) =>
    typeof path === 'string' && typeof code === 'string' && code.startsWith('RPC_') ? `this method is at ${path}` : undefined,
  when(['argument', 'expected'], (argument, expected) => `${argument}: ${expected}`),
  when(['spentBy'], (txID) => `already spent by ${txID}`),
  when(['createdByStatus', 'createdBy'], (status, txID) => `${txID}, which creates the input, is ${status}`),
  forCode(
    'TX_INSUFFICIENT_FUNDS',
    when(['have', 'amount', 'fee'], (have, amount, fee) => `inputs ${avax(have)}, outputs ${avax(amount)}, fee ${avax(fee)}`),
  ),
  forCode(
    'TX_WRONG_SIGNATURE',
    when(['want', 'got'], (want, got) => `signed by ${got}, not by ${want}`),
  ),
  forCode(
    'TX_TIME_LOCKED',
    when(['locktime', 'now'], (until, now) => `locked until ${utc(until)}, now ${utc(now)}`),
  ),
  when(['address', 'expected'], (_, expected) => `use ${expected}`),
  when(['want', 'got'], (want, got) => `expected ${want}, got ${got}`),
  when(['path', 'utxoID'], (path, utxoID) => `${path}, output ${utxoID}`),
  when(['path'], (path) => `see ${path}`),
];

/** Unix seconds as RFC 3339; other text stays. */
function utc(seconds: string): string {
  // biome-ignore lint/style/noRestrictedGlobals: this formats a time and does not read the clock
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString().replace('.000', '');
}

/** Shortens text from outside, and copies it, so that it does not hold the request in memory. Control characters are replaced. */
const boundText = (text: string, max: number): string => {
  const short = text.length > max ? `${text.slice(0, max - 1)}…` : text;
  return copyText(cleanText(short));
};
