/** A response: its status, size and the beginning of its body, enough to distinguish a result from an error. */
export type LoadResponse = { readonly status: number; readonly head: string; readonly size: number };

/**
 * Splits a stream of HTTP/1.1 bytes into responses. It keeps only the beginning of a body, because a load generator that shares the machine
 * with the measured server must use little CPU and memory.
 */
export function createResponseReader(onResponse: (response: LoadResponse) => void): (bytes: Buffer) => void {
  let unread = Buffer.alloc(0);
  let status = 0;
  let head = '';
  let size = 0;
  /** Bytes still to come of the body or of the current chunk. */
  let bytesLeft = 0;
  let phase: 'headers' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' = 'headers';

  const addBody = (bytes: Buffer): void => {
    if (head.length < headLength) head += bytes.toString('latin1', 0, headLength - head.length);
    size += bytes.length;
  };

  const finishResponse = (): void => {
    const response = { status, head, size };
    phase = 'headers';
    head = '';
    size = 0;
    onResponse(response);
  };

  const readHeaders = (text: string): void => {
    status = Number(text.slice(9, 12));
    bytesLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) phase = 'chunk-size';
    else if (bytesLeft === 0) finishResponse();
    else phase = 'body';
  };

  /** Processes the beginning of the bytes; returns how many it used, or undefined if more bytes are needed. */
  const step = (bytes: Buffer): number | undefined => {
    if (phase === 'body' || phase === 'chunk') {
      const part = bytes.subarray(0, bytesLeft);
      addBody(part);
      bytesLeft -= part.length;
      if (bytesLeft === 0 && phase === 'body') finishResponse();
      else if (bytesLeft === 0) phase = 'chunk-end';
      return part.length;
    }
    const mark = phase === 'headers' ? '\r\n\r\n' : '\r\n';
    const end = bytes.indexOf(mark);
    if (end < 0) return undefined;
    const line = bytes.toString('latin1', 0, end);
    if (phase === 'headers') readHeaders(line);
    else if (phase === 'chunk-end') phase = 'chunk-size';
    else if (phase === 'trailer') finishResponse();
    else {
      bytesLeft = Number.parseInt(line, 16);
      phase = bytesLeft === 0 ? 'trailer' : 'chunk';
    }
    return end + mark.length;
  };

  return (bytes) => {
    let left = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    while (left.length > 0) {
      const taken = step(left);
      if (taken === undefined) break;
      left = left.subarray(taken);
    }
    // Copied, since the caller may reuse its buffer.
    unread = Buffer.from(left);
  };
}

const headLength = 64;
