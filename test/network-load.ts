import type { Id } from '../src/base/bytes/id.ts';
import { type createLanes, isAccepted, issueTo, type NetworkNode } from './network-nodes.ts';

type LoadOptions = {
  readonly nodes: () => readonly NetworkNode[];
  readonly lanes: ReturnType<typeof createLanes>;
  readonly seconds: number;
  /** Transactions per second, to all nodes together. */
  readonly rate: number;
  /** Milliseconds after which a transaction must be accepted. */
  readonly acceptTimeout?: number;
  /** Milliseconds after which a transaction that is not accepted is issued again, to another node; by default never. */
  readonly reissueAfter?: number;
};

type LoadResult = {
  readonly issued: number;
  /** The transactions that a node, not the one that got them, said to have accepted. */
  readonly accepted: readonly Id[];
  readonly latencies: readonly number[];
  readonly failures: readonly string[];
};

/** Milliseconds between two questions for the status of a transaction. */
const pollInterval = 50;

/**
 * Milliseconds until the next question for a transaction that has been waited for: the longer, the rarer, because hundreds of lanes that ask twenty
 * times per second while a network is cut in two take more CPU than its nodes.
 */
const pauseAfter = (waited: number): number => Math.min(1000, Math.max(pollInterval, waited / 3));

/**
 * Issues transactions to nodes at random, one after the other in each lane: the next one of a lane is issued when the node that gets it has
 * accepted the one before. A node that does not answer is replaced by another.
 */
export async function runLoad({
  nodes,
  lanes,
  seconds,
  rate,
  acceptTimeout = 60_000,
  reissueAfter = Number.POSITIVE_INFINITY,
}: LoadOptions): Promise<LoadResult> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  const failures: string[] = [];
  let issued = 0;
  const accepted: Id[] = [];
  let nextSlot = start;

  const pick = (): NetworkNode => {
    const all = nodes();
    return all[Math.floor(Math.random() * all.length)] as NetworkNode;
  };
  const runLane = async (lane: number): Promise<void> => {
    let node = pick();
    for (;;) {
      const slot = nextSlot;
      nextSlot += 1000 / rate;
      // Also where the nodes are slower than the rate: what is late is then not issued.
      if (slot >= end || performance.now() >= end) return;
      if (slot > performance.now()) await Bun.sleep(slot - performance.now());
      const tx = lanes.next(lane);
      const since = performance.now();
      for (;;) {
        try {
          await issueTo(node, tx);
          issued++;
          break;
        } catch (error) {
          // A node that was killed, or that has not accepted the transaction before yet.
          if (performance.now() - since > acceptTimeout) throw error;
          failures.push(String(error));
          node = pick();
          await Bun.sleep(pollInterval);
        }
      }
      let target = pick();
      let lastIssued = performance.now();
      for (let isDone = false; !isDone; ) {
        isDone = await isAccepted(target, tx.id).catch(() => false);
        if (!isDone && performance.now() - lastIssued > reissueAfter) {
          // Mempools are in memory: the node that got it may have been killed before it told others.
          lastIssued = performance.now();
          target = pick();
          await issueTo(target, tx).catch((error: unknown) => failures.push(String(error)));
        }
        if (!isDone && performance.now() - since > acceptTimeout)
          throw new Error(`not accepted after ${acceptTimeout} ms by ${target.name}`);
        if (!isDone) await Bun.sleep(pauseAfter(performance.now() - since));
      }
      accepted.push(tx.id);
      latencies.push(performance.now() - since);
      node = target;
    }
  };
  await Promise.all(lanes.addresses.map((_, lane) => runLane(lane)));
  return { issued, accepted, latencies, failures };
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
