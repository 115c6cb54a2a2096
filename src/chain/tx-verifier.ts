import type { Id } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { View } from '../state/view.ts';
import type { Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import type { Rules } from '../verify/rules.ts';
import { type SpendContext, verifySpend } from '../verify/spend.ts';
import { verifySyntax } from '../verify/syntax.ts';
import { hasUnchangedInputs, isRecordable, recordVerified, type VerifiedTx } from './verified-tx.ts';

/** The rules of one chain, bound to its signature recovery, clock and subnet. */
export type TxVerifier = {
  readonly verifySyntax: (tx: Tx) => void;
  readonly verifySpend: (tx: Tx, view: View) => void;
  /** The signatures that verification would recover: all, or those before the first check that fails without a signature. */
  readonly expectedSignatures: (tx: Tx, view: View) => ExpectedSignature[];
};

export type TxVerifierDeps = {
  readonly rules: Rules;
  readonly recover: SpendContext['recover'];
  readonly addressText: SpendContext['addressText'];
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

export function createTxVerifier({ rules, recover, addressText, now, subnetID, subnetOf }: TxVerifierDeps): TxVerifier {
  const { chainID } = rules;
  // A transaction is verified when it is issued, when its block is built, and with the block. Its syntax is the same each time.
  const passed = new WeakSet<Tx>();
  const verifySyntaxOnce = (tx: Tx): void => {
    if (passed.has(tx)) return;
    verifySyntax(tx, rules);
    passed.add(tx);
  };
  const verified = new WeakMap<Tx, VerifiedTx>();
  const context = (): SpendContext => ({ chainID, now: now(), recover, addressText, bootstrapped: true, subnetID, subnetOf });
  return {
    verifySyntax: verifySyntaxOnce,
    verifySpend: (tx, view) => {
      const spending = context();
      const before = verified.get(tx);
      if (before !== undefined && hasUnchangedInputs(before, view, spending.now)) return;
      verifySpend(tx, view, spending);
      if (isRecordable(tx)) verified.set(tx, recordVerified(tx, spending.now));
    },
    expectedSignatures: (tx, view) => {
      const all: ExpectedSignature[] = [];
      try {
        verifySyntaxOnce(tx);
        verifySpend(tx, view, { ...context(), onExpectedSignature: (one) => all.push(one) });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      return all;
    },
  };
}
