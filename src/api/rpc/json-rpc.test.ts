import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import type { Mutex } from '../../base/timing/slots.ts';
import { method } from '../contract/method.ts';
import { integer, nothing, record, text, u64 } from '../contract/schema.ts';
import { countCalls, handleRpc, type RpcOptions } from './json-rpc.ts';
import { maxBatch, maxBatchResponse, maxMembers, maxParamsLength, maxTextLength, maxValues } from './limits.ts';
import { combineServices, createService, implement, type RpcResponse, type Services } from './method.ts';

class TestError extends Fault<{ code: 'TEST_FAILED'; have: bigint; at: number }> {}

type Deps = { readonly calls: string[] };

const testRows = {
  getHeight: method({}, record({ height: text() })),
  echo: method({ text: text() }, text()),
  later: method({}, record({ big: integer() })),
  fail: method({}, text()),
  failLater: method({}, text()),
  crash: method({}, text()),
  long: method({ size: u64() }, text()),
  slow: method({}, nothing()),
  crashLater: method({}, text()),
  issueTx: method({ tx: text() }, record({ tx: text() })),
};

const testMethods = implement<Deps>()(testRows, {
  getHeight: async ({ calls }) => {
    calls.push('getHeight');
    return { height: '6' };
  },
  echo: async ({ calls }, { text }) => {
    calls.push(text);
    return text;
  },
  later: async () => ({ big: 18446744073709551615n }),
  fail: () => {
    throw new TestError('it <failed>', { code: 'TEST_FAILED', have: 2n ** 64n - 1n, at: 3 });
  },
  failLater: () => Promise.reject(new TestError('too late', { code: 'TEST_FAILED', have: 0n, at: 0 })),
  crash: () => {
    throw new Error('/secret/path');
  },
  long: async ({ calls }, { size }) => {
    calls.push('long');
    return 'x'.repeat(Number(size));
  },
  slow: async ({ calls }) => {
    calls.push('slow');
    for (const until = performance.now() + 10; performance.now() < until; );
    return null;
  },
  crashLater: () => Promise.reject(new TypeError('secret')),
  issueTx: {
    run: async (_, { tx }) => ({ tx }),
    needsWriter: true,
  },
});

function setUp({
  isStrict = false,
  forwardToWriter,
  limitBatches,
}: {
  isStrict?: boolean;
  limitBatches?: Mutex;
  forwardToWriter?: NonNullable<Services['forwardToWriter']>;
} = {}) {
  const calls: string[] = [];
  const reported: unknown[] = [];
  const services = {
    ...combineServices(createService('avm', testMethods, { calls }), createService('other', {}, {})),
    ...(forwardToWriter && { forwardToWriter }),
  };
  const options: RpcOptions = {
    differences: { batches: !isStrict, missingContentType: !isStrict, underscoreNames: !isStrict, errorData: !isStrict },
    onUnexpectedError: (error) => reported.push(error),
    longWork,
    ...(limitBatches && { limitBatches }),
  };
  const send = (body: string | Uint8Array) => handleRpc(services, typeof body === 'string' ? Buffer.from(body) : body, options);
  const text = async (body: string | Uint8Array) => {
    const response = await send(body);
    return Buffer.from(response.body as string).toString();
  };
  return { send, text, calls, reported };
}

const call = (method: string, params = '{}', id = '1') => `{"jsonrpc":"2.0","id":${id},"method":"avm.${method}","params":${params}}`;
const notification = (method: string) => `{"jsonrpc":"2.0","method":"avm.${method}"}`;
const error = (code: number, message: string, data: string, id = '1') =>
  `{"jsonrpc":"2.0","error":{"code":${code},"message":${JSON.stringify(message)},"data":${data}},"id":${id}}`;
const height = (id: string | number) => `{"jsonrpc":"2.0","result":{"height":"6"},"id":${id}}`;

describe('responses', () => {
  test('have the result of the method, at once or after a wait', async () => {
    expect(await setUp().send(call('getHeight'))).toEqual({ body: `${height(1)}\n`, methodRan: true });
    expect(await setUp().send(call('later'))).toEqual({
      body: '{"jsonrpc":"2.0","result":{"big":18446744073709551615},"id":1}\n',
      methodRan: true,
    });
  });

  test('a method has a second name, with an underscore; --strict: it is ill-formed, as in AvalancheGo', async () => {
    const body = call('getHeight').replace('avm.', 'avm_');
    expect(await setUp().send(body)).toEqual({ body: `${height(1)}\n`, methodRan: true });
    expect(await setUp({ isStrict: true }).text(body)).toBe(
      `${error(-32000, 'rpc: service/method request ill-formed: "avm_getHeight"', 'null')}\n`,
    );
    for (const name of ['avm_nope', 'avm_getHeight_', '_avm.getHeight', 'avm._getHeight'])
      expect(await setUp().text(call('getHeight').replace('avm.getHeight', name))).toContain('"error":');
  });

  test('a notification runs and has no response', async () => {
    const { send, calls } = setUp();
    expect(await send(notification('getHeight'))).toEqual({ body: '', methodRan: true });
    expect(await send(call('getHeight', '{}', 'null'))).toEqual({ body: '', methodRan: true });
    expect(await send(notification('fail'))).toEqual({ body: '', methodRan: true });
    expect(await send(notification('nope'))).toEqual({ body: '', methodRan: false });
    expect(calls).toEqual(['getHeight', 'getHeight']);
  });

  test('an id is echoed byte by byte', async () => {
    const body = (id: Uint8Array) =>
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"avm.getHeight","id":"'), id, Buffer.from('"}')]);
    const { body: got } = (await setUp().send(body(Uint8Array.of(0xff, 0x3c, 0xfe)))) as RpcResponse;
    expect(Buffer.from(got as Uint8Array).toString('latin1')).toBe(`${height('"\xff\\u003c\xfe"')}\n`);
  });
});

describe('errors', () => {
  test('`data` holds the fault; --strict: null', async () => {
    const data = '{"code":"TEST_FAILED","have":"18446744073709551615","at":3}';
    expect(await setUp().text(call('fail'))).toBe(`${error(-32000, 'it ', data).replace('it ', 'it \\u003cfailed\\u003e')}\n`);
    expect(await setUp({ isStrict: true }).text(call('fail'))).toBe(
      `${error(-32000, 'it ', 'null').replace('it ', 'it \\u003cfailed\\u003e')}\n`,
    );
    expect(await setUp({ isStrict: true }).text(call('failLater'))).toBe(`${error(-32000, 'too late', 'null')}\n`);
  });

  test('an unexpected error is reported, and the caller gets only `internal error`', async () => {
    for (const method of ['crash', 'crashLater']) {
      const { text, reported } = setUp();
      expect(await text(call(method))).toBe(`${error(-32000, 'internal error', '{"code":"RPC_INTERNAL"}')}\n`);
      expect(reported).toHaveLength(1);
    }
    const { send, reported } = setUp();
    expect(await send(notification('crash'))).toEqual({ body: '', methodRan: true });
    expect(reported).toHaveLength(1);
  });

  test('an unknown method or bad argument is named in the error', async () => {
    const data = async (body: string) => JSON.parse(await setUp().text(body)).error;
    const named = (method: string) => data(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)}}`);
    expect(await named('avm.nope')).toEqual({
      code: -32000,
      message: `rpc: can't find method "avm.Nope"`,
      data: { code: 'RPC_NO_METHOD', method: 'avm.nope' },
    });
    expect(await named('AVM.nope')).toMatchObject({ message: `rpc: can't find service "AVM.Nope"`, data: { code: 'RPC_NO_SERVICE' } });
    expect(await named('avm.GetHeight')).toMatchObject({
      message: 'method must start with a non-uppercase letter',
      data: { code: 'RPC_METHOD_UPPER_CASE' },
    });
    expect(await named('avm.a.b')).toMatchObject({
      message: 'rpc: service/method request ill-formed: "avm.A.b"',
      data: { code: 'RPC_METHOD_ILL_FORMED' },
    });
    expect(await named('avm.ßx')).toMatchObject({ message: `rpc: can't find method "avm.ßx"` });
    expect(await named('constructor.toString')).toMatchObject({ data: { code: 'RPC_NO_SERVICE' } });
    expect(await data(call('echo', '{"text":5}'))).toMatchObject({ data: { code: 'RPC_BAD_ARGUMENT', argument: 'text' } });
    expect(await setUp().text(call('ıssueTx'.replace('ı', '\\u0131'), '{"tx":"0x"}'))).toBe(
      '{"jsonrpc":"2.0","result":{"tx":"0x"},"id":1}\n',
    );
  });
});

describe('batches', () => {
  test('responses are in the order of the calls, without notifications', async () => {
    const { text, calls } = setUp();
    const body = ` [ ${call('echo', '{"text":"a"}')}, ${notification('getHeight')}, ${call('nope', '{}', '"x"')} , 5, ${call('later', '[]', '7')} ] tail`;
    const [first, second, third, fourth] = JSON.parse(await text(body));
    expect(first).toEqual({ jsonrpc: '2.0', result: 'a', id: 1 });
    expect(second).toMatchObject({ error: { code: -32000 }, id: 'x' });
    expect(third).toMatchObject({ error: { code: -32700 }, id: null });
    expect(fourth).toMatchObject({ id: 7 });
    expect(calls).toEqual(['a', 'getHeight']);
  });

  test('a limit of batches applies to them and not to single calls', async () => {
    let running = 0;
    const limitBatches: Mutex = (work) => {
      running++;
      return work();
    };
    const { text } = setUp({ limitBatches });
    expect(JSON.parse(await text(`[${call('getHeight')},${call('getHeight')}]`))).toHaveLength(2);
    expect(await text(call('getHeight'))).toBe(`${height(1)}\n`);
    expect(running).toBe(1);
  });

  test('countCalls counts the calls of a batch', () => {
    const differences = { batches: true, missingContentType: true, underscoreNames: true, errorData: true };
    const count = (body: string, batches = true) => countCalls(Buffer.from(body), { differences: { ...differences, batches } });
    const batch = (size: number) => ` [${Array(size).fill(call('getHeight')).join(',')}]`;
    expect([count(call('getHeight')), count(batch(1)), count(batch(60)), count('[]'), count('[{'), count('')]).toEqual([1, 1, 60, 1, 1, 1]);
    expect(count(batch(3000))).toBe(maxBatch + 1);
    expect(count(batch(60), false)).toBe(1);
  });

  test('a batch of notifications only has an empty response', async () => {
    expect(await setUp().send(`[${notification('getHeight')},${notification('nope')}]`)).toEqual({ body: '', methodRan: true });
  });

  test('the number of calls is limited', async () => {
    const batch = (size: number) => `[${Array(size).fill(call('getHeight')).join(',')}]`;
    expect(JSON.parse(await setUp().text(batch(maxBatch)))).toHaveLength(maxBatch);
    const { text, calls } = setUp();
    expect(await text(batch(maxBatch + 1))).toBe(
      `${error(-32600, 'batch has more than 100 calls', '{"code":"RPC_BATCH_TOO_LONG","max":100}', 'null')}\n`,
    );
    expect(await text('[]')).toBe(`${error(-32600, 'batch is empty', '{"code":"RPC_BATCH_EMPTY"}', 'null')}\n`);
    expect(await text(`[${call('getHeight')},`)).toMatch(/"code":-32700,"message":"unexpected EOF"/);
    expect(calls).toEqual([]);
  });

  test('once the responses exceed the size limit, the remaining calls are not run', async () => {
    const { text, calls } = setUp();
    const size = Math.ceil(maxBatchResponse / 3) + 1;
    const responses = JSON.parse(
      await text(
        `[${Array(6)
          .fill(call('long', `{"size":"${size}"}`))
          .join(',')},${notification('long')}]`,
      ),
    );
    expect(responses.map(({ error }: { error?: { data: unknown } }) => error?.data)).toEqual([
      ...Array(3).fill(undefined),
      ...Array(3).fill({ code: 'RPC_BATCH_ANSWER_TOO_LARGE', max: maxBatchResponse }),
    ]);
    expect(calls).toEqual(Array(3).fill('long'));
  });

  test('other requests run between two calls', async () => {
    const { send, calls } = setUp();
    const response = send(`[${Array(6).fill(call('slow')).join(',')}]`) as Promise<RpcResponse>;
    const done: number[] = [];
    const watch = (): void => {
      done.push(calls.length);
      if (calls.length < 6) setImmediate(watch);
    };
    setImmediate(watch);
    await response;
    // Each call takes longer than a piece of long work may, so the event loop turns after each of them.
    for (let i = 1; i < done.length; i++) expect((done[i] as number) - (done[i - 1] as number)).toBeLessThanOrEqual(1);
    expect(done.length).toBeGreaterThanOrEqual(5);
  });

  test('ids may contain any bytes', async () => {
    const response = (await setUp().send(
      Buffer.from(`[${call('getHeight', '{}', '"\xff"')},${call('getHeight')}]`, 'latin1'),
    )) as RpcResponse;
    expect(Buffer.from(response.body as Uint8Array).toString('latin1')).toBe(`[${height('"\xff"')},${height(1)}]\n`);
  });

  test('--strict: a batch is a parse error', async () => {
    expect(await setUp({ isStrict: true }).text('[]')).toMatch(
      /"code":-32700,"message":"json: cannot unmarshal array into Go value of type json2.serverRequest"/,
    );
  });
});

describe('request limits', () => {
  const zeros = (length: number) => `"${'\\u0000'.repeat(length / 6)}"`;
  const request = (members: Record<string, string>) =>
    `{${Object.entries({ jsonrpc: '"2.0"', id: '1', method: '"avm.getHeight"', ...members })
      .map(([name, value]) => `"${name}":${value}`)
      .join(',')}}`;

  for (const name of ['jsonrpc', 'id', 'method'])
    test(`${name}: a text above the limit is rejected and not echoed`, async () => {
      const { text, calls } = setUp();
      const response = await text(request({ [name]: zeros(maxTextLength * 2) }));
      expect(JSON.parse(response)).toMatchObject({
        error: { code: -32700, message: `${name} is longer than ${maxTextLength} bytes` },
        id: null,
      });
      expect(response.length).toBeLessThan(300);
      expect(calls).toEqual([]);
    });

  test('length of params', async () => {
    const { text } = setUp();
    expect(JSON.parse(await text(request({ params: `{"a":"${'a'.repeat(maxParamsLength)}"}` })))).toMatchObject({
      error: { message: `params is longer than ${maxParamsLength} bytes` },
    });
    expect(JSON.parse(await text(request({ params: `{"a":"${'a'.repeat(maxParamsLength - 10)}"}` })))).toMatchObject({ result: {} });
  });

  test('number of members of an object, and of all values', async () => {
    const { text } = setUp();
    const many = (count: number) => Array.from({ length: count }, (_, i) => `"\\u0061${i}":1`).join(',');
    const tooMany = `an object of the request has more than ${maxMembers} members`;
    expect(JSON.parse(await text(`{${many(maxMembers + 1)}}`)).error.message).toBe(tooMany);
    expect(JSON.parse(await text(request({ params: `{${many(maxMembers + 1)}}` }))).error.message).toBe(tooMany);
    // Also where the names would be compared with those of the method.
    expect(JSON.parse(await text(call('echo', `{${many(maxMembers + 1)}}`))).error.message).toBe(tooMany);
    expect(JSON.parse(await text(request({ params: `{${many(maxMembers)}}` })))).toMatchObject({ result: {} });
    expect(JSON.parse(await text(request({ id: `[${'1,'.repeat(maxValues)}1]` }))).error.message).toBe(
      `the request has more than ${maxValues} values`,
    );
  });
});

describe('a reader process', () => {
  test('forwards calls that need the writer process, byte by byte', async () => {
    const forwarded: string[] = [];
    const forwardToWriter = async (request: Uint8Array): Promise<RpcResponse> => {
      forwarded.push(Buffer.from(request).toString('latin1'));
      return { body: 'from the writer\n', methodRan: true };
    };
    const { send, text } = setUp({ forwardToWriter });
    expect(await send(call('issueTx', '{"tx":"\xff"}'))).toEqual({ body: 'from the writer\n', methodRan: true });
    expect(await text(call('getHeight'))).toBe(`${height(1)}\n`);
    expect(await text(`[${call('getHeight')},${call('issueTx', '{}', '2')}]`)).toBe(`[${height(1)},from the writer]\n`);
    expect(forwarded).toEqual([Buffer.from(call('issueTx', '{"tx":"\xff"}')).toString('latin1'), call('issueTx', '{}', '2')]);
  });

  test('answers `internal error` if forwarding fails unexpectedly', async () => {
    const { text, reported } = setUp({ forwardToWriter: () => Promise.reject(new Error('gone')) });
    expect(await text(call('issueTx'))).toBe(`${error(-32000, 'internal error', '{"code":"RPC_INTERNAL"}')}\n`);
    expect(reported).toHaveLength(1);
  });
});

test('a call whose writer process does not answer is marked as unavailable, also a notification', async () => {
  class Busy extends Fault<{ code: 'RELAY_BUSY' }> {}
  const { send } = setUp({ forwardToWriter: () => Promise.reject(new Busy('busy', { code: 'RELAY_BUSY' })) });
  expect(await send(call('issueTx'))).toMatchObject({ isUnavailable: true, body: expect.stringContaining('RELAY_BUSY') });
  expect(await send('{"jsonrpc":"2.0","method":"avm.issueTx"}')).toEqual({ isUnavailable: true, body: '', methodRan: false });
});
