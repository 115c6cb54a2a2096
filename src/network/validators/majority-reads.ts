import { toHex } from '../../base/bytes/hex.ts';
import { askMajority, findAgreed, heightReachedBy, majorityOf } from '../../chain/follow/ask-nodes.ts';
import { disagreement, unavailable } from './fault.ts';
import type { KeyedValidators, PlatformHeights, PlatformReads } from './platform-reads.ts';

/** A trusted node: its URL as it is shown, and what its P-Chain says. */
export type TrustedNode = { readonly url: string; readonly reads: PlatformReads };

/** The last heights that a trusted node answered; `heights` is undefined if its last reading failed. */
export type SourceReading = { readonly url: string; readonly heights: PlatformHeights | undefined };

/** Trusted nodes that are read as one, and the last reading of each. */
export type MajorityReads = PlatformReads & { readonly sources: () => readonly SourceReading[] };

/**
 * Reads several trusted nodes as one: what more than half of them say. A node that does not answer counts as one that says something else. Of
 * heights, which grow at different moments, the one that more than half have reached. `after` calls a function after milliseconds.
 */
export function createMajorityReads(
  trusted: readonly [TrustedNode, ...TrustedNode[]],
  after: (milliseconds: number, run: () => void) => () => void,
): MajorityReads {
  const nodes = trusted.map(recordHeights);
  const sources = (): SourceReading[] => nodes.map(({ lastReading }) => lastReading());
  const [first] = nodes;
  if (first !== undefined && nodes.length === 1) return { ...first.reads, sources };
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
    sources,
    networkID: () => agree('the network', (reads) => reads.networkID(), String),
    heights: async () => {
      const answers = await askAll('the height', (reads) => reads.heights());
      const reached = (name: keyof PlatformHeights): bigint =>
        heightReachedBy(
          needed,
          answers.map((heights) => heights[name]),
        );
      return { current: reached('current'), proposed: reached('proposed'), time: reached('time') };
    },
    validatorsAt: (height) => agree(`the validators at height ${height}`, (reads) => reads.validatorsAt(height), setText),
  };
}

/** The node, which keeps what it last answered about heights. */
function recordHeights({ url, reads }: TrustedNode): TrustedNode & { readonly lastReading: () => SourceReading } {
  let last: PlatformHeights | undefined;
  const heights = async (): Promise<PlatformHeights> => {
    try {
      last = await reads.heights();
      return last;
    } catch (error) {
      last = undefined;
      throw error;
    }
  };
  return { url, reads: { ...reads, heights }, lastReading: () => ({ url, heights: last }) };
}

const listUrls = (nodes: readonly TrustedNode[]): string => nodes.map(({ url }) => url).join(', ');

const setText = ({ weights, keys }: KeyedValidators): string =>
  [...weights]
    .map(([node, weight]) => `${node} ${weight} ${toHex(keys.get(node) ?? new Uint8Array(0))}`)
    .sort()
    .join();
