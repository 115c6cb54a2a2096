import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRandom } from '../random.ts';
import { createDiskModel } from './disk-model.ts';
import type { Fact, SessionCommand, SessionOrder } from './facts.ts';
import { type DiskPlan, diskVariables } from './simulated-disk.ts';

type SimulationResult = {
  readonly seed: number;
  readonly problems: readonly string[];
  /** How the sessions ended. */
  readonly ends: readonly string[];
  readonly facts: readonly Fact[];
};

/** Sessions with faults; one more without any checks the directory. */
const faultySessions = 3;
const [minSteps, moreSteps] = [15, 40];
/** Most sessions have fewer changes of files than this. */
const maxOperation = 2200;
/** The same of commands. */
const maxCommandOperation = 400;

/** Most sessions have more reads of files than this. */
const maxFailingRead = 400;

/** Most sessions have more reads of their own files than this. */
const maxFailingOwnRead = 60;

/** Checkpoints start at least, and at most, at so many pages: some in a session, where a real node has none. */
const [minPages, maxPages] = [20, 400];

/** The simulated disk, and the program of one session (node-session.ts). */
export type DiskPrograms = { readonly library: string; readonly session: string };

/** Seeds that version 1 has found mean the same as then without what came with version 2: checkpoints, and the node's own reads that fail. */
export type SimulationVersion = 1 | 2;

/** Runs one chain through several sessions with power cuts and failures, all chosen by a seed. The same seed gives the same run. */
export async function simulateDisk(
  { library, session: program }: DiskPrograms,
  seed: number,
  version: SimulationVersion = 2,
): Promise<SimulationResult> {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const isHonest = random.below(6) > 0;
  const durability = createRandom(seed + 2).below(4) === 0 ? 'checkpoint' : 'commit';
  const model = createDiskModel({ isHonest, durability });
  const images = join(folder, 'images');
  const facts: Fact[] = [];
  const ends: string[] = [];
  let startSeconds = 1_800_000_000;
  try {
    for (const name of [join(folder, 'data'), images]) mkdirSync(name);
    const run = async (order: SessionOrder, plan: DiskPlan): Promise<void> => {
      const { said, end } = await runSession(program, order, images, plan);
      for (const fact of said) model.apply(fact, failuresOf(plan));
      model.endSession(end === 'power cut');
      if (end === 'power cut') loseLeftWrites(images, join(folder, 'data', 'db'));
      facts.push(...said);
      ends.push(end);
    };
    const createOrder = (sessionSeed: number, { failingReads }: DiskPlan): SessionOrder => ({
      seed: sessionSeed,
      library,
      folder: join(folder, 'data'),
      startSeconds,
      steps: 0,
      lastEventID: model.lastEventID(),
      accepted: model.accepted(),
      checks: false,
      failsReads: failingReads !== undefined,
      durability,
    });
    for (let session = 0; session < faultySessions && !model.isOver(); session++) {
      const plan = choosePlan(random, !isHonest, version);
      const order = createOrder(random.next(), plan);
      const steps = chooseSteps(minSteps + random.below(moreSteps), plan);
      await run({ ...order, steps, pagesPerCheckpoint: version === 1 ? undefined : choosePages(plan) }, plan);
      startSeconds += 60 + random.below(100_000) - 20_000;
    }
    const command = version === 1 ? undefined : chooseCommand(createRandom(seed + 7));
    if (command !== undefined && !model.isOver()) {
      const plan = choosePlan(createRandom(seed + 8), !isHonest, version, maxCommandOperation);
      await run({ ...createOrder(plan.seed, plan), command }, plan);
    }
    if (!model.isOver()) {
      const hasBackup = facts.some((fact) => fact.kind === 'command' && fact.command === 'backup');
      const plan = { seed: 1 };
      await run(
        { ...createOrder(random.next(), plan), steps: 5, checks: true, backup: hasBackup ? join(folder, 'backup') : undefined },
        plan,
      );
      if (!model.isOver() && !facts.some(({ kind }) => kind === 'checked'))
        return { seed, problems: [...model.problems(), `the last session ended early: ${ends.at(-1)}`], ends, facts };
    }
    return { seed, problems: model.problems(), ends, facts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const failuresOf = ({ failure, failingReads, failingOwnReads }: DiskPlan) => ({
  fails: failure !== undefined || failingReads !== undefined || failingOwnReads !== undefined,
  failsReads: failingReads !== undefined,
});

/** A quarter of the sessions are short: what an earlier one has left in the log is not overwritten then. */
const chooseSteps = (steps: number, { seed }: DiskPlan): number => (createRandom(seed + 4).below(4) === 0 ? steps % 4 : steps);

/** A third of the seeds run a command before the last session. */
const chooseCommand = (random: ReturnType<typeof createRandom>): SessionCommand | undefined =>
  random.below(3) === 0 ? random.pick(['backup', 'compact', 'reindex'] as const) : undefined;

/** Half of the sessions have checkpoints, and logs that start again. */
function choosePages({ seed }: DiskPlan): number | undefined {
  const random = createRandom(seed + 6);
  return random.below(2) === 0 ? minPages + random.below(maxPages - minPages + 1) : undefined;
}

function choosePlan(random: ReturnType<typeof createRandom>, lies: boolean, version: SimulationVersion, max = maxOperation): DiskPlan {
  const seed = random.below(1_000_000_000);
  const at = 1 + random.below(max);
  const slowReads = random.below(8) === 0 ? 10 : 0;
  const kind = random.below(10);
  // Chosen apart, like all that was added later: it does not change what else a seed means.
  const reads = {
    lies,
    slowReads,
    failingReads: chooseFailingReads(createRandom(seed), maxFailingRead),
    failingOwnReads: version === 1 ? undefined : chooseFailingReads(createRandom(seed + 5), maxFailingOwnRead),
    moment: chooseMoment(seed, version),
    exitLeaves: version > 1,
  };
  if (kind < 7) return { seed, ...(createRandom(seed + 1).below(3) === 0 ? { killAt: at } : { crashAt: at }), ...reads };
  const failure = { at, count: 1 + random.below(kind === 9 ? 400 : 3), error: kind === 8 ? 'ENOSPC' : 'EIO' } as const;
  return { seed, failure, ...chooseAfterFailure(createRandom(seed + 1), failure.at, max), ...reads };
}

/** Half of the faults happen at a sync, a sixth at the last page of a commit. */
function chooseMoment(seed: number, version: SimulationVersion): NonNullable<DiskPlan['moment']> {
  if (createRandom(seed + 3).below(2) === 0) return 'sync';
  return version > 1 && createRandom(seed + 9).below(3) === 0 ? 'last page' : 'any';
}

/** Half of the failures are rough, and the power is cut after half of them. */
const chooseAfterFailure = (random: ReturnType<typeof createRandom>, at: number, max: number): Pick<DiskPlan, 'isRough' | 'crashAt'> => ({
  isRough: random.below(2) === 0,
  ...(random.below(2) === 0 && { crashAt: at + 1 + random.below(max - at + 200) }),
});

/** Reads fail in one of six sessions. */
const chooseFailingReads = (random: ReturnType<typeof createRandom>, max: number): DiskPlan['failingReads'] =>
  random.below(6) === 0 ? { at: 1 + random.below(max), count: 1 + random.below(10) } : undefined;

async function runSession(
  program: string,
  order: SessionOrder,
  images: string,
  plan: DiskPlan,
): Promise<{ readonly said: readonly Fact[]; readonly end: string }> {
  const child = Bun.spawn([process.execPath, program, JSON.stringify(order)], {
    // A session is over before optimized code would pay for its compilation: without it a seed takes a fifth less CPU time.
    env: { ...process.env, BUN_JSC_useDFGJIT: '0', ...diskVariables(order.library, order.folder, images, plan) },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const timer = setTimeout(() => child.kill('SIGABRT'), sessionTimeout);
  const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  clearTimeout(timer);
  // The folder has another name in every run, and messages of the node name it.
  const said = text
    .replaceAll(order.folder, 'DATA')
    .replaceAll(dirname(order.folder), 'DISK')
    .split('\n')
    .slice(0, -1)
    .map((line): Fact => JSON.parse(line));
  const kill = plan.killAt === undefined && !said.some(({ kind }) => kind === 'abandoned') ? 'power cut' : 'kill';
  const end = child.signalCode === 'SIGKILL' ? kill : String(child.signalCode ?? `ended with ${child.exitCode}`);
  if (end === kill || end === 'ended with 0') return { said, end };
  return { said: [...said, { kind: 'wrong', text: `the process ${end}: ${errors.slice(-2000)}` }], end };
}

/** A power cut also takes what a killed process had not synced to files that the next one has not opened: of these the disk's own image is left. */
function loseLeftWrites(images: string, folder: string): void {
  for (const name of readdirSync(images)) {
    // Its first byte is not of the file.
    if (existsSync(join(folder, name))) writeFileSync(join(folder, name), readFileSync(join(images, name)).subarray(1));
    rmSync(join(images, name));
  }
}

const sessionTimeout = 120_000;
