/** Units, and NFTs and properties. */
type Sum = { readonly amount: bigint; readonly nfts: number };

/** The sum after the block at `height`. */
type HeightSum = Sum & { readonly height: number };

/** How much the sum changes at each height. */
export type HeightChanges = Map<number, { amount: bigint; nfts: number }>;

export function addChange(changes: HeightChanges, height: number, { amount, nfts }: Sum): void {
  const change = changes.get(height);
  if (change === undefined) changes.set(height, { amount, nfts });
  else {
    change.amount += amount;
    change.nfts += nfts;
  }
}

/**
 * The sums from `from` to `to` in the order of their heights: first the one at `from`, or at the first change if that is later, then one for
 * each change.
 */
export function sumsFrom(changes: HeightChanges, from: number | undefined, to: number): HeightSum[] {
  const heights = [...changes.keys()].filter((height) => height <= to).toSorted((a, b) => a - b);
  const start = Math.max(from ?? 0, heights[0] ?? 0);
  let [amount, nfts] = [0n, 0];
  const sums: HeightSum[] = [];
  for (const height of heights) {
    const change = changes.get(height) as Sum;
    amount += change.amount;
    nfts += change.nfts;
    const sum = { height: Math.max(start, height), amount, nfts };
    const last = sums.at(-1);
    if (last?.height === sum.height) sums.pop();
    const before = sums.at(-1);
    if (before === undefined || before.amount !== amount || before.nfts !== nfts) sums.push(sum);
  }
  return sums;
}

/** At most `count` sums: if there are more, those at evenly spaced heights, of which equal ones are left out. */
export function pickSums(sums: readonly HeightSum[], to: number, count: number): HeightSum[] {
  if (sums.length <= count) return [...sums];
  const start = sums[0]?.height ?? 0;
  const picked: HeightSum[] = [];
  let at = 0;
  for (let n = 0; n < count; n++) {
    const height = start + Math.floor((n * (to - start)) / (count - 1));
    while (at + 1 < sums.length && (sums[at + 1] as HeightSum).height <= height) at++;
    const { amount, nfts } = sums[at] as HeightSum;
    const last = picked.at(-1);
    if (last === undefined || last.amount !== amount || last.nfts !== nfts) picked.push({ height, amount, nfts });
  }
  return picked;
}
