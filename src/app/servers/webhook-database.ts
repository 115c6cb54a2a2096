import { openSharedFile } from '../../api/access/shared-file.ts';
import { createWebhookStore, prepareWebhookTables, type WebhookStore } from '../../api/webhooks/webhook-store.ts';
import { openOnUse } from '../../base/cache/memoize.ts';
import { closeOnFailure } from '../../base/closing.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import type { StorageConfig } from '../config/config.ts';
import { dataFilesIn } from '../node/data-files.ts';
import type { DatabaseEnv, FileEnv } from '../platform/env.ts';

type WebhookDatabase = {
  readonly store: WebhookStore;
  readonly close: () => void;
};

/**
 * Opens the webhooks of a node: a file in its data directory, or memory. `isDurable`: see `openSharedFile`. Those who manage webhooks need
 * it; the deliverer does not, since it repeats what was not stored.
 */
export async function openWebhookDatabase(
  { store, dataDir }: Pick<StorageConfig, 'store' | 'dataDir'>,
  env: DatabaseEnv & FileEnv,
  isDurable: boolean,
): Promise<WebhookDatabase> {
  const files = store === 'memory' || dataDir === undefined ? undefined : dataFilesIn(dataDir);
  if (files !== undefined) env.makeFolder(files.folder);
  const file = openSharedFile(env.openDatabase, files?.webhooks ?? memoryPath, isDurable);
  // An error of closing the file would hide why it cannot be used.
  const ignore = (): void => {};
  return closeOnFailure(file, ignore, async (sql) => {
    await prepareWebhookTables(sql);
    return { store: createWebhookStore(sql), close: sql.close };
  });
}

/** The webhooks of a node for those who manage them, opened when they are first used: most nodes have none. */
export function openWebhooksOnUse(config: Pick<StorageConfig, 'store' | 'dataDir'>, env: DatabaseEnv & FileEnv) {
  const database = openOnUse(() => openWebhookDatabase(config, env, true));
  return {
    store: async (): Promise<WebhookStore> => (await database.get()).store,
    close: async (): Promise<void> => (await database.current())?.close(),
  };
}
