import { expect, test } from 'bun:test';
import { createProgressMeter } from './progress.ts';

test('what was fetched and executed, and the time to the tip by the rate of executed blocks', () => {
  let [time, height] = [1000, 10n];
  const meter = createProgressMeter(
    () => time,
    () => height,
  );
  const start = {
    phase: 'connecting',
    fetched: 0,
    executed: 0,
    height: 10n,
    tipHeight: undefined,
    blocksPerSecond: 0,
    dag: undefined,
  } as const;
  expect(meter.read()).toEqual({ ...start, secondsLeft: undefined });
  meter.setTip(110n);
  meter.addFetched(30);
  meter.addFetched(12);
  time = 5000;
  meter.setPhase('fetching');
  time = 7000;
  meter.addExecuted(40);
  height = 50n;
  // 40 blocks in the two seconds since fetching began.
  expect(meter.read()).toEqual({
    ...start,
    phase: 'fetching',
    fetched: 42,
    executed: 40,
    height,
    tipHeight: 110n,
    blocksPerSecond: 20,
    secondsLeft: 3,
  });
  meter.setPhase('fetching');
  time = 8000;
  meter.addExecuted(5);
  const { blocksPerSecond, executed } = meter.read();
  // A rate of 5 per second beside one of 20, which is a second old.
  const old = 2 ** (-1 / 5);
  expect([executed, blocksPerSecond]).toEqual([45, expect.closeTo((5 + 20 * old) / (1 + old), 8)]);
});

test('the rate is not infinite if no time has passed; above the tip nothing is left', () => {
  const meter = createProgressMeter(
    () => 5,
    () => 9n,
  );
  meter.addExecuted(3);
  expect(meter.read()).toMatchObject({ blocksPerSecond: 3000, secondsLeft: 0 });
  meter.setTip(8n);
  expect(meter.read().secondsLeft).toBe(0);
  meter.setTip(3009n);
  expect(meter.read().secondsLeft).toBe(1);
  const dag = { fetched: 1, stopHeight: 4n, height: 2n };
  meter.setDag(dag);
  expect(meter.read().dag).toEqual(dag);
});
