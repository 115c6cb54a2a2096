import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import type { Dialect } from '../index/ddl.ts';
import { txIdTable } from '../index/distribution.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { type StoredUtxo, storedOwners, storedThreshold } from '../state/stored-utxo.ts';
import { fetchRowGroups, fetchRows, type Queries, runTogether } from '../store/queries.ts';
import type { AssetCounts, CountedAsset } from './explorer-reads.ts';
import type { AssetDetails, AssetEntry, AssetName, MintRight, QueriesOf } from './index-reads.ts';
import type { OutputReads } from './read-outputs.ts';
import { createTxsById } from './txs-by-id.ts';

export function createAssetReads(
  dialect: Dialect,
  t: Tables & IndexTables,
  { addBytes }: Pick<OutputReads, 'addBytes'>,
): QueriesOf<'asset' | 'assets' | 'assetDetails' | 'assetNames'> & {
  /** Assets with the counts of their holders, as of the same block. */
  readonly countedAssets: (ids: readonly Id[]) => Queries<ReadonlyMap<Id, CountedAsset>>;
} {
  const columns =
    'a.id, a.fxs, a.name, a.symbol, a.denomination, s.first, s.last, s.txs, s.supply, s.nfts, s.holders, s.held, s.minted, s.minted_nfts';
  const withStat = `FROM ${t.asset} a LEFT JOIN ${t.assetStat} s ON s.asset = a.id`;
  // LEFT JOIN: an asset from before the indexed history has no stored CreateAsset transaction.
  const allDetails = keyLookup(
    dialect,
    (
      isKey,
    ) => `SELECT ${columns}, b.time AS created, b.height AS created_in, (SELECT min(m.seq) FROM ${t.minter} m WHERE m.asset = a.id) AS minter
      ${withStat} LEFT JOIN ${t.tx} x ON x.id = a.id LEFT JOIN ${t.block} b ON b.height = x.height WHERE a.id ${isKey}`,
  );
  // On Citus the other tables are divided by other keys.
  const ownDetails = keyLookup(
    dialect,
    (isKey) => `SELECT ${columns}, NULL AS created, NULL AS created_in, NULL AS minter ${withStat} WHERE a.id ${isKey}`,
  );
  const firstMinters = keyLookup(
    dialect,
    (isKey) => `SELECT asset, min(seq) AS minter FROM ${t.minter} WHERE asset ${isKey} GROUP BY asset`,
  );
  const creations = createTxsById<CreationRow>(
    dialect,
    t,
    `SELECT x.id, b.time AS created, b.height AS created_in FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`,
  );

  function* detailsOnCitus(keys: readonly Uint8Array[]): Queries<readonly AssetRow[]> {
    const found = fetchRowGroups({ details: ownDetails(keys), minters: firstMinters(keys) });
    const [rows, created] = yield* runTogether(found, creations(keys));
    const minters = new Map(
      (rows.minters as readonly { asset: Uint8Array; minter: number }[]).map(({ asset, minter }) => [toHex(asset), minter]),
    );
    const creationOf = new Map(created.map((row) => [toHex(row.id), row]));
    return (rows.details as readonly AssetRow[]).map((row) => {
      const creation = creationOf.get(toHex(row.id));
      return {
        ...row,
        created: creation?.created ?? null,
        created_in: creation?.created_in ?? null,
        minter: minters.get(toHex(row.id)) ?? null,
      };
    });
  }

  const details = (keys: readonly Uint8Array[]): Queries<readonly AssetRow[]> =>
    dialect === 'citus' ? detailsOnCitus(keys) : fetchRows<AssetRow>(allDetails(keys));
  const minters = keyLookup(
    dialect,
    (isKey) =>
      `SELECT m.asset, m.seq, NULL AS bytes FROM ${t.minter} m WHERE m.asset ${isKey} AND NOT EXISTS (SELECT 1 FROM ${t.spend} s WHERE s.utxo = m.seq)`,
  );
  const names = keyLookup(dialect, (isKey) => `SELECT id, name, symbol, denomination FROM ${t.asset} WHERE id ${isKey}`);
  const isTx = `SELECT 1 AS one FROM ${txIdTable(dialect, t)} WHERE id = ?`;

  const keysOf = (ids: readonly Id[]) => [...new Set(ids)].map(idToBytes);

  function* countedAssets(ids: readonly Id[]): Queries<ReadonlyMap<Id, CountedAsset>> {
    const keys = keysOf(ids);
    const [rows, unspent] = yield* runTogether(details(keys), fetchRows<MinterRow>(minters(keys)));
    const minterRows = yield* addBytes(unspent);
    const rightsOf = Map.groupBy(
      minterRows.toSorted((a, b) => a.seq - b.seq),
      ({ asset }) => toHex(asset),
    );
    const found = rows.map((row) => {
      const mintRights = distinctRights((rightsOf.get(toHex(row.id)) ?? []).map(({ bytes }) => bytes));
      const minters = [...new Set(mintRights.flatMap(({ addresses }) => addresses))].sort();
      const entry = {
        ...detailsOf(row),
        minters,
        mintRights,
        unitType: unitTypeOf(row.fxs.split(' ')),
        createdIn: row.created_in ?? undefined,
      };
      return { entry, counts: countsOf(row) };
    });
    return new Map(found.map((one) => [one.entry.id, one]));
  }

  function* assets(ids: readonly Id[]): Queries<ReadonlyMap<Id, AssetEntry>> {
    return new Map([...(yield* countedAssets(ids))].map(([id, { entry }]) => [id, entry]));
  }

  return {
    assets,
    countedAssets,
    assetDetails: function* (ids) {
      const rows = yield* details(keysOf(ids));
      return new Map(rows.map(detailsOf).map((one) => [one.id, one]));
    },
    assetNames: function* (ids) {
      const rows = yield* fetchRows<NameRow>(names(keysOf(ids)));
      return rows.map(nameOf);
    },
    asset: function* (id) {
      const entry = (yield* assets([id])).get(id);
      if (entry !== undefined) return entry;
      const [row] = yield* fetchRows<object>([{ text: isTx, values: [idToBytes(id)] }]);
      return row === undefined ? undefined : 'not-an-asset';
    },
  };
}

function detailsOf(row: AssetRow): AssetDetails {
  const createdTime = row.created ?? row.first ?? 0;
  return {
    ...nameOf(row),
    type: typeOf(row.fxs.split(' ')),
    cap: row.minter === null ? 'fixed' : 'variable',
    createdTime,
    firstTime: row.first ?? createdTime,
    lastTime: row.last ?? createdTime,
    txs: row.txs ?? 0,
    supply: row.supply === null ? 0n : sumFromBytes(row.supply),
    nfts: row.nfts ?? 0,
  };
}

/** The counts of a row of `asset_stat`; undefined if the asset has none. */
export const countsOf = ({ holders, held, minted, minted_nfts }: CountColumns): AssetCounts | undefined =>
  holders === null ? undefined : { holders, held: sumFromBytes(held), minted: sumFromBytes(minted), mintedNfts: minted_nfts };

const nameOf = ({ id, name, symbol, denomination }: NameRow): AssetName => ({
  id: toHex(id) as Id,
  name: Buffer.from(name).toString('utf8'),
  symbol: Buffer.from(symbol).toString('utf8'),
  denomination,
});

/** `nft` if the asset has an NFT (1) or property (2) fx but no secp256k1 fx (0), by the fx numbers of its initial states. */
const typeOf = (fxs: readonly string[]): AssetEntry['type'] =>
  !fxs.includes('0') && (fxs.includes('1') || fxs.includes('2')) ? 'nft' : 'secp256k1';

/** The fxs by their numbers. */
const unitTypes = ['secp256k1', 'nft', 'property'] as const;

const unitTypeOf = (fxs: readonly string[]): AssetEntry['unitType'] => unitTypes.find((_, fx) => fxs.includes(String(fx))) ?? 'secp256k1';

/** The owners of mint outputs, each set once. */
function distinctRights(outputs: readonly StoredUtxo[]): readonly MintRight[] {
  const rights = outputs.map((bytes) => ({ addresses: storedOwners(bytes), threshold: storedThreshold(bytes) }));
  return [...new Map(rights.map((right) => [`${right.threshold} ${right.addresses.join()}`, right])).values()];
}

type MinterRow = { readonly asset: Uint8Array; readonly seq: number; readonly bytes: StoredUtxo | null };

type CreationRow = { readonly id: Uint8Array; readonly created: number; readonly created_in: number };

type NameRow = { readonly id: Uint8Array; readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };

/** All are NULL for an asset without a row. */
export type CountColumns =
  | { readonly holders: number; readonly held: Uint8Array; readonly minted: Uint8Array; readonly minted_nfts: number }
  | { readonly holders: null; readonly held: null; readonly minted: null; readonly minted_nfts: null };

type AssetRow = NameRow &
  CountColumns & {
    readonly fxs: string;
    readonly created: number | null;
    readonly created_in: number | null;
    readonly first: number | null;
    readonly last: number | null;
    readonly txs: number | null;
    readonly supply: Uint8Array | null;
    readonly nfts: number | null;
    readonly minter: number | null;
  };
