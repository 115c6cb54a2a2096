import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { createCache } from '../../base/cache/cache.ts';
import { nodeMethods } from './client-command.ts';

export type AssetDescription = {
  readonly assetID: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: string | number;
};

/** Bytes of a cached description; `serac tail` may run for days. */
const entrySize = 600;

/**
 * The description of an asset by ID, alias or symbol; the asset of fees if the name is empty. `dev.getAsset` is tried
 * first, because it knows symbols. A node without `dev.*` methods answers it with an HTTP status (`NODE_HTTP`), and knows IDs and aliases only.
 */
export async function findAsset(client: RpcClient, name: string): Promise<AssetDescription> {
  try {
    return await nodeMethods(client).dev.getAsset({ assetID: name });
  } catch (error) {
    if (!(error instanceof SeracError) || error.fault.code !== 'NODE_HTTP') throw error;
    return await nodeMethods(client).avm.getAssetDescription({ assetID: name || 'AVAX' });
  }
}

export type DescribeAsset = (assetID: string) => Promise<AssetDescription | undefined>;

/** Returns a function that describes assets by ID; undefined for one that the node does not know. */
export function createAssetDescriber(client: RpcClient): DescribeAsset {
  const known = createCache<string, Promise<AssetDescription>>('describedAssets', { size: entrySize });
  return async (assetID) => {
    const asked = known.get(assetID) ?? findAsset(client, assetID);
    known.set(assetID, asked);
    return asked.catch((error: unknown) => {
      // The node has not answered: it may restart, and know the asset then.
      if (!(error instanceof SeracError && error.fault.code === 'RPC_ERROR')) known.delete(assetID);
      return undefined;
    });
  };
}

/** Returns a function that formats amounts with their symbols: `-1.5 AVAX`. The amount of an asset that the node does not know is shown with its ID. */
export const createAmountFormatter =
  (describe: DescribeAsset) =>
  async (amount: string | bigint, assetID: string): Promise<string> => {
    const asset = await describe(assetID);
    return asset === undefined ? `${amount} of ${assetID}` : formatSigned(BigInt(amount), asset);
  };

const formatSigned = (amount: bigint, { symbol, denomination }: AssetDescription): string =>
  `${amount < 0n ? '-' : ''}${formatUnits(amount < 0n ? -amount : amount, Number(denomination))} ${symbol}`;
