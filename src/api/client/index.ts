/** Entry point `serac/client`: a typed client of a node over HTTP, for browsers, Bun and Node. */
export { type Client, createClient, type NodeApi } from './client.ts';
export type { LifecycleStep, TxCheckJson } from './dev-methods.ts';
export type { ChainEvent, ChainEventOf } from './event.ts';
export type { EventFilter, Events } from './events.ts';
export { SeracError, type SeracFault } from './fault.ts';
export type { Encoding } from './method-row.ts';
export type { Namespaces } from './namespaces.ts';
export type { CheckResult } from './node-methods.ts';
export type { RpcClientOptions } from './rpc-client.ts';
export type { BlockJson, OutputJson, TransferableInputJson, TransferableOutputJson, TxJson, UnsignedTxJson } from './wire-json.ts';
