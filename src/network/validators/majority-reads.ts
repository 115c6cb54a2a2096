import { toHex } from '../../base/bytes/hex.ts';
import { Fault } from '../../base/fault.ts';
import { disagreement, unavailable } from './fault.ts';
import type { KeyedValidators, PlatformReads } from './platform-reads.ts';

/** A trusted node: its URL as it is shown, and what its P-Chain says. */
export type TrustedNode = { readonly url: string; readonly reads: PlatformReads };

/**
 * Reads several trusted nodes as one: what more than half of them say. A node that does not answer counts as one that says something else. Of
 * heights, which grow at different moments, the one that more than half have reached.
 */
export function createMajorityReads(nodes: readonly [TrustedNode, ...TrustedNode[]]): PlatformReads {
  const [first] = nodes;
  if (nodes.length === 1) return first.reads;
  const needed = Math.floor(nodes.length / 2) + 1;

  /** The answers of all nodes that gave one; throws if these are too few to be a majority. */
  const askAll = async <T>(what: string, ask: (reads: PlatformReads) => Promise<T>): Promise<T[]> => {
    const results = await Promise.allSettled(nodes.map(({ reads }) => ask(reads)));
    const answers = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    if (answers.length >= needed) return answers;
    const failures = results.flatMap((result, i) =>
      result.status === 'rejected' ? [{ url: nodes[i]?.url ?? '', error: result.reason }] : [],
    );
    const other = failures.find(({ error }) => !(error instanceof Fault));
    if (other !== undefined) throw other.error;
    const silent = failures.map(({ url, error }) => `${url}: ${(error as { message?: string }).message}`).join('; ');
    throw unavailable(listUrls(nodes), `${what}: ${needed} of ${nodes.length} nodes must answer, ${answers.length} did; ${silent}`);
  };
  const agree = async <T>(what: string, ask: (reads: PlatformReads) => Promise<T>, textOf: (answer: T) => string): Promise<T> => {
    const answers = await askAll(what, ask);
    const counts = new Map<string, { readonly answer: T; count: number }>();
    for (const answer of answers) {
      const text = textOf(answer);
      const same = counts.get(text);
      if (same === undefined) counts.set(text, { answer, count: 1 });
      else same.count++;
    }
    const best = [...counts.values()].find(({ count }) => count >= needed);
    if (best === undefined)
      throw disagreement(listUrls(nodes), `${what}: ${counts.size} different answers, none from ${needed} of ${nodes.length} nodes`);
    return best.answer;
  };

  return {
    networkID: () => agree('the network', (reads) => reads.networkID(), String),
    heights: async () => {
      const answers = await askAll('the height', (reads) => reads.heights());
      return {
        current: reachedBy(
          needed,
          answers.map(({ current }) => current),
        ),
        proposed: reachedBy(
          needed,
          answers.map(({ proposed }) => proposed),
        ),
      };
    },
    validatorsAt: (height) => agree(`the validators at height ${height}`, (reads) => reads.validatorsAt(height), setText),
  };
}

const listUrls = (nodes: readonly TrustedNode[]): string => nodes.map(({ url }) => url).join(', ');

/** The greatest height that so many of the nodes have. */
const reachedBy = (count: number, heights: readonly bigint[]): bigint =>
  [...heights].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))[count - 1] ?? 0n;

const setText = ({ weights, keys }: KeyedValidators): string =>
  [...weights]
    .map(([node, weight]) => `${node} ${weight} ${toHex(keys.get(node) ?? new Uint8Array(0))}`)
    .sort()
    .join();
