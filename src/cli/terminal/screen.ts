/** A stream of the program: stdout or stderr. */
type Output = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Returns false if the text was buffered because nobody reads; `drain` follows when the buffer is empty. */
  readonly write: (text: string) => boolean;
  readonly on: (event: 'drain' | 'error', listener: () => void) => unknown;
};

/** The only writer of the terminal: lines above, a status line, or several, at the bottom. */
export type Screen = {
  /** Prints a line to stdout. While nobody reads the output, lines are counted and dropped, so that they do not fill the memory. */
  readonly print: (line: string) => void;
  /** Prints a line to stderr: at once if it is urgent, or if stdout and stderr are not the same terminal; else with the next drawing. */
  readonly log: (line: string, isUrgent: boolean) => void;
  /** Removes the status line before something else writes to the terminal. It is drawn again unless `isHeld`. */
  readonly clear: (isHeld?: boolean) => void;
  /** Shows a status line, or several, read before each drawing; undefined removes it. Does nothing if stdout is not a terminal. */
  readonly setStatus: (read: ((columns: number, lines: number) => string) | undefined) => void;
  /** Stops drawing and prints what is waiting. */
  readonly close: () => void;
};

/** Milliseconds between two drawings of the status line. */
const drawInterval = 250;
/** Drawings after which the status line is drawn again although it has not changed: another process may have written over it. */
const refreshAfter = 4;
/** The most lines that wait for the next drawing. */
const maxWaiting = 1000;

/** Moves to the start of the first of the drawn lines and erases all of them (ECMA-48). */
function eraseLines(drawn: string): string {
  const above = drawn.split('\n').length - 1;
  return above === 0 ? '\r\x1b[K' : `\r\x1b[${above}A\x1b[J`;
}

const defaultColumns = 80;
const defaultRows = 24;

export function createScreen({
  out,
  err,
  isInteractive,
  after,
  formatNote,
}: {
  readonly out: Output;
  readonly err: Output;
  /** Whether a status line may be drawn: stdout is a terminal that understands escape sequences. */
  readonly isInteractive: boolean;
  readonly after: (ms: number, run: () => void) => () => void;
  /** A line of the program about its own output. */
  readonly formatNote: (text: string) => string;
}): Screen {
  let readStatus: ((columns: number, lines: number) => string) | undefined;
  /** The status line on the terminal; empty if there is none. */
  let drawn = '';
  let isHeld = false;
  let waiting: string[] = [];
  let cancelTimer: (() => void) | undefined;
  let isBlocked = false;
  let dropped = 0;
  let ticks = 0;

  const write = (text: string): void => {
    if (!out.write(text)) isBlocked = true;
  };
  const unblock = (): void => {
    isBlocked = false;
    const count = dropped;
    dropped = 0;
    if (count > 0) write(`${formatNote(`${count} lines were not printed because the output was not read`)}\n`);
  };
  out.on('drain', unblock);
  // No `drain` follows an error, such as that of a full disk; the next line is tried again.
  out.on('error', unblock);

  /** Prints waiting lines and replaces the status line, if it has changed, in one write. */
  const replaceStatus = (status: string, isRefresh = false): void => {
    if (isBlocked || (waiting.length === 0 && status === drawn && !(isRefresh && drawn !== ''))) return;
    const lines = waiting.map((line) => `${line}\n`).join('');
    waiting = [];
    write((drawn === '' ? '' : eraseLines(drawn)) + lines + status);
    drawn = status;
  };

  const tick = (): void => {
    cancelTimer = after(drawInterval, tick);
    replaceStatus(
      isHeld ? '' : (readStatus?.((out.columns ?? defaultColumns) - 1, (out.rows ?? defaultRows) - 1) ?? ''),
      ++ticks % refreshAfter === 0,
    );
  };

  return {
    print: (line) => {
      if (isBlocked) dropped++;
      else if (cancelTimer === undefined) write(`${line}\n`);
      else waiting.push(line);
    },
    log: (line, isUrgent) => {
      if (!isUrgent && err.isTTY && cancelTimer !== undefined && waiting.length < maxWaiting) return void waiting.push(line);
      if (err.isTTY) replaceStatus('');
      err.write(`${line}\n`);
    },
    clear: (held = false) => {
      isHeld = held;
      replaceStatus('');
    },
    setStatus: (read) => {
      readStatus = isInteractive ? read : undefined;
      if (readStatus !== undefined && cancelTimer === undefined) tick();
    },
    close: () => {
      readStatus = undefined;
      cancelTimer?.();
      cancelTimer = undefined;
      replaceStatus('');
    },
  };
}
