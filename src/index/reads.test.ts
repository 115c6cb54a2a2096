import { openDatabase } from '../platform/database-bun.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import { openReads } from './open-reads.ts';
import { readsContract } from './reads-contract.fixture.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { createWorld } from './world.fixture.ts';

readsContract(
  'SQLite',
  async (seed) => {
    const world = createWorld(openDatabase, seed);
    const reads = openReads(sqliteSql(world.store), { number: world.number, id: chainID });
    return { world, reads, sync: async () => {}, close: async () => world.close() };
  },
  4,
);
