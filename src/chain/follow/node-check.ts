import type { FollowLedger } from './ledger.ts';
import { checkNodeIdentity, checkStoredBlock, type ExpectedNode } from './node-identity.ts';
import type { Remote } from './remote.ts';
import type { GoBack } from './reorg-check.ts';
import type { Timing } from './timing.ts';
import type { BlockPosition } from './verify-blocks.ts';

/** Milliseconds between two checks of old blocks. */
const recheckInterval = 60_000;

/** Checks that the node is the one that was followed before: its identity, and that it has the blocks that are stored here. */
export function createNodeCheck({
  remote,
  expectedNode,
  ledger,
  timing,
  goBack = async (at) => at,
  onVerified,
}: {
  readonly remote: Remote;
  readonly expectedNode: ExpectedNode;
  readonly ledger: FollowLedger;
  readonly timing: Timing;
  /** Undefined: a node that has replaced blocks is another node. */
  readonly goBack?: GoBack | undefined;
  readonly onVerified: () => void;
}) {
  let isUnverified = true;
  let lastRecheck = timing.now();
  /** A height at which the node had another block than the stored one, or at which the check failed. */
  let conflictHeight: bigint | undefined;

  const checkBlockAt = async (height: bigint): Promise<void> => {
    conflictHeight = height;
    await checkStoredBlock(remote, ledger, height);
    conflictHeight = undefined;
  };

  const check = async (from: BlockPosition): Promise<BlockPosition> => {
    await checkNodeIdentity(remote, expectedNode);
    const at = await goBack(from);
    for (const height of conflictHeight === undefined ? [at.height] : [at.height, conflictHeight]) await checkBlockAt(height);
    isUnverified = false;
    onVerified();
    return at;
  };

  return {
    /** Returns the last block that the node has too: `at`, unless this chain went back. */
    check,
    /** Checks an unverified node, and from time to time a random block. With `isTipDue` also whether the node still has the last block. */
    recheck: async (from: BlockPosition, isTipDue: boolean): Promise<BlockPosition> => {
      const at = isUnverified ? await check(from) : isTipDue ? await goBack(from) : from;
      if (timing.now() - lastRecheck < recheckInterval) return at;
      lastRecheck = timing.now();
      await checkBlockAt(BigInt(Math.floor(timing.random() * Number(at.height + 1n))));
      return at;
    },
    /** After an error another node may answer at the same URL. */
    distrust: (): void => {
      isUnverified = true;
    },
  };
}
