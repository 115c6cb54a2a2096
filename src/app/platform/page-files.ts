import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BuiltAssets } from '../../explorer/pages/page-assets.ts';

/** The built page in one file, relative to the program: file names and encodings, with their bytes in base64. */
export const pageFile = 'page/assets/page-assets.json';

type Encoded = { readonly [name: string]: { readonly [encoding: string]: string } };

export function writePageFile(path: string, assets: BuiltAssets): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(mapBytes<Uint8Array, string>(assets, (bytes) => Buffer.from(bytes).toString('base64'))));
}

/** Reads what `writePageFile` wrote. */
export const readPageFile = (path: URL): BuiltAssets =>
  mapBytes<string, Uint8Array>(JSON.parse(readFileSync(path, 'utf8')) as Encoded, (text) =>
    Buffer.from(text, 'base64'),
  ) as unknown as BuiltAssets;

const mapBytes = <From, To>(assets: { readonly [name: string]: { readonly [encoding: string]: From } }, convert: (value: From) => To) =>
  Object.fromEntries(
    Object.entries(assets).map(([name, encodings]) => [
      name,
      Object.fromEntries(Object.entries(encodings).map(([encoding, value]) => [encoding, convert(value)])),
    ]),
  );
