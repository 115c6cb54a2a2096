import { type Id, idOf, idText } from '../bytes/id.ts';
import { FollowError } from './fault.ts';
import type { FollowLedger } from './ledger.ts';
import type { Remote } from './remote.ts';

/** Who the node must be. */
export type Expected = {
  readonly networkID: number;
  readonly chainID: Id;
  /** Id of block 0. */
  readonly firstBlockID: Id;
  /** How the node calls the chain. */
  readonly alias?: string;
};

type Node = Pick<Remote, 'networkID' | 'blockchainID' | 'blockAt'>;

/** That a node is of the right network and chain. Throws FOLLOW_OTHER_NETWORK, FOLLOW_BLOCK_CHANGED, or that it cannot be asked now. */
export async function recogniseNode(remote: Node, { networkID, chainID, firstBlockID, alias = 'X' }: Expected): Promise<void> {
  const network = await remote.networkID();
  if (network !== networkID) throw other('network', String(networkID), String(network));
  const chain = await remote.blockchainID(alias);
  if (chain !== chainID) throw other('chain', idText(chainID), idText(chain));
  await compare(remote, 0n, firstBlockID);
}

/** That the node still has the block that is held at a height. One it does not have (yet, or again) tells nothing. */
export async function compareHeld(remote: Node, ledger: Pick<FollowLedger, 'blockAt'>, height: bigint): Promise<void> {
  const held = await ledger.blockAt(height);
  if (held !== undefined) await compare(remote, height, idOf(held));
}

async function compare(remote: Node, height: bigint, held: Id): Promise<void> {
  const block = await remote.blockAt(height);
  if (block === undefined || block.id === held) return;
  const [mine, theirs] = [idText(held), idText(block.id)];
  throw new FollowError(`block ${height} of the followed node is ${theirs}, but ${mine} was taken from it before`, {
    code: 'FOLLOW_BLOCK_CHANGED',
    height: String(height),
    held: mine,
    told: theirs,
  });
}

const other = (what: 'network' | 'chain', want: string, got: string) =>
  new FollowError(`the followed node is of ${what} ${got}, not of ${what} ${want}`, { code: 'FOLLOW_OTHER_NETWORK', what, want, got });
