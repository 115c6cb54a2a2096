import { type Progress, plainLineEvery, progressBar, progressLine } from './progress-bar.ts';

export type ProgressOutput = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/** Shows or clears the progress bar: on a terminal one line that is redrawn, elsewhere a line now and then. */
export function createProgressWriter(out: ProgressOutput, isShown: () => boolean): (progress: Progress | undefined) => void {
  let shown = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return (progress) => {
    if (progress === undefined) {
      if (drawn) out.write('\r\x1b[K');
      drawn = false;
      return;
    }
    if (!isShown()) return;
    const every = out.isTTY ? 100 : plainLineEvery;
    if (performance.now() - shown < every) return;
    shown = performance.now();
    drawn = out.isTTY === true;
    out.write(out.isTTY ? `\r\x1b[K${progressBar(progress, out.columns)}` : `serac: ${progressLine(progress)}\n`);
  };
}
