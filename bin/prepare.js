// Builds dist/ where the package is installed from its source: in a clone, from git, from a folder (script `prepare` of package.json). Package
// managers run it with and without the development dependencies; where they are missing, it fetches what the build needs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeProblem, findBuns } from './bun-program.js';

const home = dirname(dirname(fileURLToPath(import.meta.url)));

/** What dist/ is built from; the documentation that nodes serve among it. */
const pages = ['docs', 'README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const inputs = [...pages, 'src', 'tools', 'bin', 'package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.types.json'];

/** Has the hash of the inputs that dist/ was built from: package managers run this script several times. */
const stampFile = join('dist', '.inputs');

/** Set for a nested installation, which must not start another one. */
const nestedVariable = 'SERAC_PREPARING';

// A published package has no source: it is built.
if (existsSync(join(home, 'src', 'cli', 'main.ts'))) prepare();

function prepare() {
  const stamp = hashInputs();
  if (readStamp() === stamp) return;
  if (hasDependencies({ development: true })) build(home);
  else if (process.env[nestedVariable] !== undefined) fail('the dependencies that were just installed are not there');
  else if (isRootInstallation()) {
    console.error('serac: not built, because the development dependencies are not installed; the program and the library need `npm ci`');
    return;
  } else if (hasDependencies({ development: false }) || home.includes('node_modules')) buildElsewhere();
  // Linked from a clone without dependencies: the program looks for them there. This installation runs this script again.
  else return installDependencies(home);
  writeFileSync(join(home, stampFile), stamp);
}

/** Whether the clone itself is installed, as opposed to a project that depends on it. */
function isRootInstallation() {
  const { INIT_CWD: folder } = process.env;
  return folder !== undefined && existsSync(folder) && realpathSync(folder) === realpathSync(home);
}

function hasDependencies({ development }) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const names = Object.keys(development ? { ...dependencies, ...devDependencies } : dependencies);
  return names.every((name) => existsSync(join(home, 'node_modules', name)));
}

function build(folder) {
  const program = findBuns(folder).find((file) => describeProblem(file) === undefined);
  if (program === undefined) fail('the build needs Bun, which is not among the installed packages (was it omitted as optional?)');
  run(program, [join('tools', 'build.ts')], folder);
}

/** Builds in a temporary folder, so that no development dependency stays in the folder of the package. */
function buildElsewhere() {
  const folder = mkdtempSync(join(tmpdir(), 'serac-build-'));
  try {
    for (const name of inputs)
      if (existsSync(join(home, name))) cpSync(join(home, name), join(folder, name), { recursive: true, dereference: true });
    installDependencies(folder, ['--ignore-scripts']);
    build(folder);
    rmSync(join(home, 'dist'), { recursive: true, force: true });
    cpSync(join(folder, 'dist'), join(home, 'dist'), { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Flags on the command line come before what the npm that runs this script has set for its own project. */
function installDependencies(folder, flags = []) {
  console.error('serac: installing what the build needs');
  run(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--include=dev', '--include=optional', '--global=false', '--no-audit', '--no-fund', ...flags],
    folder,
  );
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, INIT_CWD: cwd, [nestedVariable]: '1' },
    encoding: 'utf8',
    shell: command.endsWith('.cmd'),
  });
  if (status === 0) return;
  fail(`\`${command} ${args.join(' ')}\` failed in ${cwd}: ${error?.message ?? `exit code ${status}`}\n${stdout ?? ''}${stderr ?? ''}`);
}

function fail(reason) {
  console.error(`serac: cannot build the package: ${reason}`);
  process.exit(1);
}

function readStamp() {
  try {
    return readFileSync(join(home, stampFile), 'utf8');
  } catch {
    return undefined;
  }
}

function hashInputs() {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(home, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(join(path, name));
    else hash.update(path).update('\0').update(readFileSync(full)).update('\0');
  };
  inputs.forEach(add);
  return hash.digest('hex');
}
