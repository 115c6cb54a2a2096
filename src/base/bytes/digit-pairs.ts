/** The digits of every number of two digits: `first[n]` and `second[n]` are those of n. */
type DigitPairs = { readonly first: Uint8Array; readonly second: Uint8Array };

/** Writes the digits of all pairs, row by row: with a function for each pair this took 4 ms of every start. */
export function createDigitPairs(digits: Uint8Array): DigitPairs {
  const base = digits.length;
  const [first, second] = [new Uint8Array(base ** 2), new Uint8Array(base ** 2)];
  for (const [value, digit] of digits.entries()) {
    first.fill(digit, value * base, (value + 1) * base);
    second.set(digits, value * base);
  }
  return { first, second };
}
