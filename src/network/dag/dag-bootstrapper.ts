import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { VertexStore } from '../../ledger/vertices/vertex-store.ts';
import { BootstrapError } from '../bootstrap/fault.ts';
import type { ProgressMeter } from '../bootstrap/progress.ts';
import { createRequester } from '../bootstrap/requester.ts';
import type { ChainLink } from '../protocol/transport.ts';
import { fetchVertices } from './vertex-fetcher.ts';

/** The chain from before linearization: its vertices, and what executes their transactions. */
export type Dag = {
  /** The last vertex of the DAG. */
  readonly stopVertexID: Id;
  readonly vertices: VertexStore;
  /** Executes the next transactions when all vertices are stored; undefined when all are executed. */
  readonly step: () => { readonly txs: number; readonly height: bigint } | undefined;
};

const retryDelay = 1000;
const connectDelay = 100;
const defaultMaxReceived = 2000;

/**
 * Brings a chain to its stop vertex: fetches all vertices from there down, then executes their transactions. Vertices and transactions are stored
 * as they come, so a node resumes where it stopped. AvalancheGo: snow/engine/avalanche/bootstrap/bootstrapper.go.
 */
export function startDagBootstrapper(
  link: ChainLink,
  {
    dag,
    peers,
    nextRequestId,
    meter,
    maxReceived = defaultMaxReceived,
    onFinished,
    onRetry,
    onFatal,
  }: {
    readonly dag: Dag;
    /** Connected peers: vertices are fetched from all of them. */
    readonly peers: () => readonly NodeId[];
    readonly nextRequestId: () => number;
    readonly meter: Pick<ProgressMeter, 'setPhase' | 'setDag'>;
    readonly maxReceived?: number;
    /** The chain is linearized. */
    readonly onFinished: () => void;
    /** Bootstrapping failed for now; it is tried again. */
    readonly onRetry: (error: BootstrapError) => void;
    /** The DAG cannot be executed; bootstrapping has stopped. */
    readonly onFatal: (error: unknown) => void;
  },
) {
  const { timers } = link;
  const requester = createRequester(link, nextRequestId);
  let isStopped = false;
  let fetched = 0;
  let stopHeight = dag.vertices.vertex(dag.stopVertexID)?.height;

  const fetchAll = (): Promise<void> =>
    fetchVertices(link, { requester, peers, isStopped: () => isStopped }, dag.vertices, maxReceived, (added) => {
      fetched += added.length;
      stopHeight ??= dag.vertices.vertex(dag.stopVertexID)?.height;
      meter.setDag({ fetched, stopHeight, height: added.at(-1)?.height ?? 0n });
    });
  const executeAll = async (): Promise<void> => {
    for (let done = dag.step(); done !== undefined && !isStopped; done = dag.step()) {
      meter.setDag({ fetched, stopHeight, height: done.height });
      await sleep(timers, 0);
    }
  };
  const retryOrThrow = (error: unknown): void => {
    if (!(error instanceof BootstrapError) || error.fault.code !== 'BOOTSTRAP_NO_BLOCKS') throw error;
    if (!isStopped) onRetry(error);
  };

  const run = async (): Promise<void> => {
    // The caller gets what receives the answers before anything is asked.
    await sleep(timers, 0);
    dag.vertices.begin(dag.stopVertexID);
    while (!isStopped && dag.vertices.missing().length > 0) {
      if (peers().length === 0) {
        meter.setPhase('connecting');
        await sleep(timers, connectDelay);
        continue;
      }
      meter.setPhase('vertices');
      await fetchAll().catch(retryOrThrow);
      if (dag.vertices.missing().length > 0) await sleep(timers, retryDelay);
    }
    meter.setPhase('transactions');
    await executeAll();
    if (isStopped) return;
    isStopped = true;
    onFinished();
  };
  const stop = (): void => {
    isStopped = true;
    requester.stop();
  };

  run().catch((error: unknown) => {
    if (isStopped) return;
    stop();
    onFatal(error);
  });
  return { receive: requester.receive, failed: requester.failed, stop };
}
