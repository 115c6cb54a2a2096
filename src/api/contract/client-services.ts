import { avmRows, walletRows } from './avm-methods.ts';
import { callRows } from './dev-call-methods.ts';
import {
  blocksRows,
  faultRows,
  identityRows,
  insightRows,
  nodeRows,
  peerRows,
  reorgRows,
  stateRows,
  timeRows,
} from './dev-chain-methods.ts';
import { crossChainRows, labelRows, moneyRows } from './dev-money-methods.ts';
import { healthRows, infoRows } from './info-methods.ts';
import type { MethodRows } from './method.ts';

/** The `dev.*` methods by what they are about, for the list in the documentation. */
export const devGroups = {
  'money and assets': moneyRows,
  labels: labelRows,
  'other chains': crossChainRows,
  blocks: blocksRows,
  time: timeRows,
  identity: identityRows,
  insight: insightRows,
  calls: callRows,
  node: { ...nodeRows, ...peerRows },
  faults: faultRows,
  reorgs: reorgRows,
  snapshots: stateRows,
} as const satisfies { readonly [group: string]: MethodRows };

/** All `dev.*` methods. Each group has its own handlers, with the dependencies of its methods. */
export const devRows = {
  ...devGroups['money and assets'],
  ...devGroups.labels,
  ...devGroups['other chains'],
  ...devGroups.blocks,
  ...devGroups.time,
  ...devGroups.identity,
  ...devGroups.insight,
  ...devGroups.calls,
  ...devGroups.node,
  ...devGroups.faults,
  ...devGroups.reorgs,
  ...devGroups.snapshots,
};

export type ServiceRow = {
  readonly path: string;
  /** Other paths that serve the same methods. */
  readonly otherPaths?: readonly string[];
  /** The text before each method name, such as `avm.`. */
  readonly prefix: string;
  readonly methods: MethodRows;
};

/** The services that the client has functions for. Functions, types and conversions follow from the rows. */
export const clientServices = {
  avm: {
    path: '/ext/bc/X',
    otherPaths: ['/ext/bc/avm', '/ext/bc/<blockchainID>', '/ext/X', '/ext/avm'],
    prefix: 'avm.',
    methods: avmRows,
  },
  wallet: { path: '/ext/bc/X/wallet', prefix: 'wallet.', methods: walletRows },
  info: { path: '/ext/info', prefix: 'info.', methods: infoRows },
  health: { path: '/ext/health', prefix: 'health.', methods: healthRows },
  dev: { path: '/ext/dev', prefix: 'dev.', methods: devRows },
} as const satisfies { readonly [service: string]: ServiceRow };
