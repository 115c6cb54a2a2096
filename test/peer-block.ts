import { type Block, makeBlock } from '../src/avm/tx/block.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUnsignedBlock, type OuterBlock, type OuterBlockParts } from '../src/network/proposervm/outer-block.ts';
import { childEpoch } from '../src/network/proposervm/verify-child.ts';

/** The last block of a chain, as a peer reads it from a node. */
type Tip = { readonly outer: OuterBlock; readonly inner: Block };

/** The next block of a local network without sybil protection, with one transaction. */
export type BlockDraft = { readonly tip: Tip; readonly tx: Tx };

/** AvalancheGo: upgrade/upgrade.go, the local network. */
const epochRules = { graniteTime: 0n, epochSeconds: 30n };
export const unixSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const innerOf = ({ tip, tx }: BlockDraft, change: Partial<Parameters<typeof makeBlock>[0]> = {}): Block =>
  makeBlock({
    parentID: tip.inner.id,
    height: tip.inner.height + 1n,
    time: later(unixSeconds(), tip.inner.time),
    txs: [tx],
    ...change,
  });

export const outerParts = (
  { tip: { outer } }: Pick<BlockDraft, 'tip'>,
  inner: Uint8Array,
  change: Partial<OuterBlockParts> = {},
): OuterBlockParts => {
  const timestamp = change.timestamp ?? later(unixSeconds(), outer.timestamp);
  return {
    parentID: outer.id,
    timestamp,
    pChainHeight: outer.pChainHeight,
    epoch: childEpoch(outer, timestamp, epochRules),
    inner,
    ...change,
  };
};

export const wrap = (draft: Pick<BlockDraft, 'tip'>, inner: Block | Uint8Array, change: Partial<OuterBlockParts> = {}): OuterBlock =>
  makeUnsignedBlock(outerParts(draft, inner instanceof Uint8Array ? inner : inner.bytes, change));
