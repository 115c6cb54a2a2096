import type { Utxo } from '../data-types.ts';
import type { PageContext } from '../page-context.ts';
import { hexToText } from '../payload-text.ts';
import { AddressLink, Panel } from './parts.tsx';

/** NFTs with their payloads as text or hex. A URL in a payload is shown and never loaded. */
export const NftCards = ({ utxos, context }: { utxos: readonly Utxo[]; context: PageContext }) => (
  <Panel title="NFTs of the transactions below">
    <ul class="cards">
      {utxos.slice(0, 24).map((utxo) => {
        const payload = utxo.payload ?? '0x';
        const text = hexToText(payload);
        const size = (payload.length - 2) / 2;
        return (
          <li class="card">
            <p class="mono breakable card-text">{size === 0 ? 'no payload' : (text ?? payload.slice(2)).slice(0, 120)}</p>
            <p>
              <a href={`/tx/${utxo.creationTxHash}#out-${utxo.outputIndex}`}>
                #{utxo.groupId ?? 0} · output {utxo.outputIndex}
              </a>
              <span class="note">
                {size === 0 ? '' : `${kindOfPayload(text)} · ${size} B`}
                {utxo.consumingTxHash === undefined ? '' : ' · moved on'}
              </span>
              {utxo.addresses[0] !== undefined && <AddressLink address={utxo.addresses[0]} context={context} />}
            </p>
          </li>
        );
      })}
    </ul>
  </Panel>
);

function kindOfPayload(text: string | undefined): string {
  if (text === undefined) return 'bytes';
  if (/^https?:/.test(text)) return 'URL, not loaded';
  return /^\s*[[{]/.test(text) ? 'JSON' : 'text';
}
