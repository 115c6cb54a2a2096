import type { Utxo } from '../../api/contract/answers.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { plural } from '../text/text-format.ts';
import { AssetLink, Panel } from './parts.tsx';
import { PayloadView } from './payload-view.tsx';

/** The NFTs of an address with their payloads; each links to its page. */
export const AddressNfts = ({ nfts }: { nfts: readonly Utxo[] }) => (
  <Panel title={plural(nfts.length, 'NFT')}>
    <ul class="cards">
      {nfts.map(({ utxoId, asset, groupId, payload = '0x' }) => (
        <li class="card">
          <div class="card-picture">
            <PayloadView payload={payload} utxoId={utxoId} title={`${asset.symbol} #${groupId}`} />
          </div>
          <p class="card-facts">
            <a href={`/output/${utxoId}`}>
              {asset.symbol} #{groupId}
            </a>
            <span class="note">
              <AssetLink id={asset.assetId} symbol={asset.name || asset.symbol} /> · {payloadWord(payloadKind(payload))}
            </span>
          </p>
        </li>
      ))}
    </ul>
  </Panel>
);
