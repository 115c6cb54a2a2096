import { avmRows, walletRows } from './avm-methods.ts';
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
import { crossChainRows, moneyRows } from './dev-money-methods.ts';
import { healthRows, infoRows } from './info-methods.ts';
import type { MethodRows } from './method.ts';

/** All `dev.*` methods. Each group has its own handlers, with the dependencies of its methods. */
export const devRows = {
  ...moneyRows,
  ...crossChainRows,
  ...blocksRows,
  ...timeRows,
  ...identityRows,
  ...insightRows,
  ...nodeRows,
  ...peerRows,
  ...faultRows,
  ...reorgRows,
  ...stateRows,
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
