import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { nodes, runsSerac } from '../nodes.ts';

/**
 * Serac installed into an empty project from a folder, from git and from a tarball, with every package manager; then the program is started and
 * `createNode` is called with `import` and `require`. Needs a registry, `npm install` here and `npm ci` in test/nodes.
 */

const root = resolve(import.meta.dir, '../..');
const modules = join(import.meta.dir, 'node_modules');
const node = nodes.find((candidate) => runsSerac(candidate) && candidate.version.startsWith('24.'));
const reason = !existsSync(modules)
  ? '`npm install` was not run in test/package-managers'
  : node === undefined
    ? '`npm ci` was not run in test/nodes'
    : undefined;
if (reason !== undefined) process.stdout.write(`The package managers are not tested: ${reason}\n`);

const top = mkdtempSync(join(tmpdir(), 'serac-install-'));
const clone = join(top, 'clone');
const served = join(top, 'served');
const tarball = join(top, 'serac.tgz');
// Without what an npm that runs this story has set, such as the settings of this folder.
const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name));
const environment: { [name: string]: string } = {
  ...(Object.fromEntries(inherited) as { [name: string]: string }),
  PATH: `${dirname(node?.path ?? '')}:${dirname(Bun.which('npm') ?? '')}:/usr/bin:/bin`,
  // Every cache but npm's is in the temporary folder.
  XDG_DATA_HOME: join(top, 'data'),
  XDG_CACHE_HOME: join(top, 'cache'),
  XDG_STATE_HOME: join(top, 'state'),
  YARN_CACHE_FOLDER: join(top, 'yarn-1'),
  BUN_INSTALL_CACHE_DIR: join(top, 'bun'),
};
let server: ReturnType<typeof Bun.serve> | undefined;
let commit = '';
const gitUrl = (): string => `http://127.0.0.1:${server?.port}/serac.git`;

async function run(command: readonly string[], cwd: string, variables = {}): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: { ...environment, ...variables }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(' ')} in ${cwd}: exit code ${code}\n${out.slice(-3000)}\n${err.slice(-3000)}`);
  return out;
}

beforeAll(async () => {
  if (reason !== undefined) return;
  // The working tree as a repository, with what is not committed.
  const listed = await run(['git', 'ls-files', '-co', '--exclude-standard'], root);
  for (const file of listed.trim().split('\n')) if (existsSync(join(root, file))) cpSync(join(root, file), join(clone, file));
  const git = (...args: string[]) => run(['git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], clone);
  await git('init', '-q');
  await git('add', '-A');
  await git('commit', '-qm', 'test');
  commit = (await git('rev-parse', 'HEAD')).trim();
  // Git reads a repository as plain files too, with the lists that update-server-info writes.
  await git('clone', '-q', '--bare', '.', join(served, 'serac.git'));
  await run(['git', 'update-server-info'], join(served, 'serac.git'));
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async ({ url }) => {
      const file = Bun.file(join(served, new URL(url).pathname));
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
    },
  });
  environment.YARN_NPM_REGISTRY_SERVER = (await run(['npm', 'config', 'get', 'registry'], top)).trim().replace(/\/$/, '');
}, 600_000);
afterAll(async () => {
  await server?.stop(true);
  rmSync(top, { recursive: true, force: true });
});

type Source = 'folder' | 'git' | 'tarball';
type Manager = {
  readonly name: string;
  readonly specifier: (source: Source) => string;
  readonly add: readonly string[];
  /** Settings of the project that the README names. */
  readonly settings?: (source: Source) => { readonly [file: string]: string };
  readonly variables?: { readonly [name: string]: string };
  /** Runs a program of the project. */
  readonly execute: readonly string[];
};

const path = (source: Source): string => (source === 'folder' ? clone : tarball);
const urlOrPath = (source: Source): string => (source === 'git' ? `git+${gitUrl()}` : path(source));
const yarn4 = join(modules, '@yarnpkg/cli-dist/bin/yarn.js');
const createYarn4 = (linker: string): Manager => ({
  name: `Yarn 4, ${linker}`,
  specifier: (source) => `serac@${source === 'git' ? gitUrl() : `file:${path(source)}`}`,
  add: ['node', yarn4, 'add'],
  settings: () => ({
    '.yarnrc.yml': `nodeLinker: ${linker}\napprovedGitRepositories: ['${gitUrl()}']\nenableTelemetry: false\n`,
    'yarn.lock': '',
  }),
  variables: { YARN_GLOBAL_FOLDER: join(top, 'yarn-4'), YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
  execute: ['node', yarn4],
});

const managers: readonly Manager[] = [
  { name: 'npm', specifier: urlOrPath, add: ['npm', 'install', '--no-audit', '--no-fund'], execute: ['npx', '--no-install'] },
  {
    name: 'pnpm',
    specifier: urlOrPath,
    add: ['node', join(modules, 'pnpm/bin/pnpm.mjs'), 'add'],
    settings: () => ({
      'pnpm-workspace.yaml': `allowBuilds:\n  bun: true\n  secp256k1: true\n  'serac@git+${gitUrl()}#${commit}': true\n`,
    }),
    execute: ['npx', '--no-install'],
  },
  { name: 'Yarn 1', specifier: urlOrPath, add: ['node', join(modules, 'yarn/bin/yarn.js'), 'add'], execute: ['npx', '--no-install'] },
  createYarn4('node-modules'),
  createYarn4('pnp'),
  { name: 'Bun', specifier: urlOrPath, add: [process.execPath, 'add', '--trust'], execute: ['npx', '--no-install'] },
];

const importScript = `import { createNode } from 'serac';
const node = await createNode();
console.log((await node.avm.getHeight()).height);
await node.close();
`;
const requireScript = `const { createNode } = require('serac');
createNode().then(async (node) => {
  console.log((await node.avm.getHeight()).height);
  await node.close();
});
`;

// npm comes first: its folder dependency is a clone in which nothing is installed or built.
describe.each(managers)('$name', ({ name, specifier, add, settings, variables, execute }) => {
  test.skipIf(reason !== undefined).each(['folder', 'git', 'tarball'] as const)(
    'installs from a %s; program and library run',
    async (source) => {
      if (source === 'tarball' && !existsSync(tarball)) {
        const file = await run(['npm', 'pack', '--silent', '--pack-destination', top], clone);
        cpSync(join(top, file.trim().split('\n').at(-1) ?? ''), tarball);
      }
      const project = join(top, `${name}-${source}`.replace(/[^a-z0-9]+/gi, '-'));
      mkdirSync(project);
      const files = {
        'package.json': '{ "name": "empty-project", "version": "1.0.0", "license": "MIT", "private": true }',
        'import.mjs': importScript,
        'require.cjs': requireScript,
        ...settings?.(source),
      };
      for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
      await run([...add, specifier(source)], project, variables);
      const runNode = execute.includes(yarn4) ? [...execute, 'node'] : ['node'];
      expect((await run([...runNode, 'import.mjs'], project, variables)).trim()).toBe('1');
      expect((await run([...runNode, 'require.cjs'], project, variables)).trim()).toBe('1');
      const program = Bun.spawn([...execute, 'serac', '--http-port=0', '--json'], {
        cwd: project,
        env: { ...environment, ...variables },
        detached: true,
        stdout: 'pipe',
        stderr: 'pipe',
      });
      try {
        const { value } = await program.stdout.getReader().read();
        const line = new TextDecoder().decode(value).split('\n', 1)[0] ?? '';
        if (line === '') throw new Error(`the program did not start: ${await new Response(program.stderr).text()}`);
        expect((await fetch(`${(JSON.parse(line) as { url: string }).url}/ext/health`)).status).toBe(200);
      } finally {
        // The program and the package manager that started it.
        process.kill(-program.pid, 'SIGTERM');
        await program.exited;
      }
      rmSync(project, { recursive: true });
    },
    600_000,
  );
});
