import type { Output } from '../../avm/tx/output.ts';

/** How an output counts in sums: by its amount, as one NFT or property, or (a mint output) not at all. */
export type OutputClass = 'amount' | 'nft' | 'mint';

/** The class of each kind of output; everything that adds up outputs reads this table. */
export const outputClasses: { readonly [K in Output['kind']]: OutputClass } = {
  'secp256k1fx.TransferOutput': 'amount',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.TransferOutput': 'nft',
  'nftfx.MintOutput': 'mint',
  'propertyfx.OwnedOutput': 'nft',
  'propertyfx.MintOutput': 'mint',
};
