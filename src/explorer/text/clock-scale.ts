/** Offsets of the clock on the slider of the dev panel: equal steps, each a span that people think in. */
export const clockMarks = [
  { seconds: 0, word: 'now' },
  { seconds: 86_400, word: '+1 d' },
  { seconds: 7 * 86_400, word: '+7 d' },
  { seconds: 30 * 86_400, word: '+30 d' },
  { seconds: 365 * 86_400, word: '+1 y' },
] as const;

/** Steps of the slider between two marks. */
export const stepsPerMark = 48;

export const maxPosition = (clockMarks.length - 1) * stepsPerMark;

/** The offset in seconds at a position of the slider, in whole minutes. */
export function offsetAt(position: number): number {
  const at = Math.min(Math.max(position, 0), maxPosition) / stepsPerMark;
  const below = Math.min(Math.floor(at), clockMarks.length - 2);
  const [from, to] = [clockMarks[below]?.seconds ?? 0, clockMarks[below + 1]?.seconds ?? 0];
  return Math.round((from + (at - below) * (to - from)) / 60) * 60;
}

/** The position of an offset. Offsets outside the scale are at its ends. */
export function positionOf(offset: number): number {
  const above = clockMarks.findIndex(({ seconds }) => seconds > offset);
  if (above < 0) return maxPosition;
  if (above === 0) return 0;
  const [from, to] = [clockMarks[above - 1]?.seconds ?? 0, clockMarks[above]?.seconds ?? 1];
  return Math.round((above - 1 + (offset - from) / (to - from)) * stepsPerMark);
}
