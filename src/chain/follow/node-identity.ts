import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import { FollowError } from './fault.ts';
import type { FollowLedger } from './ledger.ts';
import type { Remote } from './remote.ts';

/** Identity that the followed node must have. */
export type ExpectedNode = {
  readonly networkID: number;
  readonly chainID: Id;
  /** Id of block 0. */
  readonly firstBlockID: Id;
  /** The chain's alias on the node. */
  readonly alias?: string;
};

type Node = Pick<Remote, 'networkID' | 'blockchainID' | 'blockAt'>;

/** Checks network, chain and block 0 of a node. Throws FOLLOW_OTHER_NETWORK, FOLLOW_BLOCK_CHANGED, or the error of a request. */
export async function checkNodeIdentity(remote: Node, { networkID, chainID, firstBlockID, alias = 'X' }: ExpectedNode): Promise<void> {
  const network = await remote.networkID();
  if (network !== networkID) throw wrongNode('network', String(networkID), String(network));
  const chain = await remote.blockchainID(alias);
  if (chain !== chainID) throw wrongNode('chain', idText(chainID), idText(chain));
  await checkBlockId(remote, 0n, firstBlockID);
}

/** Checks that the node still has the stored block at a height. A block that the node does not have is no error. */
export async function checkStoredBlock(remote: Node, ledger: Pick<FollowLedger, 'blockAt'>, height: bigint): Promise<void> {
  const stored = await ledger.blockAt(height);
  if (stored !== undefined) await checkBlockId(remote, height, idOf(stored));
}

async function checkBlockId(remote: Node, height: bigint, expected: Id): Promise<void> {
  const block = await remote.blockAt(height);
  if (block === undefined || block.id === expected) return;
  throw blockChanged(height, expected, block.id);
}

/** The node has another block than the stored one, or has lost it (`told` is undefined). */
export function blockChanged(height: bigint, held: Id, told: Id | undefined): FollowError {
  const theirs = told === undefined ? 'is gone' : `is ${idText(told)}`;
  return new FollowError(`block ${height} of the followed node ${theirs}, but ${idText(held)} is stored here`, {
    code: 'FOLLOW_BLOCK_CHANGED',
    height: String(height),
    held: idText(held),
    told: told && idText(told),
  });
}

const wrongNode = (what: 'network' | 'chain', want: string, got: string) =>
  new FollowError(`the followed node is of ${what} ${got}, not of ${what} ${want}`, { code: 'FOLLOW_OTHER_NETWORK', what, want, got });
