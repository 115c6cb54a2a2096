import { expect, test } from 'bun:test';
import {
  decodeRequests,
  decodeResponses,
  encodeRequests,
  encodeResponses,
  type NumberedRequest,
  type NumberedResponse,
} from './relay-text.ts';

const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);

test('requests arrive as they were sent, whatever their bodies and paths contain', () => {
  const post = { method: 'POST', contentType: 'application/json' };
  const all: NumberedRequest[] = [
    { ...post, id: 1, path: '/ext/bc/X', query: '', body: Buffer.from('{"id":1}\n12 ["x"]\n') },
    { ...post, id: 2, path: '/a b"\n\u2028', query: 'q=%20&é=日', body: Buffer.from(everyByte) },
    { ...post, id: 3, path: '/', query: '', contentType: null, body: Buffer.alloc(0) },
    { ...post, id: 4, path: '/', query: '', body: Buffer.from('last') },
  ];
  expect(decodeRequests(encodeRequests(all))).toEqual(all);
});

test('responses arrive as they were sent: text as text, bytes as bytes', () => {
  const all: NumberedResponse[] = [
    { id: 7, status: 200, headers: { 'content-type': 'application/json', 'x-quoted': '"a" \\ b' }, body: '{"name":"日本 🦀 é"}\n' },
    { id: 8, status: 503, headers: {}, body: Buffer.from(everyByte) },
    { id: 9, status: 200, headers: {}, body: '' },
  ];
  expect(decodeResponses(encodeResponses(all))).toEqual(all);
});

test('other messages are neither requests nor responses', () => {
  const [requests, responses] = [encodeRequests([]), encodeResponses([])];
  expect([decodeRequests(requests), decodeResponses(responses)]).toEqual([[], []]);
  for (const message of [undefined, null, 'requests', { reader: 'ping' }, responses]) expect(decodeRequests(message)).toBeUndefined();
  expect(decodeResponses(requests)).toBeUndefined();
});
