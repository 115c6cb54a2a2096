import { formatJson } from './json-text.ts';

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
  return { text: 'text', json: 'JSON', url: 'URL', bytes: 'bytes', empty: 'no payload' }[payload.kind];
}

/** The path of the image in the payload of an NFT output; payload-image.ts answers it. */
export const imagePath = (utxoId: string): string => `/payload/${encodeURIComponent(utxoId)}`;

/** Bytes in hex as text if they are UTF-8 without control characters and marks that change the direction of text; otherwise undefined. */
export function hexToText(hex: string): string | undefined {
  const text = markedText(hex);
  return text === undefined || text.split(directionMark).length > 1 ? undefined : text;
}

/** A mark that changes the direction of text. A group, so that `split` keeps it. */
const directionMark = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** The same as `hexToText`, also if there are such marks: what shows the text makes them visible. */
function markedText(hex: string): string | undefined {
  const digits = hex.replace(/^0x/, '');
  const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A memo as text or JSON, in parts: text, and by turns the marks that change its direction, as `U+202E`. Undefined if it is bytes. */
export function memoParts(hex: string): { readonly kind: 'text' | 'JSON'; readonly parts: readonly string[] } | undefined {
  const text = markedText(hex);
  if (text === undefined) return undefined;
  const isFormatted = isJson(text);
  const parts = (isFormatted ? formatJson(text) : text).split(directionMark);
  const codeOf = (mark: string): string => `U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return { kind: isFormatted ? 'JSON' : 'text', parts: parts.map((part, at) => (at % 2 === 1 ? codeOf(part) : part)) };
}
