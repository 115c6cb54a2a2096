import { expect, test } from 'bun:test';
import { prng } from '../state/random-chain.fixture.ts';
import { bucketStart } from './bucket-start.ts';

const seconds = (date: Date): number => date.getTime() / 1000;

test('hours, days, weeks and months start where Date.UTC puts them', () => {
  const random = prng(3);
  const times = [0, 1, 86_399, 86_400, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_400];
  for (let i = 0; i < 5000; i++) times.push(Math.floor(random() * 8_000_000_000));
  for (const time of times) {
    const date = new Date(time * 1000);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    expect(bucketStart('hour', time)).toBe(seconds(new Date(Date.UTC(year, month, day, date.getUTCHours()))));
    expect(bucketStart('day', time)).toBe(seconds(new Date(Date.UTC(year, month, day))));
    expect(bucketStart('week', time)).toBe(seconds(new Date(Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7)))));
    expect(bucketStart('month', time)).toBe(seconds(new Date(Date.UTC(year, month, 1))));
  }
});
