import { txIdTable } from '../../ledger/index/distribution.ts';
import { hasTable, type Sql } from '../../ledger/index/sql.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { quoteIdentifier } from '../postgres/postgres.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';

/**
 * Throws unless an index can be divided over the servers of a Citus cluster: the server is its coordinator, the schema has no undivided index, and the role
 * may finish transactions (publish.ts).
 */
export async function verifyCitus(sql: Sql): Promise<void> {
  const { tx } = tablesOf(1);
  if ((await hasTable(sql, tx)) && !(await hasTable(sql, txIdTable('citus', { tx }))))
    throw refused(
      'the schema has an index whose tables are not divided; --distribute needs an empty schema or database, into which the chain is indexed again',
    );
  const [extension] = await sql.all(`SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'`, []);
  if (extension === undefined) throw refused('--distribute needs the extension Citus in this database: CREATE EXTENSION citus');
  const [nodes] = await sql.all<{ workers: number; coordinators: number }>(
    `SELECT CAST(count(*) FILTER (WHERE groupid <> 0) AS integer) AS workers, CAST(count(*) FILTER (WHERE groupid = 0) AS integer) AS coordinators
     FROM pg_dist_node WHERE noderole = 'primary'`,
    [],
  );
  if (nodes?.coordinators !== 1 || nodes.workers === 0)
    throw refused(
      `--distribute needs a cluster of a coordinator and workers, and this server knows ${nodes?.coordinators} and ${nodes?.workers}; run on the coordinator: SELECT citus_set_coordinator_host('host', 5432); SELECT citus_add_node('worker', 5432)`,
    );
  const [role] = await sql.all<{ name: string; mayRecover: boolean }>(
    `SELECT CAST(current_user AS text) AS name, has_function_privilege('recover_prepared_transactions()', 'EXECUTE') AS "mayRecover"`,
    [],
  );
  if (role?.mayRecover === false)
    throw refused(
      `the role ${role.name} may not finish the transactions of a worker that died; run as a superuser: GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO ${quoteIdentifier(role.name)}`,
    );
}

const refused = (message: string) => new PostgresError(message, { code: 'DATABASE_REFUSED', reason: 'Citus' });
