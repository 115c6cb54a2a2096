import { describe, expect, test } from 'bun:test';
import type { Sql } from '../../ledger/index/sql.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { withPostgresChain } from '../chain/test-database.fixture.ts';
import { createVersionQuery } from './version-query.ts';

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)('version query', () => {
  test('one statement reads the last blocks and the counters of the indexer', async () => {
    await withPostgresChain(server as string, { seed: 81 }, async ({ sql, chain: { spec }, grow }) => {
      const texts: string[] = [];
      const counted: Sql = {
        dialect: 'postgres',
        all: (text, values) => {
          texts.push(text);
          return sql.all(text, values);
        },
      };
      const { read: query } = createVersionQuery([{ number: 1, id: spec.id }], 'postgres');
      const before = await query(counted);
      expect(texts).toHaveLength(1);
      await grow(2);
      await sql.all(`UPDATE meta SET value = 7 WHERE name = 'learned'`, []);
      await sql.all(`UPDATE meta SET value = 8 WHERE name = 'writer'`, []);
      const after = await query(counted);
      expect(texts).toEqual([texts[0] as string, texts[0] as string]);
      const tip = await openReads(sql, { number: 1, id: spec.id, feeAsset: spec.id }).tip();
      expect(tip.height).toBe((before.tips[0]?.height ?? 0) + 2);
      expect(after).toEqual({
        version: { tip: tip.id, past: '7' },
        position: { heights: [tip.height], revision: 7 },
        tips: [tip],
        writer: 8,
        server: before.server,
      });
      expect(before.server).toBeGreaterThan(0);
    });
  });
});
