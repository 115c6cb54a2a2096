import { hexToText } from './payload-text.ts';

/** What an NFT payload is. Only the bytes decide, never a name or a type that a payload claims. */
export type PayloadKind =
  | { readonly kind: 'image'; readonly type: ImageType }
  | { readonly kind: 'text' | 'json' | 'url'; readonly text: string }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'empty' };

/** Images that a page shows. SVG is not among them: it is a document with scripts. */
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof imageTypes)[number];

/** The first bytes of each type, in hex. */
const magicBytes: { readonly [type in ImageType]: RegExp } = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^474946383[79]61/,
  'image/webp': /^52494646[0-9a-f]{8}57454250/,
};

/** The image type of bytes in hex, with or without 0x. */
export function imageTypeOf(hex: string): ImageType | undefined {
  const start = hex.replace(/^0x/, '').slice(0, 24).toLowerCase();
  return imageTypes.find((type) => magicBytes[type].test(start));
}

export function payloadKind(hex: string): PayloadKind {
  if (hex.replace(/^0x/, '') === '') return { kind: 'empty' };
  const type = imageTypeOf(hex);
  if (type !== undefined) return { kind: 'image', type };
  const text = hexToText(hex);
  if (text === undefined) return { kind: 'bytes' };
  if (/^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)) return { kind: 'url', text };
  return { kind: isJson(text) ? 'json' : 'text', text };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What it is, in a word or two. */
export function payloadWord(payload: PayloadKind): string {
  if (payload.kind === 'image') return payload.type;
  return { text: 'text', json: 'JSON', url: 'URL, not loaded', bytes: 'bytes', empty: 'no payload' }[payload.kind];
}

/** The path of the image in the payload of an NFT output; payload-image.ts answers it. */
export const imagePath = (utxoId: string): string => `/payload/${encodeURIComponent(utxoId)}`;
