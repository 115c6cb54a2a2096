import { expect, test } from 'bun:test';
import { findCLibrary, removeOrphans } from './init-process.ts';

const line = (path: string): string => `7fd6e5ae5000-7fd6e5c3b000 r-xp 00026000 fe:00 326269                     ${path}\n`;
const bun = line('/usr/local/bin/bun') + line('/usr/lib/libstdc++.so.6.0.32');

test('the C library of the process is found: that of glibc, and that of musl, which is its loader', () => {
  for (const path of [
    '/usr/lib/x86_64-linux-gnu/libc.so.6',
    '/lib64/libc.so.6',
    '/lib/ld-musl-x86_64.so.1',
    '/lib/ld-musl-aarch64.so.1',
    '/lib/libc.musl-x86_64.so.1',
  ])
    expect(findCLibrary(bun + line(path) + line('[stack]'))).toBe(path);
  expect(findCLibrary(bun + line('/usr/lib/libcrypt.so.1') + line('/tmp/libc.so.6 (deleted)'))).toBe('/lib/libc.so.6');
});

test('a system without a C library that can be opened: a warning, and the start goes on', () => {
  const warnings: string[] = [];
  removeOrphans((text) => void warnings.push(text), line('/nonexistent/libc.so.6'));
  expect(warnings).toEqual([
    expect.stringMatching(/^processes whose parent has ended stay in the process table: .*\/nonexistent.*--init\)$/),
  ]);
});
