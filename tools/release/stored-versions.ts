import { eventLogTables } from '../../src/api/events/event-log-schema.ts';
import { webhookTables } from '../../src/api/webhooks/webhook-tables.ts';
import { newestVersion } from '../../src/ledger/index/migrations.ts';
import { newestTableVersion } from '../../src/ledger/index/table-set.ts';
import { stateFileVersion } from '../../src/ledger/snapshot/state-file.ts';
import { schemaVersion } from '../../src/ledger/store/store.ts';

/** The versions of everything that Serac stores, from the code that checks them when it opens a file or a database. */
export const storedVersions = [
  { what: 'data directory (`--data-dir`)', version: schemaVersion },
  { what: 'history index in the data directory', version: newestVersion },
  { what: 'event log in the data directory', version: newestTableVersion(eventLogTables) },
  { what: 'webhooks, in the data directory or PostgreSQL', version: newestTableVersion(webhookTables) },
  { what: 'state file (`--state`)', version: stateFileVersion },
  { what: 'PostgreSQL schema (`serac index`, `serac api`)', version: newestVersion },
] as const;
