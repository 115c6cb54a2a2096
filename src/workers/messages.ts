import type { MetricFamily } from '../metrics/family.ts';

/** Messages from the writer process to a reader process, and back. Relayed HTTP requests use the same channel; see relay.ts. */
export type MessageToReader =
  | {
      readonly reader: 'start';
      readonly nodeID: string;
      readonly port: number;
      readonly relayedPaths: readonly string[];
      readonly statePort?: number;
    }
  | { readonly reader: 'getMetrics'; readonly id: number }
  | { readonly reader: 'ping' }
  | { readonly reader: 'stopping' }
  | { readonly reader: 'stop' };
export type MessageFromReader =
  | { readonly reader: 'metrics'; readonly id: number; readonly families: MetricFamily[] }
  | { readonly reader: 'pong'; readonly isServing: boolean };
