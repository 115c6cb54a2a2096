import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetNames, type BuiltAssets } from '../page/page-assets.ts';

/** Endings of the files by encoding. */
const endings = { plain: '', gzip: '.gz', br: '.br' } as const;

/** Files of the built page, relative to their folder. */
export const pageFiles: readonly string[] = assetNames.flatMap((name) => Object.values(endings).map((ending) => name + ending));

export function writePageFiles(folder: string, assets: BuiltAssets): void {
  mkdirSync(folder, { recursive: true });
  for (const name of assetNames)
    for (const [encoding, ending] of Object.entries(endings))
      writeFileSync(join(folder, name + ending), assets[name][encoding as keyof typeof endings]);
}

/** Reads what `writePageFiles` wrote; `folder` is a URL that ends with a slash. */
export const readPageFiles = (folder: URL): BuiltAssets =>
  Object.fromEntries(
    assetNames.map((name) => [
      name,
      Object.fromEntries(Object.entries(endings).map(([encoding, ending]) => [encoding, readFileSync(new URL(name + ending, folder))])),
    ]),
  ) as unknown as BuiltAssets;
