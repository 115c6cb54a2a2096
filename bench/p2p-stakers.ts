import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { runLoad } from '../test/network-load.ts';
import { createLanes } from '../test/network-nodes.ts';
import { type StakerNode, startStakerNetwork } from '../test/staker-network.ts';
import { xPath } from './fixture.ts';
import { isSelected, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { callNode, waitUntil } from './p2p-node.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import type { ReportRow } from './report.ts';
import { type BenchEnv, joinCommand } from './servers.ts';

type Measured = { readonly node: StakerNode; readonly port: number; readonly pid: number };
type Kinds = Sides<readonly Measured[]>;

/** Transactions per second of the whole network: 400 s of it gave the first figures that Serac is compared with. */
const rate = 58;

/**
 * Measures stakers of both kinds in one network of three AvalancheGo and two Serac nodes, at the same time, so that other work on the machine slows
 * all of them alike: how soon they are healthy, what they cost while idle and under load, and the delay of single transactions. `keys`: the
 * folder staking/local of AvalancheGo's source. AvalancheGo's nodes also run the P- and C-Chain.
 */
export async function measureStakers(
  env: BenchEnv,
  binary: string,
  keys: string,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  console.error('starting three AvalancheGo and two Serac stakers');
  const { nodes, stop } = await startStakerNetwork(binary, keys, { avalancheGo: 3, serac: 2, seracCommand: joinCommand(env) });
  const measured = nodes.map((node) => ({ node, port: Number(new URL(node.url).port), pid: node.pid() }));
  const kinds: Kinds = {
    ours: measured.filter(({ node }) => node.kind === 'Serac'),
    theirs: measured.filter(({ node }) => node.kind === 'AvalancheGo'),
  };
  try {
    await measureHealth(kinds, report);
    const lanes = createLanes(700);
    await acceptedBy(kinds.ours[0] as Measured, lanes.first, measured);
    if (isSelected('stakers, idle', options)) await measureIdle(kinds, options, report);
    if (isSelected('stakers, load', options)) await measureLoad(kinds, lanes, options, report);
    if (isSelected('stakers, delay', options)) await measureDelays(kinds, lanes, options, report);
  } finally {
    await stop();
  }
}

const isHealthy = async ({ node }: Measured): Promise<boolean> => (await node.client.send('GET', '/ext/health')).status === 200;

/** From when all have bootstrapped: the network may decide then. */
async function measureHealth({ ours, theirs }: Kinds, report: (row: ReportRow) => void): Promise<void> {
  const began = performance.now();
  const time = async (one: Measured): Promise<number> => {
    await waitUntil(`${one.node.name} is not healthy`, () => isHealthy(one), 120_000, 50);
    return performance.now() - began;
  };
  const [seconds, others] = await Promise.all([Promise.all(ours.map(time)), Promise.all(theirs.map(time))]);
  report({ name: 'stakers, healthy after bootstrapping', unit: 'ms', ours: seconds, theirs: others, target: { atMost: 1000 } });
}

async function measureIdle(kinds: Kinds, options: Options, report: (row: ReportRow) => void): Promise<void> {
  // In this time Bun compiles what runs often.
  await Bun.sleep(options.quick ? 15_000 : 60_000);
  const seconds = options.quick ? 10 : 30;
  const used = await cpuDuring(kinds, () => Bun.sleep(1000 * seconds));
  const perSecond = (values: readonly number[]) => values.map((value) => (1000 * value) / seconds);
  const [ours, theirs] = [perSecond(used.ours), perSecond(used.theirs)];
  report({ name: 'stakers, idle with four peers, CPU per second', unit: 'ms', ours, theirs, target: { atLeast: 3 } });
  const memory = (of: readonly Measured[]) => of.map(({ pid }) => readMemory(pid)?.megabytes ?? Number.NaN);
  report({
    name: 'stakers, idle with four peers, memory',
    unit: 'MB',
    ours: memory(kinds.ours),
    theirs: memory(kinds.theirs),
    target: { atMost: 100 },
  });
}

async function measureLoad(kinds: Kinds, lanes: ReturnType<typeof createLanes>, options: Options, report: (row: ReportRow) => void) {
  const nodes = [...kinds.ours, ...kinds.theirs].map(({ node }) => node);
  const load = (seconds: number) => runLoad({ nodes: () => nodes, lanes, seconds, rate, acceptTimeout: 240_000, reissueAfter: 10_000 });
  await load(options.quick ? 15 : 40);
  let accepted = 0;
  const used = await cpuDuring(kinds, async () => {
    accepted = (await load(options.quick ? 20 : 60)).accepted.length;
  });
  const perTx = (values: readonly number[]) => values.map((value) => (1000 * value) / accepted);
  console.error(`  ${accepted} transactions accepted`);
  report({
    name: `stakers, load of ${rate} transactions per second, CPU per accepted transaction`,
    unit: 'ms',
    ours: perTx(used.ours),
    theirs: perTx(used.theirs),
    target: { atLeast: 2 },
  });
}

/** The CPU seconds that each node uses while `run` runs. */
async function cpuDuring({ ours, theirs }: Kinds, run: () => Promise<unknown>): Promise<Sides<number[]>> {
  const read = ({ pid }: Measured): number => readCpuSeconds(pid) ?? Number.NaN;
  const before = new Map([...ours, ...theirs].map((one) => [one, read(one)]));
  await run();
  const used = (of: readonly Measured[]) => of.map((one) => read(one) - (before.get(one) ?? Number.NaN));
  return { ours: used(ours), theirs: used(theirs) };
}

/** One transaction at a time, to nodes of both kinds in turns, until the others have accepted it. */
async function measureDelays(
  { ours, theirs }: Kinds,
  lanes: ReturnType<typeof createLanes>,
  options: Options,
  report: (row: ReportRow) => void,
) {
  const delays: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  const all = [...ours, ...theirs];
  for (let i = 0; i < (options.quick ? 20 : 60); i++)
    for (const [side, nodes] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      const target = nodes[i % nodes.length] as Measured;
      delays[side].push(
        await acceptedBy(
          target,
          lanes.next(0),
          all.filter((node) => node !== target),
        ),
      );
    }
  for (const [name, share] of [
    ['median', 0.5],
    ['p95', 0.95],
  ] as const) {
    const at = (values: readonly number[]) => [values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? Number.NaN];
    report({
      name: `stakers, delay from issue here to acceptance elsewhere, ${name}`,
      unit: 'ms',
      ours: at(delays.ours),
      theirs: at(delays.theirs),
      target: { atLeast: 1 },
    });
  }
}

/** Issues a transaction; returns the milliseconds until all `others` have accepted it. */
async function acceptedBy(
  target: Measured,
  tx: ReturnType<ReturnType<typeof createLanes>['next']>,
  others: readonly Measured[],
): Promise<number> {
  const began = performance.now();
  await callNode(target, xPath, 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  const txID = idText(tx.id);
  await Promise.all(
    others.map((node) =>
      waitUntil(
        `${node.node.name} has not accepted ${txID}`,
        async () => (await callNode<{ status: string }>(node, xPath, 'avm.getTxStatus', { txID })).status === 'Accepted',
        120_000,
        10,
      ),
    ),
  );
  return performance.now() - began;
}
