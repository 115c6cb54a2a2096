import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A stand-in for Bun that tells who it is and what it was given. */
const fakeBun = '#!/bin/sh\necho "$0"\necho $$\nfor word in "$@"; do echo "<$word>"; done\n';

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'serac bin '));
});
afterAll(() => rmSync(top, { recursive: true }));

function put(path: string, text?: string): string {
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

describe('finds Bun and becomes it', () => {
  test('hoisted, through the link npm makes; the process stays the same one', async () => {
    put('hoisted/node_modules/serac/bin/serac');
    const bun = put('hoisted/node_modules/bun/bin/bun.exe', fakeBun);
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

  test('nested, and before a hoisted one', async () => {
    const serac = put('nested/node_modules/serac/bin/serac');
    put('nested/node_modules/bun/bin/bun.exe', fakeBun);
    const bun = put('nested/node_modules/serac/node_modules/bun/bin/bun.exe', fakeBun);
    expect((await run([serac])).out[0]).toBe(bun);
  });

  test('in the platform package, where install scripts did not run', async () => {
    const serac = put('scriptless/node_modules/serac/bin/serac');
    put('scriptless/node_modules/bun/bin/bun.exe', '#!/bin/sh\nexit 1\n');
    const bun = put('scriptless/node_modules/@oven/bun-some-system/bin/bun', fakeBun);
    expect((await run([serac])).out[0]).toBe(bun);
  });

  test('run by sh, by its bare name', async () => {
    put('bare/bin/serac');
    const bun = put('bare/node_modules/bun/bin/bun.exe', fakeBun);
    expect((await run(['sh', 'serac'], join(top, 'bare/bin'))).out[0]).toBe(bun);
  });
});

test('says so if there is none', async () => {
  const { code, err } = await run([put('none/bin/serac')]);
  expect(code).toBe(1);
  expect(err).toStartWith('serac: cannot find Bun');
});

test('the real Bun heeds neither .env nor bunfig.toml of the working directory', async () => {
  const serac = put('real/bin/serac');
  put('real/src/main.ts', 'console.log(process.env.FROM_FILE ?? "none", process.argv.slice(2).join(" "));');
  mkdirSync(join(top, 'real/node_modules/bun/bin'), { recursive: true });
  symlinkSync(process.execPath, join(top, 'real/node_modules/bun/bin/bun.exe'));
  put('elsewhere/.env', 'FROM_FILE=yes\n');
  put('elsewhere/bunfig.toml', 'preload = ["./preload.ts"]\n');
  put('elsewhere/preload.ts', 'console.log("preloaded");');
  expect((await run([serac, '--help', '-c'], join(top, 'elsewhere'))).out).toEqual(['none --help -c']);
});
