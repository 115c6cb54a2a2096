import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
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
import { hasUnchangedInputs, isRecordable, recordVerified, type VerifiedTx } from './verified-tx.ts';

/** What verifies the transactions of a block. */
export type BlockVerifier = {
  readonly verifySyntax: (tx: Tx) => void;
  readonly verifySpend: (tx: Tx, view: View) => void;
};

/** The rules of one chain, bound to its signature recovery, clock and subnet. */
export type TxVerifier = BlockVerifier & {
  /** The signatures that verification would recover: all, or those before the first check that fails without a signature. */
  readonly expectedSignatures: (tx: Tx, view: View) => ExpectedSignature[];
  /** Turns bootstrapping on or off: while it is on, `verifySpend` skips signatures, imports and operations. */
  readonly setBootstrapping: (on: boolean) => void;
};

/** A verifier that can also list every check of a transaction with its result, see verify/explain.ts. */
export type ExplainingVerifier = TxVerifier & {
  readonly explain: (tx: Tx, view: View, enrich: EnrichFault) => readonly TxCheck[];
  /** The signatures that `explain` would recover: also those after a check that fails, so all that `verifySpend` would recover are among them. */
  readonly signaturesToExplain: (tx: Tx, view: View) => ExpectedSignature[];
};

type TxVerifierDeps = {
  readonly rules: Rules;
  readonly recover: SpendContext['recover'];
  readonly addressText: SpendContext['addressText'];
  /** Unix seconds. */
  readonly now: () => bigint;
  readonly subnetID: Id;
  readonly subnetOf: (chainID: Id) => Id | undefined;
  readonly impersonation?: Pick<Impersonation, 'isActive' | 'has' | 'mark'>;
};

export function createTxVerifier({
  rules,
  recover,
  addressText,
  now,
  subnetID,
  subnetOf,
  impersonation,
}: TxVerifierDeps): ExplainingVerifier {
  const { chainID } = rules;
  let bootstrapped = true;
  // A transaction is verified when it is issued, when its block is built, and with the block. Its syntax is the same each time.
  const passed = createObjectSlot<Tx, true>();
  const verifySyntaxOnce = (tx: Tx): void => {
    if (passed.get(tx) === true) return;
    verifySyntax(tx, rules);
    passed.set(tx, true);
  };
  const verified = createObjectSlot<Tx, VerifiedTx>();
  const awaited = createObjectSlot<Tx, AwaitedSignatures>();
  /** Completes a verification without signatures. Returns undefined if the caller has to verify all again, also to find the reason. */
  const completeVerification = (tx: Tx, view: View, now: bigint): VerifiedTx | undefined => {
    const { signatures, verified } = awaited.get(tx) ?? noneAwaited;
    if (verified === undefined || !hasUnchangedInputs(verified, view, now)) return undefined;
    try {
      const signerOf = ({ signature, signer }: ExpectedSignature) => signer ?? recover(unsignedBytes(tx), signature);
      return signatures.every((one) => signerOf(one) === one.owner) ? verified : undefined;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return undefined;
    }
  };
  const context = (time = now(), known = recover): SpendContext => ({
    ...{ chainID, now: time, recover: known, addressText, bootstrapped, subnetID, subnetOf },
  });
  /** Recovers a signer of a transaction, unless another thread has found it, or that there is none. */
  const recoverUnlessKnown = (tx: Tx): SpendContext['recover'] => {
    const { signatures } = awaited.get(tx) ?? noneAwaited;
    if (signatures.length === 0) return recover;
    const signers = new Map(signatures.map(({ signature, signer }) => [signature, signer]));
    return (message, signature) => {
      const signer = signers.get(signature) ?? recover(message, signature);
      if (typeof signer === 'object') throw signatureError(signer);
      return signer;
    };
  };
  const verifyWithImpersonation = (tx: Tx, view: View, { has, mark }: Pick<Impersonation, 'has' | 'mark'>): void => {
    let isUsed = false;
    const acceptUnsigned = (owner: Address): boolean => {
      const isAccepted = has(owner);
      isUsed ||= isAccepted;
      return isAccepted;
    };
    verifySpend(tx, view, { ...context(now(), recoverUnlessKnown(tx)), acceptUnsigned });
    mark(tx, isUsed);
  };
  const contextToExplain = (tx: Tx): SpendContext => ({
    ...context(now(), recoverUnlessKnown(tx)),
    acceptUnsigned: impersonation?.isActive() === true ? impersonation.has : undefined,
  });
  return {
    verifySyntax: verifySyntaxOnce,
    setBootstrapping: (on) => {
      bootstrapped = !on;
    },
    verifySpend: (tx, view) => {
      // Not recorded: a transaction that passes now may fail when its signatures are verified.
      if (!bootstrapped) return verifySpend(tx, view, context());
      if (impersonation?.isActive() === true) return verifyWithImpersonation(tx, view, impersonation);
      const time = now();
      const before = verified.get(tx);
      if (before !== undefined && hasUnchangedInputs(before, view, time)) return;
      const completed = completeVerification(tx, view, time);
      if (completed === undefined) verifySpend(tx, view, context(time, recoverUnlessKnown(tx)));
      if (!isRecordable(tx)) return;
      verified.set(tx, completed ?? recordVerified(tx, time));
      awaited.set(tx, undefined);
    },
    explain: (tx, view, enrich) => explainTx(tx, view, rules, contextToExplain(tx), enrich),
    signaturesToExplain: (tx, view) => {
      const all: ExpectedSignature[] = [];
      explainTx(tx, view, rules, { ...contextToExplain(tx), onExpectedSignature: (one) => all.push(one) });
      awaited.set(tx, { signatures: all, verified: undefined });
      return all;
    },
    expectedSignatures: (tx, view) => {
      const all: ExpectedSignature[] = [];
      if (!bootstrapped) return all;
      const spending = context();
      try {
        verifySyntaxOnce(tx);
        verifySpend(tx, view, { ...spending, onExpectedSignature: (one) => all.push(one) });
        awaited.set(tx, { signatures: all, verified: isRecordable(tx) ? recordVerified(tx, spending.now) : undefined });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        awaited.set(tx, { signatures: all, verified: undefined });
      }
      return all;
    },
  };
}

/** Signatures of a transaction that another thread recovers. `verified`: it is valid if all of them are by their owners. */
type AwaitedSignatures = { readonly signatures: readonly ExpectedSignature[]; readonly verified: VerifiedTx | undefined };

const noneAwaited: AwaitedSignatures = { signatures: [], verified: undefined };
