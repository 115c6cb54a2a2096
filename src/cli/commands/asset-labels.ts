import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { boundedMap } from '../../base/bytes/bounded-map.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { callDev } from './client-command.ts';

export type AssetDescription = {
  readonly assetID: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: string | number;
};

/** Asset descriptions that are cached; `serac tail` may run for days. */
const maxCached = 1000;

/**
 * The description of an asset by ID, alias or symbol; the asset of fees if the name is empty. Only a node with `dev.*` methods knows symbols:
 * it is asked first, because another node would refuse them, and log that.
 */
export async function findAsset(client: RpcClient, name: string): Promise<AssetDescription> {
  try {
    return (await callDev(client, 'getAsset', { assetID: name })) as AssetDescription;
  } catch (error) {
    if (!(error instanceof SeracError) || error.fault.code !== 'NODE_HTTP') throw error;
    return (await client.call('/ext/bc/X', 'avm.getAssetDescription', { assetID: name || 'AVAX' })) as AssetDescription;
  }
}

/** Returns a function that formats amounts with their symbols: `-1.5 AVAX`. The amount of an asset that the node does not know is shown with its ID. */
export function createAmountFormatter(client: RpcClient): (amount: string | bigint, assetID: string) => Promise<string> {
  const known = boundedMap<string, Promise<AssetDescription>>(maxCached);
  return async (amount, assetID) => {
    const asked = known.get(assetID) ?? findAsset(client, assetID);
    known.set(assetID, asked);
    const asset = await asked.catch((error: unknown) => {
      // A node that restarts may know it later.
      if (!(error instanceof SeracError && error.fault.code === 'RPC_ERROR')) known.delete(assetID);
      return undefined;
    });
    return asset === undefined ? `${amount} of ${assetID}` : formatSigned(BigInt(amount), asset);
  };
}

const formatSigned = (amount: bigint, { symbol, denomination }: AssetDescription): string =>
  `${amount < 0n ? '-' : ''}${formatUnits(amount < 0n ? -amount : amount, Number(denomination))} ${symbol}`;
