import { expect, test } from 'bun:test';
import { percentile, runLoad } from './network-load.ts';
import { createLanes, expectSameChains, heightOf, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { nodesWithin } from './node-timeout.ts';
import { eventually } from './processes.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom, type Random } from './random.ts';
import { type SeracStaker, startSeracStakers } from './serac-stakers.ts';

/**
 * Five Serac stakers under load, with random faults of peers and of the nodes that tell them the validators, one after the other. After each, how
 * long it takes from the moment at which the node could be at the tip again until it is, and whether its health is red exactly while it is behind.
 *
 * SERAC_CATCH_UP_SECONDS: how long; SERAC_CATCH_UP_SEED: which faults.
 */
const seconds = Number(process.env.SERAC_CATCH_UP_SECONDS ?? 30);
const seed = Number(process.env.SERAC_CATCH_UP_SEED ?? 1);
const rate = 5;

/** Milliseconds from "can" to "is" that the recorded run allows. */
const goal = 5000;
/** Milliseconds that a node may be behind and healthy: the limit of its check, and what reading takes on a busy machine. */
const maxHealthyBehind = 10_000 + 3000;
/** Milliseconds that a node may be at the tip and unhealthy: its check is asked again each second. */
const maxRedAtTip = 5000;

const faultKinds = ['freeze', 'cut', 'partition', 'silent sources', 'stale sources', 'lying source'] as const;
type FaultKind = (typeof faultKinds)[number];

/** Makes faults. `begin` returns the nodes that it hits and what ends it. The P-Chain grows while sources are silent or stale, so blocks refer to a height that they do not tell. */
function createFaults(nodes: readonly SeracStaker[], random: Random) {
  let pChainHeight = 1;
  const tell = (told: readonly SeracStaker[]): void => {
    for (const { sources } of told) for (const { chain } of sources) chain.height = pChainHeight;
  };
  const block = async (inside: readonly SeracStaker[], isCut: boolean): Promise<void> => {
    for (const node of nodes) {
      const others = nodes.filter((other) => inside.includes(other) !== inside.includes(node));
      const { error } = await node.client.call('/ext/dev', 'dev.blockPeers', { nodeIDs: isCut ? others.map(({ nodeID }) => nodeID) : [] });
      if (error !== undefined) throw new Error(`${node.name}: ${error.message}`);
    }
  };
  const withSources = (node: SeracStaker, count: number, set: (chain: SeracStaker['sources'][number]['chain'], on: boolean) => void) => {
    pChainHeight++;
    tell(nodes.filter((other) => other !== node));
    const hit = node.sources.slice(0, count);
    for (const { chain } of hit) set(chain, true);
    for (const { chain } of node.sources.slice(count)) chain.height = pChainHeight;
    return () => {
      for (const { chain } of hit) set(chain, false);
      tell([node]);
    };
  };
  const begin = async (kind: FaultKind): Promise<{ readonly hit: readonly SeracStaker[]; readonly end: () => void | Promise<void> }> => {
    const node = random.pick(nodes);
    switch (kind) {
      case 'freeze':
        process.kill(node.program.pid, 'SIGSTOP');
        return { hit: [node], end: () => void process.kill(node.program.pid, 'SIGCONT') };
      case 'cut':
        await block([node], true);
        return { hit: [node], end: () => block([node], false) };
      case 'partition': {
        const hit = [node, random.pick(nodes.filter((other) => other !== node))];
        await block(hit, true);
        return { hit, end: () => block(hit, false) };
      }
      case 'silent sources':
        return {
          hit: [node],
          end: withSources(node, 3, (chain, on) => {
            chain.isSilent = on;
          }),
        };
      case 'stale sources':
        return { hit: [node], end: withSources(node, 2, () => {}) };
      // One of three: the node must not be hit at all.
      case 'lying source':
        return {
          hit: [],
          end: withSources(node, 1, (chain, on) => {
            chain.height = on ? 1_000_000 : pChainHeight;
            chain.validators = on ? [node.nodeID] : nodes.map(({ nodeID }) => nodeID);
          }),
        };
    }
  };
  return { begin };
}

/** Reads health and height of all nodes every 1.5 s, longer than a check waits to be asked again; notes when a node was healthy while it was behind, and unhealthy while it was at the tip. */
function watchHealth(nodes: readonly SeracStaker[], isHit: (name: string) => boolean) {
  const timed = nodesWithin(nodes, 2000);
  const pause = 1500;
  const heights = new Map<NetworkNode, bigint>();
  const reached: { readonly height: bigint; readonly since: number }[] = [];
  const redSince = new Map<NetworkNode, number>();
  const reported = new Set<NetworkNode>();
  const found: string[] = [];
  let readings = 0;
  let longestRed = 0;
  let isStopped = false;
  const read = async (node: NetworkNode): Promise<void> => {
    const asked = performance.now();
    const health = await node.client.send('GET', '/ext/health').catch(() => undefined);
    const own = await heightOf(node).catch(() => undefined);
    if (health === undefined || own === undefined) return void redSince.delete(node);
    readings++;
    heights.set(node, own);
    const missing = reached.find(({ height }) => height > own);
    const behind = missing === undefined ? 0 : asked - missing.since;
    if (behind > maxHealthyBehind && health.status === 200)
      found.push(`${node.name}: healthy at height ${own}, ${Math.round(behind)} ms behind`);
    // While it is hit, a node is behind or does not know: red is right.
    if (health.status === 200 || behind > 1000 || isHit(node.name)) {
      redSince.delete(node);
      return void reported.delete(node);
    }
    const red = asked - (redSince.get(node) ?? asked);
    redSince.set(node, asked - red);
    longestRed = Math.max(longestRed, red);
    if (red > maxRedAtTip && !reported.has(node))
      found.push(`${node.name}: unhealthy at the tip for ${Math.round(red)} ms: ${errorsIn(health.text)}`);
    if (red > maxRedAtTip) reported.add(node);
  };
  const watching = (async () => {
    while (!isStopped) {
      await Promise.all(timed.map(read));
      const majority = [...heights.values()].sort((a, b) => (a > b ? -1 : 1))[Math.floor(nodes.length / 2)];
      if (majority !== undefined && majority > (reached.at(-1)?.height ?? -1n))
        reached.push({ height: majority, since: performance.now() });
      await Bun.sleep(pause);
    }
  })();
  return async () => {
    isStopped = true;
    await watching;
    return { readings, longestRed, found };
  };
}

const errorsIn = (health: string): string =>
  Object.entries((JSON.parse(health) as { checks: Record<string, { error?: string }> }).checks)
    .flatMap(([name, { error }]) => (error === undefined ? [] : [`${name}: ${error}`]))
    .join(', ');

/** What a staker says of itself when the test has failed. */
async function tellOf(staker: SeracStaker): Promise<string> {
  const { name, program } = staker;
  const exit = await Promise.race([program.exited.then((code) => `exited with ${code}`), Bun.sleep(100).then(() => 'runs')]);
  const [{ client }] = nodesWithin([staker], 5000) as [NetworkNode];
  const health = await client.send('GET', '/ext/health').then(({ text }) => text, String);
  return `${name} ${exit}; health: ${health}; the end of its log:\n${program.stderrText().slice(-4000)}`;
}

test(
  `five stakers with faults of peers and sources for ${seconds} s: at the tip within seconds of what was missing coming back`,
  async () => {
    const { nodes, stop } = await startSeracStakers(5, 3, [
      '--snow-quorum-size=13',
      '--min-block-delay=0s',
      // Faults leave a node with connections that it opened itself, which AvalancheGo's rule reports after ten minutes.
      '--network-no-ingress-connections-grace-period=24h',
    ]);
    try {
      const lanes = createLanes(40);
      await issueTo(nodes[0] as NetworkNode, lanes.first);
      await untilAcceptedBy(nodes, lanes.first.id);
      const random = createRandom(seed);
      const faults = createFaults(nodes, random);
      let hit: readonly SeracStaker[] = [];
      let recovering: readonly SeracStaker[] = [];
      // While two of five are cut off, no part has the stake to decide.
      const isHit = (name: string): boolean => [hit, recovering].some((some) => some.length > 1 || some[0]?.name === name);
      const endWatch = watchHealth(nodes, isHit);
      const end = performance.now() + 1000 * seconds;
      const times: { readonly kind: FaultKind; readonly ms: number; readonly line: string }[] = [];
      const makeFaults = async (): Promise<void> => {
        for (let round = 0; performance.now() < end - 15_000; round++) {
          const kind = faultKinds[(round + seed) % faultKinds.length] as FaultKind;
          const { hit: now, end: heal } = await faults.begin(kind);
          hit = now;
          const length = 4 + random.below(Math.max(1, Math.min(25, Math.floor(seconds / 8))));
          await Bun.sleep(1000 * length);
          const whole = nodes.filter((node) => !now.includes(node));
          const tip = (await Promise.all(whole.map((node) => heightOf(node)))).reduce((a, b) => (a > b ? a : b));
          await heal();
          [hit, recovering] = [[], now];
          const can = performance.now();
          const behind = (await Promise.all(nodesWithin(now, 2000).map((node) => heightOf(node).catch(() => 0n)))).map(
            (height) => tip - height,
          );
          await eventually(
            () => Promise.all(nodesWithin(now, 2000).map((node) => heightOf(node).catch(() => 0n))),
            (heights) => heights.every((height) => height >= tip),
            240_000,
          );
          const ms = performance.now() - can;
          const line = `${kind} of ${now.map(({ name }) => name).join(', ') || 'one source'} for ${length} s: ${behind.join(', ')} blocks behind, at the tip after ${Math.round(ms)} ms`;
          times.push({ kind, ms, line });
          console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
          await Bun.sleep(1000);
          recovering = [];
          await Bun.sleep(3000);
        }
      };
      const load = runLoad({
        nodes: () =>
          nodesWithin(
            nodes.filter((node) => !hit.includes(node)),
            5000,
          ),
        lanes,
        seconds,
        rate,
        acceptTimeout: 240_000,
        reissueAfter: 5000,
      });
      const [{ accepted, latencies }] = await Promise.all([load, makeFaults()]);
      const height = await expectSameChains(nodes, 240_000);
      const { readings, longestRed, found } = await endWatch();
      const all = times.map(({ ms }) => ms);
      const late = times.filter(({ ms }) => ms > goal).map(({ line }) => line);
      console.log(
        `${times.length} faults, ${accepted.length} transactions, accepted after ${Math.round(percentile(latencies, 0.5))} ms (median); at the tip after ${Math.round(percentile(all, 0.5))} ms (median), ${Math.round(percentile(all, 1))} ms (longest); ` +
          `unhealthy at the tip for ${Math.round(longestRed)} ms at most; ${found.join('\n')}`,
      );
      recordProof(
        'catch-up',
        seconds,
        {
          seed,
          seconds,
          faults: times.length,
          transactions: accepted.length,
          'ms to acceptance, median': Math.round(percentile(latencies, 0.5)),
          height: Number(height),
          'readings of health': readings,
          'ms to the tip, median': Math.round(percentile(all, 0.5)),
          'ms to the tip, longest': Math.round(percentile(all, 1)),
          'ms unhealthy at the tip, longest': Math.round(longestRed),
        },
        [...late, ...found],
      );
      expect(times.length).toBeGreaterThan(0);
      expect(accepted.length).toBeGreaterThan(0);
      expect(found.filter((line) => line.includes('healthy at height'))).toEqual([]);
    } catch (error) {
      for (const node of nodes) console.log(await tellOf(node));
      throw error;
    } finally {
      await stop();
    }
  },
  1_200_000 + 2000 * seconds,
);
