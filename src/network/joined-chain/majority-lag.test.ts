import { expect, test } from 'bun:test';
import { createMajorityLagMeter } from './majority-lag.ts';

test('a chain that follows closely has a short lag, however high the majority is', () => {
  const meter = createMajorityLagMeter();
  for (let second = 0; second < 100; second++) {
    meter.observe(BigInt(second + 1), BigInt(second), second * 1000);
    expect(meter.read(second * 1000)).toEqual({ majorityHeight: BigInt(second + 1), milliseconds: 0 });
  }
});

test('the lag of a chain that stands still grows from the first block that it lacks, and ends when it has all', () => {
  const meter = createMajorityLagMeter();
  meter.observe(13n, 13n, 0);
  expect(meter.read(500)).toBeUndefined();
  for (let height = 14n; height <= 19n; height++) meter.observe(height, 13n, Number(height) * 1000);
  expect(meter.read(44_000)).toEqual({ majorityHeight: 19n, milliseconds: 30_000 });
  meter.observe(19n, 16n, 45_000);
  expect(meter.read(45_000)).toEqual({ majorityHeight: 19n, milliseconds: 28_000 });
  meter.observe(19n, 19n, 46_000);
  expect(meter.read(46_000)).toBeUndefined();
});

test('a majority that runs far ahead fills no memory', () => {
  const meter = createMajorityLagMeter();
  for (let height = 1; height < 5000; height++) meter.observe(BigInt(height), 0n, height);
  expect(meter.read(10_000)).toEqual({ majorityHeight: 4999n, milliseconds: 9_999 });
});
