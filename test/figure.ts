import { appendFileSync } from 'node:fs';

/**
 * Delays and memory that tests measure on the way. They depend on the machine, so no test fails because of them: `npm run bench -- --limits`
 * runs the files that record figures, alone, and compares the figures with their limits and with earlier runs.
 */
export type Figure = { readonly name: string; readonly unit: 'ms' | 'MB'; readonly value: number; readonly limit: number };

const file = process.env.SERAC_FIGURES;

/** Whether figures are recorded. A test may do more work then, for a figure that means something. */
export const areFiguresRecorded: boolean = file !== undefined;

export function recordFigure(figure: Figure): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Records the milliseconds since a value of `performance.now()`. */
export const recordTime = (name: string, since: number, limit: number): void =>
  recordFigure({ name, unit: 'ms', value: performance.now() - since, limit });
