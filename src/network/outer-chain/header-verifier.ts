import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { OuterBlock } from '../proposervm/outer-block.ts';
import type { ScheduleAt } from '../proposervm/proposer.ts';
import { verifyChild, verifyFirstChild } from '../proposervm/verify-child.ts';
import { OuterChainError, validatorsNotLoaded } from './fault.ts';
import type { Tip } from './outer-builder.ts';
import type { OuterVmParts } from './outer-vm.ts';

/** Verifies what an outer block adds to the block that it wraps. `tipAt`: a processing block, or the last accepted one. */
export function createHeaderVerifier(
  { rules, validators, now }: Pick<OuterVmParts, 'rules' | 'validators' | 'now'>,
  scheduleAt: ScheduleAt,
  tipAt: (id: Id) => Tip | undefined,
  isBootstrapping: () => boolean,
) {
  const verify = (outer: OuterBlock, innerBlock: EngineBlock): void => {
    const parent = tipAt(outer.parentID);
    if (parent === undefined)
      throw new OuterChainError(`unknown parent ${idText(outer.parentID)}`, {
        code: 'OUTER_PARENT_UNKNOWN',
        parentID: idText(outer.parentID),
      });
    const child = { ...outer, innerParentId: innerBlock.parentID, height: innerBlock.height };
    const time = BigInt(now());
    const { header, innerId } = parent;
    if (header === undefined) {
      verifyFirstChild({ timestamp: parent.time, innerId }, child, rules, time, validators.knownHeight());
      return;
    }
    const schedule = isBootstrapping() ? undefined : scheduleAt(header.pChainHeight);
    if (!isBootstrapping() && schedule === undefined) throw validatorsNotLoaded(header.pChainHeight);
    const normal = schedule && { currentPChainHeight: validators.knownHeight(), schedule };
    verifyChild({ ...header, innerId }, child, rules, time, normal);
  };
  return {
    /** Loads the validators that `verify` needs. */
    loadValidators: async (outer: OuterBlock): Promise<void> => {
      const needed = tipAt(outer.parentID)?.header?.pChainHeight;
      if (needed !== undefined && validators.at(needed) === undefined) await validators.load(needed);
    },
    verify,
    /** Whether the header passes now. Loads the validators at its height, which children of the block need; their loss is no reason to refuse it. */
    accepts: (outer: OuterBlock, innerBlock: EngineBlock): boolean => {
      try {
        verify(outer, innerBlock);
      } catch (error) {
        if (error instanceof Fault) return false;
        throw error;
      }
      if (validators.at(outer.pChainHeight) === undefined) validators.load(outer.pChainHeight).catch(() => {});
      return true;
    },
  };
}
