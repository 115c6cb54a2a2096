import { createSoloReadings } from '../chains/peer-readings.ts';
import type { Config } from '../config/config.ts';
import { devMethods, followClock, openDevSwitches } from '../parts/dev-methods.ts';
import { nodeStore, type StartOptions, withNodeCore } from '../parts/node-core.ts';
import { startNodeHealth } from '../parts/node-health.ts';
import { type Node, serveNode } from '../parts/serve-node.ts';
import { startSoloChains } from '../parts/solo-chains.ts';
import type { Env } from '../setup/env.ts';
import { type StoreKind, soloStore } from '../setup/node-store.ts';

/** `serac`: a chain that this node decides alone, with funded accounts, `dev.*` methods, snapshots and a state file. Tests give it another store. */
export const runDevChain = (config: Config, env: Env, options: StartOptions, kind: StoreKind = soloStore): Promise<Node> =>
  withNodeCore(config, env, options, async (core) => {
    const { parts, context, identity } = core;
    const switches = openDevSwitches(core);
    const store = parts.add(nodeStore(core, kind));
    const solo = parts.add(await startSoloChains(core, store, switches?.impersonation));
    const { chains } = solo;
    followClock(core, solo, switches?.faults);
    const readings = createSoloReadings(config, identity.signer.publicKey);
    const checked = { store, chains, readings, counterparts: [context.p, context.c] };
    const health = parts.add(await startNodeHealth(core, checked));
    parts.add(await devMethods(core, store, solo, switches));
    return serveNode(
      core,
      { ...checked, health, accounts: solo.accountsWithAddresses, isAlone: true, hasMempool: true, withFaults: switches?.faults.apply },
      options,
    );
  });
