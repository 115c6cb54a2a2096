import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve, win32 } from 'node:path';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { dataFilesIn } from '../src/app/node/data-files.ts';
import { socketPathOf } from '../src/app/platform/local-socket.ts';

/**
 * What can be checked on Linux for macOS and Windows: calls that only some systems have are in `src/app/platform`, or in the list below; paths of
 * Windows stay whole. docs/operate/install.md says what is not tested there.
 */

const root = resolve(import.meta.dir, '..');

/** Windows has these; it knows SIGTERM and SIGKILL only as a way to end a process. */
const commonSignals = ['SIGINT', 'SIGTERM', 'SIGKILL', 'SIGHUP', 'SIGBREAK'];

type Rule = { readonly name: string; readonly pattern: RegExp; readonly example: string };

const rules: readonly Rule[] = [
  {
    name: 'a signal that Windows does not have',
    pattern: new RegExp(`\\bSIG(?!${commonSignals.map((name) => name.slice(3)).join('\\b|')}\\b)[A-Z]{2,5}\\d?\\b`),
    example: "child.kill('SIGUSR1')",
  },
  {
    name: 'a folder that only Unix has',
    pattern: /['"`]\/(?:tmp|proc|sys|etc|var|usr|opt|home|bin|run)\b|['"`]\/dev\/(?:null|shm|std|tty|fd|u?random)/,
    example: "readFileSync('/proc/self/maps')",
  },
  {
    name: 'permissions and users of Unix',
    pattern: /\b(?:l?f?chmod|l?f?chown|umask|get(?:e?[ug]id|groups)|set(?:e?[ug]id|groups))(?:Sync)?\b\s*\(/,
    example: 'process.getuid()',
  },
  { name: 'a socket in a folder', pattern: /\.sock\b['"`]|\bunix: ['"`]/, example: "listen(join(folder, 'control.sock'))" },
  {
    name: 'a program that only Unix has',
    pattern: /\b(?:spawn|exec|execFile)(?:Sync)?\(\[?['"](?:sh|bash|ps|kill|setpriv|ln|cp|rm)['"]/,
    example: "spawn('sh', [])",
  },
  {
    name: 'the path of a URL as the path of a file, which begins with a slash before the drive on Windows',
    pattern: /new URL\([^)]*import\.meta\.url\)\.pathname|\bimport\.meta\.url\)\.pathname/,
    example: "new URL('..', import.meta.url).pathname",
  },
  {
    name: 'a file path taken apart at slashes',
    pattern: /\b(?:folder|dataDir|file|filePath|fileName|home)\.(?:split|lastIndexOf|indexOf|startsWith|endsWith)\('\/'\)/,
    example: "dataDir.split('/')",
  },
];

/** Lines outside `src/app/platform` that a rule finds and that are right, with the reason. */
const exceptions: readonly { readonly file: string; readonly text: string; readonly why: string }[] = [
  {
    file: 'src/cli/testnet/testnet.ts',
    text: 'SIGSTOP',
    why: '`serac testnet freeze` is refused on Windows (src/cli/commands/testnet.ts)',
  },
  { file: 'src/cli/testnet/testnet.ts', text: 'SIGCONT', why: 'wakes what was frozen' },
  { file: 'src/base/crypto/curve-system.ts', text: 'linuxFolders', why: 'where a library of the system is looked for, a list per system' },
  { file: 'src/base/crypto/curve-system.ts', text: 'macosFolders', why: 'the same' },
  { file: 'bin/launcher.js', text: "'ps', ['-o'", why: 'asks for the npm above; not called on Windows' },
  { file: 'bin/launcher.js', text: 'readFileSync(`/proc/', why: 'the same, on Linux' },
];

const files = ['src/**/*.{ts,tsx}', 'bin/*']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|fixture)\.tsx?$/.test(file) && !file.startsWith('src/app/platform/'));

/** Code without comments, which may name anything. */
const linesOf = (file: string): string[] =>
  readFileSync(join(root, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .map((line) => line.replace(/(^|\s)\/\/.*$/, ''));

const lines = files.flatMap((file) => linesOf(file).map((text) => ({ file, text })));
const isException = ({ file, text }: { readonly file: string; readonly text: string }): boolean =>
  exceptions.some((row) => row.file === file && text.includes(row.text));

describe('calls that only some systems have are in src/app/platform', () => {
  test.each([...rules])('$name', ({ pattern, example }) => {
    expect(example).toMatch(pattern);
    expect(lines.length).toBeGreaterThan(20_000);
    expect(lines.filter((line) => pattern.test(line.text) && !isException(line))).toEqual([]);
  });

  test('every exception is still needed', () => {
    const found = lines.filter(({ text }) => rules.some(({ pattern }) => pattern.test(text)));
    expect(exceptions.filter((row) => !found.some(({ file, text }) => file === row.file && text.includes(row.text)))).toEqual([]);
  });

  test('signals that every system has are allowed, also in longer words', () => {
    const [signals] = rules as [Rule];
    for (const text of [...commonSignals, 'TX_WRONG_SIGNATURE', 'OUTER_UNSIGNED']) expect(text).not.toMatch(signals.pattern);
    for (const text of ['SIGSTOP', 'SIGUSR2', 'SIGWINCH']) expect(text).toMatch(signals.pattern);
  });
});

describe('paths of Windows', () => {
  const dataDir = 'C:\\Users\\some one\\chain';

  test('every file of a data directory is inside it: Windows takes both slashes', () => {
    for (const file of Object.values(dataFilesIn(dataDir))) {
      const inside = win32.relative(dataDir, file);
      expect([file, win32.isAbsolute(inside), inside.startsWith('..')]).toEqual([file, false, false]);
      expect(win32.normalize(file)).toStartWith(`${dataDir}\\db`);
    }
  });

  test('--data-dir keeps drive, spaces and backslashes, and the file of the process context is in it', () => {
    const parsed = parseFlags([`--data-dir=${dataDir}`], { home: 'C:\\Users\\some one' });
    if (parsed.kind !== 'run') throw new Error(parsed.kind);
    expect(parsed.options['data-dir']).toBe(dataDir);
    const { processContextFile } = configFrom(parsed.options, parsed.command);
    expect(win32.normalize(processContextFile as string)).toBe(`${dataDir}\\process.json`);
  });

  test('the socket of a folder is a named pipe, the same for every way to write the folder', () => {
    const pipe = socketPathOf(dataDir, 'win32');
    expect(pipe).toMatch(/^\\\\\.\\pipe\\serac-[0-9a-f]{32}$/);
    expect(socketPathOf('c:/users/SOME ONE/other/../chain/', 'win32')).toBe(pipe);
    expect(socketPathOf('C:\\other', 'win32')).not.toBe(pipe);
    expect(socketPathOf('/data/net', 'linux')).toBe('/data/net/control.sock');
  });
});
