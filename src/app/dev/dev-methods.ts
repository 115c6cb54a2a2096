import { type CallLog, createCallLog } from '../../api/calls/call-log.ts';
import { type CallRecorder, createCallRecorder } from '../../api/calls/call-recorder.ts';
import { type CallFaults, createCallFaults } from '../../api/dev/call-faults.ts';
import type { Labels } from '../../api/dev/labels.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import { devPath, devStatePath, maxTxBody } from '../../api/http/node-routes.ts';
import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import { createImpersonation, type Impersonation } from '../../chain/lifecycle/impersonation.ts';
import { stopChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import type { SoloChains } from '../solo/solo-chains.ts';
import { createDevServices } from './dev-services.ts';
import { openNodeState } from './node-state.ts';
import { createStateRoute } from './state-route.ts';
import { startStateSaver } from './state-saver.ts';

/** What a developer switches on and off while the chain runs, and what the reader processes must know of it. */
type DevSwitches = {
  readonly impersonation: Impersonation;
  readonly faults: CallFaults;
  readonly callLog: CallLog;
  /** Records the calls of this process for the log. */
  readonly recorder: CallRecorder;
};

/** The dev methods are for programs on this machine, or for callers with the token; each request is checked too (api/http/dev-access.ts). */
export const mayServeDev = ({ publicApi, http, devToken }: NodeCore['config']): boolean =>
  !publicApi && (isLoopbackHost(http.host) || devToken !== undefined);

/** Opens the switches of `dev.*`; undefined where these methods are not served. */
export function openDevSwitches(core: NodeCore): DevSwitches | undefined {
  const { config, env } = core;
  if (!mayServeDev(config)) return undefined;
  const faults = createCallFaults(env.timers.after, () => {
    core.bus.publish({ kind: 'settings', changed: 'faults' });
    void informReaders(core, switches);
  });
  const now = (): number => Number(env.clock.unixNanos() / 1_000_000n);
  const callLog = createCallLog({
    now,
    after: env.timers.after,
    onSwitch: (isOn) => {
      recorder.setOn(isOn);
      return informReaders(core, switches);
    },
    onNews: (last) => core.bus.publish({ kind: 'calls', last }),
  });
  const recorder = createCallRecorder({ now, monotonic: env.clock.monotonic, after: env.timers.after, keep: callLog.add });
  core.parts.add({ close: async () => callLog.close() });
  const switches = { impersonation: createImpersonation(), faults, callLog, recorder };
  return switches;
}

/** Tells the reader processes the time of the chain, whether they must pass every call on, and whether they record calls for the log. */
const informReaders = ({ readers, context }: NodeCore, switches: DevSwitches | undefined): Promise<void> =>
  readers.setState({
    clock: context.clock.save(),
    isForwarding: switches?.faults.isActive() === true,
    recordsCalls: switches?.callLog.isOn() === true,
  });

/** Lets events, dropped transactions and reader processes follow the chain's clock. */
export function followClock(core: NodeCore, { chains }: SoloChains, switches: DevSwitches | undefined): void {
  const { clock } = core.context;
  clock.onChange(() => {
    for (const { tools } of chains) tools?.chain.forgetDropReasons();
    core.bus.publish({ kind: 'time', ...clock.read() });
    void informReaders(core, switches);
  });
}

/** The `dev.*` methods, snapshots and state files of the developer's chain. */
export async function devMethods(
  core: NodeCore,
  store: NodeStore,
  solo: SoloChains,
  switches: DevSwitches | undefined,
  labels: Labels,
): Promise<Contribution> {
  const { config, env, context, bus, logError } = core;
  if (switches === undefined && config.state === undefined) return {};
  const { chains, accounts, fund, copyOutputs } = solo;
  const state = openNodeState({ config, env, context, store, chains, labels, events: bus, fund });
  const save = config.state && (await startStateSaver(config.state, env, state.transfer, logError));
  // The state is saved when no more blocks are added.
  const close = async (): Promise<void> => {
    await Promise.all(chains.map(stopChain));
    await save?.();
  };
  if (switches === undefined) return { close };
  const access = createDevAccess(config.devToken);
  const services = createDevServices({
    state,
    store,
    context,
    parts: switches,
    lifecycle: core.lifecycles.of(context.specs[0].id),
    chains,
    accounts,
    labels,
    events: bus,
    timers: env.timers,
    version: env.version,
    informReaders: () => informReaders(core, switches),
    forceCheck: core.forcedChecks.force,
    forcedChecks: core.forcedChecks.forced,
    copyOutputs,
  });
  return {
    routes: [
      [devPath, { services, maxBody: maxTxBody, ...access }],
      [devStatePath, createStateRoute(state.transfer, chains[0].lastAccepted, access)],
    ],
    close,
  };
}
