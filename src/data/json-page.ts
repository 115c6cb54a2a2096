import { type RenderedJson, renderedJson } from '../api/rendered-json.ts';
import type { Piece } from './piece-cache.ts';

export type JsonPage = {
  /** Name of the property that holds the items. */
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly nextPageToken: string | undefined;
  /** Further properties of the response. */
  readonly metadata: object;
};

/** Joins rendered items to the body of a list response. */
export function joinPage({ name, pieces, nextPageToken, metadata }: JsonPage): RenderedJson {
  const token = nextPageToken === undefined ? '' : `"nextPageToken":"${nextPageToken}",`;
  const parts: Uint8Array[] = [Buffer.from(`{${token}"${name}":[`)];
  for (const [i, { bytes }] of pieces.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(bytes);
  }
  const rest = JSON.stringify(metadata).slice(1);
  parts.push(Buffer.from(rest === '}' ? ']}' : `],${rest}`));
  return renderedJson(Buffer.concat(parts));
}

const comma = Buffer.from(',');
