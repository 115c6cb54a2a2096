import type { AssetAmount, Utxo } from '../../api/contract/answers.ts';
import type { SummaryAmount } from '../../api/summary/sentence.ts';

/** What an output holds. The Data API calls a property an NFT, but only an NFT has a group. */
export const outputType = ({ asset, groupId }: Pick<Utxo, 'asset' | 'groupId'>): SummaryAmount['type'] =>
  asset.type === 'nft' && groupId === undefined ? 'property' : asset.type;

/** What a sum is of, given the outputs that it adds up. */
export const sumType = (
  { assetId, type }: Pick<AssetAmount, 'assetId' | 'type'>,
  utxos: readonly Pick<Utxo, 'asset' | 'groupId'>[],
): SummaryAmount['type'] => {
  const found = utxos.find(({ asset }) => asset.assetId === assetId && asset.type === type);
  return found === undefined ? type : outputType(found);
};
