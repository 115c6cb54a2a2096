import { type BlsChecks, type BlsFunctions, createBlsChecks } from './bls-checks.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { type CpuShares, createCpuShares } from './cpu-share.ts';
import { createHandlingSlices, type HandlingSlices } from './handling-slices.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createSharedBandwidth, type SharedBandwidth } from './shared-bandwidth.ts';
import type { RegisteredStakes } from './stake.ts';
import type { PeerTiming } from './timing.ts';
import { createUnreadBytes, type UnreadBytes } from './unread-bytes.ts';

/** What all peers together may use of this node. */
export type PeerLimits = {
  /** Bytes of received messages that are not handled yet. */
  readonly inbound: ByteBudget;
  /** Bytes that have arrived before there is room for their messages. */
  readonly unread: UnreadBytes;
  /** Bytes of messages that wait to be sent. */
  readonly outbound: ByteBudget;
  /** Of all peers without stake. */
  readonly shared: SharedBandwidth;
  readonly cpu: CpuShares;
  readonly slices: HandlingSlices;
  readonly blsChecks: BlsChecks;
};

export const createPeerLimits = (options: NetworkOptions, stakes: RegisteredStakes, bls: BlsFunctions, timing: PeerTiming): PeerLimits => ({
  blsChecks: createBlsChecks(bls, timing),
  inbound: createByteBudget(
    { atLarge: options.inboundAtLargeBytes, nodeAtLarge: options.inboundNodeBytes, validators: options.inboundValidatorBytes },
    stakes,
  ),
  unread: createUnreadBytes(stakes, timing),
  shared: createSharedBandwidth(stakes, timing),
  outbound: createByteBudget(
    { atLarge: options.outboundAtLargeBytes, nodeAtLarge: options.outboundNodeBytes, validators: options.outboundValidatorBytes },
    stakes,
  ),
  slices: createHandlingSlices(stakes, timing.now()),
  cpu: createCpuShares(
    {
      validators: options.cpuValidators,
      others: options.cpuOthers,
      otherNode: options.cpuOtherNode,
      halfLife: options.cpuHalfLife,
      recheckDelay: options.cpuRecheckDelay,
    },
    stakes,
    timing.now(),
    timing.cpuTime,
  ),
});
