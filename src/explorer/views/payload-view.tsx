import { imagePath, type PayloadKind, payloadKind } from '../text/payload-kind.ts';

/** Characters of a payload that are shown. */
const maxText = 400;

/** The payload of an NFT: an image from its own bytes, or escaped text or hex. A URL is shown and never loaded. */
export function PayloadView({ payload, utxoId, title }: { payload: string; utxoId: string | undefined; title: string }) {
  const found = payloadKind(payload);
  if (found.kind === 'image' && utxoId !== undefined)
    return <img class="payload-image" src={imagePath(utxoId)} alt={`${title}, ${found.type}`} loading="lazy" />;
  return (
    <p class="mono breakable payload-text" dir="auto">
      {textOf(found, payload).slice(0, maxText)}
    </p>
  );
}

function textOf(found: PayloadKind, payload: string): string {
  if (found.kind === 'bytes' || found.kind === 'image') return payload.slice(2);
  if (found.kind === 'empty') return 'no payload';
  return found.kind === 'json' ? JSON.stringify(JSON.parse(found.text), null, 1) : found.text;
}
