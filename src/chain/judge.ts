import type { Id } from '../bytes/id.ts';
import type { View } from '../state/view.ts';
import type { Tx } from '../tx/tx.ts';
import type { Rules } from '../verify/rules.ts';
import { type SpendContext, verifySpend } from '../verify/spend.ts';
import { verifySyntax } from '../verify/syntax.ts';

/** The rules of one chain with everything they need from outside: who signed, what time it is, where other chains live. */
export type Judge = {
  readonly syntax: (tx: Tx) => void;
  readonly spend: (tx: Tx, view: View) => void;
};

export type JudgeDeps = {
  readonly rules: Rules;
  readonly recover: SpendContext['recover'];
  readonly addressText: SpendContext['addressText'];
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
};

export function createJudge({ rules, recover, addressText, now, subnetID, subnetOf }: JudgeDeps): Judge {
  const { chainID } = rules;
  // The same transaction is judged when issued, when built into a block and with the block: its syntax cannot have changed since.
  const passed = new WeakSet<Tx>();
  return {
    syntax: (tx) => {
      if (passed.has(tx)) return;
      verifySyntax(tx, rules);
      passed.add(tx);
    },
    spend: (tx, view) => verifySpend(tx, view, { chainID, now: now(), recover, addressText, bootstrapped: true, subnetID, subnetOf }),
  };
}
