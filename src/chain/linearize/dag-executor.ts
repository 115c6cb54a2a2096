import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { createDiff, type Diff } from '../../ledger/state/diff.ts';
import type { StoredVertex, VertexPosition, VertexStore } from '../../ledger/vertices/vertex-store.ts';
import type { ExtendGenesis } from '../lifecycle/accept.ts';
import type { BlockVerifier } from '../lifecycle/tx-verifier.ts';

/**
 * Executes the transactions of the vertices from before linearization, when all vertices are stored. A transaction may spend outputs of a
 * transaction in a vertex that is no ancestor of its own, even in a higher one: it waits for that transaction. All orders that keep to this
 * give the same state; here it is by height and ID of the vertices. AvalancheGo: snow/engine/avalanche/bootstrap, tx_job.go.
 */
export type DagExecutor = {
  /** Executes the next vertices in one commit. Returns undefined when all are executed. */
  readonly step: () => { readonly txs: number; readonly height: bigint } | undefined;
};

/** Vertices that are read at once, and transactions of one commit. */
const batch = { vertices: 64, txs: 512 } as const;

/** The most transactions that wait for others. Only their IDs are in memory: a transaction has up to 1 MB, and six times that when decoded. */
const maxWaiting = 100_000;

/** A transaction that waits, and the vertex it is in. */
type Waiting = { readonly txID: Id; readonly vertexID: Id };

export function createDagExecutor({
  vertices,
  view,
  verifier,
  extendGenesis,
}: {
  readonly vertices: VertexStore;
  readonly view: View & { readonly hasTx: (id: Id) => boolean };
  /** It must be bootstrapping: signatures, imports and operations are not verified again. */
  readonly verifier: BlockVerifier;
  readonly extendGenesis: ExtendGenesis;
}): DagExecutor {
  let position: VertexPosition | undefined = vertices.executed();
  let reached = (vertices.executed()?.number ?? -1) + 1;
  /** Transactions by the one they wait for. */
  const waiting = new Map<Id, Waiting[]>();
  /** Transactions that wait, lowest vertex first, each with the vertex before its own: a restart begins after that one. */
  const unfinished = new Map<Id, VertexPosition | undefined>();

  /** Executes the transactions of a vertex, and those that wait for them. */
  const executeVertex = ({ id: vertexID, txIDs }: StoredVertex, before: VertexPosition | undefined, work: BatchWork): void => {
    for (const txID of txIDs) {
      if (work.done.has(txID) || unfinished.has(txID) || view.hasTx(txID)) continue;
      unfinished.set(txID, before);
      for (const runnable: Waiting[] = [{ txID, vertexID }]; runnable.length > 0; )
        runnable.push(...execute(runnable.pop() as Waiting, work));
    }
  };

  /** Executes a transaction and returns those that waited for it; it waits itself if it spends an output that does not exist yet. */
  const execute = (next: Waiting, { diff, done, changes }: BatchWork): readonly Waiting[] => {
    const tx = parseTx(vertices.waitingTx(next.txID) as Uint8Array);
    const missing = spentRefs(tx.unsigned).find((ref) => diff.utxo(ref) === undefined && !done.has(ref.txID) && !view.hasTx(ref.txID));
    if (missing !== undefined) {
      const others = waiting.get(missing.txID);
      if (others === undefined) waiting.set(missing.txID, [next]);
      else others.push(next);
      if (unfinished.size > maxWaiting) throw incomplete(unfinished.size);
      return [];
    }
    verify(tx, next.vertexID, diff);
    const effects = effectsOf(tx);
    const consumed = new Map<Id, Utxo>();
    for (const ref of effects.spent) {
      const utxo = diff.utxo(ref);
      if (utxo !== undefined) consumed.set(refId(ref), utxo);
    }
    diff.apply(tx, effects);
    changes.push({ applied: [{ tx, effects }], consumed });
    done.add(tx.id);
    unfinished.delete(tx.id);
    const released = waiting.get(tx.id) ?? [];
    waiting.delete(tx.id);
    return released;
  };

  const verify = (tx: Tx, vertexID: Id, diff: Diff): void => {
    try {
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, diff);
    } catch (error) {
      throw new LinearizeError(
        `transaction ${idText(tx.id)} of vertex ${idText(vertexID)} was accepted by the network but is invalid here: ${messageOf(error)}; ` +
          'this node has another version or a damaged database (see serac check)',
        { code: 'DAG_INVALID_TX', txID: idText(tx.id), vertexID: idText(vertexID) },
      );
    }
  };

  return {
    step: () => {
      if (vertices.isLinearized()) return undefined;
      const work: BatchWork = { diff: createDiff(view), done: new Set(), changes: [] };
      const next = vertices.after(position, batch.vertices);
      const numbered: (VertexPosition & { readonly number: number })[] = [];
      for (const vertex of next) {
        executeVertex(vertex, position, work);
        position = { height: vertex.height, id: vertex.id };
        numbered.push({ ...position, number: reached++ });
        if (work.changes.length >= batch.txs) break;
      }
      const isLinearized = next.length === 0;
      if (isLinearized && unfinished.size > 0) throw incomplete(unfinished.size);
      const [first] = unfinished.values();
      const executed = unfinished.size === 0 ? position : first;
      extendGenesis(work.changes, () => vertices.markExecuted({ txIDs: [...work.done], numbered, position: executed, isLinearized }));
      return isLinearized ? undefined : { txs: work.changes.length, height: position?.height ?? 0n };
    },
  };
}

/** What one commit executes. */
type BatchWork = { readonly diff: Diff; readonly done: Set<Id>; readonly changes: Pick<Diff, 'applied' | 'consumed'>[] };

const incomplete = (waiting: number) =>
  new LinearizeError(`${waiting} transactions from before linearization spend outputs of transactions that no vertex has`, {
    code: 'DAG_INCOMPLETE',
    waiting,
  });

type LinearizeFault =
  /** A transaction of a vertex below the stop vertex is invalid here. */
  | { code: 'DAG_INVALID_TX'; txID: string; vertexID: string }
  /** Transactions spend outputs of transactions that no vertex has. */
  | { code: 'DAG_INCOMPLETE'; waiting: number };
class LinearizeError extends Fault<LinearizeFault> {}
