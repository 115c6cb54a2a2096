import { amount, anyJson, count, flag, list, type OutputOf, oneOf, optional, record, type Shapes, text, wireJson } from './shape.ts';
import type { TxJson } from './wire-json.ts';

const chain = { id: text, chain: text, chainID: text };
const balanceChange = record({ address: text, assetID: text, change: amount, sharedChange: amount });

/** The events of `/ext/events` without those about the stream itself, by kind. docs/events.md describes them. */
const eventShapes = {
  block: { ...chain, height: count, blockID: text, parentID: text, time: count, txIDs: list(text) },
  tx: {
    ...chain,
    height: count,
    blockID: text,
    time: count,
    txID: text,
    txType: oneOf<'BaseTx' | 'CreateAssetTx' | 'OperationTx' | 'ImportTx' | 'ExportTx'>(),
    tx: wireJson<TxJson>(),
    balanceChanges: list(balanceChange),
  },
  reverted: { ...chain, height: count, blockID: text, time: count, snapshot: optional(text) },
  mempool: {
    chain: text,
    chainID: text,
    action: oneOf<'in' | 'out'>(),
    txID: text,
    txType: text,
    reason: optional(anyJson<{ readonly code: string; readonly message: string }>()),
  },
  time: { time: count, offset: count, frozen: flag },
  health: { healthy: flag, check: text, error: optional(text) },
  reset: { id: text, reason: text },
} as const satisfies Readonly<Record<string, Shapes>>;

type EventShapes = typeof eventShapes;

/** What happened to the chain. `reset`: events were lost; read the current state again. */
export type ChainEvent = { [K in keyof EventShapes]: { readonly kind: K } & OutputOf<EventShapes[K]> }[keyof EventShapes];

export type ChainEventOf<K extends ChainEvent['kind']> = Extract<ChainEvent, { readonly kind: K }>;

export const isChainEventKind = (kind: string): kind is ChainEvent['kind'] => Object.hasOwn(eventShapes, kind);

/** Converts the JSON of an event: amounts become bigints. */
export const decodeEvent = (kind: ChainEvent['kind'], json: unknown): ChainEvent =>
  ({ kind, ...record(eventShapes[kind] as Shapes).decode(json, kind) }) as unknown as ChainEvent;
