import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/snowman.json' with { type: 'json' };
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createChoiceTree } from './choice-tree.ts';
import { createConsensus } from './consensus.ts';
import { createPolls } from './polls.ts';
import type { Votes } from './votes.ts';

/**
 * Random trees of blocks, votes and polls that AvalancheGo's Topological and its set of polls were given. After each step the decisions, the
 * preferred branch and the number of processing blocks must be the same. Blocks are numbers: indices into `ids`; block 0 is the start.
 */
type State = [branch: number[], processing: number, accepted?: number[], rejected?: number[]];
type Step =
  | ['add', block: number, parent: number, State]
  | ['poll', votes: [block: number, count: number][], State]
  | ['open', requestId: number, sampled: [node: number, units: number][], State]
  | ['vote', requestId: number, node: number, block: number, finished: number, State]
  | ['drop', requestId: number, node: number, finished: number, State];
type Scenario = { params: [number, number, number, number]; ids: Id[]; steps: Step[] };

const scenarios = vectors.scenarios as unknown as Scenario[];
const startHeight = 7n;
const nodeOf = (node: number) => (node + 1).toString(16).padStart(2, '0').padEnd(40, '0') as NodeId;

/** Runs a scenario and returns the first step at which Serac differs. */
function firstDifferenceOf({ params: [k, alphaPreference, alphaConfidence, beta], ids, steps }: Scenario): string | undefined {
  const parameters = { k, alphaPreference, alphaConfidence, beta };
  const consensus = createConsensus(parameters, { id: ids[0]!, height: startHeight });
  const polls = createPolls(parameters, consensus.parentOf);
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const heights = new Map([[ids[0]!, startHeight]]);
  let accepted: number[] = [];
  let rejected: number[] = [];
  const apply = (votes: Votes) => {
    for (const { kind, block } of consensus.recordPoll(votes)) (kind === 'accepted' ? accepted : rejected).push(indexOf.get(block.id)!);
  };
  const applyAll = (results: Votes[]): number => {
    results.forEach(apply);
    return results.length;
  };
  const run: { [K in Step[0]]: (step: Extract<Step, [K, ...unknown[]]>) => number | undefined } = {
    add: ([, block, parent]) => {
      const height = heights.get(ids[parent]!)! + 1n;
      heights.set(ids[block]!, height);
      consensus.add({ id: ids[block]!, parentID: ids[parent]!, height });
      return undefined;
    },
    poll: ([, votes]) => {
      apply(new Map(votes.map(([block, count]) => [ids[block]!, count])));
      return undefined;
    },
    open: ([, requestId, sampled]) => {
      expect(polls.open(requestId, new Map(sampled.map(([node, units]) => [nodeOf(node), units])))).toBe(true);
      return undefined;
    },
    vote: ([, requestId, node, block]) => applyAll(polls.vote(requestId, nodeOf(node), ids[block]!)),
    drop: ([, requestId, node]) => applyAll(polls.drop(requestId, nodeOf(node))),
  };
  for (const [at, step] of steps.entries()) {
    accepted = [];
    rejected = [];
    const finished = (run[step[0]] as (step: Step) => number | undefined)(step);
    const state = step.at(-1) as State;
    const { height } = consensus.lastAccepted();
    const branch: number[] = [];
    for (
      let id = consensus.preferenceAtHeight(height + 1n);
      id !== undefined;
      id = consensus.preferenceAtHeight(height + 1n + BigInt(branch.length))
    )
      branch.push(indexOf.get(id)!);
    const ours = [finished, [branch, consensus.processingCount(), accepted, rejected.sort((a, b) => a - b)]];
    const theirs = [finished === undefined ? undefined : step.at(-2), [state[0], state[1], state[2] ?? [], state[3] ?? []]];
    const tip = ids[branch.at(-1) ?? indexOf.get(consensus.lastAccepted().id)!]!;
    if (JSON.stringify(ours) !== JSON.stringify(theirs) || consensus.preference() !== tip || !consensus.isPreferred(tip))
      return `step ${at} ${JSON.stringify(step)}: Serac has ${JSON.stringify(ours)}`;
  }
  return undefined;
}

describe('decisions are those of AvalancheGo', () => {
  test('in every scenario', () => {
    const differences = scenarios
      .map((scenario, index) => [index, firstDifferenceOf(scenario)])
      .filter(([, difference]) => difference !== undefined);
    expect(differences).toEqual([]);
  });

  test('the scenarios contain decisions of every kind', () => {
    const states = scenarios.flatMap(({ steps }) => steps.map((step) => step.at(-1) as State));
    expect(states.filter(([, , accepted]) => (accepted?.length ?? 0) > 1).length).toBeGreaterThan(5);
    expect(states.filter(([, , , rejected]) => (rejected?.length ?? 0) > 1).length).toBeGreaterThan(5);
    const finished = scenarios.flatMap(({ steps }) => steps.filter(([kind]) => kind === 'vote').map((step) => step.at(-2) as number));
    expect(finished.filter((count) => count > 1).length).toBeGreaterThan(5);
    expect(new Set(scenarios.map(({ params }) => params.join())).size).toBeGreaterThan(5);
  });

  test('a poll whose votes are left out is noticed', () => {
    const changed = scenarios.filter(({ ids, params, steps }) => {
      const withoutVotes = steps.map((step): Step => (step[0] === 'poll' ? ['poll', [], step[2]] : step));
      return firstDifferenceOf({ ids, params, steps: withoutVotes }) !== undefined;
    });
    expect(changed.length).toBeGreaterThan(10);
  });
});

/** One choice between siblings: after each step its preference and whether it is final. */
type TreeStep =
  | ['add', block: number, preference: number, isFinal: boolean]
  | ['reset', preference: number, isFinal: boolean]
  | ['poll', votes: [block: number, count: number][], preference: number, isFinal: boolean];
type TreeScenario = { params: [number, number, number, number]; ids: Id[]; steps: TreeStep[] };

test('choices between siblings are those of AvalancheGo', () => {
  const trees = vectors.trees as unknown as TreeScenario[];
  for (const [index, { params, ids, steps }] of trees.entries()) {
    const [k, alphaPreference, alphaConfidence, beta] = params;
    const tree = createChoiceTree({ k, alphaPreference, alphaConfidence, beta }, ids[0]!);
    for (const [at, step] of steps.entries()) {
      if (step[0] === 'add') tree.add(ids[step[1]]!);
      else if (step[0] === 'reset') tree.resetBeforeNextPoll();
      else tree.recordPoll(new Map(step[1].map(([block, count]) => [ids[block]!, count])));
      expect([index, at, ids.indexOf(tree.preference()), tree.isFinal()]).toEqual([index, at, ...(step.slice(-2) as [number, boolean])]);
    }
  }
  expect(trees.filter(({ steps }) => steps.at(-1)!.at(-1)).length).toBeGreaterThan(10);
});
