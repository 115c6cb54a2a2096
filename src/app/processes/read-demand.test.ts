import { expect, test } from 'bun:test';
import { createReadDemand, demandPerSecond, readWeights } from './read-demand.ts';

function countFrom() {
  let now = 5000;
  let demands = 0;
  const count = createReadDemand(
    () => now,
    () => void demands++,
  );
  const repeat = (kind: keyof typeof readWeights, times: number): void => {
    for (let i = 0; i < times; i++) count(kind);
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { repeat, pass, demands: () => demands };
}

test('reads of one second add up, and a page counts as several calls', () => {
  const { repeat, pass, demands } = countFrom();
  repeat('call', demandPerSecond / 2);
  pass(999);
  repeat('page', demandPerSecond / 2 / readWeights.page - 1);
  expect(demands()).toBe(0);
  repeat('page', 1);
  expect(demands()).toBe(1);
});

test('fewer reads in every second never are a demand, and a demand is told once', () => {
  const { repeat, pass, demands } = countFrom();
  for (let second = 0; second < 20; second++) {
    repeat('call', demandPerSecond - 1);
    pass(1000);
  }
  expect(demands()).toBe(0);
  repeat('call', 3 * demandPerSecond);
  expect(demands()).toBe(1);
});
