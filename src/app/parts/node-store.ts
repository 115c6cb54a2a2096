import { type NodeStore, openNodeStore, type StoreKind } from '../setup/node-store.ts';
import type { NodeCore } from './node-core.ts';

/** Opens the store of a node that writes blocks. */
export function nodeStore({ config, env, context, bus, writer, phases }: NodeCore, kind: StoreKind): NodeStore {
  const { recover, keys } = writer.signers;
  const store = openNodeStore(config, env, context, kind, 'write', bus, { recover, ...(keys && { publicKeyOf: keys.get }) });
  phases.end('database');
  return store;
}
