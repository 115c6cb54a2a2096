import { expect } from 'bun:test';
import { makeBlock, parseBlock } from '../src/avm/tx/block.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { Fault } from '../src/base/fault.ts';
import { createVirtualTiming } from '../src/base/timing/virtual-timing.fixture.ts';
import { type FollowerDeps, startFollower } from '../src/chain/follow/follower.ts';
import { connectRemote } from '../src/chain/follow/remote.ts';
import { checkChain } from '../src/ledger/state/check.ts';
import { createLocalVerifier, expectedLocalNode, type FollowedState, findProblems, openFollowedState } from './followed-chain.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';
import { createScriptedNode } from './scripted-node.ts';
import type { SourceChain } from './source-chain.ts';

/** A follower of a scripted node, with real state, rules and signatures, and a virtual clock. */
export function follow(source: SourceChain, { state: given, ...options }: Partial<FollowerDeps> & { state?: FollowedState } = {}) {
  const node = createScriptedNode(source);
  const virtual = createVirtualTiming();
  const opened = given ?? openFollowedState();
  const signers = createSignerCache(recoverNative);
  const reported: unknown[] = [];
  const start = (more: Partial<FollowerDeps> = {}) =>
    startFollower({
      remote: connectRemote('http://node', { hrp: 'local', transport: node.transport, timing: virtual.timing }),
      ledger: opened.ledger,
      expectedNode: expectedLocalNode(),
      verifier: createLocalVerifier(signers.recover),
      foreign: { P: pChain, C: cChain },
      hasPreLinearizationHistory: false,
      timing: virtual.timing,
      logError: (error) => void reported.push(error),
      ...options,
      ...more,
    });
  return { ...virtual, ...opened, node, reported, start };
}

/** The codes of faults; other errors as they are. */
export const codes = (errors: readonly unknown[]) => errors.map((error) => (error instanceof Fault ? error.fault.code : error));

/** Expects the same blocks and unspent outputs as the source, and consistent tables. */
export function expectSame(source: SourceChain, chain: FollowedState): void {
  const [ours, theirs] = [chain.store, source.local.store].map((store) => checkChain(store, chain.state.id));
  expect(findProblems(chain)).toEqual([]);
  expect({ blocks: ours?.blocks, txs: ours?.txs, ledger: ours?.ledgerHash }).toEqual({
    blocks: theirs?.blocks,
    txs: theirs?.txs,
    ledger: theirs?.ledgerHash,
  });
}

/** Makes the node serve only the blocks after a height, renumbered from 1, as if all before were from before linearization. */
export const beginAfter = ({ node }: Pick<ReturnType<typeof follow>, 'node'>, source: SourceChain, after: bigint): void => {
  let parentID = localGenesis().first.id;
  for (let height = after + 1n; height <= source.local.state.height(); height++) {
    const block = makeBlock({ ...parseBlock(source.local.state.blockAt(height) as Uint8Array), parentID, height: height - after });
    node.replacedBlocks.set(block.height, block.bytes);
    parentID = block.id;
  }
  node.height = source.local.state.height() - after;
};
