import { chainResources } from './resources-of-chain.ts';
import { peerResources } from './resources-of-peers.ts';
import { requestResources } from './resources-of-requests.ts';

/**
 * What callers, peers and other servers can make grow. test/resources.test.ts holds it against the code: every list, map and set that
 * outlives a call is in a row (`holds`), or in `perCall` of resources-of-calls.ts. docs/reference/limits.md is written from it.
 */
export type ResourceRow = {
  readonly resource: string;
  /** What bounds it. `{file#constant}` is replaced by the value in the source, `{file#constant ms}` by a time. */
  readonly limit: string;
  /** What happens at the limit. */
  readonly over: string;
  /** The metric or health check that shows it. */
  readonly seen?: string;
  readonly test: string;
  /** The variables that hold it: a file under src/ and names, separated by spaces. */
  readonly holds?: readonly string[];
};

type ResourceSection = { readonly title: string; readonly rows: readonly ResourceRow[] };

export const resourceSections: readonly ResourceSection[] = [
  { title: 'HTTP, events and calls', rows: requestResources },
  { title: 'Chains and stores', rows: chainResources },
  { title: 'Peers', rows: peerResources },
];
