// Runs Serac on the Bun that was installed as its dependency, or on this Node if there is none that can run: where bin/serac, a shell script, does not do
// it without Node, with the same settings. Where Node has `process.execve`, this process becomes Bun. Elsewhere Bun is a child process: it gets the signals sent to this process, and its exit code is passed on.
import { existsSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describeProblem, findBuns } from './bun-program.js';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const isWindows = process.platform === 'win32';

/** Processes whose end stops the node, as process ids (read by src/app/platform/owner-processes.ts). */
const ownersVariable = 'SERAC_OWNERS';

/**
 * A clone runs its source. An installed package runs dist/, with one program for Node and one with bytecode for Bun: it may contain the source
 * too, but not the development dependencies that the source needs, such as the library of the pages.
 */
const source = join(home, 'src', 'cli', 'main.ts');
const runsSource = existsSync(source) && existsSync(join(home, 'node_modules', 'preact'));
const built = join(home, 'dist', 'cli', 'main.js');
const builtForBun = join(home, 'dist', 'cli', 'main.cjs');

/**
 * Settings of Bun's garbage collector and compiler. Garbage grows with the heap and with the memory of the machine, up to hundreds of
 * megabytes under load. As if the machine had 192 MiB, Bun collects earlier. Two threads mark live objects, the main thread and one other.
 * The slowest compiler is used ten times later than by default: it took a fifth of the CPU time of a node under load. The allocator returns
 * free pages every half second in place of every tenth: under load they are soon used again.
 * Reader processes have the writer's settings except those under `reader`: they hold less, so they can collect earlier still. `serac join` and
 * `serac index` have settings of their own: while they catch up they have more than 80 % of 192 MiB in use, and Bun would then collect without pause.
 */
const collector = JSON.parse(readFileSync(new URL('./collector.json', import.meta.url), 'utf8'));
const largeHeapCommands = ['join', 'index'];

/** The prefix of variables that the node sets, without it, for its reader processes (read by src/app/platform/reader-variables.ts). */
const readerPrefix = 'SERAC_READER_';

const npm = process.env.npm_command === undefined || isWindows ? undefined : await findNpm();
if (!runsSource && !existsSync(builtForBun) && !existsSync(built)) failWithoutBuild();
// Yarn's Plug'n'Play has no node_modules, in which Bun looks for packages.
const found = process.versions.pnp === undefined ? findBuns(home) : [];
const buns = found.filter((program) => describeProblem(program) === undefined);
if (buns.length > 0) await runOnBun(buns, runsSource ? source : builtForBun);
else if (isNodeRecent() && existsSync(built)) await runOnNode(found[0]);
else fail(found[0]);

/**
 * The flags make Bun ignore .env and bunfig.toml in the working directory. The compiler settings of a clone, which its pages need, are those of the
 * clone; by default Bun takes them from the working directory.
 */
async function runOnBun([program, ...others], main) {
  const compiler = main === source ? [`--tsconfig-override=${join(home, 'tsconfig.json')}`] : [];
  const args = ['--no-env-file', '--no-install', `--config=${devNull}`, ...compiler, main, ...process.argv.slice(2)];
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
    for (const signal of signals) process.off(signal, forward);
    if (others.length > 0) runOnBun(others, main);
    else process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const own of signals) process.off(own, forward);
    process.kill(process.pid, signal);
    // The signal ends this process unless it is ignored.
    setTimeout(() => process.exit(1), 100);
  });
}

async function runOnNode(unusableBun) {
  if (unusableBun !== undefined) console.error(`serac: ${describeUnusable(unusableBun)}. Running on Node, which is slower`);
  hideExperimentalWarnings();
  Object.assign(process.env, environment(npm));
  await import(pathToFileURL(built).href);
}

/**
 * The environment of the node. It must not outlive npm, which does not forward every signal, nor the given launcher. A collector setting that
 * the user has set holds for all processes.
 */
function environment(...owners) {
  // A program that starts this one may have named itself.
  const known = [process.env[ownersVariable], ...owners].filter((pid) => pid !== undefined);
  const ofReaders = Object.entries(collector.reader).filter(([name]) => process.env[name] === undefined);
  return {
    ...collector.writer,
    ...collector[largeHeapCommands.find((command) => process.argv.includes(command))],
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

/** The oldest Node that Serac itself runs on: its node:sqlite needs no flag. This launcher runs on older ones too. */
function readOldestNode() {
  return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).engines.node.replace('>=', '');
}

function isNodeRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = readOldestNode().split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function describeUnusable(program) {
  return `cannot run Bun at ${program}: ${describeProblem(program)}`;
}

function fail(unusableBun) {
  const reinstall = `Reinstall with: ${existsSync(source) ? 'npm ci' : 'npm install serac'} (without --omit=optional)`;
  const what = unusableBun === undefined ? 'cannot find Bun, which Serac runs on' : describeUnusable(unusableBun);
  const useNode = `use Node ${readOldestNode()} or newer (this is ${process.versions.node})`;
  if (process.versions.pnp !== undefined) console.error(`serac: under Yarn's Plug'n'Play Serac runs on Node: ${useNode}`);
  else console.error(`serac: ${what}. ${reinstall}${existsSync(built) ? `, or ${useNode}` : ''}`);
  process.exit(1);
}

/** A package from git or from a folder is built by its script `prepare`, which some package managers run only if they are told to. */
function failWithoutBuild() {
  const clone = `Run \`npm ci\` in ${home}`;
  const build = `Build it with: node ${join(home, 'bin', 'prepare.js')}`;
  console.error(`serac: ${home} is not built. ${home.includes('node_modules') ? build : clone}`);
  process.exit(1);
}
