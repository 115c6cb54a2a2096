import { type createLanes, isAccepted, issueTo, type NetworkNode } from './network-nodes.ts';

export type LoadOptions = {
  readonly nodes: () => readonly NetworkNode[];
  readonly lanes: ReturnType<typeof createLanes>;
  readonly seconds: number;
  /** Transactions per second, to all nodes together. */
  readonly rate: number;
};

export type LoadResult = {
  readonly issued: number;
  readonly accepted: number;
  readonly latencies: readonly number[];
  readonly failures: readonly string[];
};

/** Milliseconds between two questions for the status of a transaction. */
const pollInterval = 50;
const acceptTimeout = 60_000;

/**
 * Issues transactions to nodes at random, one after the other in each lane: the next one of a lane is issued when the node that gets it has
 * accepted the one before. A node that does not answer is replaced by another.
 */
export async function runLoad({ nodes, lanes, seconds, rate }: LoadOptions): Promise<LoadResult> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  const failures: string[] = [];
  let issued = 0;
  let accepted = 0;
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
      if (slot >= end) return;
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
      const target = pick();
      for (let isDone = false; !isDone; ) {
        isDone = await isAccepted(target, tx.id).catch(() => false);
        if (!isDone && performance.now() - since > acceptTimeout)
          throw new Error(`not accepted after ${acceptTimeout} ms by ${target.name}`);
        if (!isDone) await Bun.sleep(pollInterval);
      }
      accepted++;
      latencies.push(performance.now() - since);
      node = target;
    }
  };
  await Promise.all(lanes.addresses.map((_, lane) => runLane(lane)));
  return { issued, accepted, latencies, failures };
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
