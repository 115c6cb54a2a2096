import { expect, test } from 'bun:test';
import { Fault } from '../fault.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { answer } from './envelope.ts';
import { metered } from './metered.ts';
import { methods, row, service, servicesOf } from './method.ts';
import { noParams, obj, u32 } from './params.ts';

const fault = () => new Fault('no', { code: 'TEST' });

const rows = methods<object>()({
  add: row(obj({ to: u32 }), (_, { to }) => to + 1),
  later: row(noParams, () => Promise.resolve('x')),
  refuse: row(noParams, () => {
    throw fault();
  }),
  refuseLater: row(noParams, () => Promise.reject(fault())),
});

test('every call is counted once under its method, with its outcome and its time, and answered as before', async () => {
  const seen: [string, number, boolean][] = [];
  let time = 0;
  const plain = servicesOf(service('t', rows, {}));
  const counted = metered(
    plain,
    (method) => ({ done: (seconds, isError) => seen.push([method, seconds, isError]) }),
    () => time++,
  );
  const mode = {
    differences: { batches: false, missingContentType: false, errorData: false },
    report: () => expect.unreachable(),
    longWork,
  };
  const calls = [
    ['t.add', '{"to":4}'],
    ['t.add', '{"to":"x"}'],
    ['t.later', '{}'],
    ['t.refuse', '{}'],
    ['t.refuseLater', '{}'],
    ['t.none', '{}'],
  ] as const;
  for (const [method, params] of calls) {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
    expect(await answer(counted, body, mode)).toEqual(await answer(plain, body, mode));
  }
  expect(seen).toEqual([
    ['t.add', 1, false],
    ['t.add', 1, true],
    ['t.later', 1, false],
    ['t.refuse', 1, true],
    ['t.refuseLater', 1, true],
  ]);
});
