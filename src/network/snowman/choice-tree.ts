import { type Bit, bitOf, firstDifference, type Id, idBits } from '../../base/bytes/id.ts';
import type { SnowParameters } from './parameters.ts';
import { countVotes, filterVotes, type Votes } from './votes.ts';

/** The choice between sibling blocks: a tree over the bits of their IDs with a Snowflake instance in each node. */
export type ChoiceTree = {
  readonly preference: () => Id;
  readonly isFinal: () => boolean;
  /** The fewest polls that can make the choice final. */
  readonly missingPolls: () => number;
  /** Adds a sibling. It is ignored if a decided bit is against it. */
  readonly add: (choice: Id) => void;
  /** Applies the votes of a poll for the siblings. */
  readonly recordPoll: (votes: Votes) => void;
  /** Makes the next poll reset all confidence first. */
  readonly resetBeforeNextPoll: () => void;
};

/** Bits `start` to before `end` on which all choices below agree. `child` decides the bits from `end` on. */
type Run = {
  readonly kind: 'run';
  readonly start: number;
  readonly end: number;
  readonly preference: Id;
  readonly flake: Snowflake;
  /** Whether nodes below must be reset before their next poll. A poll that fails here fails below too, but does not walk there. */
  readonly resetBelow: boolean;
  readonly child: Node | undefined;
};

/** One bit on which choices differ. Without branches it is the last bit. */
type Fork = {
  readonly kind: 'fork';
  readonly bit: number;
  readonly preferred: Bit;
  readonly flake: Snowflake;
  readonly branches: readonly [Branch, Branch];
};
type Branch = { readonly preference: Id; readonly resetBelow: boolean; readonly child: Node | undefined };

type Node = Run | Fork;

/** Creates the tree of a first choice. AvalancheGo: snow/consensus/snowball/tree.go. */
export function createChoiceTree(parameters: SnowParameters, first: Id): ChoiceTree {
  let root: Node = newRun(first, 0);
  let resetNext = false;
  const agreesWithDecided = (id: Id): boolean => firstDifference(preferenceOf(root), id, 0, startOf(root)) === undefined;
  return {
    preference: () => preferenceOf(root),
    isFinal: () => root.flake.isFinal,
    missingPolls: () => (root.flake.isFinal ? 0 : parameters.beta - (resetNext ? 0 : root.flake.confidence)),
    add: (choice) => {
      if (agreesWithDecided(choice)) root = addChoice(root, choice);
    },
    recordPoll: (votes) => {
      root = applyPoll(root, filterVotes(votes, agreesWithDecided), resetNext, parameters);
      resetNext = false;
    },
    resetBeforeNextPoll: () => {
      resetNext = true;
    },
  };
}

const newRun = (preference: Id, start: number): Run => ({
  kind: 'run',
  start,
  end: idBits,
  preference,
  flake: newSnowflake,
  resetBelow: false,
  child: undefined,
});

const preferenceOf = (node: Node): Id => (node.kind === 'run' ? node.preference : node.branches[node.preferred].preference);

/** The number of bits that are decided above a node. */
const startOf = (node: Node): number => (node.kind === 'run' ? node.start : node.bit);

function addChoice(node: Node, choice: Id): Node {
  if (node.kind === 'fork') {
    const bit = bitOf(choice, node.bit);
    const branch = node.branches[bit];
    return branch.child === undefined ? node : withBranch(node, bit, { ...branch, child: addChoice(branch.child, choice) });
  }
  if (node.flake.isFinal) return node;
  const at = firstDifference(node.preference, choice, node.start, node.end);
  if (at === undefined) return node.child === undefined ? node : { ...node, child: addChoice(node.child, choice) };
  return splitRun(node, at, choice);
}

/**
 * Splits a run at the bit where a new choice differs. The fork takes over the confidence of the run; bits before and after it stay runs,
 * those after it with the old confidence for the old choice and without any for the new one.
 */
function splitRun(run: Run, at: number, choice: Id): Node {
  const isLastBit = at === run.end - 1;
  const old: Branch = {
    preference: run.preference,
    resetBelow: run.resetBelow,
    child: isLastBit ? run.child : { ...run, start: at + 1 },
  };
  const added: Branch = {
    preference: choice,
    resetBelow: run.resetBelow,
    child: old.child === undefined ? undefined : newRun(choice, at + 1),
  };
  const preferred = bitOf(run.preference, at);
  const fork: Fork = { kind: 'fork', bit: at, preferred, flake: run.flake, branches: preferred === 0 ? [old, added] : [added, old] };
  if (at === run.start) return fork;
  // The branches of the fork have taken over the mark.
  return { ...run, end: at, resetBelow: false, child: fork };
}

/**
 * Applies votes to a node; the result is the node itself, or the one below it once it is final. A node never becomes final before the one
 * above it: it has at most the same confidence.
 */
function applyPoll(node: Node, votes: Votes, reset: boolean, parameters: SnowParameters): Node {
  return node.kind === 'run' ? applyToRun(node, votes, reset, parameters) : applyToFork(node, votes, reset, parameters);
}

function applyToRun(run: Run, votes: Votes, reset: boolean, parameters: SnowParameters): Node {
  const count = countVotes(votes);
  const before = reset ? afterFailure(run.flake) : run.flake;
  if (count < parameters.alphaPreference) return { ...run, flake: afterFailure(before), resetBelow: true };
  const flake = afterSuccess(before, count, parameters);
  if (run.child === undefined) return { ...run, flake, resetBelow: false };
  const child = applyPoll(run.child, votes, reset || run.resetBelow, parameters);
  return flake.isFinal ? child : { ...run, flake, resetBelow: false, preference: preferenceOf(child), child };
}

function applyToFork(fork: Fork, votes: Votes, reset: boolean, parameters: SnowParameters): Node {
  const votesFor = (bit: Bit): Votes => filterVotes(votes, (id) => bitOf(id, fork.bit) === bit);
  const forOne = votesFor(1);
  const bit: Bit = countVotes(forOne) >= parameters.alphaPreference ? 1 : 0;
  const chosenVotes = bit === 1 ? forOne : votesFor(0);
  const count = countVotes(chosenVotes);
  const before = reset ? afterFailure(fork.flake) : fork.flake;
  if (count < parameters.alphaPreference) {
    const [zero, one] = fork.branches;
    return {
      ...fork,
      flake: afterFailure(before),
      branches: [
        { ...zero, resetBelow: true },
        { ...one, resetBelow: true },
      ],
    };
  }
  const switched = before.isFinal || bit === fork.preferred ? before : afterFailure(before);
  const flake = before.isFinal ? before : afterSuccess(switched, count, parameters);
  const preferred = before.isFinal ? fork.preferred : bit;
  const branch = fork.branches[bit];
  const child = branch.child && applyPoll(branch.child, chosenVotes, reset || branch.resetBelow, parameters);
  if (child !== undefined && flake.isFinal) return child;
  const otherBit = (1 - bit) as Bit;
  const other = withBranch({ ...fork, flake, preferred }, otherBit, { ...fork.branches[otherBit], resetBelow: true });
  return withBranch(other, bit, { preference: child === undefined ? branch.preference : preferenceOf(child), resetBelow: false, child });
}

const withBranch = (fork: Fork, bit: Bit, branch: Branch): Fork => ({
  ...fork,
  branches: bit === 0 ? [branch, fork.branches[1]] : [fork.branches[0], branch],
});

/** A Snowflake instance: successive successful polls, and whether they were enough. AvalancheGo: snow/consensus/snowball/*_snowflake.go. */
type Snowflake = { readonly confidence: number; readonly isFinal: boolean };

const newSnowflake: Snowflake = { confidence: 0, isFinal: false };

/** After a poll with at least `alphaPreference` votes for the preference. */
function afterSuccess(flake: Snowflake, votes: number, { alphaConfidence, beta }: SnowParameters): Snowflake {
  const confidence = votes >= alphaConfidence ? flake.confidence + 1 : 0;
  return { confidence, isFinal: flake.isFinal || confidence >= beta };
}

/** After a poll without them: finality stays, confidence does not. */
const afterFailure = (flake: Snowflake): Snowflake => ({ confidence: 0, isFinal: flake.isFinal });
