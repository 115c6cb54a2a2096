import { maxU64 } from '../../base/bytes/octets.ts';
import { DevError } from './fault.ts';

/** What is needed of an asset to read and write amounts of it. `denomination`: the number of decimals. */
export type AssetUnits = { readonly symbol: string; readonly denomination: number };

/**
 * Parses an amount: a whole number is in the asset's smallest unit, a number followed by the asset's symbol (`1.5 AVAX` or `1.5AVAX`) in
 * display units, and one followed by `n` and the symbol (`5 nAVAX`) in billionths, the smallest unit of an asset with nine decimals. Symbols may
 * be in any case.
 * Throws if it is 0.
 */
export function parseAmount(text: string, units: AssetUnits): bigint {
  if (text === '') throw badAmount(text, `is missing; give one such as "1.5 ${units.symbol}"`);
  const amount = /^\d{1,64}$/.test(text) ? BigInt(text) : parseDisplayAmount(text, units);
  if (amount === 0n) throw badAmount(text, 'must be more than 0');
  if (amount > maxU64) throw badAmount(text, `is more than the largest amount of an output, ${formatAmount(maxU64, units)} (${maxU64})`);
  return amount;
}

/** Formats an amount in display units with the symbol, exactly: `1.5 AVAX`. */
export function formatAmount(amount: bigint, { symbol, denomination }: AssetUnits): string {
  const digits = amount.toString().padStart(denomination + 1, '0');
  const whole = digits.slice(0, digits.length - denomination);
  const decimals = digits.slice(whole.length).replace(/0+$/, '');
  return `${whole}${decimals === '' ? '' : `.${decimals}`} ${symbol}`;
}

function parseDisplayAmount(text: string, { symbol, denomination }: AssetUnits): bigint {
  const [, whole, decimals = '', apart, attached] = /^(\d{1,20})(?:\.(\d{1,32}))?(?: +(\S{1,64})|(\p{L}{1,64}))$/u.exec(text) ?? [];
  const unit = apart ?? attached;
  if (whole === undefined)
    throw badAmount(text, `is neither a whole number of the smallest unit nor an amount with a symbol, such as "1.5 ${symbol}"`);
  if (isBillionths(unit, { symbol, denomination })) {
    if (decimals !== '') throw badAmount(text, `has decimals, but ${unit} is the smallest unit`);
    return BigInt(whole);
  }
  if (!isSameSymbol(unit, symbol)) throw badAmount(text, `is in ${unit}, but the asset is ${symbol}; give the other asset with assetID`);
  if (decimals.length > denomination) throw badAmount(text, `has more than ${denomination} decimals, as many as ${symbol} has`);
  return BigInt(whole + decimals.padEnd(denomination, '0'));
}

/** Symbols are in upper case, so a unit in any case names one symbol. */
export const isSameSymbol = (unit: string | undefined, symbol: string): boolean => unit?.toUpperCase() === symbol.toUpperCase();

/** Whether a unit is `n` and the symbol of an asset with nine decimals. */
export const isBillionths = (unit: string | undefined, { symbol, denomination }: AssetUnits): boolean =>
  denomination === billionthPlaces && !isSameSymbol(unit, symbol) && isSameSymbol(unit, `n${symbol}`);

const billionthPlaces = 9;

const badAmount = (amount: string, reason: string) =>
  new DevError(`amount${amount === '' ? '' : ` ${JSON.stringify(amount)}`} ${reason}`, { code: 'DEV_BAD_AMOUNT', amount, reason });
