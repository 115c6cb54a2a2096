/** Longer names are not compared: no name here comes near it. */
const maxLength = 64;

/**
 * The name that was probably meant: the same but for case and separators, one that contains the other, or the one with the fewest changed
 * letters, at most a third of them. Undefined if none is near.
 */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > maxLength) return undefined;
  const plain = plainName(wanted);
  if (plain.length < 2) return undefined;
  let best: string | undefined;
  let least = plain.length / 3;
  for (const name of names) {
    const other = plainName(name);
    const cost = costOf(plain, other, least);
    if (cost < least || (cost === least && best === undefined)) [best, least] = [name, cost];
  }
  return best;
}

const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('transaction', 'tx');

/** How far two names are apart; Infinity if their lengths alone differ by more than `limit`. */
function costOf(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (isPart(a, b)) return 0.5;
  return Math.abs(a.length - b.length) > limit ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

const isPart = (a: string, b: string): boolean => a.includes(b) || b.includes(a);

/** Letters to insert, remove or replace until one text is the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
