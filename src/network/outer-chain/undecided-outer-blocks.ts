import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { Wrapped } from './block-contents.ts';
import { OuterChainError } from './fault.ts';

export type VerifiedOuterBlock = Wrapped & { readonly block: EngineBlock };

/** Limit for built blocks that were not verified; the inner chain has the same. */
const maxBuilt = 8;

/**
 * The outer blocks that are neither accepted nor rejected: verified ones, and ones that were built here and not verified. Several may hold the
 * same inner block: it is rejected with the last of them.
 */
export function createUndecidedOuterBlocks(inner: Pick<Vm, 'verify' | 'reject'>) {
  const verified = new Map<Id, VerifiedOuterBlock>();
  /** The verified outer blocks of each verified inner block. */
  const holders = new Map<Id, Set<Id>>();
  const built = new Map<Id, EngineBlock>();

  /** Returns the transactions of an inner block that was built here, unless another outer block holds it or it was returned before. */
  const giveBack = (innerID: Id): void => {
    if (holders.has(innerID)) return;
    try {
      inner.reject(innerID);
    } catch (error) {
      if (!(error instanceof Fault && error.fault.code === 'BLOCK_NOT_PROCESSING')) throw error;
    }
  };

  const requireVerified = (id: Id): VerifiedOuterBlock => {
    const processing = verified.get(id);
    if (processing === undefined)
      throw new OuterChainError(`outer block not found: ${idText(id)}`, { code: 'OUTER_NOT_PROCESSING', blockID: idText(id) });
    return processing;
  };

  return {
    get: (id: Id): VerifiedOuterBlock | undefined => verified.get(id),
    requireVerified,
    giveBack,
    addBuilt: (id: Id, innerBlock: EngineBlock): void => {
      if (built.size >= maxBuilt) built.delete(built.keys().next().value as Id);
      built.set(id, innerBlock);
    },
    /** Forgets that a block was built here. Returns whether it was. */
    removeBuilt: (id: Id): boolean => built.delete(id),
    /** Verifies the inner block, unless another outer block holds it; the outer block is processing from then on. */
    addVerified: (processing: VerifiedOuterBlock): void => {
      const siblings = holders.get(processing.inner.id);
      if (siblings === undefined) inner.verify(processing.inner);
      holders.set(processing.inner.id, (siblings ?? new Set()).add(processing.outer.id));
      verified.set(processing.outer.id, processing);
    },
    removeAccepted: (accepted: readonly VerifiedOuterBlock[], lastHeight: bigint): void => {
      for (const { outer, inner: innerBlock } of accepted) {
        verified.delete(outer.id);
        holders.delete(innerBlock.id);
      }
      for (const [id, { height }] of built) if (height <= lastHeight) built.delete(id);
    },
    reject: (id: Id): void => {
      const unverified = built.get(id);
      if (unverified !== undefined) {
        built.delete(id);
        giveBack(unverified.id);
        return;
      }
      const innerID = requireVerified(id).inner.id;
      verified.delete(id);
      const others = holders.get(innerID);
      others?.delete(id);
      if (others?.size !== 0) return;
      holders.delete(innerID);
      inner.reject(innerID);
    },
  };
}
