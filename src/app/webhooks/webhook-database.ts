import { openSharedFile } from '../../api/access/shared-file.ts';
import { createWebhookStore, createWebhookTables, type WebhookStore } from '../../api/webhooks/webhook-store.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import type { StorageConfig } from '../config/config.ts';
import { dataFilesIn } from '../setup/data-files.ts';
import type { DatabaseEnv, FileEnv } from '../setup/env.ts';

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
  const sql = openSharedFile(env.openDatabase, files?.webhooks ?? memoryPath, isDurable);
  await createWebhookTables(sql);
  return { store: createWebhookStore(sql), close: sql.close };
}

/** The webhooks of a node for those who manage them, opened when they are first used: most nodes have none. */
export function openWebhooksOnUse(config: Pick<StorageConfig, 'store' | 'dataDir'>, env: DatabaseEnv & FileEnv) {
  let opened: Promise<WebhookDatabase> | undefined;
  const open = async (): Promise<WebhookDatabase> => {
    try {
      return await openWebhookDatabase(config, env, true);
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    store: async (): Promise<WebhookStore> => {
      opened ??= open();
      return (await opened).store;
    },
    close: async (): Promise<void> => (await opened?.catch(() => undefined))?.close(),
  };
}
