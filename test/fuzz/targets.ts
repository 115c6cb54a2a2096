import { codecTargets } from './codec-targets.ts';
import { configTargets } from './config-targets.ts';
import { dataTarget } from './data-target.ts';
import { eventTarget } from './event-target.ts';
import { httpTarget } from './http-target.ts';
import { messageTargets } from './message-targets.ts';
import { peerTarget } from './peer-target.ts';
import { rpcTargets } from './rpc-targets.ts';
import { stateTarget } from './state-target.ts';
import type { FuzzTarget } from './target.ts';

/** Everything that takes bytes from outside. */
export const fuzzTargets: readonly FuzzTarget[] = [
  ...codecTargets,
  ...rpcTargets,
  dataTarget,
  httpTarget,
  ...messageTargets,
  peerTarget,
  stateTarget,
  ...configTargets,
  eventTarget,
];
