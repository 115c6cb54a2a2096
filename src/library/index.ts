/** Entry point of the package: `import { createNode } from 'serac'`. */
export { createNode, type FetchOptions, LibraryError, type LocalNode } from './create-node.ts';
export type { NodeOptions } from './node-options.ts';
export { OptionError } from './option-error.ts';
export { RpcError } from './rpc-error.ts';
