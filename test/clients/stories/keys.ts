import { sha256 } from '../../../src/bytes/hash.ts';
import type { Node } from './node.ts';

/**
 * Secrets nobody has used on this node: the same on every fresh node, others on one that has moved on, since every story
 * that funds an address makes the chain higher.
 */
export async function freshSecrets(node: Node, story: string): Promise<() => Uint8Array> {
  const { height } = await node.call<{ height: string }>('/ext/bc/X', 'avm.getHeight');
  let drawn = 0;
  return () => Uint8Array.from(sha256(Buffer.from(`${story}/${height}/${drawn++}`)));
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
