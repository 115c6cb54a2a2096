import { expect, test } from 'bun:test';
import { createTxRate, formatStatusLine } from './status-line.ts';
import { createStyle, plainStyle } from './style.ts';

const status = { height: 42n, pending: 3, txsPerSecond: 118.4, residentBytes: 61_499_999 };

test('the line has height, pending transactions, rate and memory, and ends at the last column', () => {
  expect(formatStatusLine(status, 80)).toBe('height 42 · 3 pending · 118 tx/s · 61 MB');
  expect(formatStatusLine(status, 9)).toBe('height 42');
  expect([formatStatusLine(status, 0), formatStatusLine(status, -1)]).toEqual(['', '']);
});

test('rates below ten have one decimal', () => {
  const rate = (txsPerSecond: number): string => formatStatusLine({ ...status, txsPerSecond }, 80).split(' · ')[2] as string;
  expect([0, 0.25, 9.94, 10, 10.4].map(rate)).toEqual(['0 tx/s', '0.3 tx/s', '9.9 tx/s', '10 tx/s', '10 tx/s']);
});

test('the rate is that of the last two seconds, in steps of 250 ms', () => {
  let time = 10_100;
  const rate = createTxRate(() => time);
  expect(rate.perSecond()).toBe(0);
  rate.add(4);
  rate.add(2);
  expect(rate.perSecond()).toBe(3);
  time = 11_000;
  rate.add(10);
  expect(rate.perSecond()).toBe(8);
  time = 11_999;
  expect(rate.perSecond()).toBe(8);
  time = 12_000;
  expect(rate.perSecond()).toBe(5);
  time = 12_999;
  expect(rate.perSecond()).toBe(5);
  time = 13_000;
  expect(rate.perSecond()).toBe(0);
  rate.add(1);
  time = 99_000;
  expect(rate.perSecond()).toBe(0);
});

test('styles begin and end around a text, and are left out without colours', () => {
  const { bold, dim, red, cyan } = createStyle(true);
  expect([bold('a'), dim('a'), red('a'), cyan('a')]).toEqual([
    '\x1b[1ma\x1b[22m',
    '\x1b[2ma\x1b[22m',
    '\x1b[31ma\x1b[39m',
    '\x1b[36ma\x1b[39m',
  ]);
  expect([bold(''), plainStyle.red('a'), plainStyle.red('')]).toEqual(['', 'a', '']);
});
