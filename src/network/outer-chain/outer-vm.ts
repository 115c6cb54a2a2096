import type { EngineBlock, StoringVm, Vm } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { OuterBlock, VerifySignature } from '../proposervm/outer-block.ts';
import { createScheduleCache, type ScheduleAt } from '../proposervm/proposer.ts';
import { type ChildRules, verifyChild, verifyFirstChild } from '../proposervm/verify-child.ts';
import type { Validators } from '../protocol/validators.ts';
import { createBlockContents, type Wrapped } from './block-contents.ts';
import { OuterChainError, validatorsNotLoaded } from './fault.ts';
import { createOuterBuilder, type Proposer, type Tip } from './outer-builder.ts';
import type { OuterStore } from './outer-store.ts';
import { createUndecidedOuterBlocks } from './undecided-outer-blocks.ts';

/** What the Vm of outer blocks works with, and its builder and header verifier. */
export type OuterVmParts = {
  readonly chainID: Id;
  /** The Vm of the wrapped chain. */
  readonly inner: StoringVm;
  readonly store: OuterStore;
  readonly rules: ChildRules;
  readonly validators: Pick<Validators, 'at' | 'load' | 'proposedHeight' | 'knownHeight'>;
  readonly verifySignature: VerifySignature;
  readonly proposer: Proposer;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds after the parent's timestamp before which this node builds no block. Others do not verify it. */
  readonly minBlockDelay: number;
};

/** A Vm of outer blocks. */
type OuterVm = Vm & {
  /** The P-Chain height that the last accepted block refers to; undefined if it is the first block, which is not wrapped. */
  readonly acceptedPChainHeight: () => bigint | undefined;
};

/**
 * Wraps the Vm of a chain into a Vm of outer blocks, which the nodes of a network exchange. The rules are in src/network/proposervm. Several
 * outer blocks may hold the same inner block: it is verified once, and rejected with the last of them. AvalancheGo: vms/proposervm/vm.go.
 */
export function createOuterVm(parts: OuterVmParts): OuterVm {
  const { chainID, inner, store, validators } = parts;
  const contents = createBlockContents(chainID, inner, parts.verifySignature);
  const undecided = createUndecidedOuterBlocks(inner);
  let isBootstrapping = false;
  repairOuterStore(store, inner);
  let last = readLast();
  let preferred = last.id;

  function readLast(): Tip {
    const stored = store.last();
    if (stored !== undefined) return tipOf(contents.decodeStored(store.bytes(stored.id) as Uint8Array));
    const { id, height, time } = inner.block(inner.lastAccepted()) as EngineBlock;
    return { id, height, time, innerId: id, header: undefined };
  }

  const tipAt = (id: Id): Tip | undefined => {
    const processing = undecided.get(id);
    return processing === undefined ? (id === last.id ? last : undefined) : tipOf(processing);
  };

  const scheduleAt = createScheduleCache(chainID, validators);
  const headers = createHeaderVerifier(parts, scheduleAt, tipAt, () => isBootstrapping);
  const buildTip = (): Tip | undefined => (isBootstrapping ? undefined : tipAt(preferred));
  const { build, nextBuildTime } = createOuterBuilder(parts, contents, undecided, scheduleAt, buildTip);

  const verify = (block: EngineBlock): void => {
    if (undecided.get(block.id) !== undefined || block.id === last.id) return;
    const { outer, inner: innerBlock } = contents.of(block);
    // Only the first block of a chain is not wrapped, and it is accepted from the start.
    if (outer === undefined) throw new OuterChainError('expected child to be signed', { code: 'OUTER_UNWRAPPED' });
    const isBuiltHere = undecided.removeBuilt(outer.id);
    try {
      headers.verify(outer, innerBlock);
    } catch (error) {
      if (isBuiltHere) undecided.giveBack(innerBlock.id);
      throw error;
    }
    const content = { outer, inner: innerBlock };
    undecided.addVerified({ ...content, block: contents.withContents(block, content) });
  };

  const preverify = async (block: EngineBlock): Promise<void> => {
    const { outer, inner: innerBlock } = contents.of(block);
    if (isBootstrapping) return inner.preverify(innerBlock);
    if (outer === undefined) return;
    await headers.loadValidators(outer);
    // What its header refuses must cost nothing more: anyone can send it. `verify` says why.
    if (headers.accepts(outer, innerBlock)) await inner.preverify(innerBlock);
  };

  const accept = (ids: readonly Id[]): void => {
    const accepted = ids.map(undecided.requireVerified);
    const top = accepted.at(-1);
    if (top === undefined) return;
    inner.accept(
      accepted.map(({ inner: { id } }) => id),
      () => store.insert(accepted.map(({ outer, inner: { height } }) => ({ outer, height }))),
    );
    last = tipOf(top);
    undecided.removeAccepted(accepted, last.height);
  };

  /** The first block of the chain, which is not wrapped. */
  const firstBytes = (id: Id): Uint8Array | undefined => (id === inner.blockIdAtHeight(0n) ? inner.blockBytes(id) : undefined);

  return {
    build,
    nextBuildTime,
    lastAccepted: () => last.id,
    acceptedPChainHeight: () => last.header?.pChainHeight,
    blockIdAtHeight: (height) => (height === 0n ? inner.blockIdAtHeight(0n) : store.idAt(height)),
    parse: contents.parse,
    block: (id) => {
      const processing = undecided.get(id);
      if (processing !== undefined) return processing.block;
      const bytes = store.bytes(id);
      if (bytes !== undefined) return contents.wrapped(contents.decodeStored(bytes));
      const first = firstBytes(id);
      return first && contents.unwrapped(first);
    },
    blockBytes: (id) => undecided.get(id)?.outer.bytes ?? store.bytes(id) ?? firstBytes(id),
    preverify,
    verify,
    accept,
    reject: undecided.reject,
    setPreference: (id) => {
      preferred = id;
      inner.setPreference(tipAt(id)?.innerId ?? id);
    },
    setBootstrapping: (on) => {
      isBootstrapping = on;
      inner.setBootstrapping(on);
    },
    onWork: inner.onWork,
    waiting: inner.waiting,
  };
}

const tipOf = ({ outer, inner: { id: innerId, height } }: Wrapped): Tip => ({
  id: outer.id,
  height,
  innerId,
  time: outer.timestamp,
  header: outer,
});

/**
 * Compares the last outer block with the last inner block at the start. Outer blocks above it are removed. If outer blocks are missing, the
 * chain was not built by a network: it cannot be joined. AvalancheGo: vms/proposervm/vm.go, repairAcceptedChainByHeight.
 */
function repairOuterStore(store: Pick<OuterStore, 'last' | 'removeAbove'>, inner: Pick<Vm, 'lastAccepted' | 'block'>): void {
  const innerHeight = (inner.block(inner.lastAccepted()) as EngineBlock).height;
  const height = store.last()?.height ?? 0n;
  if (height > innerHeight) store.removeAbove(innerHeight);
  if (height < innerHeight)
    throw new OuterChainError(
      `the chain has ${innerHeight} blocks, but only ${height} of them come from a network: a chain that decided blocks alone cannot join one; use a new data directory`,
      { code: 'OUTER_MISSING', height, innerHeight },
    );
}

/** Verifies what an outer block adds to the block that it wraps. `tipAt`: a processing block, or the last accepted one. */
function createHeaderVerifier(
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
