import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { nodes, runsSerac } from './nodes.ts';

/** A fake Bun that prints its path, process id, parent's process id and arguments. */
const fakeBun = '#!/bin/sh\necho "$0"\necho $$\necho $PPID\nfor word in "$@"; do echo "<$word>"; done\n';

let top: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'serac bin ')));
});
afterAll(() => rmSync(top, { recursive: true }));

function writeExecutable(path: string, text: string): string {
  const full = join(top, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

/** Installs the launcher as the package `serac` in a folder. Returns the path of bin/serac. */
function install(folder: string): string {
  const home = join(top, folder);
  mkdirSync(join(home, 'bin'), { recursive: true });
  for (const file of ['bin/serac', 'bin/launcher.js', 'bin/collector.json', 'package.json']) copyFileSync(file, join(home, file));
  return join(home, 'bin/serac');
}

async function run(command: string[], cwd = top): Promise<{ pid: number; code: number; out: string[]; err: string }> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { pid: child.pid, code, out: out.trimEnd().split('\n'), err };
}

for (const node of nodes) {
  const { name, path, version, hasExecve } = node;
  describe(`bin/serac on ${name}`, () => {
    test(`finds a hoisted Bun through the symlink that npm makes, and ${hasExecve ? 'replaces itself with it' : 'runs it as a child'}`, async () => {
      const folder = `hoisted-${name}`;
      install(`${folder}/node_modules/serac`);
      const bun = writeExecutable(`${folder}/node_modules/bun/bin/bun.exe`, fakeBun);
      const link = join(top, folder, 'node_modules/.bin/serac');
      mkdirSync(dirname(link));
      symlinkSync('../serac/bin/serac', link);
      const { pid, code, out, err } = await run([path, link, '--http-host', 'a b', '']);
      expect([code, err, out[0], Number(out[hasExecve ? 1 : 2])]).toEqual([0, '', bun, pid]);
      expect(out.slice(-4)).toEqual([`<${join(top, folder, 'node_modules/serac/dist/cli/main.cjs')}>`, '<--http-host>', '<a b>', '<>']);
    });

    test('passes on the exit code', async () => {
      const serac = install(`code-${name}/node_modules/serac`);
      writeExecutable(`code-${name}/node_modules/bun/bin/bun.exe`, '#!/bin/sh\nexit 4\n');
      expect((await run([path, serac])).code).toBe(4);
    });

    test('prefers a nested Bun, then the platform package, which has the program if install scripts did not run', async () => {
      const serac = install(`nested-${name}/node_modules/serac`);
      writeExecutable(`nested-${name}/node_modules/bun/bin/bun.exe`, '#!/bin/sh\nexit 1\n');
      const platform = writeExecutable(`nested-${name}/node_modules/@oven/bun-some-system/bin/bun`, fakeBun);
      expect((await run([path, serac])).out[0]).toBe(platform);
      const own = writeExecutable(`nested-${name}/node_modules/serac/node_modules/bun/bin/bun.exe`, fakeBun);
      expect((await run([path, serac])).out[0]).toBe(own);
    });

    test("finds pnpm's platform package beside the real folder of bun", async () => {
      const store = `pnpm-${name}/node_modules/.pnpm`;
      const serac = install(`${store}/serac@0/node_modules/serac`);
      writeExecutable(`${store}/bun@1/node_modules/bun/bin/bun.exe`, '#!/bin/sh\nexit 1\n');
      const bun = writeExecutable(`${store}/bun@1/node_modules/@oven/bun-some-system/bin/bun`, fakeBun);
      symlinkSync(join(top, store, 'bun@1/node_modules/bun'), join(top, store, 'serac@0/node_modules/bun'));
      expect((await run([path, serac])).out[0]).toBe(bun);
    });

    test('without Bun it runs on Node if that is recent enough, else reports what to do', async () => {
      const serac = install(`none-${name}`);
      writeExecutable(`none-${name}/dist/cli/main.js`, 'console.log(process.versions.node, process.argv.slice(2).join(" "));');
      const { code, out, err } = await run([path, serac, '--strict']);
      if (runsSerac(node)) expect([code, out]).toEqual([0, [`${version} --strict`]]);
      else expect([code, err]).toEqual([1, expect.stringMatching(/^serac: cannot find Bun.*npm install serac.*Node 22\.13 or newer/)]);
    });

    test('Ctrl-C, which reaches every process of the terminal and is passed on too, saves and exits with 0', async () => {
      const state = join(top, `${name}.serac`);
      const child = Bun.spawn([path, resolve('bin/serac'), '--http-port=0', '--json', `--state=${state}`], {
        stdout: 'pipe',
        stderr: 'inherit',
        detached: true,
      });
      await child.stdout.getReader().read();
      for (let signals = 0; signals < 3; signals++) process.kill(-child.pid, 'SIGINT');
      expect(await child.exited).toBe(0);
      expect(statSync(state).size).toBeGreaterThan(0);
    }, 20_000);

    test('sets the garbage collector of writer, joined node and readers, unless the environment does', async () => {
      const serac = install(`collector-${name}/node_modules/serac`);
      writeExecutable(
        `collector-${name}/node_modules/bun/bin/bun.exe`,
        '#!/bin/sh\necho $BUN_JSC_forceRAMSize $BUN_JSC_numberOfGCMarkers $SERAC_READER_BUN_JSC_forceRAMSize\n',
      );
      const variables = ['BUN_JSC_forceRAMSize', 'BUN_JSC_numberOfGCMarkers', 'SERAC_READER_BUN_JSC_forceRAMSize'];
      const clean = ['env', ...variables.flatMap((name) => ['-u', name])];
      expect((await run([...clean, path, serac])).out).toEqual(['201326592 2 134217728']);
      expect((await run([...clean, path, serac, 'join', '--network-id=local'])).out).toEqual(['402653184 2 134217728']);
      expect((await run([...clean, 'BUN_JSC_forceRAMSize=5', 'BUN_JSC_numberOfGCMarkers=3', path, serac])).out).toEqual(['5 3']);
      expect((await run([...clean, 'BUN_JSC_forceRAMSize=5', path, serac, 'join'])).out).toEqual(['5 2']);
    });
  });
}

test('the real Bun ignores .env and bunfig.toml of the working directory', async () => {
  const serac = install('real');
  copyFileSync('tsconfig.json', join(top, 'real/tsconfig.json'));
  writeExecutable('real/src/cli/main.ts', 'console.log(process.env.FROM_FILE ?? "none", process.argv.slice(2).join(" "));');
  mkdirSync(join(top, 'real/node_modules/bun/bin'), { recursive: true });
  symlinkSync(process.execPath, join(top, 'real/node_modules/bun/bin/bun.exe'));
  writeExecutable('elsewhere/.env', 'FROM_FILE=yes\n');
  writeExecutable('elsewhere/bunfig.toml', 'preload = ["./preload.ts"]\n');
  writeExecutable('elsewhere/preload.ts', 'console.log("preloaded");');
  expect((await run([serac, '--help', '-c'], join(top, 'elsewhere'))).out).toEqual(['none --help -c']);
});

test('a clone runs in another working directory, with the pages of writer and reader', async () => {
  const cwd = mkdtempSync(join(top, 'other-'));
  const flags = ['--http-port=0', '--json', '--workers=1', `--data-dir=${join(cwd, 'data')}`];
  const child = Bun.spawn([resolve('bin/serac'), ...flags], { cwd, stdout: 'pipe', stderr: 'inherit' });
  try {
    const { value } = await child.stdout.getReader().read();
    const { url } = JSON.parse(new TextDecoder().decode(value).split('\n')[0] as string);
    // Each request has a connection of its own: some reach the writer, some the reader.
    const answers = Array.from({ length: 8 }, () => fetch(url, { headers: { accept: 'text/html', connection: 'close' } }));
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('<h1');
    }
  } finally {
    child.kill();
    await child.exited;
  }
}, 60_000);
