import { memoize } from '../../base/cache/memoize.ts';
import { isIndexTable, placementOf, shardCount } from '../../ledger/index/distribution.ts';
import type { Sql, SqlQuery } from '../../ledger/index/sql.ts';

/** Which tables of the server have which names where: `serac api` asks the workers of a Citus cluster for the shards themselves (shard-reads.ts). */
export type ShardMap = {
  /** Differs as soon as a shard was moved or a worker replaced. */
  readonly placements: string;
  readonly schema: string;
  readonly tables: ReadonlyMap<string, ShardedTable>;
};

/** Shards in the order of their hashes. A reference table has one, whose name is the same on every server. */
export type ShardedTable = {
  /** The column by which the table is divided; undefined for a reference table. */
  readonly by: string | undefined;
  readonly shards: readonly { readonly name: string; readonly worker: Worker }[];
};

/** `host` and `port` as one text, and apart. */
export type Worker = { readonly name: string; readonly host: string; readonly port: number };

/** A move gives a shard a placement with a new number. With values, so that PostgreSQL plans it once. */
const placementsText = `SELECT concat_ws(' ', (SELECT max(placementid) FROM pg_dist_placement WHERE placementid > ?),
  (SELECT sum(hashtextextended(nodename || nodeport, groupid)) FROM pg_dist_node WHERE nodeid > ? AND noderole = 'primary')) AS placements`;
const placementsValues = [0, 0];

/** A query of one row, to which it adds the placements: as a statement of its own this takes 1.6 times as long. */
export const addPlacements = ({ text, values }: SqlQuery): SqlQuery => ({
  text: textWithPlacements(text),
  values: [...values, ...placementsValues],
});

const textWithPlacements = memoize((text: string) => `SELECT l.*, p.placements FROM (${text}) l CROSS JOIN (${placementsText}) p`);

/** Of reference tables the copy of the coordinator, whose group is 0. */
const mapText = `SELECT CAST(c.relname AS text) AS name, c.relname || '_' || s.shardid AS shard, p.partmethod = 'h' AS is_divided, n.nodename AS host,
    n.nodeport AS port, CAST(current_schema() AS text) AS schema, (${placementsText}) AS placements
  FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid JOIN pg_dist_shard s ON s.logicalrelid = p.logicalrelid
  JOIN pg_dist_placement l ON l.shardid = s.shardid JOIN pg_dist_node n ON n.groupid = l.groupid AND n.noderole = 'primary'
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND (p.partmethod = 'h' OR n.groupid = 0)
  ORDER BY c.relname, CAST(s.shardminvalue AS bigint)`;

type MapRow = {
  readonly name: string;
  readonly shard: string;
  readonly is_divided: boolean;
  readonly host: string;
  readonly port: number;
  readonly schema: string;
  readonly placements: string;
};

/** Reads the map from the coordinator; undefined if a table is not divided as this program does it, for example into shards that were split. */
export async function readShardMap(sql: Pick<Sql, 'all'>): Promise<ShardMap | undefined> {
  const rows = await sql.all<MapRow>(mapText, placementsValues);
  const [first] = rows;
  if (first === undefined) return undefined;
  const tables = new Map<string, ShardedTable>();
  for (const [name, ofTable] of Map.groupBy(rows, (row) => row.name)) {
    // There may be a table of somebody else in the schema.
    if (!isIndexTable(name)) continue;
    const placement = placementOf(name);
    const isDivided = ofTable[0]?.is_divided === true;
    if (isDivided !== (typeof placement === 'object') || ofTable.length !== (isDivided ? shardCount : 1)) return undefined;
    tables.set(name, {
      by: typeof placement === 'object' ? placement.by : undefined,
      shards: ofTable.map(({ shard, host, port }) => ({ name: shard, worker: { name: `${host}:${port}`, host, port } })),
    });
  }
  return { placements: first.placements, schema: first.schema, tables };
}
