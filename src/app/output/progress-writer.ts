import type { Log } from '../../base/log/log.ts';
import { formatProgressBar, formatProgressLine, type Progress, plainLineInterval } from '../../base/log/progress.ts';

type ProgressOutput = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/**
 * Returns a function that shows or clears the progress bar: on a terminal one line that is redrawn, elsewhere a line of the log every
 * 5 seconds. `output` is called when something is shown first: opening stderr takes milliseconds.
 */
export function createProgressWriter(output: () => ProgressOutput, log: Log): (progress: Progress | undefined) => void {
  let lastShown = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return (progress) => {
    if (progress === undefined) {
      if (isDrawn) output().write('\r\x1b[K');
      isDrawn = false;
      return;
    }
    if (!log.isShown('info')) return;
    const out = output();
    const interval = out.isTTY ? 100 : plainLineInterval;
    if (performance.now() - lastShown < interval) return;
    lastShown = performance.now();
    isDrawn = out.isTTY === true;
    if (out.isTTY) out.write(`\r\x1b[K${formatProgressBar(progress, out.columns)}`);
    else log(formatProgressLine(progress));
  };
}
