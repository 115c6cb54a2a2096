import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { zlib } from '../../base/bytes/runtime-modules.ts';
import type { BuiltAssets } from '../../explorer/pages/page-assets.ts';

/** The built page in one file, relative to the program: by file name, its bytes as they are sent with gzip and with Brotli, in base64. */
export const pageFile = 'explorer/assets/page-assets.json';

type StoredAssets = { readonly [name: string]: { readonly gzip: string; readonly br: string } };

export function writePageFile(path: string, assets: BuiltAssets): void {
  const stored: StoredAssets = Object.fromEntries(
    Object.entries(assets).map(([name, { gzip, br }]) => [name, { gzip: toBase64(gzip), br: toBase64(br) }]),
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(stored));
}

/** Reads what `writePageFile` wrote. */
export function readPageFile(path: URL): BuiltAssets {
  const stored = JSON.parse(readFileSync(path, 'utf8')) as StoredAssets;
  return Object.fromEntries(
    Object.entries(stored).map(([name, texts]) => {
      const [gzip, br] = [fromBase64(texts.gzip), fromBase64(texts.br)];
      return [name, { plain: zlib().gunzipSync(gzip), gzip, br }];
    }),
  ) as unknown as BuiltAssets;
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
