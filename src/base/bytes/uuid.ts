/**
 * The UUID of 128 bits, given as 32 hex digits (RFC 9562, 4 and 5). The digits of version and variant take the place of 6 of the bits: 4 is for random
 * bits, 8 for others.
 */
export function formatUuid(hex: string, version: 4 | 8): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `${version}${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
