import { expect, test } from 'bun:test';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { Fault } from '../../base/fault.ts';
import { createStateRoute, maxLoadedBytes } from './state-route.ts';
import type { StateTransfer } from './state-transfer.ts';

const chunksOf = async function* (...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
};

function create(transfer: Partial<StateTransfer> = {}) {
  const tip = () => ({ height: 7n, time: 99n });
  const access = { isAllowed: () => true, refusal: 'no' };
  const route = createStateRoute({ save: () => chunksOf('a', 'b'), load: async () => {}, ...transfer } as StateTransfer, tip, access);
  if (!('handler' in route)) throw new TypeError('the route has no handler');
  const { handler } = route;
  const call = (method: string, body: Partial<HttpRequest> = {}) =>
    handler({ method, header: () => null, ...body } as unknown as HttpRequest) as Promise<HttpResponse>;
  return { route, call };
}

/** Reads the whole body of an answer. */
async function read({ body, stream }: HttpResponse): Promise<string> {
  let text = Buffer.from(body).toString();
  for await (const chunk of stream ?? []) text += Buffer.from(chunk).toString();
  return text;
}

test('the state is sent in chunks', async () => {
  const answer = await create().call('GET');
  expect([answer.status, answer.headers['content-type'], await read(answer)]).toEqual([200, 'application/octet-stream', 'ab']);
  expect(await read(await create({ save: () => chunksOf() }).call('GET'))).toBe('');
});

test('four clients may read at a time; one that has read, stopped or failed makes room', async () => {
  const { call } = create();
  const four = [await call('GET'), await call('GET'), await call('GET'), await call('GET')] as const;
  const refused = await call('GET');
  expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
    503,
    '1',
    '4 clients are reading a state file; try again when one of them has read it\n',
  ]);
  await read(four[0]);
  expect((await call('GET')).status).toBe(200);
  expect((await call('GET')).status).toBe(503);
  await four[1].stream?.[Symbol.asyncIterator]().return?.();
  expect((await call('GET')).status).toBe(200);

  const failing = create({
    save: async function* () {
      yield await Promise.reject(new TypeError('disk'));
    },
  });
  for (let i = 0; i < 6; i++) await expect(failing.call('GET')).rejects.toThrow('disk');
});

test('a state is loaded from a body or a stream of one, up to its limit, and the answer has the new tip', async () => {
  const loaded: [string, number][] = [];
  const { call } = create({
    load: async (chunks, max) => {
      loaded.push([Buffer.concat(await Array.fromAsync(chunks)).toString(), max]);
    },
  });
  const limits: number[] = [];
  const body = async (max: number) => {
    limits.push(max);
    return Buffer.from('whole');
  };
  const bodyStream = (max: number) => {
    limits.push(max);
    return chunksOf('in ', 'parts');
  };
  const answer = await call('PUT', { body } as never);
  expect([answer.status, JSON.parse(await read(answer))]).toEqual([200, { height: '7', time: '99' }]);
  await call('PUT', { body, bodyStream } as never);
  expect(loaded).toEqual([
    ['whole', maxLoadedBytes],
    ['in parts', maxLoadedBytes],
  ]);
  expect(limits).toEqual([maxLoadedBytes + 2 ** 20, maxLoadedBytes + 2 ** 20]);
  expect(maxLoadedBytes).toBe(2 ** 28);
});

test.each([
  ['STATE_FILE_DAMAGED', 400],
  ['STATE_FILE_FOREIGN', 400],
  ['STATE_FILE_OTHER_VERSION', 409],
  ['STATE_FILE_OTHER_NETWORK', 409],
  ['STATE_FILE_OTHER_CHAINS', 409],
  ['STATE_FILE_TOO_LARGE', 413],
  ['SNAPSHOT_CHAIN_BUSY', 503],
  ['STORE_FULL', 507],
])('a file that is refused with %s has status %i and a text', async (code, status) => {
  const { call } = create({ load: async () => Promise.reject(new Fault('refused', { code } as never)) });
  const answer = await call('PUT', { body: async () => Buffer.from('') } as never);
  expect([answer.status, answer.body]).toEqual([status, 'refused; nothing was changed\n']);
});

test('other errors of loading are thrown; other methods are refused', async () => {
  const failures = [new TypeError('disk'), new Fault('other', { code: 'OTHER' } as never)];
  for (const failure of failures) {
    const { call } = create({ load: async () => Promise.reject(failure) });
    await expect(call('PUT', { body: async () => Buffer.from('') } as never)).rejects.toBe(failure);
  }
  const { status, headers } = await create().call('POST');
  expect([status, headers.allow]).toEqual([405, 'GET, PUT']);
});

test('a page of another origin may not read the state', () => {
  const { route } = create();
  const from = (site: string) => ({ header: (name: string) => (name === 'sec-fetch-site' ? site : null) }) as unknown as HttpRequest;
  expect([route.isAllowed?.(from('cross-site')), route.isAllowed?.(from('same-origin'))]).toEqual([false, true]);
});
