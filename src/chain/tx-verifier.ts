import type { Id } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { View } from '../state/view.ts';
import type { Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import type { Rules } from '../verify/rules.ts';
import { type SpendContext, verifySpend } from '../verify/spend.ts';
import { verifySyntax } from '../verify/syntax.ts';

/** The rules of one chain with everything they need from outside: who signed, what time it is, where other chains live. */
export type TxVerifier = {
  readonly syntax: (tx: Tx) => void;
  readonly spend: (tx: Tx, view: View) => void;
  /** Signatures that syntax and spend would recover: all, or those before the first check that fails without any signature. */
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
  // The same transaction is judged when issued, when built into a block and with the block: its syntax cannot have changed since.
  const passed = new WeakSet<Tx>();
  const syntax = (tx: Tx): void => {
    if (passed.has(tx)) return;
    verifySyntax(tx, rules);
    passed.add(tx);
  };
  const context = (): SpendContext => ({ chainID, now: now(), recover, addressText, bootstrapped: true, subnetID, subnetOf });
  return {
    syntax,
    spend: (tx, view) => verifySpend(tx, view, context()),
    expectedSignatures: (tx, view) => {
      const all: ExpectedSignature[] = [];
      try {
        syntax(tx);
        verifySpend(tx, view, { ...context(), expect: (one) => all.push(one) });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      return all;
    },
  };
}
