import { type RawJson, rawJson } from '../rpc/write-json.ts';
import type { Piece } from './piece-cache.ts';

/** A page of a list whose items are rendered: `joinPage` makes the body of the response from it. */
export type JsonPage = {
  /** Name of the property that holds the items. */
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly nextPageToken: string | undefined;
  /** Further properties of the response. */
  readonly metadata: object;
};

/** Joins rendered items to the body of a list response. */
export function joinPage({ name, pieces, nextPageToken, metadata }: JsonPage): RawJson {
  const token = nextPageToken === undefined ? '' : `"nextPageToken":"${nextPageToken}",`;
  const start = Buffer.from(`{${token}"${name}":[`);
  const rest = JSON.stringify(metadata).slice(1);
  const end = Buffer.from(rest === '}' ? ']}' : `],${rest}`);
  let size = start.length + end.length + Math.max(0, pieces.length - 1);
  for (const { bytes } of pieces) size += bytes.length;
  const body = Buffer.allocUnsafe(size);
  body.set(start);
  let at = start.length;
  for (const { bytes } of pieces) {
    if (at > start.length) body[at++] = comma;
    body.set(bytes, at);
    at += bytes.length;
  }
  body.set(end, at);
  return rawJson(body);
}

const comma = 0x2c;
