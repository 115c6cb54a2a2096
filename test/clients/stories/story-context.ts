import { test } from 'bun:test';
import type { DataClient } from './data-client.ts';
import type { Node } from './node.ts';
import type { SampleChain } from './sample-chain.ts';

/** A node of the local network with the sample chain, and one of the two clients. */
export type StoryContext = { readonly node: Node; readonly sample: SampleChain; readonly client: DataClient };

/** Tests that run with both clients, by name. */
export type Stories = { readonly [name: string]: (context: StoryContext) => Promise<void> };

export function runStories(client: string, context: () => StoryContext, ...tables: readonly Stories[]): void {
  for (const [name, story] of tables.flatMap((table) => Object.entries(table))) test(`${client}: ${name}`, () => story(context()), 30_000);
}
