/**
 * Draws `count` of the numbers below `size`, the number n with a probability in proportion to 1 / (n + 1): how often the pages of a public
 * explorer are asked for, roughly. `random` returns numbers from 0 to below 1.
 */
export function drawZipf(size: number, count: number, random: () => number): number[] {
  const sums = new Float64Array(size);
  let total = 0;
  for (let n = 0; n < size; n++) {
    total += 1 / (n + 1);
    sums[n] = total;
  }
  return Array.from({ length: count }, () => firstAtLeast(sums, random() * total));
}

/** The place of the first of the ascending values that is not below `wanted`. */
function firstAtLeast(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
