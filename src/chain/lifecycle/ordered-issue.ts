import type { Tx } from '../../avm/tx/tx.ts';

/**
 * Returns a function that issues transactions in the order of arrival, because later ones may depend on earlier ones. A transaction for
 * which `prepare` returns a promise waits for it, and later ones wait for that transaction. If there is nothing to wait for, a transaction
 * is issued synchronously.
 */
export function createOrderedIssue(
  prepare: (tx: Tx) => Promise<void> | undefined,
  issue: (tx: Tx) => void,
): (tx: Tx) => void | Promise<void> {
  let last: Promise<unknown> | undefined;

  return (tx) => {
    const prepared = prepare(tx);
    if (prepared === undefined && last === undefined) return issue(tx);
    const issued = Promise.allSettled([last, prepared]).then(([, { status }]) => (status === 'rejected' ? prepared : issue(tx)));
    const settled = issued
      .catch(() => {})
      .then(() => {
        if (last === settled) last = undefined;
      });
    last = settled;
    return issued;
  };
}
