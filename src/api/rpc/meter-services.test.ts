import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { handleRpc } from './json-rpc.ts';
import { meterServices } from './meter-services.ts';
import { combineServices, createService, method, methodTable } from './method.ts';
import { noParams, obj, u32 } from './params.ts';

const fault = () => new Fault('no', { code: 'TEST' });

const testMethods = methodTable<object>()({
  add: method(obj({ to: u32 }), (_, { to }) => to + 1),
  later: method(noParams, () => Promise.resolve('x')),
  fail: method(noParams, () => {
    throw fault();
  }),
  failLater: method(noParams, () => Promise.reject(fault())),
});

test('each call is recorded once, with its method, duration and outcome, and its response does not change', async () => {
  const recorded: [string, number, boolean][] = [];
  let time = 0;
  const plain = combineServices(createService('t', testMethods, {}));
  const metered = meterServices(
    plain,
    (method) => ({ record: (seconds, isError) => recorded.push([method, seconds, isError]) }),
    () => time++,
  );
  const options = {
    differences: { batches: false, missingContentType: false, errorData: false },
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
