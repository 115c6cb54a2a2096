import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { method } from '../contract/method.ts';
import { integer, text, u32 } from '../contract/schema.ts';
import { handleRpc } from './json-rpc.ts';
import { combineServices, createService, implement, meterServices } from './method.ts';
import { writeJson } from './write-json.ts';

const fault = () => new Fault('no', { code: 'TEST' });

const testRows = {
  add: method({ to: u32() }, integer()),
  later: method({}, text()),
  fail: method({}, text()),
  failLater: method({}, text()),
};

const testMethods = implement<object>()(testRows, {
  add: async (_, { to }) => to + 1,
  later: () => Promise.resolve('x'),
  fail: () => {
    throw fault();
  },
  failLater: () => Promise.reject(fault()),
});

test('each call is recorded once, with its method, duration and outcome, and its response does not change', async () => {
  const recorded: [string, number, boolean][] = [];
  let time = 0;
  const plain = combineServices(createService('t', testMethods, {}));
  const metered = meterServices(plain, (method) => ({
    now: () => time++,
    record: (seconds, isError) => recorded.push([method, seconds, isError]),
  }));
  const options = {
    differences: { batches: false, missingContentType: false, underscoreNames: false, errorData: false },
    onUnexpectedError: () => expect.unreachable(),
    longWork,
  };
  const calls = [
    ['t.add', '{"to":4}'],
    ['t.add', '{"to":"x"}'],
    ['t.later', '{}'],
    ['t.fail', '{}'],
    ['t.failLater', '{}'],
    ['t.none', '{}'],
  ] as const;
  for (const [method, params] of calls) {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
    expect(await handleRpc(metered, body, options)).toEqual(await handleRpc(plain, body, options));
  }
  expect(recorded).toEqual([
    ['t.add', 1, false],
    ['t.add', 1, true],
    ['t.later', 1, false],
    ['t.fail', 1, true],
    ['t.failLater', 1, true],
  ]);
});

test('a constant result is made at the first call, and every call has it', async () => {
  let made = 0;
  const table = implement<object>()({ later: method({}, text()) }, { later: { run: async () => `made ${++made}`, isConstant: true } });
  const { methods } = createService('t', table, {});
  const results = await Promise.all([1, 2, 3].map(() => methods.get('later')?.run({})));
  expect(results.map((result) => writeJson(result ?? null))).toEqual(['"made 1"', '"made 1"', '"made 1"']);
});
