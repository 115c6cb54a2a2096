// Runs Serac on the Bun that npm installed as its dependency, or on this Node if there is none. Where Node has `process.execve`, this
// process becomes Bun. Elsewhere Bun is a child process: it gets the signals sent to this process, and its exit code is passed on.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const isWindows = process.platform === 'win32';

/** Processes whose end stops the node, as process ids (read by src/app/platform/owner-processes.ts). */
const ownersVariable = 'SERAC_OWNERS';

/** A clone runs its source; the package has only dist/, with one program for Node and one with bytecode for Bun. */
const source = join(home, 'src', 'main.ts');
const built = join(home, 'dist', 'main.js');
const builtForBun = join(home, 'dist', 'main.cjs');

/** The first Node whose node:sqlite needs no flag. */
const oldestNode = [22, 13];

/**
 * Settings of Bun's garbage collector and compiler. Garbage grows with the heap and with the memory of the machine, up to hundreds of
 * megabytes under load. As if the machine had 192 MiB, Bun collects earlier. Two threads mark live objects, the main thread and one other.
 * The slowest compiler is used ten times later than by default: it took a fifth of the CPU time of a node under load.
 * Reader processes have the writer's settings except those under `reader`: they hold less, so they can collect earlier still. `serac join` has
 * those under `joined`: while it bootstraps it has more than 80 % of 192 MiB in use, and Bun would then collect without pause.
 */
const collector = JSON.parse(readFileSync(new URL('./collector.json', import.meta.url), 'utf8'));

/** The prefix of variables that the node sets, without it, for its reader processes (read by src/app/platform/reader-variables.ts). */
const readerPrefix = 'SERAC_READER_';

const bun = findBun();
const npm = process.env.npm_command === undefined || isWindows ? undefined : await findNpm();
if (bun !== undefined) await runOnBun(bun, existsSync(source) ? source : builtForBun);
else if (isNodeRecent() && existsSync(built)) await runOnNode();
else fail();

/**
 * Finds Bun in node_modules of this package and of all parent directories, to which npm may hoist it. Bun's install script moves the program
 * from its platform package to bun.exe (its name on every system); without install scripts it stays in the platform package.
 */
function findBun() {
  for (let up = home; ; up = dirname(up)) {
    const modules = join(up, 'node_modules');
    const own = join(modules, 'bun');
    // pnpm links packages: the platform package is beside the real folder of `bun`.
    const scopes = existsSync(own) ? [modules, dirname(realpathSync(own))] : [modules];
    const platformPrograms = scopes.flatMap((folder) =>
      listFolder(join(folder, '@oven'))
        .filter((name) => name.startsWith('bun-'))
        .map((name) => join(folder, '@oven', name, 'bin', isWindows ? 'bun.exe' : 'bun')),
    );
    const found = [...platformPrograms, join(own, 'bin', 'bun.exe')].find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (dirname(up) === up) return undefined;
  }
}

/**
 * The flags make Bun ignore .env and bunfig.toml in the working directory. The compiler settings of a clone, which its pages need, are those of the
 * clone; by default Bun takes them from the working directory.
 */
async function runOnBun(program, main) {
  const compiler = main === source ? [`--tsconfig-override=${join(home, 'tsconfig.json')}`] : [];
  const args = ['--no-env-file', `--config=${devNull}`, ...compiler, main, ...process.argv.slice(2)];
  if (typeof process.execve === 'function') {
    hideExperimentalWarnings();
    process.execve(program, [program, ...args], environment(npm));
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(program, args, { stdio: 'inherit', env: environment(npm, process.pid) });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.once('error', (error) => {
    console.error(`serac: cannot run Bun at ${program}: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const own of signals) process.off(own, forward);
    process.kill(process.pid, signal);
    // The signal ends this process unless it is ignored.
    setTimeout(() => process.exit(1), 100);
  });
}

async function runOnNode() {
  hideExperimentalWarnings();
  Object.assign(process.env, environment(npm));
  await import(pathToFileURL(built).href);
}

/**
 * The environment of the node. It must not outlive npm, which does not forward every signal, nor the given launcher. A collector setting that
 * the user has set holds for all processes.
 */
function environment(...owners) {
  const known = owners.filter((pid) => pid !== undefined);
  const ofReaders = Object.entries(collector.reader).filter(([name]) => process.env[name] === undefined);
  return {
    ...collector.writer,
    ...(process.argv.includes('join') && collector.joined),
    ...Object.fromEntries(ofReaders.map(([name, value]) => [readerPrefix + name, value])),
    ...process.env,
    ...(known.length > 0 && { [ownersVariable]: known.join(',') }),
  };
}

/** The process id of the npm (or npx) that started this process, directly or through a shell. */
async function findNpm() {
  for (let pid = process.ppid, steps = 0; steps < 3 && pid > 0; steps++) {
    const { command, parent } = await describeProcess(pid);
    if (/^(npm|npx)\b|[/\\](npm|npx)(-cli\.js)?( |$)/.test(command)) return pid;
    if (!/^(\S*\/)?(ba|da|z|k|a)?sh( |$)/.test(command)) return undefined;
    pid = parent;
  }
  return undefined;
}

/** The command line of a process, and the process id of its parent. Empty if the process is gone. */
async function describeProcess(pid) {
  try {
    if (process.platform !== 'linux') {
      const { execFileSync } = await import('node:child_process');
      const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8', timeout: 1000 }).trim();
      return { command: line.replace(/^\d+ +/, ''), parent: Number.parseInt(line, 10) };
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    // The fields after the name, which is in parentheses and may contain anything: state, parent.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { command, parent: Number(parent) };
  } catch {
    return { command: '', parent: 0 };
  }
}

/** Hides that node:sqlite and process.execve are experimental in Node; other warnings are printed. */
function hideExperimentalWarnings() {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') console.error(`serac: ${warning}`);
  });
}

function isNodeRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

function listFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function fail() {
  const wanted = existsSync(source) ? 'npm ci' : 'npm install serac';
  console.error(
    `serac: cannot find Bun, which Serac runs on. Reinstall with: ${wanted} (without --omit=optional)` +
      (existsSync(built) ? `, or use Node ${oldestNode.join('.')} or newer (this is ${process.versions.node})` : ''),
  );
  process.exit(1);
}
