import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { makeSignedBlock, makeUnsignedBlock, type OuterBlock } from '../proposervm/outer-block.ts';
import { builtWindows, type ProposerSchedule, type ScheduleAt, slotOf, slotSeconds, verifiedWindows } from '../proposervm/proposer.ts';
import { childEpoch } from '../proposervm/verify-child.ts';
import type { createBlockContents } from './block-contents.ts';
import { validatorsNotLoaded } from './fault.ts';
import type { OuterVmParts } from './outer-vm.ts';
import type { createUndecidedOuterBlocks } from './undecided-outer-blocks.ts';

/** A block that can have children. `header`: undefined for the first block of a chain, which is not wrapped. */
export type Tip = {
  readonly id: Id;
  readonly height: bigint;
  readonly innerId: Id;
  /** Unix seconds. */
  readonly time: bigint;
  readonly header: Pick<OuterBlock, 'timestamp' | 'pChainHeight' | 'epoch'> | undefined;
};

/** The staking key of this node. */
export type Proposer = {
  readonly nodeId: NodeId;
  /** The certificate in DER. */
  readonly certificate: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
};

/** Builds outer blocks on the preferred one, in the slots of this node. `preferredTip`: undefined while no block may be built. */
export function createOuterBuilder(
  parts: OuterVmParts,
  contents: Pick<ReturnType<typeof createBlockContents>, 'wrapped'>,
  undecided: Pick<ReturnType<typeof createUndecidedOuterBlocks>, 'addBuilt' | 'giveBack'>,
  scheduleAt: ScheduleAt,
  preferredTip: () => Tip | undefined,
) {
  const { inner, validators } = parts;
  const proposal = createProposal(parts, scheduleAt);
  return {
    build: (): EngineBlock | undefined => {
      const tip = preferredTip();
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
      const tip = preferredTip();
      if (tip === undefined) return undefined;
      const needed = tip.header?.pChainHeight;
      if (needed !== undefined && validators.at(needed) === undefined) validators.load(needed).catch(() => {});
      return proposal.nextBuildTime(tip);
    },
  };
}

/** Milliseconds until the validators may be loaded. */
const retryDelay = 1000;

/** How many slots are searched in one call: each takes up to 0.06 ms. */
const searchedSlots = 32n;

/** When it is this node's turn, and how it wraps a block. AvalancheGo: vms/proposervm/vm.go, timeToBuild; block.go, buildChild. */
function createProposal({ chainID, rules, proposer, now, minBlockDelay, validators }: OuterVmParts, scheduleAt: ScheduleAt) {
  const nowSeconds = (): bigint => BigInt(Math.floor(now() / 1000));
  /** The slot that was found last: each search draws from a random source per slot. */
  let found: { readonly tip: Id; readonly from: bigint; readonly slot: bigint | undefined } | undefined;

  const firstOwnSlot = (tip: Tip, from: bigint, find: () => bigint | undefined): bigint | undefined => {
    const isFresh = found?.tip === tip.id && (found.slot === undefined ? found.from === from : found.from <= from && from <= found.slot);
    if (!isFresh) found = { tip: tip.id, from, slot: find() };
    return found?.slot;
  };

  const timestampOn = ({ time }: Tip): bigint => {
    const seconds = nowSeconds();
    return seconds > time ? seconds : time;
  };

  /** AvalancheGo: block.go, shouldBuildSignedBlockPreDurango. */
  const turnBeforeDurango = (delay: bigint, height: bigint, schedule: ProposerSchedule): 'signed' | 'unsigned' | 'other' => {
    if (delay >= BigInt(builtWindows) * slotSeconds) return 'unsigned';
    if (delay < schedule.delayOf(height, proposer.nodeId, builtWindows)) return 'other';
    return delay < BigInt(verifiedWindows) * slotSeconds ? 'signed' : 'unsigned';
  };

  return {
    /**
     * From when a block on the tip may be built, in Unix milliseconds. If the own slot is not among the next ones, the time at which to search
     * again; undefined if this node is not a validator there.
     */
    nextBuildTime: (tip: Tip): number | undefined => {
      const { header, height } = tip;
      if (header === undefined) return 0;
      const schedule = scheduleAt(header.pChainHeight);
      if (schedule === undefined) return now() + retryDelay;
      const parent = Number(header.timestamp) * 1000;
      if (header.timestamp < rules.durangoTime) {
        const delay = schedule.delayOf(height + 1n, proposer.nodeId, builtWindows);
        return parent + Math.max(Number(delay) * 1000, minBlockDelay);
      }
      if (!schedule.hasValidators) return parent + minBlockDelay;
      if (!schedule.isValidator(proposer.nodeId)) return undefined;
      const from = slotOf(header.timestamp, nowSeconds());
      const find = () => schedule.firstSlotOf(height + 1n, proposer.nodeId, from, searchedSlots);
      const slot = firstOwnSlot(tip, from, find) ?? from + searchedSlots;
      return parent + Math.max(Number(slot * slotSeconds) * 1000, minBlockDelay);
    },
    /** Whether a block on the tip may be built now, and if so, signed. Throws if the validators are not loaded. */
    turnOn: (tip: Tip): 'signed' | 'unsigned' | 'other' => {
      const { header, height } = tip;
      if (header === undefined) return 'unsigned';
      const schedule = scheduleAt(header.pChainHeight);
      if (schedule === undefined) throw validatorsNotLoaded(header.pChainHeight);
      if (header.timestamp < rules.durangoTime) return turnBeforeDurango(timestampOn(tip) - header.timestamp, height + 1n, schedule);
      const expected = schedule.proposerOf(height + 1n, slotOf(header.timestamp, timestampOn(tip)));
      if (expected === undefined) return 'unsigned';
      return expected === proposer.nodeId ? 'signed' : 'other';
    },
    wrap: (tip: Tip, inner: Uint8Array, turn: 'signed' | 'unsigned'): OuterBlock => {
      const { header } = tip;
      const timestamp = timestampOn(tip);
      const proposed = validators.proposedHeight();
      const least = header?.pChainHeight ?? rules.minPChainHeight;
      const pChainHeight = proposed > least ? proposed : least;
      const epoch = header && childEpoch(header, timestamp, rules);
      const parts = { parentID: tip.id, timestamp, pChainHeight, epoch, inner };
      return turn === 'unsigned' ? makeUnsignedBlock(parts) : makeSignedBlock(parts, chainID, proposer.certificate, proposer.sign);
    },
  };
}
