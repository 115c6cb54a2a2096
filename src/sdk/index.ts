/** Entry point of the package: `import { createNode } from 'serac'`. */

import type { NodeApi } from '../api/client/client.ts';

export type { EventFilter, Events } from '../api/client/events.ts';
export { SeracError, type SeracFault } from '../api/client/fault.ts';
export type { ChainEvent, ChainEventOf } from '../api/contract/events.ts';
export { createNode, type FetchOptions, type LocalNode, type NodeAccount } from './create-node.ts';
export { createTestnet, type Testnet, type TestnetNode, type TestnetStatus } from './create-testnet.ts';
export { type ErrorByCode, type ErrorCode, isSeracError, type KnownError } from './errors.ts';
export { type NodeOptions, OptionError } from './node-options.ts';
export type { TestnetOptions } from './testnet-options.ts';

/** What a script of `serac run` gets: the client of a node, its URL for SDKs, and the arguments after the script's name. */
export type ScriptContext = NodeApi & { readonly url: string; readonly args: readonly string[] };

/**
 * The default export of a script of `serac run`. A number that it returns is the exit code.
 *
 *     import type { Script } from 'serac';
 *     export default (async ({ avm }) => console.log(await avm.getHeight())) satisfies Script;
 */
export type Script = (context: ScriptContext) => unknown;
