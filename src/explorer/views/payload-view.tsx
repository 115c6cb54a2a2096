import { formatJson } from '../text/json-text.ts';
import { imagePath, payloadKind } from '../text/payload-kind.ts';
import { plural } from '../text/text-format.ts';

/** Characters of a payload that are shown. Longer JSON is folded, and longer text is cut. */
const maxText = 400;
/** Characters of folded JSON. */
const maxFolded = 20_000;

/** The payload of an NFT: an image from its own bytes, or escaped text, JSON or hex. A URL is a text with a link that names its host; nothing is loaded from there. */
export function PayloadView({ payload, utxoId, title }: { payload: string; utxoId: string | undefined; title: string }) {
  const found = payloadKind(payload);
  if (found.kind === 'image' && utxoId !== undefined)
    return <img class="payload-image" src={imagePath(utxoId)} alt={`${title}, ${found.type}`} loading="lazy" />;
  if (found.kind === 'json') return <PayloadJson text={formatJson(found.text)} />;
  if (found.kind === 'url') return <PayloadUrl text={found.text} />;
  const text = found.kind === 'empty' ? 'no payload' : 'text' in found ? found.text : payload.slice(2);
  return <PayloadText text={text} />;
}

const PayloadText = ({ text }: { text: string }) => (
  <p class="mono breakable payload-text" dir="auto">
    {text.slice(0, maxText)}
  </p>
);

/** JSON with line breaks; folded if it is long. */
const PayloadJson = ({ text }: { text: string }) =>
  text.length <= maxText ? (
    <pre class="payload-text">{text}</pre>
  ) : (
    <details class="payload-text">
      <summary>JSON, {plural(text.split('\n').length, 'line')}</summary>
      <pre>{text.slice(0, maxFolded)}</pre>
    </details>
  );

/** A URL as text. Only one of the web has a link, which says where it leads. */
function PayloadUrl({ text }: { text: string }) {
  const host = webHost(text);
  return (
    <div class="payload-text">
      <p class="mono breakable">{text.slice(0, maxText)}</p>
      {host !== undefined && (
        <p>
          <a href={text} target="_blank" rel="noopener noreferrer">
            Open {host}
          </a>
        </p>
      )}
    </div>
  );
}

/** The host of a URL of the web, as browsers ask for it; undefined of others, and of one with a name or password before its host. */
function webHost(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? host : undefined;
}
