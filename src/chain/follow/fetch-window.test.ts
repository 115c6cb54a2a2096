import { expect, test } from 'bun:test';
import { createFetchWindow } from './fetch-window.ts';

test('the number of requests grows with every answer up to 16, and halves with every failure down to 1', () => {
  const window = createFetchWindow();
  expect([window.maxInFlight(), window.maxAhead]).toEqual([4, 2048n]);
  for (let i = 0; i < 5; i++) window.onSuccess(1000);
  expect(window.maxInFlight()).toBe(5);
  for (let i = 0; i < 500; i++) window.onSuccess(1000);
  expect(window.maxInFlight()).toBe(16);
  window.onFailure();
  expect(window.maxInFlight()).toBe(8);
  for (let i = 0; i < 9; i++) window.onFailure();
  expect(window.maxInFlight()).toBe(1);
});

test('blocks that wait and blocks that are expected have to fit into 4 MiB', () => {
  const window = createFetchWindow();
  const mebibyte = 1024 * 1024;
  // A block is taken for 64 KiB until there are answers.
  expect(window.fitsInMemory(4 * mebibyte - 65_536, 0)).toBe(true);
  expect(window.fitsInMemory(4 * mebibyte - 65_536, 1)).toBe(false);
  expect(window.fitsInMemory(4 * mebibyte - 65_535, 0)).toBe(false);
  for (let i = 0; i < 300; i++) window.onSuccess(mebibyte);
  expect([window.fitsInMemory(0, 2), window.fitsInMemory(0, 4)]).toEqual([true, false]);
  for (let i = 0; i < 300; i++) window.onSuccess(1000);
  expect(window.fitsInMemory(0, 15)).toBe(true);
});
