import { expect, test } from 'bun:test';
import { createMajorityLagMeter } from './majority-lag.ts';

const heard = (height: number, heardAt: number) => ({ height: BigInt(height), heardAt });

test('a chain that follows closely has a short lag, however high the majority is', () => {
  const meter = createMajorityLagMeter();
  for (let second = 0; second < 100; second++) {
    meter.observe(heard(second + 1, second * 1000), BigInt(second), second * 1000);
    expect(meter.read(second * 1000)).toEqual({ majorityHeight: BigInt(second + 1), milliseconds: second === 0 ? 0 : 1000 });
  }
});

test('the lag of a chain that stands still grows from the first block that it lacks, and ends when it has all', () => {
  const meter = createMajorityLagMeter();
  meter.observe(heard(13, 0), 13n, 0);
  expect(meter.read(500)).toBeUndefined();
  meter.observe(heard(13, 13_500), 13n, 13_500);
  for (let height = 14; height <= 19; height++) meter.observe(heard(height, height * 1000), 13n, height * 1000);
  expect(meter.read(44_000)).toEqual({ majorityHeight: 19n, milliseconds: 30_500 });
  meter.observe(heard(19, 45_000), 16n, 45_000);
  expect(meter.read(45_000)).toEqual({ majorityHeight: 19n, milliseconds: 29_000 });
  meter.observe(heard(19, 46_000), 19n, 46_000);
  expect(meter.read(46_000)).toBeUndefined();
});

test('of a majority that runs far ahead 1,024 heights are kept, and the last of them counts for those after it', () => {
  const meter = createMajorityLagMeter();
  for (let height = 1; height < 5000; height++) meter.observe(heard(height, height), 0n, height);
  expect(meter.read(10_000)).toEqual({ majorityHeight: 4999n, milliseconds: 9_999 });
  for (const own of [1023n, 1024n, 4998n]) {
    meter.observe(heard(4999, 10_000), own, 10_000);
    expect(meter.read(10_000)).toEqual({ majorityHeight: 4999n, milliseconds: 8_977 });
  }
  meter.observe(heard(4999, 10_000), 4999n, 10_000);
  expect(meter.read(10_000)).toBeUndefined();
});

test('a majority that stands still for long takes no place of later heights, and one that names less is known to have had more', () => {
  const meter = createMajorityLagMeter();
  for (let second = 0; second < 3000; second++) meter.observe(heard(5, second), 4n, second);
  meter.observe(heard(6, 3000), 4n, 3000);
  meter.observe(heard(6, 3001), 5n, 3001);
  expect(meter.read(4000)).toEqual({ majorityHeight: 6n, milliseconds: 1001 });
  meter.observe(heard(3, 3002), 5n, 3002);
  expect(meter.read(4000)).toEqual({ majorityHeight: 6n, milliseconds: 1001 });
});

test('what the majority accepted while it was not heard counts from when it was last heard', () => {
  const meter = createMajorityLagMeter();
  meter.observe(heard(7, 1000), 7n, 1000);
  expect(meter.read(6000)).toBeUndefined();
  // The process was stopped for 20 s: nothing is known until most of the stake has answered again.
  expect(meter.read(21_000)).toEqual({ majorityHeight: 7n, milliseconds: 20_000 });
  meter.observe(heard(7, 1000), 7n, 21_000);
  expect(meter.read(21_500)).toEqual({ majorityHeight: 7n, milliseconds: 20_500 });
  meter.observe(heard(19, 22_000), 7n, 22_000);
  expect(meter.read(22_000)).toEqual({ majorityHeight: 19n, milliseconds: 21_000 });
  meter.observe(heard(19, 23_000), 19n, 23_000);
  expect(meter.read(23_000)).toBeUndefined();
});
