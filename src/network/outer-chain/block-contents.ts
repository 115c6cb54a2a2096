import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { copyOuterBlock, type OuterBlock, parseOuterBlock, type VerifySignature, verifyBlockSignature } from '../proposervm/outer-block.ts';

/** An outer block and the block that it wraps. */
export type Wrapped = { readonly outer: OuterBlock; readonly inner: EngineBlock };

/** `outer`: undefined for a block that is not wrapped. */
type Parsed = { readonly outer: OuterBlock | undefined; readonly inner: EngineBlock };

/** Converts between bytes, outer blocks and the blocks that an engine sees. */
export function createBlockContents(chainID: Id, inner: Pick<Vm, 'parse'>, verifySignature: VerifySignature) {
  /** What the blocks that were made here contain; every other object is decoded from its bytes. */
  const contents = new WeakMap<EngineBlock, Parsed>();

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

  /**
   * Decodes a block of a peer. Its bytes are copied, because they are part of a message; those of anything else are not: a flood of it would leave
   * as much to collect. A bad signature makes it no outer block at all.
   */
  const parse = (message: Uint8Array): EngineBlock => {
    try {
      const view = parseOuterBlock(message);
      verifyBlockSignature(view, chainID, verifySignature);
      const outer = copyOuterBlock(view);
      return wrapped({ outer, inner: inner.parse(outer.inner) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      try {
        inner.parse(message);
        return unwrapped(new Uint8Array(message));
      } catch {
        throw error;
      }
    }
  };

  return {
    wrapped,
    unwrapped,
    parse,
    /** The contents of a stored outer block, whose signature was verified before. */
    decodeStored: (bytes: Uint8Array): Wrapped => {
      const outer = parseOuterBlock(bytes);
      return { outer, inner: inner.parse(outer.inner) };
    },
    of: (block: EngineBlock): Parsed => contents.get(block) ?? (contents.get(parse(block.bytes)) as Parsed),
    /** The block itself if it was made here, else a copy of it that keeps its contents. */
    withContents: (block: EngineBlock, content: Wrapped): EngineBlock => (contents.has(block) ? block : wrapped(content)),
  };
}
