import { expect, test } from 'bun:test';
import type { Sql } from '../../ledger/index/sql.ts';
import { verifyCitus } from './citus.ts';

/** A coordinator that answers the statements of `verifyCitus`, by a part of their text. */
const answering = (rows: { readonly [part: string]: object }): Sql => ({
  dialect: 'citus',
  all: async <Row>(text: string) => Object.entries(rows).flatMap(([part, row]) => (text.includes(part) ? [row as Row] : [])),
});

const ready = {
  pg_extension: { one: 1 },
  pg_dist_node: { workers: 2, coordinators: 1 },
  has_function_privilege: { name: 'indexer', mayRecover: true },
};

test('an index is divided by a role that may finish the transactions of dead workers, and a refusal says what to run', async () => {
  await verifyCitus(answering(ready));
  const limited = answering({ ...ready, has_function_privilege: { name: 'indexer', mayRecover: false } });
  await expect(verifyCitus(limited)).rejects.toThrow('GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO "indexer"');
  const alone = answering({ ...ready, pg_dist_node: { workers: 0, coordinators: 0 } });
  await expect(verifyCitus(alone)).rejects.toThrow('citus_add_node');
});
