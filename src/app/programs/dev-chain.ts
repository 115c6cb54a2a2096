import type { Config } from '../config/config.ts';
import { devMethods, followClock, openDevSwitches } from '../dev/dev-methods.ts';
import { nodeStore, type StartOptions, withNodeCore } from '../node/node-core.ts';
import { startNodeHealth } from '../node/node-health.ts';
import { type StoreKind, soloStore } from '../node/node-store.ts';
import { createSoloReadings } from '../node/peer-readings.ts';
import { openStoredLabels } from '../node/stored-labels.ts';
import type { Env } from '../platform/env.ts';
import { type Node, serveNode } from '../servers/node-server.ts';
import { startSoloChains } from '../solo/solo-chains.ts';

/** `serac`: a chain that this node decides alone, with funded accounts, `dev.*` methods, snapshots and a state file. Tests give it another store. */
export const runDevChain = (config: Config, env: Env, options: StartOptions, kind: StoreKind = soloStore): Promise<Node> =>
  withNodeCore(config, env, { ...options, readersWaitForReads: true }, async (core) => {
    const { parts, context, identity } = core;
    const switches = openDevSwitches(core);
    const store = parts.add(nodeStore(core, kind));
    const labels = openStoredLabels(store.store);
    const solo = parts.add(await startSoloChains(core, store, labels, switches?.impersonation));
    const { chains } = solo;
    followClock(core, solo, switches);
    const readings = createSoloReadings(config, identity.signer.publicKey);
    const nodeHealth = parts.add(await startNodeHealth({ core, store, chains, readings, counterparts: [context.p, context.c] }));
    parts.add(await devMethods(core, store, solo, switches, labels));
    return serveNode({
      core,
      store,
      chains,
      readings,
      nodeHealth,
      accounts: solo.accountsWithAddresses,
      labels,
      isAlone: true,
      hasMempool: true,
      withFaults: switches?.faults.apply,
      callLog: switches?.callLog,
      recorder: switches?.recorder,
      listens: options.listens,
    });
  });
