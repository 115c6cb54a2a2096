/** Longer names are not compared, since all known names are shorter. */
const maxLength = 64;

/**
 * Finds the name that was probably meant: equal apart from case and separators, or one contains the other, or the smallest edit distance, of at
 * most a third of the letters. Returns undefined if no name is that similar.
 */
export function findNearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const plain = normalizeName(name);
  if (plain.length < 2) return undefined;
  let best: string | undefined;
  let least = plain.length / 3;
  for (const name of names) {
    const other = normalizeName(name);
    const cost = nameDistance(plain, other, least);
    if (cost < least || (cost === least && best === undefined)) [best, least] = [name, cost];
  }
  return best;
}

const normalizeName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('transaction', 'tx');

/** Distance of two names; Infinity if their lengths differ by more than `limit`. */
function nameDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (oneContainsOther(a, b)) return 0.5;
  return Math.abs(a.length - b.length) > limit ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

const oneContainsOther = (a: string, b: string): boolean => a.includes(b) || b.includes(a);

/** The Levenshtein distance of two texts: how many letters must be added, removed or replaced. Computed with one row of the matrix at a time. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
