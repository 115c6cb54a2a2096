import type { Tx } from '../../avm/tx/tx.ts';
import type { Engine } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { createDeferred } from '../../base/timing/promise.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { ExplainedStatus } from '../../chain/lifecycle/ledger.ts';
import type { TxIssuer } from '../../chain/lifecycle/tx-issuer.ts';
import { DevError } from './fault.ts';

/** Milliseconds after which the call returns although the transaction waits: with a long `--min-block-delay`, or without a majority. */
const maxWait = 10_000;

/** Milliseconds between two checks whether the transaction was dropped, or its block not stored. An acceptance is noticed at once. */
const checkInterval = 50;

/**
 * Returns a function that issues a transaction and waits until it is accepted, if the engine is about to build a block. Without a block due it
 * returns when the transaction is in the mempool. If the block cannot be stored it throws at once, although the engine tries again.
 */
export const createIssueAndWait =
  ({
    running: { spec, engine, commitFailure, txIssuer },
    events,
    timers,
  }: {
    readonly running: {
      readonly spec: { readonly id: Id };
      readonly engine: Pick<Engine, 'isBlockDue'>;
      /** Why the last block could not be stored. */
      readonly commitFailure: () => AnyFault | undefined;
      readonly txIssuer: Pick<TxIssuer, 'issue'> & { readonly explainStatus: (id: Id) => Promise<ExplainedStatus> };
    };
    readonly events: Pick<EventBus, 'subscribe'>;
    readonly timers: Pick<Timers, 'after'>;
  }) =>
  async (tx: Tx): Promise<void> => {
    const accepted = createDeferred();
    const unsubscribe = events.subscribe('accepted', ({ chainID, stored }) => {
      if (chainID === spec.id && stored.block.txs.some(({ id }) => id === tx.id)) accepted.resolve();
    });
    const checkAgain = (checksLeft: number): (() => void) =>
      timers.after(checkInterval, () => {
        if (checksLeft === 0) return accepted.resolve();
        void check().catch(accepted.reject);
        cancel = checkAgain(checksLeft - 1);
      });
    const check = async (): Promise<void> => {
      const { status, reason } = await txIssuer.explainStatus(tx.id);
      const failure = commitFailure();
      if (status === 'Accepted') accepted.resolve();
      else if (status !== 'Processing') accepted.reject(droppedError(tx.id, reason));
      else if (failure !== undefined) accepted.reject(notStoredError(tx.id, failure));
    };
    let cancel = (): void => {};
    try {
      await txIssuer.issue(tx);
      if (!engine.isBlockDue()) return;
      cancel = checkAgain(maxWait / checkInterval);
      await accepted.promise;
    } finally {
      cancel();
      unsubscribe();
    }
  };

const droppedError = (id: Id, reason = 'another transaction consumed one of its inputs first') => {
  const txID = idText(id);
  return new DevError(`transaction ${txID} was dropped: ${reason}; send it again`, {
    code: 'DEV_TX_DROPPED',
    txID,
  });
};

const notStoredError = (id: Id, { message, fault }: AnyFault) => {
  const txID = idText(id);
  return new DevError(
    `transaction ${txID} is not accepted: its block could not be stored: ${message}. It waits in the mempool; do not send it again`,
    { code: 'DEV_NOT_STORED', txID, cause: fault.code },
  );
};
