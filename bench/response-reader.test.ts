import { expect, test } from 'bun:test';
import { type Answer, createResponseReader } from './response-reader.ts';

const body = '{"jsonrpc":"2.0","result":{},"id":1}\n';
const plain = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\n{"jso\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`;
const empty = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';
const stream = Buffer.from(plain + chunked + empty + plain);
const full: Answer = { status: 200, head: body, size: body.length };
const expected: Answer[] = [full, full, { status: 404, head: '', size: 0 }, full];

const readIn = (pieces: Buffer[]): Answer[] => {
  const answers: Answer[] = [];
  const take = createResponseReader((answer) => answers.push(answer));
  for (const piece of pieces) take(piece);
  return answers;
};

test('answers one after the other in one piece', () => expect(readIn([stream])).toEqual(expected));

test('however the stream is cut', () => {
  for (let size = 1; size < 60; size++) {
    const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) => stream.subarray(i * size, (i + 1) * size));
    expect(readIn(pieces)).toEqual(expected);
  }
});

test('a long body is counted, not kept', () => {
  const long = 'x'.repeat(100_000);
  const [answer] = readIn([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${long.length}\r\n\r\n`), Buffer.from(long)]);
  expect(answer?.size).toBe(100_000);
  expect(answer?.head.length).toBeLessThan(100);
});
