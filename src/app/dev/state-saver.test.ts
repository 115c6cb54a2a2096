import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile } from '../platform/offset-file.ts';
import { startStateSaver } from './state-saver.ts';

test('a stop during a save at an interval waits for it, then saves what came meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-state-saver-'));
  const path = join(folder, 'chain.state');
  let state = 'a long first state';
  let runInterval = (): void => {};
  const gate = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  const transfer = {
    readVersion: () => state,
    save: async function* () {
      const saved = Buffer.from(state);
      yield saved.subarray(0, 6);
      if (saved.includes('first')) await gate.promise;
      yield saved.subarray(6);
    },
  };
  const env = {
    openFile,
    removeFile: (file: string) => rmSync(file, { force: true }),
    renameFile: renameSync,
    tempFolder: () => folder,
    random: (count: number) => new Uint8Array(count),
    timers: {
      after: (_: number, run: () => void) => {
        runInterval = run;
        return () => {};
      },
    },
  };
  const files = { load: undefined, save: path, interval: 1000 };
  const stop = await startStateSaver(files as never, env as never, transfer as never, (error) => errors.push(error));
  runInterval();
  await Bun.sleep(1);
  state = 'a second state';
  const stopped = stop();
  await Bun.sleep(1);
  gate.resolve();
  await stopped;
  await Bun.sleep(20);
  expect(readFileSync(path, 'utf8')).toBe('a second state');
  expect([readdirSync(folder), errors]).toEqual([['chain.state'], []]);
  rmSync(folder, { recursive: true });
});
