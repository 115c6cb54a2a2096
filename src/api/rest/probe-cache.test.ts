import { expect, test } from 'bun:test';
import { cachedComponent, probeLife } from './probe-cache.ts';

function createCountedComponent(probe: () => Promise<void>) {
  const clock = { now: 0 };
  const calls = { write: 0, read: 0 };
  const component = cachedComponent(
    {
      probeWrite: () => {
        calls.write++;
        return probe();
      },
      probeRead: () => {
        calls.read++;
        return probe();
      },
    },
    () => clock.now,
  );
  return { clock, calls, component };
}

test('thousands of calls in a second cause one probe; writes and reads are separate', async () => {
  const { clock, calls, component } = createCountedComponent(async () => {});
  for (let i = 0; i < 5_000; i++) await component.probeWrite();
  expect(calls).toEqual({ write: 1, read: 0 });
  await component.probeRead();
  clock.now += probeLife;
  await Promise.all([component.probeWrite(), component.probeWrite(), component.probeRead()]);
  expect(calls).toEqual({ write: 2, read: 2 });
});

test('a failure is shared too, and probed again a second later', async () => {
  let up = false;
  const { clock, calls, component } = createCountedComponent(async () => {
    if (!up) throw new Error('down');
  });
  for (let i = 0; i < 3; i++) expect(component.probeWrite()).rejects.toThrow('down');
  up = true;
  await Bun.sleep(0);
  expect(component.probeWrite()).rejects.toThrow('down');
  clock.now += probeLife;
  await component.probeWrite();
  expect(calls.write).toBe(2);
});

test('a probe that throws synchronously is a failure', () => {
  const thrower = () => {
    throw new Error('at once');
  };
  expect(cachedComponent({ probeWrite: thrower, probeRead: thrower }, () => 0).probeWrite()).rejects.toThrow('at once');
});

test('a probe that hangs is shared, and replaced after the hang limit', () => {
  const { clock, calls, component } = createCountedComponent(() => new Promise(() => {}));
  for (; clock.now < 20_000; clock.now += 10) void component.probeWrite();
  expect(calls.write).toBe(4);
});

test('a change of the revision causes a new probe at once', async () => {
  let [probes, revision] = [0, 0];
  const component = cachedComponent(
    { probeWrite: async () => void probes++, probeRead: async () => {}, revision: () => revision },
    () => 0,
  );
  await component.probeWrite();
  await component.probeWrite();
  expect(probes).toBe(1);
  revision++;
  await component.probeWrite();
  expect(probes).toBe(2);
});
