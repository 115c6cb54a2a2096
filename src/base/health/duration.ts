/** Formats a duration as Go does: `0s`, `1.5ms`, `2m3.25s`, `1h0m0s`. */
export function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 0n) return `-${durationText(-nanos)}`;
  if (nanos < second) {
    const [unit, size] =
      nanos < 1_000n ? (['ns', 1n] as const) : nanos < 1_000_000n ? (['µs', 1_000n] as const) : (['ms', 1_000_000n] as const);
    return `${decimal(nanos, size)}${unit}`;
  }
  const hours = nanos / (3_600n * second);
  const minutes = (nanos / (60n * second)) % 60n;
  const seconds = `${decimal(nanos % (60n * second), second)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

export const second = 1_000_000_000n;
export const minute = 60n * second;

/** nanos / size, without trailing zeros. */
function decimal(nanos: bigint, size: bigint): string {
  const rest = nanos % size;
  if (rest === 0n) return `${nanos / size}`;
  const digits = rest.toString().padStart(size.toString().length - 1, '0');
  return `${nanos / size}.${digits.replace(/0+$/, '')}`;
}
