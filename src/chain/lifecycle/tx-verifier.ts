import type { Tx } from '../../avm/tx/tx.ts';
import { type EnrichFault, explainTx, type TxCheck } from '../../avm/verify/explain.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { Rules } from '../../avm/verify/rules.ts';
import { type SpendContext, verifySpend } from '../../avm/verify/spend.ts';
import { verifySyntax } from '../../avm/verify/syntax.ts';
import type { View } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createObjectSlot } from '../../base/cache/object-slot.ts';
import { signatureError } from '../../base/crypto/recover.ts';
import { Fault } from '../../base/fault.ts';
import type { Impersonation } from './impersonation.ts';

/** What verifies the transactions of a block. */
export type BlockVerifier = {
  readonly verifySyntax: (tx: Tx) => void;
  readonly verifySpend: (tx: Tx, view: View) => void;
};

/** What a chain needs of its verifier. */
export type TxVerifier = BlockVerifier & Pick<ExplainingVerifier, 'expectedSignatures' | 'setBootstrapping'>;

export type ExplainingVerifier = ReturnType<typeof createTxVerifier>;

/**
 * The rules of one chain (avm/verify), bound to its signature recovery, clock and subnet. A transaction is verified when it is issued and again when its
 * block is built, since the state may have changed; `recover` caches signers, so that costs no recovery.
 */
export function createTxVerifier({
  rules,
  recover,
  addressText,
  now,
  subnetID,
  subnetOf,
  impersonation,
}: {
  readonly rules: Rules;
  readonly recover: SpendContext['recover'];
  readonly addressText: SpendContext['addressText'];
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
  readonly impersonation?: Pick<Impersonation, 'isActive' | 'has' | 'mark'> | undefined;
}) {
  let bootstrapped = true;
  /** The signatures that were listed of a transaction, for another thread: it sets their signers, or that there is none. */
  const listed = createObjectSlot<Tx, ReadonlyMap<Uint8Array, ExpectedSignature>>();

  const recoverUnlessKnown = (tx: Tx): SpendContext['recover'] => {
    const known = listed.get(tx);
    if (known === undefined) return recover;
    return (message, signature) => {
      const signer = known.get(signature)?.signer ?? recover(message, signature);
      if (typeof signer === 'object') throw signatureError(signer);
      return signer;
    };
  };
  const rememberListed = (tx: Tx, all: readonly ExpectedSignature[]): readonly ExpectedSignature[] => {
    listed.set(tx, new Map(all.map((one) => [one.signature, one])));
    return all;
  };
  const contextOf = (tx: Tx, more: Pick<SpendContext, 'acceptUnsigned' | 'onExpectedSignature'>): SpendContext => ({
    chainID: rules.chainID,
    now: now(),
    recover: recoverUnlessKnown(tx),
    addressText,
    bootstrapped,
    subnetID,
    subnetOf,
    acceptUnsigned: more.acceptUnsigned,
    onExpectedSignature: more.onExpectedSignature,
  });
  const verifyWithImpersonation = (tx: Tx, view: View, { has, mark }: Pick<Impersonation, 'has' | 'mark'>): void => {
    let isUsed = false;
    const acceptUnsigned = (owner: Address): boolean => {
      const isAccepted = has(owner);
      isUsed ||= isAccepted;
      return isAccepted;
    };
    verifySpend(tx, view, contextOf(tx, { acceptUnsigned }));
    mark(tx, isUsed);
  };
  const acceptImpersonated = () => (impersonation?.isActive() === true ? impersonation.has : undefined);

  return {
    verifySyntax: (tx: Tx): void => verifySyntax(tx, rules),
    /** Turns bootstrapping on or off: while it is on, `verifySpend` skips signatures, imports and operations. */
    setBootstrapping: (on: boolean): void => {
      bootstrapped = !on;
    },
    verifySpend: (tx: Tx, view: View): void => {
      if (bootstrapped && impersonation?.isActive() === true) verifyWithImpersonation(tx, view, impersonation);
      else verifySpend(tx, view, contextOf(tx, {}));
    },
    /** Lists every check of a transaction with its result, see verify/explain.ts. */
    explain: (tx: Tx, view: View, enrich: EnrichFault): readonly TxCheck[] =>
      explainTx(tx, view, rules, contextOf(tx, { acceptUnsigned: acceptImpersonated() }), enrich),
    /** The signatures that `explain` would recover: also those after a check that fails, so all that `verifySpend` would recover are among them. */
    signaturesToExplain: (tx: Tx, view: View): readonly ExpectedSignature[] => {
      const all: ExpectedSignature[] = [];
      const list = { acceptUnsigned: acceptImpersonated(), onExpectedSignature: (one: ExpectedSignature) => void all.push(one) };
      explainTx(tx, view, rules, contextOf(tx, list));
      return rememberListed(tx, all);
    },
    /** The signatures that verification would recover: all, or those before the first check that fails without a signature. */
    expectedSignatures: (tx: Tx, view: View): readonly ExpectedSignature[] => {
      const all: ExpectedSignature[] = [];
      if (!bootstrapped) return all;
      try {
        verifySyntax(tx, rules);
        verifySpend(tx, view, contextOf(tx, { onExpectedSignature: (one) => void all.push(one) }));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      return rememberListed(tx, all);
    },
  };
}
