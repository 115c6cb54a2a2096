import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createAddressBackfill } from './address-backfill.ts';
import { apiError } from './api-error.ts';

const [alice, bob] = ['a', 'b'].map((digit) => digit.repeat(40)) as [Address, Address];

/** A source that answers as the test says. `asked`: what it was asked for. */
function open({
  outputs = async () => {},
  imports = async () => {},
  isAway = false,
}: {
  outputs?: () => Promise<void>;
  imports?: () => Promise<void>;
  isAway?: boolean;
} = {}) {
  const { timing, pass } = createVirtualTiming();
  const asked: unknown[] = [];
  const backfill = createAddressBackfill({
    clock: { monotonic: timing.now },
    timers: timing,
    isAway: () => isAway,
    fetchOutputs: async (addresses) => {
      asked.push(['outputs', addresses]);
      await outputs();
    },
    fetchImports: async (addresses) => {
      asked.push(['imports', addresses]);
      await imports();
    },
  });
  const run = async (withoutOutputs: readonly Address[], withExports: readonly Address[]): Promise<unknown> => {
    const outcome = backfill({ withoutOutputs, withExports }).catch((error: AnyFault) => error.fault ?? error);
    await pass(1000);
    return outcome;
  };
  return { run, asked };
}

const fail = (status: 502 | 503) => async (): Promise<void> => {
  throw apiError(status, 'the node is silent');
};
const never = (): Promise<void> => new Promise(() => {});

test('the source is asked for what is missing of these addresses, and for nothing else', async () => {
  const { run, asked } = open();
  expect(await run([], [])).toBe('complete');
  expect(asked).toEqual([]);
  expect(await run([alice], [bob])).toBe('complete');
  expect(asked).toEqual([
    ['outputs', [alice]],
    ['imports', [bob]],
  ]);
});

test('a balance is never too low: without the outputs of an address there is none', async () => {
  for (const source of [{ outputs: never }, { outputs: fail(503) }, { isAway: true }])
    expect(await open(source).run([alice], [])).toMatchObject({ code: 'API_REFUSED', status: 503 });
  expect(await open({ outputs: fail(502) }).run([alice], [])).toMatchObject({ status: 502 });
  // Nothing is asked of a source that is away.
  const { run, asked } = open({ isAway: true });
  expect([await run([], [bob]), asked]).toEqual(['imports-unknown', []]);
});

test('a balance without imports of other chains says so', async () => {
  for (const source of [{ imports: never }, { imports: fail(503) }, { imports: fail(502) }])
    expect(await open(source).run([alice], [bob])).toBe('imports-unknown');
  const bug = new TypeError('a bug');
  const { run } = open({
    imports: async () => {
      throw bug;
    },
  });
  expect(await run([], [bob])).toBe(bug);
});
