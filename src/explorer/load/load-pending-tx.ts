import type { Lifecycle, Reason, Tx, TxChecks, Utxo } from '../../api/contract/answers.ts';
import type { PageContext } from './page-context.ts';
import { slimUtxo } from './slim.ts';
import { readIfFound, type Source } from './source.ts';

/** A transaction that is in no block: it waits, or it was dropped. */
export type PendingTx = {
  readonly state: 'waiting' | 'dropped';
  readonly id: string;
  readonly life: Lifecycle;
  /** Undefined if this server does not run the chain, or no longer has the bytes. */
  readonly checks: TxChecks | undefined;
  readonly conflicts: readonly Conflict[];
};

/** An output that this transaction and another one spend. */
export type Conflict = {
  readonly utxo: Utxo;
  readonly input: number;
  readonly winner: string;
  /** Block of the other transaction; undefined if it is in none. */
  readonly height: number | undefined;
  /** When this node got the other transaction, in Unix milliseconds. */
  readonly receivedAt: number | undefined;
};

/** Conflicts that are drawn. */
const maxConflicts = 3;

/** `path` is that of the transaction in the Data API. */
export async function loadPendingTx(source: Source, { operations }: PageContext, path: string, id: string): Promise<PendingTx | undefined> {
  if (!operations.includes('getTransactionLifecycle')) return undefined;
  const [life, checks] = await Promise.all([
    readIfFound<Lifecycle>(source, `${path}/lifecycle`),
    operations.includes('getTransactionChecks') ? readIfFound<TxChecks>(source, `${path}/checks`) : undefined,
  ]);
  // An accepted transaction without a block was reverted, or its block is not indexed yet; its steps say no more than that.
  if (life === undefined || life.status === 'Accepted') return undefined;
  const reason = checks === undefined ? life.steps.findLast((step) => step.reason !== undefined)?.reason : checks.refusal;
  const found = conflictsOf(life, reason).slice(0, maxConflicts);
  const conflicts = await Promise.all(found.map((one) => loadConflict(source, path.slice(0, path.lastIndexOf('/')), one)));
  return { state: life.status === 'Processing' ? 'waiting' : 'dropped', id, life, checks, conflicts };
}

type Found = Pick<Conflict, 'utxo' | 'input' | 'winner'>;

/** Inputs that another transaction has spent, or that a waiting one would spend, which the reason names. */
function conflictsOf({ transaction, txHash }: Lifecycle, reason: Reason | undefined): Found[] {
  const { utxoID, spentBy } = (reason?.data ?? {}) as { utxoID?: unknown; spentBy?: unknown };
  return (transaction?.consumedUtxos ?? []).flatMap((utxo, input) => {
    const winner = utxo.consumingTxHash ?? (utxo.utxoId === utxoID && typeof spentBy === 'string' ? spentBy : undefined);
    return winner === undefined || winner === txHash ? [] : [{ utxo: slimUtxo(utxo), input, winner }];
  });
}

async function loadConflict(source: Source, txsPath: string, found: Found): Promise<Conflict> {
  const path = `${txsPath}/${encodeURIComponent(found.winner)}`;
  const [tx, life] = await Promise.all([readIfFound<Tx>(source, path), readIfFound<Lifecycle>(source, `${path}/lifecycle`)]);
  return { ...found, height: tx?.blockHeight, receivedAt: life?.steps[0]?.time };
}
