import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { zlib } from '../../base/bytes/runtime-modules.ts';
import type { DocsFiles } from '../../explorer/pages/docs-handler.ts';

/** The documentation site in one file, relative to the program: a JSON object of paths and texts, compressed as a whole. */
export const docsFile = 'explorer/assets/docs.json.br';

/** A tenth smaller with the highest quality of Brotli, which takes eleven seconds in place of half a one. */
export function writeDocsFile(path: string, files: DocsFiles): void {
  const { brotliCompressSync, constants } = zlib();
  const texts = Object.fromEntries([...files].map(([name, content]) => [name, Buffer.from(content as string).toString('utf8')]));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, brotliCompressSync(JSON.stringify(texts), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

/** Reads what `writeDocsFile` wrote. */
export const readDocsFile = (path: URL): DocsFiles =>
  new Map(Object.entries(JSON.parse(zlib().brotliDecompressSync(readFileSync(path)).toString('utf8')) as Record<string, string>));
