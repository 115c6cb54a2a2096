import { test } from 'bun:test';
import type { DataClient } from './data-client.ts';
import type { World } from './data-world.ts';
import type { Node } from './node.ts';

/** A node of the local network, a history on it, and one of the two clients. */
export type Scene = { readonly node: Node; readonly world: World; readonly client: DataClient };

/** Stories that both clients can tell, by name. */
export type Stories = { readonly [name: string]: (scene: Scene) => Promise<void> };

export function tell(who: string, scene: () => Scene, ...tables: readonly Stories[]): void {
  for (const [name, story] of tables.flatMap((table) => Object.entries(table))) test(`${who}: ${name}`, () => story(scene()), 30_000);
}
