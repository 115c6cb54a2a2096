import { rfc3339 } from '../../base/bytes/rfc3339.ts';

/** Formats rows as columns, each as wide as its widest cell. Columns named in `right` are aligned to the right. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => (right.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** A Unix time in seconds as a date, for people. */
export const formatTime = (seconds: string | number | bigint): string => rfc3339(BigInt(seconds) * 1_000_000_000n);

/** Memos and payloads are shown as text only if they are printable. */
export function formatBytes(hex: string): string {
  const text = Buffer.from(hex.replace(/^0x/, ''), 'hex').toString('utf8');
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) && !text.includes('\ufffd') ? JSON.stringify(text) : hex;
}
