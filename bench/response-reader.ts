/** One answer: the status and the beginning of the body, enough to tell a result from an error. */
export type Answer = { readonly status: number; readonly head: string; readonly size: number };

/**
 * Cuts a stream of HTTP/1.1 bytes into answers, keeping no more of a body than its beginning: a load generator that shares
 * the machine with what it measures has to be frugal.
 */
export function createResponseReader(onAnswer: (answer: Answer) => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  let status = 0;
  let head = '';
  let size = 0;
  /** Body bytes still to come of the answer or of its present chunk. */
  let rest = 0;
  let phase: 'headers' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' = 'headers';

  const body = (bytes: Buffer): void => {
    if (head.length < headLength) head += bytes.toString('latin1', 0, headLength - head.length);
    size += bytes.length;
  };

  const finished = (): void => {
    const answer = { status, head, size };
    phase = 'headers';
    head = '';
    size = 0;
    onAnswer(answer);
  };

  const headers = (text: string): void => {
    status = Number(text.slice(9, 12));
    rest = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) phase = 'chunk-size';
    else if (rest === 0) finished();
    else phase = 'body';
  };

  /** Takes what it can from the bytes at hand: how many, or undefined if there are too few for the next step. */
  const step = (bytes: Buffer): number | undefined => {
    if (phase === 'body' || phase === 'chunk') {
      const part = bytes.subarray(0, rest);
      body(part);
      rest -= part.length;
      if (rest === 0 && phase === 'body') finished();
      else if (rest === 0) phase = 'chunk-end';
      return part.length;
    }
    const mark = phase === 'headers' ? '\r\n\r\n' : '\r\n';
    const end = bytes.indexOf(mark);
    if (end < 0) return undefined;
    const line = bytes.toString('latin1', 0, end);
    if (phase === 'headers') headers(line);
    else if (phase === 'chunk-end') phase = 'chunk-size';
    else if (phase === 'trailer') finished();
    else {
      rest = Number.parseInt(line, 16);
      phase = rest === 0 ? 'trailer' : 'chunk';
    }
    return end + mark.length;
  };

  return (bytes) => {
    let left = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    while (left.length > 0) {
      const taken = step(left);
      if (taken === undefined) break;
      left = left.subarray(taken);
    }
    // The caller's buffer may be used again once this returns.
    held = Buffer.from(left);
  };
}

const headLength = 64;
