import { sha256 } from '../../../src/base/bytes/hash.ts';
import type { Node } from './node.ts';

/**
 * Returns a generator of secret keys that were not used on this node. They depend on the height, so they are the same on every new node
 * and differ after each story that funds an address.
 */
export async function freshSecrets(node: Node, story: string): Promise<() => Uint8Array> {
  const { height } = await node.call<{ height: string }>('/ext/bc/X', 'avm.getHeight');
  let count = 0;
  return () => Uint8Array.from(sha256(Buffer.from(`${story}/${height}/${count++}`)));
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
