import type { EngineBlock, Vm, VmBuilder } from '../../avm/vm.ts';
import type { Validators } from '../protocol/validators.ts';
import type { createBlockContents } from './block-contents.ts';
import type { createProposal, Tip } from './proposal.ts';
import type { createUndecidedOuterBlocks } from './undecided-outer-blocks.ts';

type OuterBuilderDeps = {
  readonly inner: Pick<Vm, 'build'>;
  readonly proposal: ReturnType<typeof createProposal>;
  readonly contents: Pick<ReturnType<typeof createBlockContents>, 'wrapped'>;
  readonly undecided: Pick<ReturnType<typeof createUndecidedOuterBlocks>, 'addBuilt' | 'giveBack'>;
  readonly validators: Pick<Validators, 'at' | 'load'>;
  /** The preferred block; undefined while no block may be built. */
  readonly tip: () => Tip | undefined;
};

/** Builds outer blocks on the preferred one, in the slots of this node. */
export function createOuterBuilder(deps: OuterBuilderDeps): Pick<VmBuilder, 'build' | 'nextBuildTime'> {
  const { inner, proposal, contents, undecided, validators } = deps;
  return {
    build: (): EngineBlock | undefined => {
      const tip = deps.tip();
      if (tip === undefined) return undefined;
      const turn = proposal.turnOn(tip);
      if (turn === 'other') return undefined;
      const innerBlock = inner.build();
      if (innerBlock === undefined) return undefined;
      try {
        const block = contents.wrapped({ outer: proposal.wrap(tip, innerBlock.bytes, turn), inner: innerBlock });
        undecided.addBuilt(block.id, innerBlock);
        return block;
      } catch (error) {
        undecided.giveBack(innerBlock.id);
        throw error;
      }
    },
    nextBuildTime: (): number | undefined => {
      const tip = deps.tip();
      if (tip === undefined) return undefined;
      const needed = tip.header?.pChainHeight;
      if (needed !== undefined && validators.at(needed) === undefined) validators.load(needed).catch(() => {});
      return proposal.nextBuildTime(tip);
    },
  };
}
