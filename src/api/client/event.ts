import { type ChainEvent, type ChainEventKind, eventSchemas } from '../contract/events.ts';
import { decode } from './convert.ts';

/** Events about the stream itself are not given to callers. */
export const isChainEventKind = (kind: string): kind is ChainEventKind => Object.hasOwn(eventSchemas, kind);

/** Converts the JSON of an event: amounts become bigints. */
export const decodeEvent = (kind: ChainEventKind, json: unknown): ChainEvent => decode(eventSchemas[kind], json, kind) as ChainEvent;
