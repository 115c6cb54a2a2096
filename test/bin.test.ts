import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A fake Bun that prints its path, process id and arguments. */
const fakeBun = '#!/bin/sh\necho "$0"\necho $$\nfor word in "$@"; do echo "<$word>"; done\n';

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'serac bin '));
});
afterAll(() => rmSync(top, { recursive: true }));

function writeExecutable(path: string, text?: string): string {
  const full = join(top, path);
  mkdirSync(dirname(full), { recursive: true });
  if (text === undefined) copyFileSync('bin/serac', full);
  else writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

async function run(command: string[], cwd = top): Promise<{ pid: number; code: number; out: string[]; err: string }> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { pid: child.pid, code, out: out.trimEnd().split('\n'), err };
}

describe('bin/serac finds Bun and replaces itself with it (exec)', () => {
  test('hoisted, through the symlink that npm makes, with the same process id', async () => {
    writeExecutable('hoisted/node_modules/serac/bin/serac');
    const bun = writeExecutable('hoisted/node_modules/bun/bin/bun.exe', fakeBun);
    mkdirSync(join(top, 'hoisted/node_modules/.bin'));
    symlinkSync('../serac/bin/serac', join(top, 'hoisted/node_modules/.bin/serac'));
    symlinkSync(join(top, 'hoisted/node_modules/.bin/serac'), join(top, 'absolute'));
    const main = `<${join(top, 'hoisted/node_modules/serac/src/main.ts')}>`;
    for (const command of [join(top, 'hoisted/node_modules/.bin/serac'), './hoisted/node_modules/.bin/serac', './absolute']) {
      const { pid, code, out } = await run([command, '--http-host', 'a b', '']);
      expect([code, out[0], Number(out[1])]).toEqual([0, bun, pid]);
      expect(out.slice(-4)).toEqual([main, '<--http-host>', '<a b>', '<>']);
    }
  });

  test('nested Bun is preferred to a hoisted one', async () => {
    const serac = writeExecutable('nested/node_modules/serac/bin/serac');
    writeExecutable('nested/node_modules/bun/bin/bun.exe', fakeBun);
    const bun = writeExecutable('nested/node_modules/serac/node_modules/bun/bin/bun.exe', fakeBun);
    expect((await run([serac])).out[0]).toBe(bun);
  });

  test('in the platform package if install scripts did not run', async () => {
    const serac = writeExecutable('scriptless/node_modules/serac/bin/serac');
    writeExecutable('scriptless/node_modules/bun/bin/bun.exe', '#!/bin/sh\nexit 1\n');
    const bun = writeExecutable('scriptless/node_modules/@oven/bun-some-system/bin/bun', fakeBun);
    expect((await run([serac])).out[0]).toBe(bun);
  });

  test('when started as `sh serac`', async () => {
    writeExecutable('bare/bin/serac');
    const bun = writeExecutable('bare/node_modules/bun/bin/bun.exe', fakeBun);
    expect((await run(['sh', 'serac'], join(top, 'bare/bin'))).out[0]).toBe(bun);
  });
});

test('sets the garbage collector, unless the environment does', async () => {
  const serac = writeExecutable('collector/bin/serac');
  writeExecutable('collector/node_modules/bun/bin/bun.exe', '#!/bin/sh\necho $BUN_JSC_forceRAMSize $BUN_JSC_numberOfGCMarkers\n');
  const clean = ['env', '-u', 'BUN_JSC_forceRAMSize', '-u', 'BUN_JSC_numberOfGCMarkers'];
  expect((await run([...clean, serac])).out).toEqual(['167772160 1']);
  expect((await run([...clean, 'BUN_JSC_forceRAMSize=5', 'BUN_JSC_numberOfGCMarkers=2', serac])).out).toEqual(['5 2']);
});

test('reports an error if Bun is not found', async () => {
  const { code, err } = await run([writeExecutable('none/bin/serac')]);
  expect(code).toBe(1);
  expect(err).toStartWith('serac: cannot find Bun');
});

test('the real Bun ignores .env and bunfig.toml of the working directory', async () => {
  const serac = writeExecutable('real/bin/serac');
  writeExecutable('real/src/main.ts', 'console.log(process.env.FROM_FILE ?? "none", process.argv.slice(2).join(" "));');
  mkdirSync(join(top, 'real/node_modules/bun/bin'), { recursive: true });
  symlinkSync(process.execPath, join(top, 'real/node_modules/bun/bin/bun.exe'));
  writeExecutable('elsewhere/.env', 'FROM_FILE=yes\n');
  writeExecutable('elsewhere/bunfig.toml', 'preload = ["./preload.ts"]\n');
  writeExecutable('elsewhere/preload.ts', 'console.log("preloaded");');
  expect((await run([serac, '--help', '-c'], join(top, 'elsewhere'))).out).toEqual(['none --help -c']);
});
