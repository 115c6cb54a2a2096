/** JSON with integers too long for a double kept as {"$n": digits}: two documents can be compared exactly. */
export function parseExact(text: string): unknown {
  return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|((?<![\d.eE+-])-?\d{16,})(?=\s*[,}\]])/g, (_, s, n) => s ?? `{"$n":"${n}"}`));
}

export function tryParseExact(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** The same text for the same value, whatever the order of its keys. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

const segments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

type Tree = { [key: string]: unknown };

export function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of segments(pointer)) here = (here as Tree | null | undefined)?.[part];
  return here;
}

export function put(value: unknown, pointer: string, replacement: unknown): void {
  const parts = segments(pointer);
  const last = parts.pop() as string;
  let here = value as Tree | undefined;
  for (const part of parts) here = here?.[part] as Tree | undefined;
  if (here !== undefined && here !== null && typeof here === 'object' && last in here) here[last] = replacement;
}
