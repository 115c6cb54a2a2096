/** Entry point of the package: `import { createNode } from 'serac'`. */

export type { EventFilter, Events } from '../api/client/events.ts';
export { SeracError, type SeracFault } from '../api/client/fault.ts';
export type { ChainEvent, ChainEventOf } from '../api/contract/events.ts';
export { createNode, type FetchOptions, type LocalNode, type NodeAccount } from './create-node.ts';
export type { NodeOptions } from './node-options.ts';
export { OptionError } from './option-error.ts';
export type { Script, ScriptContext } from './script.ts';
