import { isBillionths, isSameSymbol } from '../../api/dev/amount.ts';
import { badArgument } from './fault.ts';

/** What is needed of an asset to read and show amounts of it. */
export type AssetUnits = { readonly symbol: string; readonly denomination: string | number };

/** An amount as it is typed: `5`, `1.5AVAX` or `5 nAVAX`. */
type TypedAmount = { readonly text: string; readonly whole: string; readonly decimals: string; readonly unit: string | undefined };

/** Throws unless the text is a number, with or without a unit. */
export function readTypedAmount(text: string): TypedAmount {
  const [, whole, decimals = '', unit] = /^(\d{1,20})(?:\.(\d{1,32}))?(?: *(\p{L}{1,64}))?$/u.exec(text) ?? [];
  if (whole !== undefined) return { text, whole, decimals, unit };
  const meant = correctNumber(text);
  const hint = meant === undefined ? 'it looks like 5, 1.5, "5 AVAX" or 5000nAVAX' : `write ${meant}`;
  throw badArgument(text, `${JSON.stringify(text)} is not an amount; ${hint}`);
}

/** What is probably meant by a number with a comma or an exponent: `1,5` is 1.5, `1,000` is 1000, `1e9` is 1000000000. */
function correctNumber(text: string): string | undefined {
  if (/^\d{1,3}(?:,\d{3})+$/.test(text)) return text.replaceAll(',', '');
  if (/^\d{1,20},\d{1,9}$/.test(text)) return text.replace(',', '.');
  return /^\d{1,9}e\d{1,2}$/i.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER ? String(Number(text)) : undefined;
}

/**
 * The asset that a unit names, in any case. Symbols have at most four letters and are in upper case, so a leading `n` is the prefix of billionths
 * before an upper-case letter (`nGLD`) and before four letters (`navax`).
 */
export const assetOfUnit = (unit: string): string => unit.replace(/^n(?=\p{Lu})|^[nN](?=\p{L}{4}$)/u, '');

/**
 * An amount in the smallest unit of its asset. A number without a unit counts whole units, as people write them; with `n` before the symbol it
 * counts billionths, which are the smallest unit of an asset with nine decimals.
 */
export function toSmallestUnit({ text, whole, decimals, unit }: TypedAmount, { symbol, denomination }: AssetUnits): bigint {
  const places = Number(denomination);
  if (isBillionths(unit, { symbol, denomination: places })) {
    if (decimals !== '') throw badArgument(text, `${JSON.stringify(text)} has decimals, but ${unit} is the smallest unit`);
    return BigInt(whole);
  }
  if (unit !== undefined && !isSameSymbol(unit, symbol))
    throw badArgument(text, `${JSON.stringify(text)} is in ${unit}, but the asset is ${symbol}; --asset names another one`);
  if (decimals.length > places)
    throw badArgument(text, `${JSON.stringify(text)} has more decimals than ${symbol}, which has ${places === 0 ? 'none' : places}`);
  return BigInt(whole + decimals.padEnd(places, '0'));
}

/** Joins a number and the unit in the next argument: `5 AVAX` typed without quotes. */
export function joinUnit(args: readonly string[], at: number): readonly string[] {
  const [amount, unit] = [args[at], args[at + 1]];
  if (amount === undefined || unit === undefined || !/^[\d.]+$/.test(amount) || !unitPattern.test(unit)) return args;
  return [...args.slice(0, at), `${amount} ${unit}`, ...args.slice(at + 2)];
}

/** Symbols have at most four letters; no address is as short. */
const unitPattern = /^n?\p{L}{1,4}$/iu;
