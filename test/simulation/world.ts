import { idOf } from '../../src/base/bytes/id.ts';
import type { NodeId } from '../../src/base/bytes/node-id.ts';

export const chainId = idOf(Uint8Array.of(88));

export const nodeIdAt = (index: number): NodeId => (index + 1).toString(16).padStart(40, '0') as NodeId;
