import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import { Fault } from '../fault.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { answer, type Mode } from './envelope.ts';
import { maxBatch, maxBatchAnswer, maxMembers, maxParamsLength, maxTextLength, maxValues } from './limits.ts';
import { methods, type Reply, row, type Services, service, servicesOf } from './method.ts';
import { noParams, obj, str, u64 } from './params.ts';

class TestError extends Fault<{ code: 'TEST_FAILED'; have: bigint; at: number }> {}

type Deps = { readonly calls: string[] };

const rows = methods<Deps>()({
  getHeight: row(noParams, ({ calls }) => {
    calls.push('getHeight');
    return { height: '6' };
  }),
  echo: row(obj({ text: str }), ({ calls }, { text }) => {
    calls.push(text);
    return text;
  }),
  later: row(noParams, async () => ({ big: 18446744073709551615n })),
  fail: row(noParams, () => {
    throw new TestError('it <failed>', { code: 'TEST_FAILED', have: 2n ** 64n - 1n, at: 3 });
  }),
  failLater: row(noParams, () => Promise.reject(new TestError('too late', { code: 'TEST_FAILED', have: 0n, at: 0 }))),
  crash: row(noParams, () => {
    throw new Error('/secret/path');
  }),
  long: row(obj({ size: u64 }), ({ calls }, { size }) => {
    calls.push('long');
    return 'x'.repeat(Number(size));
  }),
  slow: row(noParams, ({ calls }) => {
    calls.push('slow');
    for (const until = performance.now() + 10; performance.now() < until; );
    return null;
  }),
  crashLater: row(noParams, () => Promise.reject(new TypeError('secret'))),
  issueTx: row(obj({ tx: str }), (_, { tx }) => ({ tx }), { writer: true, deprecated: '1.9' }),
});

function desk({ isStrict = false, forward }: { isStrict?: boolean; forward?: NonNullable<Services['forward']> } = {}) {
  const calls: string[] = [];
  const reported: unknown[] = [];
  const services = { ...servicesOf(service('avm', rows, { calls }), service('other', {}, {})), ...(forward && { forward }) };
  const mode: Mode = {
    differences: { batches: !isStrict, missingContentType: !isStrict, errorData: !isStrict },
    report: (error) => reported.push(error),
    longWork,
  };
  const ask = (body: string | Uint8Array) => answer(services, typeof body === 'string' ? Buffer.from(body) : body, mode);
  const text = async (body: string | Uint8Array) => {
    const reply = await ask(body);
    return Buffer.from(reply.body as string).toString();
  };
  return { ask, text, calls, reported };
}

const call = (method: string, params = '{}', id = '1') => `{"jsonrpc":"2.0","id":${id},"method":"avm.${method}","params":${params}}`;
const notice = (method: string) => `{"jsonrpc":"2.0","method":"avm.${method}"}`;
const error = (code: number, message: string, data: string, id = '1') =>
  `{"jsonrpc":"2.0","error":{"code":${code},"message":${JSON.stringify(message)},"data":${data}},"id":${id}}`;
const height = (id: string | number) => `{"jsonrpc":"2.0","result":{"height":"6"},"id":${id}}`;

describe('answers', () => {
  test('at once when the method does, later when it does not', async () => {
    expect(desk().ask(call('getHeight'))).toEqual({ body: `${height(1)}\n`, called: true });
    const later = desk().ask(call('later'));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual({ body: '{"jsonrpc":"2.0","result":{"big":18446744073709551615},"id":1}\n', called: true });
  });

  test('a notification runs and is not answered', async () => {
    const { ask, calls } = desk();
    expect(await ask(notice('getHeight'))).toEqual({ body: '', called: true });
    expect(await ask(call('getHeight', '{}', 'null'))).toEqual({ body: '', called: true });
    expect(await ask(notice('fail'))).toEqual({ body: '', called: true });
    expect(await ask(notice('nope'))).toEqual({ body: '', called: false });
    expect(calls).toEqual(['getHeight', 'getHeight']);
  });

  test('an id comes back byte by byte', async () => {
    const body = (id: Uint8Array) =>
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"avm.getHeight","id":"'), id, Buffer.from('"}')]);
    const { body: got } = (await desk().ask(body(Uint8Array.of(0xff, 0x3c, 0xfe)))) as Reply;
    expect(Buffer.from(got as Uint8Array).toString('latin1')).toBe(`${height('"\xff\\u003c\xfe"')}\n`);
  });
});

describe('errors', () => {
  test('carry their fault, or null with --strict', async () => {
    const data = '{"code":"TEST_FAILED","have":"18446744073709551615","at":3}';
    expect(await desk().text(call('fail'))).toBe(`${error(-32000, 'it ', data).replace('it ', 'it \\u003cfailed\\u003e')}\n`);
    expect(await desk({ isStrict: true }).text(call('fail'))).toBe(
      `${error(-32000, 'it ', 'null').replace('it ', 'it \\u003cfailed\\u003e')}\n`,
    );
    expect(await desk({ isStrict: true }).text(call('failLater'))).toBe(`${error(-32000, 'too late', 'null')}\n`);
  });

  test('that are bugs are reported and not shown', async () => {
    for (const method of ['crash', 'crashLater']) {
      const { text, reported } = desk();
      expect(await text(call(method))).toBe(`${error(-32000, 'internal error', '{"code":"RPC_INTERNAL"}')}\n`);
      expect(reported).toHaveLength(1);
    }
    const { ask, reported } = desk();
    expect(await ask(notice('crash'))).toEqual({ body: '', called: true });
    expect(reported).toHaveLength(1);
  });

  test('name what could not be called', async () => {
    const data = async (body: string) => JSON.parse(await desk().text(body)).error;
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
    expect(await desk().text(call('ıssueTx'.replace('ı', '\\u0131'), '{"tx":"0x"}'))).toBe(
      '{"jsonrpc":"2.0","result":{"tx":"0x"},"id":1}\n',
    );
  });
});

describe('batches', () => {
  test('are answered in order, notifications left out', async () => {
    const { text, calls } = desk();
    const body = ` [ ${call('echo', '{"text":"a"}')}, ${notice('getHeight')}, ${call('nope', '{}', '"x"')} , 5, ${call('later', '[]', '7')} ] tail`;
    const [first, second, third, fourth] = JSON.parse(await text(body));
    expect(first).toEqual({ jsonrpc: '2.0', result: 'a', id: 1 });
    expect(second).toMatchObject({ error: { code: -32000 }, id: 'x' });
    expect(third).toMatchObject({ error: { code: -32700 }, id: null });
    expect(fourth).toMatchObject({ id: 7 });
    expect(calls).toEqual(['a', 'getHeight']);
  });

  test('of nothing but notifications have no answer', async () => {
    expect(await desk().ask(`[${notice('getHeight')},${notice('nope')}]`)).toEqual({ body: '', called: true });
  });

  test('are bounded', async () => {
    const batch = (size: number) => `[${Array(size).fill(call('getHeight')).join(',')}]`;
    expect(JSON.parse(await desk().text(batch(maxBatch)))).toHaveLength(maxBatch);
    const { text, calls } = desk();
    expect(await text(batch(maxBatch + 1))).toBe(
      `${error(-32600, 'batch has more than 100 calls', '{"code":"RPC_BATCH_TOO_LONG","max":100}', 'null')}\n`,
    );
    expect(await text('[]')).toBe(`${error(-32600, 'batch is empty', '{"code":"RPC_BATCH_EMPTY"}', 'null')}\n`);
    expect(await text(`[${call('getHeight')},`)).toMatch(/"code":-32700,"message":"unexpected EOF"/);
    expect(calls).toEqual([]);
  });

  test('end where their answers are too large: the calls after that are not run', async () => {
    const { text, calls } = desk();
    const size = Math.ceil(maxBatchAnswer / 3) + 1;
    const answers = JSON.parse(
      await text(
        `[${Array(6)
          .fill(call('long', `{"size":"${size}"}`))
          .join(',')},${notice('long')}]`,
      ),
    );
    expect(answers.map(({ error }: { error?: { data: unknown } }) => error?.data)).toEqual([
      ...Array(3).fill(undefined),
      ...Array(3).fill({ code: 'RPC_BATCH_ANSWER_TOO_LARGE', max: maxBatchAnswer }),
    ]);
    expect(calls).toEqual(Array(3).fill('long'));
  });

  test('let others have their turn between two calls', async () => {
    const { ask, calls } = desk();
    const reply = ask(`[${Array(6).fill(call('slow')).join(',')}]`) as Promise<Reply>;
    const done: number[] = [];
    const watch = (): void => {
      done.push(calls.length);
      if (calls.length < 6) setImmediate(watch);
    };
    setImmediate(watch);
    await reply;
    // One call takes longer than a piece of long work may: the loop turns after every one of them.
    for (let i = 1; i < done.length; i++) expect((done[i] as number) - (done[i - 1] as number)).toBeLessThanOrEqual(1);
    expect(done.length).toBeGreaterThanOrEqual(5);
  });

  test('hold ids of any bytes', async () => {
    const reply = (await desk().ask(Buffer.from(`[${call('getHeight', '{}', '"\xff"')},${call('getHeight')}]`, 'latin1'))) as Reply;
    expect(Buffer.from(reply.body as Uint8Array).toString('latin1')).toBe(`[${height('"\xff"')},${height(1)}]\n`);
  });

  test('do not exist with --strict', async () => {
    expect(await desk({ isStrict: true }).text('[]')).toMatch(
      /"code":-32700,"message":"json: cannot unmarshal array into Go value of type json2.serverRequest"/,
    );
  });
});

describe('texts are bounded', () => {
  const zeros = (length: number) => `"${'\\u0000'.repeat(length / 6)}"`;
  const request = (members: Record<string, string>) =>
    `{${Object.entries({ jsonrpc: '"2.0"', id: '1', method: '"avm.getHeight"', ...members })
      .map(([name, value]) => `"${name}":${value}`)
      .join(',')}}`;

  for (const name of ['jsonrpc', 'id', 'method'])
    test(`${name}: a longer one is refused and not repeated`, async () => {
      const { text, calls } = desk();
      const answer = await text(request({ [name]: zeros(maxTextLength * 2) }));
      expect(JSON.parse(answer)).toMatchObject({
        error: { code: -32700, message: `${name} is longer than ${maxTextLength} bytes` },
        id: null,
      });
      expect(answer.length).toBeLessThan(300);
      expect(calls).toEqual([]);
    });

  test('params', async () => {
    const { text } = desk();
    expect(JSON.parse(await text(request({ params: `{"a":"${'a'.repeat(maxParamsLength)}"}` })))).toMatchObject({
      error: { message: `params is longer than ${maxParamsLength} bytes` },
    });
    expect(JSON.parse(await text(request({ params: `{"a":"${'a'.repeat(maxParamsLength - 10)}"}` })))).toMatchObject({ result: {} });
  });

  test('members, and values in all', async () => {
    const { text } = desk();
    const many = (count: number) => Array.from({ length: count }, (_, i) => `"\\u0061${i}":1`).join(',');
    const tooMany = `an object of the request has more than ${maxMembers} members`;
    expect(JSON.parse(await text(`{${many(maxMembers + 1)}}`)).error.message).toBe(tooMany);
    expect(JSON.parse(await text(request({ params: `{${many(maxMembers + 1)}}` }))).error.message).toBe(tooMany);
    expect(JSON.parse(await text(request({ params: `{${many(maxMembers)}}` })))).toMatchObject({ result: {} });
    expect(JSON.parse(await text(request({ id: `[${'1,'.repeat(maxValues)}1]` }))).error.message).toBe(
      `the request has more than ${maxValues} values`,
    );
  });
});

describe('a process that may not write', () => {
  test('hands on the calls that do, byte by byte', async () => {
    const handed: string[] = [];
    const forward = async (request: Uint8Array): Promise<Reply> => {
      handed.push(Buffer.from(request).toString('latin1'));
      return { body: 'theirs\n', called: true };
    };
    const { ask, text } = desk({ forward });
    expect(await ask(call('issueTx', '{"tx":"\xff"}'))).toEqual({ body: 'theirs\n', called: true });
    expect(await text(call('getHeight'))).toBe(`${height(1)}\n`);
    expect(await text(`[${call('getHeight')},${call('issueTx', '{}', '2')}]`)).toBe(`[${height(1)},theirs]\n`);
    expect(handed).toEqual([Buffer.from(call('issueTx', '{"tx":"\xff"}')).toString('latin1'), call('issueTx', '{}', '2')]);
  });

  test('says so when the other cannot be reached', async () => {
    const { text, reported } = desk({ forward: () => Promise.reject(new Error('gone')) });
    expect(await text(call('issueTx'))).toBe(`${error(-32000, 'internal error', '{"code":"RPC_INTERNAL"}')}\n`);
    expect(reported).toHaveLength(1);
  });
});

test('a call that needs a process that does not answer is marked as unavailable, a notification too', async () => {
  class Busy extends Fault<{ code: 'RELAY_BUSY' }> {}
  const { ask } = desk({ forward: () => Promise.reject(new Busy('busy', { code: 'RELAY_BUSY' })) });
  expect(await ask(call('issueTx'))).toMatchObject({ isUnavailable: true, body: expect.stringContaining('RELAY_BUSY') });
  expect(await ask('{"jsonrpc":"2.0","method":"avm.issueTx"}')).toEqual({ isUnavailable: true, body: '', called: false });
});

describe('whatever comes, one answer goes back', () => {
  const check = async (body: Uint8Array) => {
    const { ask, reported } = desk();
    const reply = await ask(body);
    const text = Buffer.from(reply.body as string).toString();
    if (text !== '') {
      expect(text.endsWith('\n')).toBe(true);
      const all = JSON.parse(text);
      for (const one of Array.isArray(all) ? all : [all]) {
        expect(one.jsonrpc).toBe('2.0');
        expect('id' in one && 'result' in one !== 'error' in one).toBe(true);
      }
    }
    // `crash` is not among what is sent here, so nothing may be reported.
    expect(reported).toEqual([]);
  };

  test(
    'random bytes',
    async () => {
      await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), check), { numRuns: hostileRounds(0.1) });
    },
    hostileTimeout,
  );

  test(
    'mutated envelopes',
    async () => {
      const seed = fc.constantFrom(
        call('getHeight'),
        call('echo', '{"text":"a\\u0041"}', '{"a":[1,2.5e3]}'),
        call('issueTx', '[{"tx":"0x00"}]', '"é"'),
        `[${call('later')},${notice('fail')}]`,
      );
      const edit = fc.record({
        at: fc.nat(300),
        drop: fc.nat(3),
        put: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...'{}[]",:\\0n-'.split('').map((char) => Buffer.from(char)))),
      });
      await fc.assert(
        fc.asyncProperty(seed, fc.array(edit, { minLength: 1, maxLength: 4 }), async (text, edits) => {
          let body: Uint8Array = Buffer.from(text);
          for (const { at, drop, put } of edits) body = Buffer.concat([body.subarray(0, at), put, body.subarray(at + drop)]);
          await check(body);
        }),
        { numRuns: hostileRounds(0.2) },
      );
    },
    hostileTimeout,
  );
});
