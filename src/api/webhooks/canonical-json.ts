/**
 * Writes JSON with the keys of every object in order and without spaces, as RFC 8785 (JSON Canonicalization Scheme) does: a receiver that
 * writes the parsed body in this form again gets the same text, and may check the signature on either.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    // Code units, not a language's order.
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`;
}
