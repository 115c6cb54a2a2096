import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, linkSync, lstatSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRunningNode, type ProcessContext, writeProcessContext } from './process-context.ts';
import { findProcess } from './running-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-process-context-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const unasked = (): never => expect.unreachable('the lock is looked at');
const node = { uri: 'http://127.0.0.1:1', stakingAddress: '' };

/** Starts a process that does nothing. */
function startOther(): { readonly pid: number; readonly end: () => Promise<unknown> } {
  const child = Bun.spawn(['sleep', '60']);
  return {
    pid: child.pid,
    end: () => {
      child.kill('SIGKILL');
      return child.exited;
    },
  };
}

/** Changes fields of a context in its file. */
const change = (path: string, fields: Partial<ProcessContext>): void =>
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as ProcessContext), ...fields }));

test('a node is found by the file that it wrote, also a renamed one, and not by a copy', async () => {
  const path = join(folder, 'own.json');
  const other = startOther();
  writeProcessContext(path, { ...node, pid: other.pid });
  expect(findRunningNode(path, unasked)).toMatchObject({ ...node, pid: other.pid });
  copyFileSync(path, `${path}.copy`);
  expect(findRunningNode(`${path}.copy`, unasked)).toBeUndefined();
  renameSync(path, `${path}.moved`);
  expect(findRunningNode(`${path}.moved`, unasked)?.pid).toBe(other.pid);
  expect(findRunningNode(path, unasked)).toBeUndefined();
  await other.end();
  expect(findRunningNode(`${path}.moved`, unasked)).toBeUndefined();
});

test('the file appears whole: one that a program may be reading is replaced, not emptied, and nothing else is left', () => {
  const own = mkdtempSync(join(folder, 'whole-'));
  const path = join(own, 'process.json');
  writeProcessContext(path, { ...node, pid: 2 });
  const first = readFileSync(path, 'utf8');
  linkSync(path, join(own, 'being-read'));
  writeProcessContext(path, { ...node, pid: 3 });
  expect([readFileSync(join(own, 'being-read'), 'utf8'), JSON.parse(readFileSync(path, 'utf8')).pid]).toEqual([first, 3]);
  expect(readdirSync(own).sort()).toEqual(['being-read', 'process.json']);
  expect(() => writeProcessContext(own, { ...node, pid: 3 })).toThrow(/EISDIR/);
});

const device = join(folder, 'null');
const hasDevice = Bun.spawnSync(['mknod', '--mode=666', device, 'c', '1', '3']).success;

test.skipIf(!hasDevice)('a device is written to, and keeps its mode', () => {
  writeProcessContext(device, { ...node, pid: 2 });
  const after = lstatSync(device);
  expect([after.mode & 0o777, after.isCharacterDevice()]).toEqual([0o666, true]);
});

test('a process that has the ID of an ended node is not taken for it, however soon it started, and without ps', async () => {
  const path = join(folder, 'reused.json');
  const killed = startOther();
  writeProcessContext(path, { ...node, pid: killed.pid });
  await killed.end();
  // Linux counts in hundredths of a second; a node needs more than one to start.
  await Bun.sleep(20);
  const other = startOther();
  const variable = process.env.PATH;
  process.env.PATH = folder;
  try {
    change(path, { pid: other.pid });
    expect(findRunningNode(path, unasked)).toBeUndefined();
    change(path, { processStart: findProcess(other.pid)?.start });
    expect(findRunningNode(path, unasked)?.pid).toBe(other.pid);
  } finally {
    process.env.PATH = variable;
    await other.end();
  }
});

test('a context without the start of its process, of an older version, counts while the data directory is locked', async () => {
  const path = join(folder, 'older.json');
  writeFileSync(path, JSON.stringify({ ...node, pid: process.pid }));
  expect(findRunningNode(path, () => true)?.pid).toBe(process.pid);
  expect(findRunningNode(path, () => false)).toBeUndefined();
  // A chain in memory has no lock.
  expect(findRunningNode(path, () => undefined)).toBeUndefined();
});

test('a file that is not a context is none', () => {
  const path = join(folder, 'odd.json');
  for (const text of ['', 'null', '{}', '[]', '{"pid":1,"uri":"http://h"}', '{"pid":-1,"uri":"http://h"}', '{"pid":7}']) {
    writeFileSync(path, text);
    expect([text, findRunningNode(path, () => true)]).toEqual([text, undefined]);
  }
});
