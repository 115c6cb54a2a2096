import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ValidatorSet } from '../protocol/validators.ts';

/** The validators with the most weight that together have this share of it, connected or not. AvalancheGo: network/p2p/validators.go, Top. */
export function topByStake(set: ValidatorSet, share: number): NodeId[] {
  let total = 0n;
  for (const weight of set.values()) total += weight;
  const target = Math.ceil(share * Number(total));
  const sorted = [...set].sort(([a, weightA], [b, weightB]) => (weightA === weightB ? (a < b ? -1 : 1) : weightA > weightB ? -1 : 1));
  const top: NodeId[] = [];
  let sum = 0n;
  for (const [node, weight] of sorted) {
    if (Number(sum) >= target) break;
    top.push(node);
    sum += weight;
  }
  return top;
}
