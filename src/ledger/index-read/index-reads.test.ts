import { describe, test } from 'bun:test';
import type { LongWork } from '../../base/timing/long-work.ts';
import { readsContract } from './reads-contract.fixture.ts';
import { openPostgresReads, openSqliteReads } from './reads-databases.fixture.ts';

/** Pauses after every query; blocks may be written during a pause. */
const pauseAlways: LongWork = { begin: () => () => new Promise((resolve) => void setImmediate(resolve)) };

readsContract('SQLite', (seed) => openSqliteReads(seed), 4);
// Lists of outputs by amount are cached here even if they have few outputs, and have eight of them at most.
readsContract(
  'SQLite with pauses',
  (seed) => openSqliteReads(seed, pauseAlways, { min: 1, max: 8, stale: 2, chunk: 3, outputsPerPage: 2, filteredRows: 2 }),
  2,
);

const server = process.env.SERAC_TEST_POSTGRES;

if (server === undefined) describe('PostgreSQL', () => test.skip('skipped: SERAC_TEST_POSTGRES is not set', () => {}));
else readsContract('PostgreSQL', (seed) => openPostgresReads(server, seed, { min: 6, chunk: 3, outputsPerPage: 3, filteredRows: 5 }), 2);

const citus = process.env.SERAC_TEST_CITUS;

if (citus === undefined) describe('Citus', () => test.skip('skipped: SERAC_TEST_CITUS is not set', () => {}));
else readsContract('Citus', (seed) => openPostgresReads(citus, seed, { min: 6, chunk: 3, outputsPerPage: 3, filteredRows: 5 }, 'citus'), 1);
