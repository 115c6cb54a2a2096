import { toHex } from '../../base/bytes/hex.ts';
import { askMajority, findAgreed, heightReachedBy, majorityOf } from '../../chain/follow/ask-nodes.ts';
import { disagreement, unavailable } from './fault.ts';
import type { KeyedValidators, PlatformReads } from './platform-reads.ts';

/** A trusted node: its URL as it is shown, and what its P-Chain says. */
export type TrustedNode = { readonly url: string; readonly reads: PlatformReads };

/**
 * Reads several trusted nodes as one: what more than half of them say. A node that does not answer counts as one that says something else. Of
 * heights, which grow at different moments, the one that more than half have reached. `after` calls a function after milliseconds.
 */
export function createMajorityReads(
  nodes: readonly [TrustedNode, ...TrustedNode[]],
  after: (milliseconds: number, run: () => void) => () => void,
): PlatformReads {
  const [first] = nodes;
  if (nodes.length === 1) return first.reads;
  const needed = majorityOf(nodes.length);

  /** The answers of nodes that gave one; throws if these are too few to be a majority. */
  const askAll = <T>(
    what: string,
    ask: (reads: PlatformReads) => Promise<T>,
    isEnough: (answers: readonly T[]) => boolean = () => false,
  ): Promise<readonly T[]> =>
    askMajority(
      nodes,
      ({ reads }) => ask(reads),
      { after, isEnough },
      (reason) => unavailable(listUrls(nodes), `${what}: ${reason}`),
    );
  const agree = async <T>(what: string, ask: (reads: PlatformReads) => Promise<T>, textOf: (answer: T) => string): Promise<T> => {
    const find = (answers: readonly T[]) => findAgreed(answers, needed, textOf);
    const answers = await askAll(what, ask, (some) => find(some) !== undefined);
    const agreed = find(answers);
    if (agreed === undefined)
      throw disagreement(
        listUrls(nodes),
        `${what}: ${new Set(answers.map(textOf)).size} different answers, none from ${needed} of ${nodes.length} nodes`,
      );
    return agreed.answer;
  };

  return {
    networkID: () => agree('the network', (reads) => reads.networkID(), String),
    heights: async () => {
      const answers = await askAll('the height', (reads) => reads.heights());
      return {
        current: heightReachedBy(
          needed,
          answers.map(({ current }) => current),
        ),
        proposed: heightReachedBy(
          needed,
          answers.map(({ proposed }) => proposed),
        ),
      };
    },
    validatorsAt: (height) => agree(`the validators at height ${height}`, (reads) => reads.validatorsAt(height), setText),
  };
}

const listUrls = (nodes: readonly TrustedNode[]): string => nodes.map(({ url }) => url).join(', ');

const setText = ({ weights, keys }: KeyedValidators): string =>
  [...weights]
    .map(([node, weight]) => `${node} ${weight} ${toHex(keys.get(node) ?? new Uint8Array(0))}`)
    .sort()
    .join();
