import { expect, test } from 'bun:test';
import { cachedComponent, probeLife } from './probe-cache.ts';

function counted(probe: () => Promise<void>) {
  const clock = { now: 0 };
  const calls = { write: 0, read: 0 };
  const component = cachedComponent(
    {
      write: () => {
        calls.write++;
        return probe();
      },
      read: () => {
        calls.read++;
        return probe();
      },
    },
    () => clock.now,
  );
  return { clock, calls, component };
}

test('thousands of callers in a second cost one probe, writes and reads apart', async () => {
  const { clock, calls, component } = counted(async () => {});
  for (let i = 0; i < 5_000; i++) await component.write();
  expect(calls).toEqual({ write: 1, read: 0 });
  await component.read();
  clock.now += probeLife;
  await Promise.all([component.write(), component.write(), component.read()]);
  expect(calls).toEqual({ write: 2, read: 2 });
});

test('a failure is shared like a success, and found out again a second later', async () => {
  let up = false;
  const { clock, calls, component } = counted(async () => {
    if (!up) throw new Error('down');
  });
  for (let i = 0; i < 3; i++) expect(component.write()).rejects.toThrow('down');
  up = true;
  await Bun.sleep(0);
  expect(component.write()).rejects.toThrow('down');
  clock.now += probeLife;
  await component.write();
  expect(calls.write).toBe(2);
});

test('a probe that throws at once is a failure too', () => {
  const thrower = () => {
    throw new Error('at once');
  };
  expect(cachedComponent({ write: thrower, read: thrower }, () => 0).write()).rejects.toThrow('at once');
});

test('a probe that hangs is not started again by every caller, but in the end it is', () => {
  const { clock, calls, component } = counted(() => new Promise(() => {}));
  for (; clock.now < 20_000; clock.now += 10) void component.write();
  expect(calls.write).toBe(4);
});

test('a change of the revision makes another probe due at once', async () => {
  let [probes, revision] = [0, 0];
  const component = cachedComponent({ write: async () => void probes++, read: async () => {}, revision: () => revision }, () => 0);
  await component.write();
  await component.write();
  expect(probes).toBe(1);
  revision++;
  await component.write();
  expect(probes).toBe(2);
});
