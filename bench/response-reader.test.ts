import { expect, test } from 'bun:test';
import { createResponseReader, type LoadResponse } from './response-reader.ts';

const body = '{"jsonrpc":"2.0","result":{},"id":1}\n';
const plain = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\n{"jso\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`;
const empty = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';
const stream = Buffer.from(plain + chunked + empty + plain);
const full: LoadResponse = { status: 200, head: body, size: body.length };
const expected: LoadResponse[] = [full, full, { status: 404, head: '', size: 0 }, full];

const readIn = (pieces: Buffer[]): LoadResponse[] => {
  const responses: LoadResponse[] = [];
  const read = createResponseReader((response) => responses.push(response));
  for (const piece of pieces) read(piece);
  return responses;
};

test('several responses in one chunk of bytes', () => expect(readIn([stream])).toEqual(expected));

test('responses split at any position of the stream', () => {
  for (let size = 1; size < 60; size++) {
    const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) => stream.subarray(i * size, (i + 1) * size));
    expect(readIn(pieces)).toEqual(expected);
  }
});

test('of a long body only the size and the beginning are kept', () => {
  const long = 'x'.repeat(100_000);
  const [response] = readIn([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${long.length}\r\n\r\n`), Buffer.from(long)]);
  expect(response?.size).toBe(100_000);
  expect(response?.head.length).toBeLessThan(100);
});
