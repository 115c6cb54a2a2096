import type { Tx } from '../src/avm/tx/tx.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { startProgram } from '../test/program.ts';
import { prepareSteadyLoad } from '../test/steady-load.ts';

/** A chain with transactions of every kind, exports that no other chain has imported among them, about a thousand blocks an hour. */
export type LivelyChain = {
  readonly dir: string;
  readonly blocks: number;
  /** X addresses: the first one pays for the rare transactions, each of the others has sent hundreds. */
  readonly addresses: readonly string[];
  /** An asset that can be minted, and a family of NFTs. */
  readonly asset: string;
  readonly family: string;
  /** The transfers. */
  readonly txIDs: readonly Id[];
};

/** Few senders, so that a block has few transactions. */
const senders = 7;
/** Seconds by which the clock goes on with each transaction. */
const secondsPerTx = 1.5;

/** Makes the chain with a node of its own, which stops then. */
export async function makeLivelyChain(dir: string, txs: number): Promise<LivelyChain> {
  const program = await startProgram(`--data-dir=${dir}`, '--workers=0', '--accounts=1', '--network-id=local');
  try {
    const { addresses, asset, family, run } = await prepareSteadyLoad(program.client, senders);
    const txIDs: Id[] = [];
    const onIssue = ({ id }: Tx) => void txIDs.push(id);
    const passTime = async () => void (await program.client.call('/ext/dev', 'dev.increaseTime', { seconds: 4 * secondsPerTx }));
    const afterEach = async () => (txIDs.length % 4 === 0 ? passTime() : undefined);
    await run({ rate: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY, maxTxs: txs, onIssue, afterEach });
    const { result } = (await program.client.call('/ext/bc/X', 'avm.getHeight', {})) as { result?: { height: string } };
    return { dir, blocks: Number(result?.height), addresses, asset, family, txIDs };
  } finally {
    await program.stop();
  }
}
