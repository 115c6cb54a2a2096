/** Parses JSON. An integer that a number cannot hold exactly becomes a bigint. */
export const parseExactJson = (text: string): unknown =>
  longDigits.test(text) ? JSON.parse(text, exactInteger as Parameters<typeof JSON.parse>[1]) : JSON.parse(text);

/** Writes JSON with every bigint as a decimal string: other JSON readers would round a number above 2^53. */
export const writeQuotedJson = (value: unknown): string => JSON.stringify(value, quoteBigint);

/** Only texts with that many digits in a row can have an integer above 2^53. Calling a function for every value costs several times as much. */
const longDigits = /\d{16}/;

const quoteBigint = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** `source` is the value's text in the JSON; only numbers, strings, booleans and null have it. */
const exactInteger = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context?.source ?? '')
    : value;
