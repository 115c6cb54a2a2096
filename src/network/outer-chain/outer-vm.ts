import type { EngineBlock, StoringVm, Vm } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { type OuterBlock, parseOuterBlock } from '../proposervm/outer-block.ts';
import { verifyChild, verifyFirstChild } from '../proposervm/verify-child.ts';
import { type VerifySignature, verifyBlockSignature } from '../proposervm/verify-signature.ts';
import type { Validators } from '../protocol/validators.ts';
import { OuterChainError } from './fault.ts';
import type { OuterStore } from './outer-store.ts';
import { createProposal, type ProposalDeps, type Tip, validatorsNotLoaded } from './proposal.ts';
import { repairOuterStore } from './repair.ts';
import { createScheduleCache } from './schedule-cache.ts';

export type OuterVmDeps = Omit<ProposalDeps, 'scheduleAt' | 'validators'> & {
  /** The Vm of the wrapped chain. */
  readonly inner: StoringVm;
  readonly store: OuterStore;
  readonly validators: Pick<Validators, 'at' | 'load' | 'proposedHeight' | 'knownHeight'>;
  readonly verifySignature: VerifySignature;
};

/** `outer`: undefined for a block that is not wrapped. */
type Parsed = { readonly outer: OuterBlock | undefined; readonly inner: EngineBlock };

type Wrapped = { readonly outer: OuterBlock; readonly inner: EngineBlock };
type Verified = Wrapped & { readonly block: EngineBlock };

/** Limit for built blocks that were not verified; the inner chain has the same. */
const maxBuilt = 8;

/**
 * Wraps the Vm of a chain into a Vm of outer blocks, which the nodes of a network exchange. The rules are in src/proposervm. Several outer
 * blocks may hold the same inner block: it is verified once, and rejected with the last of them. AvalancheGo: vms/proposervm/vm.go.
 */
export function createOuterVm(deps: OuterVmDeps): Vm {
  const { inner, store, rules, validators, chainID } = deps;
  const scheduleAt = createScheduleCache(chainID, validators);
  const proposal = createProposal({ ...deps, scheduleAt });
  const verified = new Map<Id, Verified>();
  /** The processing outer blocks of each processing inner block. */
  const holders = new Map<Id, Set<Id>>();
  const built = new Map<Id, EngineBlock>();
  /** What the blocks that this file made or decoded contain; every other object is decoded from its bytes. */
  const contents = new WeakMap<EngineBlock, Parsed>();
  let isBootstrapping = false;
  repairOuterStore(store, inner);
  let last = readLast();
  let preferred = last.id;

  function readLast(): Tip {
    const stored = store.last();
    if (stored !== undefined) return tipOf(decodeStored(store.bytes(stored.id) as Uint8Array));
    const { id, height, time } = inner.block(inner.lastAccepted()) as EngineBlock;
    return { id, height, time, innerId: id, header: undefined };
  }

  function decodeStored(bytes: Uint8Array): Wrapped {
    const outer = parseOuterBlock(bytes);
    return { outer, inner: inner.parse(outer.inner) };
  }

  function tipOf({ outer, inner: { id: innerId, height } }: Wrapped): Tip {
    return { id: outer.id, height, innerId, time: outer.timestamp, header: outer };
  }

  const tipAt = (id: Id): Tip | undefined => {
    const processing = verified.get(id);
    return processing === undefined ? (id === last.id ? last : undefined) : tipOf(processing);
  };

  const wrapped = (content: Wrapped): EngineBlock => {
    const { id, parentID, timestamp, bytes } = content.outer;
    const block = { id, parentID, height: content.inner.height, time: timestamp, bytes };
    contents.set(block, content);
    return block;
  };

  const unwrapped = (bytes: Uint8Array): EngineBlock => {
    const { id, parentID, height, time, bytes: innerBytes } = inner.parse(bytes);
    const block = { id, parentID, height, time, bytes: innerBytes };
    contents.set(block, { outer: undefined, inner: block });
    return block;
  };

  /** Decodes a block of a peer. The bytes are copied, because they are part of a message. A bad signature makes it no outer block at all. */
  const parse = (message: Uint8Array): EngineBlock => {
    const bytes = new Uint8Array(message);
    try {
      const outer = parseOuterBlock(bytes);
      verifyBlockSignature(outer, chainID, deps.verifySignature);
      return wrapped({ outer, inner: inner.parse(outer.inner) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      try {
        return unwrapped(bytes);
      } catch {
        throw error;
      }
    }
  };

  const contentsOf = (block: EngineBlock): Parsed => contents.get(block) ?? (contents.get(parse(block.bytes)) as Parsed);

  const verifyHeader = (outer: OuterBlock, innerBlock: EngineBlock): void => {
    const parent = tipAt(outer.parentID);
    if (parent === undefined)
      throw new OuterChainError(`unknown parent ${idText(outer.parentID)}`, {
        code: 'OUTER_PARENT_UNKNOWN',
        parentID: idText(outer.parentID),
      });
    const child = { ...outer, innerParentId: innerBlock.parentID, height: innerBlock.height };
    const now = BigInt(deps.now());
    const { header, innerId } = parent;
    if (header === undefined) {
      verifyFirstChild({ timestamp: parent.time, innerId }, child, rules, now, validators.knownHeight());
      return;
    }
    const schedule = isBootstrapping ? undefined : scheduleAt(header.pChainHeight);
    if (!isBootstrapping && schedule === undefined) throw validatorsNotLoaded(header.pChainHeight);
    const normal = schedule && { currentPChainHeight: validators.knownHeight(), schedule };
    verifyChild({ ...header, innerId }, child, rules, now, normal);
  };

  const verify = (block: EngineBlock): void => {
    if (verified.has(block.id) || block.id === last.id) return;
    const { outer, inner: innerBlock } = contentsOf(block);
    // Only the first block of a chain is not wrapped, and it is accepted from the start.
    if (outer === undefined) throw new OuterChainError('expected child to be signed', { code: 'OUTER_UNWRAPPED' });
    const isBuiltHere = built.delete(outer.id);
    try {
      verifyHeader(outer, innerBlock);
    } catch (error) {
      if (isBuiltHere) giveBack(innerBlock.id);
      throw error;
    }
    const siblings = holders.get(innerBlock.id);
    if (siblings === undefined) inner.verify(innerBlock);
    holders.set(innerBlock.id, (siblings ?? new Set()).add(outer.id));
    verified.set(outer.id, { outer, inner: innerBlock, block: contents.has(block) ? block : wrapped({ outer, inner: innerBlock }) });
  };

  /** Returns the transactions of an inner block that was built here, unless another outer block holds it or it was returned before. */
  const giveBack = (innerID: Id): void => {
    if (holders.has(innerID)) return;
    try {
      inner.reject(innerID);
    } catch (error) {
      if (!(error instanceof Fault && error.fault.code === 'BLOCK_NOT_PROCESSING')) throw error;
    }
  };

  const prepare = async (block: EngineBlock): Promise<void> => {
    const { outer, inner: innerBlock } = contentsOf(block);
    const parent = outer && tipAt(outer.parentID);
    if (outer === undefined || isBootstrapping) return inner.prepare(innerBlock);
    const needed = parent?.header?.pChainHeight;
    await Promise.all([
      inner.prepare(innerBlock),
      needed !== undefined && validators.at(needed) === undefined ? validators.load(needed) : undefined,
    ]);
    // Children of the block need the set at its own height. Its loss is no reason to refuse the block.
    const own = outer.pChainHeight;
    if (own !== needed && own <= validators.knownHeight() && validators.at(own) === undefined) validators.load(own).catch(() => {});
  };

  const acceptAll = (ids: readonly Id[]): void => {
    const accepted = ids.map(requireVerified);
    const top = accepted.at(-1);
    if (top === undefined) return;
    inner.acceptAll(
      accepted.map(({ inner: { id } }) => id),
      () => store.insert(accepted.map(({ outer, inner: { height } }) => ({ outer, height }))),
    );
    for (const { outer, inner: innerBlock } of accepted) {
      verified.delete(outer.id);
      holders.delete(innerBlock.id);
    }
    last = tipOf(top);
    for (const [id, { height }] of built) if (height <= last.height) built.delete(id);
  };

  const reject = (id: Id): void => {
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
  };

  const requireVerified = (id: Id): Verified => {
    const processing = verified.get(id);
    if (processing === undefined)
      throw new OuterChainError(`outer block not found: ${idText(id)}`, { code: 'OUTER_NOT_PROCESSING', blockID: idText(id) });
    return processing;
  };

  const build = (): EngineBlock | undefined => {
    const tip = tipAt(preferred);
    if (tip === undefined || isBootstrapping) return undefined;
    const turn = proposal.turnOn(tip);
    if (turn === 'other') return undefined;
    const innerBlock = inner.build();
    if (innerBlock === undefined) return undefined;
    try {
      const block = wrapped({ outer: proposal.wrap(tip, innerBlock.bytes, turn), inner: innerBlock });
      if (built.size >= maxBuilt) built.delete(built.keys().next().value as Id);
      built.set(block.id, innerBlock);
      return block;
    } catch (error) {
      giveBack(innerBlock.id);
      throw error;
    }
  };

  const nextBuildTime = (): number | undefined => {
    const tip = tipAt(preferred);
    if (tip === undefined || isBootstrapping) return undefined;
    const needed = tip.header?.pChainHeight;
    if (needed !== undefined && validators.at(needed) === undefined) validators.load(needed).catch(() => {});
    return proposal.nextBuildTime(tip);
  };

  /** The first block of the chain, which is not wrapped. */
  const firstBytes = (id: Id): Uint8Array | undefined => (id === inner.blockIdAtHeight(0n) ? inner.blockBytes(id) : undefined);

  return {
    lastAccepted: () => last.id,
    blockIdAtHeight: (height) => (height === 0n ? inner.blockIdAtHeight(0n) : store.idAt(height)),
    build,
    nextBuildTime,
    parse,
    block: (id) => {
      const processing = verified.get(id);
      if (processing !== undefined) return processing.block;
      const bytes = store.bytes(id);
      if (bytes !== undefined) return wrapped(decodeStored(bytes));
      const first = firstBytes(id);
      return first && unwrapped(first);
    },
    blockBytes: (id) => verified.get(id)?.outer.bytes ?? store.bytes(id) ?? firstBytes(id),
    prepare,
    verify,
    accept: (id) => acceptAll([id]),
    acceptAll,
    reject,
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
