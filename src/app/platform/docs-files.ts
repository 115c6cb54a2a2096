import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { zlib } from '../../base/bytes/runtime-modules.ts';
import type { DocsFiles } from '../../explorer/pages/docs-handler.ts';

/** The documentation site in one file, relative to the program: what `packDocs` returns, compressed. */
export const docsFile = 'explorer/assets/docs.br';

/** Takes two seconds and saves 8 % of what 9 leaves, which takes half a second; 11 saves 3 % more and takes seven. */
const brotliQuality = 10;

export function writeDocsFile(path: string, files: DocsFiles): void {
  const { brotliCompressSync, constants } = zlib();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, brotliCompressSync(packDocs(files), { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }));
}

/** Reads what `writeDocsFile` wrote. */
export const readDocsFile = (path: URL): DocsFiles => unpackDocs(zlib().brotliDecompressSync(readFileSync(path)));

/** All files of the site as one: a line of JSON with their paths and lengths, then their bytes. */
export function packDocs(files: DocsFiles): Uint8Array {
  const contents = [...files].map(([name, content]) => ({ name, bytes: typeof content === 'string' ? Buffer.from(content) : content }));
  const head = JSON.stringify(contents.map(({ name, bytes }) => [name, bytes.length]));
  return Buffer.concat([Buffer.from(`${head}\n`), ...contents.map(({ bytes }) => bytes)]);
}

/** Reads what `packDocs` returned. */
export function unpackDocs(bytes: Uint8Array): DocsFiles {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = all.indexOf('\n') + 1;
  const rows = JSON.parse(all.toString('utf8', 0, at)) as readonly (readonly [name: string, length: number])[];
  return new Map(
    rows.map(([name, length]) => {
      at += length;
      return [name, all.subarray(at - length, at)];
    }),
  );
}
