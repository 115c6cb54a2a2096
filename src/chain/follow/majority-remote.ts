import type { Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { askMajority, findAgreed, heightReachedBy, majorityOf } from './ask-nodes.ts';
import type { Disagreements } from './disagreements.ts';
import { FollowError, invalidResponse, noResponse } from './fault.ts';
import { type Remote, type RemoteUtxoQuery, utxoMethods } from './remote.ts';
import { listUtxoPages } from './utxo-pages.ts';

/** What trusted nodes say about the P- and C-Chain, and about exports between them and this chain. */
export type ForeignReads = Pick<Remote, 'height' | 'utxos' | 'foreignTx'>;

type Node = ForeignReads & Pick<Remote, 'url'>;

/** Most outputs of an address that are compared between nodes; one node alone is read page by page. */
const maxCompared = 65_536;

/**
 * Reads several trusted nodes as one: what more than half of them say. A node that does not answer counts as one that says something else. An output
 * is listed on X if more than half list it; one that X exported is gone from another chain if more than half do not list it any more.
 */
export function createMajorityRemote(
  nodes: readonly [Node, ...Node[]],
  {
    after,
    disagreements,
  }: {
    readonly after: (milliseconds: number, run: () => void) => () => void;
    readonly disagreements: Pick<Disagreements, 'note'>;
  },
): ForeignReads {
  const [first] = nodes;
  if (nodes.length === 1) return first;
  const needed = majorityOf(nodes.length);

  /** Throws a temporary error if too few nodes answer to be a majority. */
  const askAll = <T>(method: string, ask: (node: Node) => Promise<T>, isEnough?: (answers: readonly T[]) => boolean) =>
    askMajority(nodes, ask, { after, isEnough }, (reason) => noResponse(method, reason));

  const foreignTx: ForeignReads['foreignTx'] = async (chain, id) => {
    const method = chain === 'P' ? 'platform.getTx' : 'avax.getAtomicTx';
    const find = (answers: readonly (Uint8Array | undefined)[]) => findAgreed(answers, needed, (bytes) => (bytes ? toHex(bytes) : ''));
    const answers = await askAll(
      method,
      (node) => node.foreignTx(chain, id).catch(undefinedIfRefused),
      (some) => find(some) !== undefined,
    );
    const agreed = find(answers);
    disagreements.note(`whether the ${chain}-Chain has transaction ${idText(id)}`, agreed !== undefined, () => foreignTx(chain, id));
    return agreed?.answer;
  };

  const utxos: ForeignReads['utxos'] = async (query) => {
    const { list, address } = query;
    const answers = await askAll(utxoMethods[list], (node) => listAll(node, query));
    const counts = new Map<string, { readonly utxo: Utxo; count: number }>();
    for (const listed of answers)
      for (const [key, utxo] of listed) {
        const known = counts.get(key);
        if (known === undefined) counts.set(key, { utxo, count: 1 });
        else known.count++;
      }
    const all = [...counts.values()];
    const isUndecided = ({ count }: { count: number }): boolean => count < needed && answers.length - count < needed;
    disagreements.note(`the outputs ${list} of address ${address}`, !all.some(isUndecided), () => utxos(query));
    // What X exported stays there until most nodes say otherwise.
    const isListed = list.startsWith('X') ? (count: number) => answers.length - count < needed : (count: number) => count >= needed;
    return { utxos: all.filter(({ count }) => isListed(count)).map(({ utxo }) => utxo), next: undefined };
  };

  return {
    foreignTx,
    utxos,
    height: async () => heightReachedBy(needed, await askAll('avm.getHeight', (node) => node.height())),
  };
}

/** A node that refuses the request does not have the transaction to offer, as if it were alone (export-lookup.ts). */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof FollowError) || error.fault.code !== 'FOLLOW_REFUSED') throw error;
}

/** All outputs of a list of a node, each once, by their bytes: nodes must agree about what an output is, too. */
async function listAll(node: Node, { list, address }: RemoteUtxoQuery): Promise<ReadonlyMap<string, Utxo>> {
  const all = new Map<string, Utxo>();
  for await (const page of listUtxoPages(node, list, address)) {
    for (const utxo of page) all.set(toHex(utxo.bytes), utxo);
    if (all.size > maxCompared)
      throw invalidResponse(utxoMethods[list], `more than ${maxCompared} outputs cannot be compared between nodes`);
  }
  return all;
}
