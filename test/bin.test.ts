import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

function writeExecutable(path: string, text: string | Buffer): string {
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
  for (const file of [...readdirSync('bin').map((name) => `bin/${name}`), 'package.json']) copyFileSync(file, join(home, file));
  writeExecutable(`${folder}/dist/cli/main.cjs`, '');
  return join(home, 'bin/serac');
}

/** The first bytes of a 64-bit ELF program for this processor that names the given loader. */
function elfProgram(loader: string): Buffer {
  const bytes = Buffer.alloc(64 + 56 + loader.length + 1);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(process.arch === 'arm64' ? 183 : 62, 18);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(3, 64);
  bytes.writeBigUInt64LE(120n, 64 + 8);
  bytes.writeBigUInt64LE(BigInt(loader.length + 1), 64 + 32);
  bytes.write(loader, 120, 'latin1');
  return bytes;
}

async function run(
  command: string[],
  cwd = top,
  variables: { readonly [name: string]: string } = {},
): Promise<{ pid: number; code: number; out: string[]; err: string }> {
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...variables }, stdout: 'pipe', stderr: 'pipe' });
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

    const forLinux = test.skipIf(process.platform !== 'linux');
    forLinux('takes the Bun of the C library that Node has, of the two that Yarn 1 installs', async () => {
      const folder = `libraries-${name}/node_modules`;
      const serac = install(`${folder}/serac`);
      writeExecutable(`${folder}/serac/dist/cli/main.cjs`, 'console.log(process.execPath)');
      // Runnable by its header, since the loader exists, but not the one of this Node; it would come first by name.
      writeExecutable(`${folder}/@oven/bun-linux-a/bin/bun`, elfProgram('/bin/sh'));
      mkdirSync(join(top, folder, '@oven/bun-linux-b/bin'), { recursive: true });
      const right = join(top, folder, '@oven/bun-linux-b/bin/bun');
      symlinkSync(process.execPath, right);
      expect((await run([path, serac])).out).toEqual([realpathSync(right)]);
    });

    forLinux('without a Bun that this system can run it says why, and runs on Node if that is recent enough', async () => {
      const folder = `foreign-${name}/node_modules`;
      const serac = install(`${folder}/serac`);
      writeExecutable(`${folder}/serac/dist/cli/main.js`, 'console.log("on Node");');
      const foreign = writeExecutable(`${folder}/@oven/bun-linux-musl/bin/bun`, elfProgram('/lib/ld-musl-none.so.1'));
      const { code, out, err } = await run([path, serac]);
      const sentence = `serac: cannot run Bun at ${foreign}: it is for another C library: it needs /lib/ld-musl-none.so.1, which this system does not have.`;
      expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(sentence)]);
      expect([code, out]).toEqual(runsSerac(node) ? [0, ['on Node']] : [1, ['']]);
      const other = writeExecutable(`${folder}/@oven/bun-other/bin/bun`, fakeBun);
      expect((await run([path, serac])).out[0]).toBe(other);
    });

    test('an installed source that is not built is reported with what to do', async () => {
      const serac = install(`source-${name}/node_modules/serac`);
      writeExecutable(`source-${name}/node_modules/serac/src/main.ts`, '');
      rmSync(join(top, `source-${name}/node_modules/serac/dist`), { recursive: true });
      const { code, err } = await run([path, serac]);
      expect([code, err]).toEqual([1, expect.stringMatching(/^serac: .* is not built\. Build it with: node .*prepare\.js\n$/)]);
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
    });

    test('sets the garbage collector of writer, joined node, indexer and readers, unless the environment does', async () => {
      const serac = install(`collector-${name}/node_modules/serac`);
      writeExecutable(
        `collector-${name}/node_modules/bun/bin/bun.exe`,
        '#!/bin/sh\necho $BUN_JSC_forceRAMSize $BUN_JSC_numberOfGCMarkers $SERAC_READER_BUN_JSC_forceRAMSize\n',
      );
      const variables = ['BUN_JSC_forceRAMSize', 'BUN_JSC_numberOfGCMarkers', 'SERAC_READER_BUN_JSC_forceRAMSize'];
      const clean = ['env', ...variables.flatMap((name) => ['-u', name])];
      expect((await run([...clean, path, serac])).out).toEqual(['201326592 2 134217728']);
      const ram = { join: 402653184, index: 1073741824 };
      for (const [command, bytes] of Object.entries(ram))
        expect((await run([...clean, path, serac, command, '--network-id=local'])).out).toEqual([`${bytes} 2 134217728`]);
      expect((await run([...clean, 'BUN_JSC_forceRAMSize=5', 'BUN_JSC_numberOfGCMarkers=3', path, serac])).out).toEqual(['5 3']);
      expect((await run([...clean, 'BUN_JSC_forceRAMSize=5', path, serac, 'join'])).out).toEqual(['5 2']);
    });
  });
}

for (const shell of ['dash', 'bash'].filter((name) => Bun.which(name) !== null))
  describe(`bin/serac as a script of ${shell}`, () => {
    /** Runs it with a `node` in the path that only prints what it is called with. */
    async function runShell(serac: string, args: readonly string[], variables: { readonly [name: string]: string } = {}) {
      const node = writeExecutable('fake node/node', '#!/bin/sh\nfor word in Node "$@"; do echo "<$word>"; done\n');
      const settings = [
        'BUN_JSC_forceRAMSize',
        'BUN_JSC_numberOfGCMarkers',
        'SERAC_READER_BUN_JSC_forceRAMSize',
        'npm_command',
        'SERAC_OWNERS',
      ];
      const clean = ['env', ...settings.flatMap((name) => ['-u', name])];
      return run([...clean, shell, serac, ...args], top, { ...variables, PATH: `${dirname(node)}:${process.env.PATH}` });
    }
    const isLeftToNode = (serac: string, args: readonly string[], { out }: { readonly out: readonly string[] }) =>
      expect(out).toEqual(['<Node>', `<${join(dirname(serac), 'launcher.js')}>`, ...args.map((arg) => `<${arg}>`)]);

    test('becomes a hoisted Bun without Node, through the symlink that npm makes', async () => {
      const folder = `shell hoisted ${shell}`;
      install(`${folder}/node_modules/serac`);
      const bun = writeExecutable(`${folder}/node_modules/bun/bin/bun.exe`, fakeBun);
      const link = join(top, folder, 'node_modules/.bin/serac');
      mkdirSync(dirname(link));
      symlinkSync('../serac/bin/serac', link);
      const { pid, code, out, err } = await runShell(link, ['--http-host', 'a b', '', '*']);
      expect([code, err, out[0], Number(out[1])]).toEqual([0, '', bun, pid]);
      const main = join(top, folder, 'node_modules/serac/dist/cli/main.cjs');
      expect(out.slice(3)).toEqual(
        ['--no-env-file', '--no-install', '--config=/dev/null', main, '--http-host', 'a b', '', '*'].map((word) => `<${word}>`),
      );
    });

    test('gives Bun the settings that the launcher gives it', async () => {
      const serac = install(`shell-collector-${shell}`);
      writeExecutable(
        `shell-collector-${shell}/node_modules/bun/bin/bun.exe`,
        '#!/bin/sh\nenv | grep -E "^(SERAC_READER_|BUN_|MIMALLOC)" | sort\n',
      );
      const [node = 'node'] = nodes.map(({ path }) => path);
      for (const [args, variables] of [
        [[], {}],
        [['join'], {}],
        [['index', 'x'], { BUN_JSC_forceRAMSize: '5' }],
        [[], { BUN_JSC_numberOfGCMarkers: '3', SERAC_READER_BUN_JSC_forceRAMSize: '7' }],
      ] as const) {
        const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
        const own = ['env', '-u', 'BUN_JSC_forceRAMSize', ...set];
        const [script, launcher] = await Promise.all([run([...own, shell, serac, ...args]), run([...own, node, serac, ...args])]);
        expect(script.out).toEqual(launcher.out);
        expect(script.out.length).toBeGreaterThan(3);
      }
    });

    test.skipIf(process.platform !== 'linux')('names npm as its owner, which may have started it through a shell', async () => {
      const serac = install(`shell-npm-${shell}`);
      writeExecutable(`shell-npm-${shell}/node_modules/bun/bin/bun.exe`, '#!/bin/sh\necho "owners $SERAC_OWNERS"\n');
      const npm =
        'process.title = "npm exec serac"; require("child_process").spawnSync("sh", ["-c", `"$SERAC"; true`], { stdio: "inherit" });';
      const [node = 'node'] = nodes.map(({ path }) => path);
      const variables = { SERAC: serac, npm_command: 'exec' };
      const { pid, out } = await run([node, '-e', npm], top, variables);
      expect(out).toEqual([`owners ${pid}`]);
      expect((await run([shell, serac], top, { npm_command: 'exec' })).out).toEqual(['owners']);
    });

    test('leaves to Node what it does not know how to start', async () => {
      const none = install(`shell-none-${shell}`);
      isLeftToNode(none, ['a', 'b c'], await runShell(none, ['a', 'b c']));
      const several = install(`shell-several-${shell}`);
      writeExecutable(`shell-several-${shell}/node_modules/bun/bin/bun.exe`, fakeBun);
      isLeftToNode(several, [], await runShell(several, [], { NODE_OPTIONS: '--require ./.pnp.cjs' }));
      writeExecutable(`shell-several-${shell}/node_modules/@oven/bun-some-system/bin/bun`, fakeBun);
      isLeftToNode(several, [], await runShell(several, []));
      const linked = install(`shell-linked-${shell}`);
      writeExecutable(`shell-linked-${shell}/store/bun/bin/bun.exe`, fakeBun);
      mkdirSync(join(top, `shell-linked-${shell}/node_modules`));
      symlinkSync('../store/bun', join(top, `shell-linked-${shell}/node_modules/bun`));
      isLeftToNode(linked, [], await runShell(linked, []));
      const unbuilt = install(`shell-unbuilt-${shell}`);
      rmSync(join(top, `shell-unbuilt-${shell}/dist`), { recursive: true });
      isLeftToNode(unbuilt, [], await runShell(unbuilt, []));
    });

    test('leaves a Bun that this system cannot run to Node, which says why', async () => {
      const serac = install(`shell-foreign-${shell}`);
      writeExecutable(`shell-foreign-${shell}/node_modules/bun/bin/bun.exe`, elfProgram('/lib/ld-none.so.1'));
      isLeftToNode(serac, ['version'], await runShell(serac, ['version']));
    });
  });

describe('bin/prepare.js', () => {
  const prepare = (folder: string, project: string) =>
    run([nodes[0]?.path ?? 'node', join(top, folder, 'bin/prepare.js')], project, { INIT_CWD: project });

  test('does nothing in a package that has no source', async () => {
    install('packed/node_modules/serac');
    const { code, out, err } = await prepare('packed/node_modules/serac', top);
    expect([code, out, err]).toEqual([0, [''], '']);
  });

  test('without development dependencies it says so, and does not fail `npm ci --omit=dev` in a clone', async () => {
    install('omitted');
    writeExecutable('omitted/src/cli/main.ts', '');
    const { code, err } = await prepare('omitted', join(top, 'omitted'));
    expect([code, err]).toEqual([0, expect.stringMatching(/^serac: not built, because the development dependencies .*\n$/)]);
  });
});

test('the real Bun ignores .env and bunfig.toml of the working directory', async () => {
  const serac = install('real');
  copyFileSync('tsconfig.json', join(top, 'real/tsconfig.json'));
  writeExecutable('real/src/cli/main.ts', 'console.log(process.env.FROM_FILE ?? "none", process.argv.slice(2).join(" "));');
  mkdirSync(join(top, 'real/node_modules/bun/bin'), { recursive: true });
  // With a development dependency it is a clone, which runs its source.
  mkdirSync(join(top, 'real/node_modules/preact'));
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
});
