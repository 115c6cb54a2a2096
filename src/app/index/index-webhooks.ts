import { createEventHub } from '../../api/events/hub.ts';
import { createWebhookStore } from '../../api/webhooks/webhook-store.ts';
import { idText } from '../../base/bytes/id.ts';
import { every } from '../../base/timing/timers.ts';
import { eventLogIDOf } from '../../cluster/api-server/api-events.ts';
import { blocksChannel } from '../../cluster/chain/postgres-chain.ts';
import { openPostgresEventLog } from '../../cluster/chain/postgres-event-log.ts';
import type { DatabaseHost } from '../../cluster/hosts/database-host.ts';
import { readPageSecret } from '../../cluster/indexer/served-network-store.ts';
import type { Lease } from '../../cluster/lease/lease.ts';
import { indexedChains } from '../../ledger/index/migrate.ts';
import type { Config } from '../config/config.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import { createNodeLongWork, type NetworkContext } from '../node/network-context.ts';
import { startWebhookDelivery } from '../node/webhook-delivery.ts';
import type { Env } from '../platform/env.ts';
import { targetPolicyOf } from '../servers/webhook-management.ts';

/** Milliseconds between two looks for new blocks, in case a notification was lost. */
const advanceInterval = 1000;

/**
 * Delivers the webhooks of a database. The process that writes the index does, as long as it holds the lease: how far deliveries are is
 * written through it, so that a process which has lost the lease stores nothing. Blocks are read through another
 * connection, beside those that are written.
 */
export async function startIndexWebhooks(
  config: Config,
  env: Env,
  { specs: [spec], chain }: NetworkContext,
  { lease, host, logError }: { readonly lease: Lease; readonly host: DatabaseHost; readonly logError: (error: unknown) => void },
) {
  const number = (await indexedChains(lease)).find(({ id }) => id === spec.id)?.number ?? 1;
  const logID = eventLogIDOf(await readPageSecret(lease));
  const { format } = createChainAddressFormat(spec.id, chain);
  const hub = createEventHub({
    log: openPostgresEventLog(host.sql, { number, id: spec.id }, logID),
    textOf: () => ({ alias: spec.aliases[0], json: { address: format, id: idText } }),
    timers: env.timers,
    longWork: createNodeLongWork(env),
    logError,
  });
  const stopListening = host.listen(blocksChannel, { onNotify: hub.advance, onLost: () => {} });
  const stopAdvancing = every(env.timers, advanceInterval, hub.advance);
  const deliverer = startWebhookDelivery(env, {
    store: createWebhookStore(lease),
    hub,
    policy: targetPolicyOf(config, { isDevChain: false }),
    formatAddress: () => format,
    logError,
  });
  return {
    read: deliverer.read,
    close: async (): Promise<void> => {
      stopListening();
      stopAdvancing();
      // The connection may be lost: the next process repeats what was not stored.
      await deliverer.close().catch(logError);
      hub.close();
    },
  };
}
