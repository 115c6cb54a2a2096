/** The stream that shows the line: stderr, so that standard output has only results. */
type WaitingOutput = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly write: (text: string) => unknown;
};

/** Milliseconds after which a wait is shown, and between two drawings of its seconds. */
const [patience, drawInterval] = [300, 1000];

/** Moves to the start of the line and erases it (ECMA-48). */
const erase = '\r\x1b[K';

const defaultColumns = 80;

/**
 * Returns a function that awaits work. If it takes longer than 300 ms, a terminal shows one line that says for what and how long; it is erased
 * when the work ends.
 */
export const createWaitingLine =
  (out: WaitingOutput, after: (ms: number, run: () => void) => () => void) =>
  async <T>(what: string, work: Promise<T>): Promise<T> => {
    let isDrawn = false;
    const draw = (milliseconds: number): void => {
      if (out.isTTY !== true) return;
      isDrawn = true;
      const seconds = Math.floor(milliseconds / 1000);
      const line = `${what}${seconds === 0 ? ' …' : ` … ${seconds} s`}`;
      // A line of all columns would wrap on some terminals.
      out.write(erase + line.slice(0, (out.columns || defaultColumns) - 1));
      cancel = after(drawInterval, () => draw(milliseconds + drawInterval));
    };
    let cancel = after(patience, () => draw(patience));
    try {
      return await work;
    } finally {
      cancel();
      if (isDrawn) out.write(erase);
    }
  };
