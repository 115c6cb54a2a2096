import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { genesis, setUp, spend } from '../../chain/lifecycle/memory-chain.fixture.ts';
import { createPeerPool } from './peer-pool.ts';

test('a transaction whose signers cannot be recovered is not added; other errors are thrown', async () => {
  const { chain } = setUp();
  const errors = [new Fault('too many signatures wait', { code: 'RECOVERY_BUSY' }), new Error('a bug')];
  const pool = createPeerPool({
    ...chain,
    fetchAndRecover: async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    },
  });
  const { id, bytes } = spend([[genesis.id, 0]]);
  expect([await pool.add(bytes), pool.has(id)]).toEqual([false, false]);
  expect(await Promise.resolve(pool.add(bytes)).catch(String)).toBe('Error: a bug');
  expect([await pool.add(bytes), pool.has(id)]).toEqual([true, true]);
});
