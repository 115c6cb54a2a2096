import { defaultEngineParameters, type EngineParameters } from '../../src/network/consensus/engine-parameters.ts';
import type { Random } from '../random.ts';

/** What happens in one simulation; all of it follows from the seed. Times in milliseconds. */
export type Scenario = {
  readonly nodes: number;
  readonly byzantine: number;
  readonly txs: number;
  /** One of so many transactions gets a rival that spends the same input; 0: none. */
  readonly rivals: number;
  readonly parameters: EngineParameters;
  readonly weights: readonly bigint[];
  readonly maxDelay: number;
  readonly loss: number;
  /** Crashes and partitions happen until then; afterwards the network is whole. */
  readonly troubleUntil: number;
  readonly crashes: number;
  /** Crashes at the moment when a node would store a decided block. */
  readonly crashesAtAccept: number;
  readonly partitions: number;
  /** How long blocks take to preverify and to store. */
  readonly maxPreverify: number;
  readonly maxAccept: number;
};

/**
 * Smaller polls, and fewer of them, than by default: more runs in the same time. The chance that honest nodes decide differently without any fault
 * is small but not zero, and higher than with the default parameters: a run that fails is to be traced first.
 */
const smallParameters: EngineParameters = {
  ...defaultEngineParameters,
  k: 12,
  alphaPreference: 9,
  alphaConfidence: 9,
  beta: 12,
  frontierPollInterval: 250,
};

/** The share of byzantine nodes is at most one in eight: polls of 9 of 12 then succeed nearly always. */
export function createScenario(random: Random, fixedNodes?: number): Scenario {
  const nodes = fixedNodes ?? 5 + random.below(random.below(4) === 0 ? 16 : 8);
  const byzantine = random.below(3) === 0 ? 0 : random.below(Math.floor(nodes / 8) + 1);
  const hasTrouble = random.below(3) !== 0;
  const chance = (one: number, of: number): boolean => random.below(of) < one;
  return {
    nodes,
    byzantine,
    txs: 4 + random.below(20),
    rivals: chance(1, 2) ? 3 : 0,
    parameters: chance(1, 8) ? defaultEngineParameters : smallParameters,
    // Byzantine nodes are the first ones and never weigh more than the others.
    weights: Array.from({ length: nodes }, (_, index) => (index < byzantine ? 100n : 100n + BigInt(random.below(60)))),
    maxDelay: random.pick([5, 40, 40, 200]),
    loss: random.pick([0, 0, 0.01, 0.05]),
    troubleUntil: hasTrouble ? 4000 + random.below(12_000) : 0,
    crashes: hasTrouble ? random.below(12) : 0,
    partitions: hasTrouble ? random.below(3) : 0,
    maxPreverify: random.pick([0, 3, 30, 300]),
    maxAccept: random.pick([0, 0, 20]),
    crashesAtAccept: hasTrouble ? random.below(5) : 0,
  };
}
