/** Entry point `serac/client`: a typed client of a node over HTTP, for browsers, Bun and Node. */
export { type Client, createClient, type NodeApi } from '../api/client/client.ts';
export type { EventFilter, Events } from '../api/client/events.ts';
export { SeracError, type SeracFault } from '../api/client/fault.ts';
export type { Namespaces } from '../api/client/namespaces.ts';
export type { RpcClientOptions } from '../api/client/rpc-client.ts';
export type { LifecycleStep, TxCheckJson } from '../api/contract/dev-chain-methods.ts';
export type { ChainEvent, ChainEventOf } from '../api/contract/events.ts';
export type { CheckResult } from '../api/contract/info-methods.ts';
export type { Encoding } from '../api/contract/kinds.ts';
export type {
  BlockJson,
  OutputJson,
  TransferableInputJson,
  TransferableOutputJson,
  TxJson,
  UnsignedTxJson,
} from '../api/contract/tx-json.ts';
export { type ErrorByCode, type ErrorCode, isSeracError, type KnownError } from './errors.ts';
