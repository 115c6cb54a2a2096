import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { maxLoggedCalls } from '../contract/dev-call-methods.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { createCallLog, keptAfterRead, maxLogBytes } from './call-log.ts';
import { createCallRecorder, describeInterval, maxWaitingCalls } from './call-recorder.ts';

const json = { 'content-type': 'application/json' };

/** A log with its recorder, and a handler that answers every request alike. */
function start(respond: (body: string) => Partial<HttpResponse> = () => ({})) {
  const timing = createVirtualClock(1_700_000_000_000);
  const [switches, news]: [boolean[], number[]] = [[], []];
  const { after } = timing;
  const log = createCallLog({
    now: timing.now,
    after,
    onSwitch: async (isOn) => {
      switches.push(isOn);
      recorder.setOn(isOn);
    },
    onNews: (last) => news.push(last),
  });
  const recorder = createCallRecorder({ now: timing.now, monotonic: timing.now, after, keep: log.add });
  const seen: HttpRequest[] = [];
  const handler: Handler = recorder.wrap(async (request) => {
    seen.push(request);
    const body = Buffer.from(await request.body(1_000_000)).toString();
    return { status: 200, headers: json, body: '{}', ...respond(body) };
  });
  const send = (body: unknown, { headers = {}, ...more }: Partial<HttpRequest> & { headers?: Record<string, string> } = {}) =>
    handler({
      method: 'POST',
      path: '/ext/bc/X',
      query: '',
      header: (name) => headers[name] ?? null,
      remoteAddress: () => '127.0.0.1',
      body: async () => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      ...more,
    });
  const all = (wanted = {}) => log.list({ after: 0, limit: 1000, text: '', onlyErrors: false, ...wanted });
  return { timing, log, send, all, seen, switches, news, handler };
}

test('calls are kept from the first reading of the log on, until some time after the last', async () => {
  const { timing, log, send, all, switches, news, seen, handler } = start();
  await send({ method: 'avm.getHeight' });
  await log.ask();
  await send({ method: 'info.getNodeVersion' });
  timing.advance(describeInterval);
  expect(all().map(({ number, methods }) => [number, methods])).toEqual([[1, ['info.getNodeVersion']]]);
  expect([switches, news]).toEqual([[true], [1]]);
  timing.advance(keptAfterRead / 2);
  await log.ask();
  timing.advance(keptAfterRead / 2);
  expect(log.isOn()).toBe(true);
  timing.advance(keptAfterRead / 2);
  expect([switches, all(), log.read().last]).toEqual([[true, false], [], 1]);
  await send({ method: 'avm.getHeight' });
  timing.advance(describeInterval);
  expect(all()).toEqual([]);
  // Without a reader the handler gets the request as it came.
  const request: HttpRequest = { method: 'POST', path: '/', query: '', header: () => null, body: async () => Buffer.from('{}') };
  await handler(request);
  expect(seen.at(-1)).toBe(request);
});

test('a call has its method, caller, error with what to do, and bodies without secrets, whole or cut', async () => {
  const { timing, log, send, all } = start((body) => {
    const { method, params } = JSON.parse(body);
    if (method === 'dev.send')
      return { body: JSON.stringify({ error: { message: `bad key ${params.secret}`, data: { code: 'DEV_X', didYouMean: 'from' } } }) };
    return { body: JSON.stringify({ result: { privateKey: 'abc', list: 'x'.repeat(5000) } }) };
  });
  await log.ask();
  await send(
    { method: 'dev.send', params: { secret: 'correct horse' } },
    { headers: { 'user-agent': 'curl/8\u202e' }, query: 'token=abc' },
  );
  await send({ method: 'avm.getX' }, { remoteAddress: undefined });
  timing.advance(describeInterval);
  const [second, first] = all();
  expect(first).toMatchObject({
    methods: ['dev.send'],
    path: '/ext/bc/X?token=(hidden)',
    transport: 'http',
    address: '127.0.0.1',
    userAgent: 'curl/8?',
    error: { code: 'DEV_X', message: 'bad key (hidden)', remedy: 'did you mean from?' },
    request: { text: '{"method":"dev.send","params":{"secret":"(hidden)"}}', isCut: false, hidden: 1 },
  });
  expect(first?.answer.text).not.toContain('horse');
  expect(second).toMatchObject({ transport: 'library', answer: { isCut: true, hidden: 1 } });
  expect(second?.answer.text).toHaveLength(4096);
  expect(second?.answer.text).not.toContain('abc');
  expect(all({ onlyErrors: true }).map(({ number }) => number)).toEqual([1]);
  expect(all({ text: 'GETX' }).map(({ number }) => number)).toEqual([2]);
  expect(all({ after: 1 }).map(({ number }) => number)).toEqual([2]);
});

test('bodies that are not JSON, too large or compressed are not kept, and refusals in plain text are errors', async () => {
  const { timing, log, send, all } = start((body) =>
    body.startsWith('{')
      ? { headers: { ...json, 'content-encoding': 'gzip' }, body: 'zzz' }
      : { status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'this caller is not allowed\n' },
  );
  await log.ask();
  await send('privateKey=abc');
  await send(`{"a":"${'x'.repeat(300_000)}"}`);
  timing.advance(describeInterval);
  const [large, refused] = all();
  expect(refused).toMatchObject({ status: 403, error: { message: 'this caller is not allowed' }, request: { reason: 'it is not JSON' } });
  expect(JSON.stringify(refused)).not.toContain('abc');
  expect(large).toMatchObject({ request: { reason: 'it is too large' }, answer: { reason: 'it is compressed' }, requestBytes: 300_008 });
});

test('readings of the log itself, reads of pages and pages are not in it; what a button of a page does is', async () => {
  const { timing, log, send, all } = start((body) => (body === '' ? { headers: { 'content-type': 'text/html; charset=utf-8' } } : {}));
  const headers = { 'sec-fetch-site': 'same-origin' };
  await log.ask();
  await send({ method: 'dev.calls' });
  await send([{ method: 'dev.calls' }, { method: 'dev.callBodies' }]);
  await send({}, { method: 'GET', path: '/v1/x', headers });
  await send('', { method: 'GET', path: '/tx/1' });
  await send({ method: 'dev.faucet' }, { headers });
  await send([{ method: 'dev.calls' }, ...Array.from({ length: 9 }, () => ({ method: 'avm.getTx' }))]);
  timing.advance(describeInterval);
  expect(all().map(({ methods, isFromPage, batchSize }) => [methods.length, isFromPage, batchSize])).toEqual([
    [5, false, 10],
    [1, true, undefined],
  ]);
});

test('calls that come at once, kept calls and their bytes are limited', async () => {
  const { timing, log, send, all } = start();
  await log.ask();
  for (let i = 0; i < maxWaitingCalls + 50; i++) await send({ method: `avm.m${i}` });
  timing.advance(describeInterval);
  expect(log.read()).toMatchObject({ kept: maxWaitingCalls, skipped: 50, last: maxWaitingCalls });
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 20; i++) await send({ method: 'avm.large', memo: 'x'.repeat(8000) });
    for (let i = 0; i < 100; i++) await send({ method: 'avm.small' });
    timing.advance(describeInterval);
  }
  expect(log.read().kept).toBe(maxLoggedCalls);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 100; i++) await send({ method: 'avm.large', memo: 'x'.repeat(8000) });
    timing.advance(describeInterval);
  }
  const kept = all();
  const bytes = kept.reduce((sum, { request, answer }) => sum + 2 * ((request.text?.length ?? 0) + (answer.text?.length ?? 0)), 0);
  expect(kept.length).toBeLessThan(300);
  expect(bytes).toBeWithin(maxLogBytes * 0.8, maxLogBytes);
});
