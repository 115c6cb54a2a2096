import { parseId, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { chainCheck } from '../../base/health/chain-check.ts';
import { blsCheck, bootstrappedCheck, databaseCheck, diskSpaceCheck } from './checks.ts';
import { createHealth, type Health } from './health.ts';
import { futureUpgradeCheck, networkCheck, routerCheck } from './network-checks.ts';
import { applicationTag } from './worker.ts';

/** For tests: the checks of a single node on the local network, as AvalancheGo registers them. `store.isBroken` makes its store fail. */
export function localNodeHealth(): { health: Health; store: { isBroken: boolean } } {
  const now = () => 1_794_703_706_366_470_057n;
  const health = createHealth({ now, after: () => () => {}, interval: 30_000 });
  const store = { isBroken: false };
  const networking = { disconnectedValidators: [], percentConnected: 1 };
  const consensus = { avgAcceptanceTime: 0n, lastAcceptedHeight: 0n, longestProcessingBlock: 0n, processingBlocks: 0 };
  const lastAccepted = {
    X: '2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst',
    P: '2kdALCW3F7vR7MkpYLC4m7yhyByiSTT3g5AzYcZGWhiRnq7YYr',
    C: 'jXM4J36kLkSjgg1XgdrSPGtqAHxwok4NdcSx8j1hCmGUna9Ac',
  };
  const primaryNetwork = '11111111111111111111111111111111LpoYY';
  for (const [alias, id] of Object.entries(lastAccepted))
    health.register(
      'health',
      alias,
      chainCheck(() => ({ consensus: { ...consensus, lastAcceptedID: parseId(id) }, networking })),
      [primaryNetwork],
    );
  const key = () => Promise.resolve(new Uint8Array(48));
  const application = {
    bls: blsCheck(key, () => ({ publicKey: key })),
    bootstrapped: bootstrappedCheck(() => (store.isBroken ? [zeroId] : [])),
    database: databaseCheck(() => {
      if (store.isBroken) throw new Fault('attempt to write a readonly database', { code: 'TEST_STORE' });
    }),
    diskspace: diskSpaceCheck(() => ({ blocks: 66_053_021n, availableBlocks: 19_434_580n, blockBytes: 4096n })),
    futureupgrade: futureUpgradeCheck(() => ({ localUpgradeTime: '2020-12-05T05:00:00Z', totalWeight: 1n, peers: [] }), now),
    network: networkCheck(() => ({ connectedPeers: 0, sendFailRate: 0 }), false),
    router: routerCheck(() => ({ outstandingRequests: 0, longestRunningRequest: 0n })),
  };
  for (const [name, check] of Object.entries(application)) health.register('health', name, check, [applicationTag]);
  health.register('readiness', 'bootstrapped', application.bootstrapped, [applicationTag]);
  return { health, store };
}
