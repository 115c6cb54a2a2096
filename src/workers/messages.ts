import type { Family } from '../metrics/family.ts';

/** What the writing process tells a reader, and what a reader tells it. Requests travel beside these; see http/relay.ts. */
export type ToReader =
  | { readonly reader: 'start'; readonly nodeID: string; readonly port: number; readonly relayedPaths: readonly string[] }
  | { readonly reader: 'count'; readonly id: number }
  | { readonly reader: 'ping' }
  | { readonly reader: 'stopping' }
  | { readonly reader: 'stop' };
export type FromReader =
  | { readonly reader: 'counted'; readonly id: number; readonly families: Family[] }
  | { readonly reader: 'pong'; readonly isServing: boolean };
