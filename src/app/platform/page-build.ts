import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { AssetName, BuiltAssets } from '../../explorer/pages/page-assets.ts';

/** Sources of the files that are built, by name. */
const sources: { readonly [name in Exclude<AssetName, 'mark.svg'>]: string } = {
  'page.js': 'browser/page.tsx',
  'reference.js': 'browser/reference.ts',
  'worker.js': 'browser/worker.ts',
  'theme.js': 'browser/theme.ts',
  'page.css': 'style/page.css',
};

/**
 * How hard files are compressed with Brotli. A package is compressed once, when it is made; in a clone the first page waits for it, and the
 * highest quality takes 0.3 s.
 */
const brotliQualities = { clone: 5, package: constants.BROTLI_MAX_QUALITY } as const;

/** Builds the script and the style sheet of the page from their sources, in a clone on Bun and for the package. */
export async function buildPage(use: keyof typeof brotliQualities): Promise<BuiltAssets> {
  const compress = (plain: Uint8Array) => ({
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQualities[use] } }),
  });
  const folder = new URL('../../explorer/', import.meta.url);
  const built = await Promise.all(
    Object.entries(sources).map(async ([name, path]) => {
      const { outputs } = await Bun.build({
        entrypoints: [fileURLToPath(new URL(path, folder))],
        target: 'browser',
        format: name === 'page.js' || name === 'reference.js' ? 'esm' : 'iife',
        minify: true,
        splitting: name === 'page.js',
        naming: { chunk: 'part-[hash].[ext]' },
        define: { 'process.env.NODE_ENV': '"production"' },
      });
      return Promise.all(
        outputs.map(async (output) => {
          const file = output.kind === 'entry-point' || output.kind === 'asset' ? name : basename(output.path);
          return [file, compress(new Uint8Array(await output.arrayBuffer()))] as const;
        }),
      );
    }),
  );
  const mark = ['mark.svg', compress(readFileSync(new URL('mark.svg', folder)))] as const;
  return Object.fromEntries([...built.flat(), mark]) as unknown as BuiltAssets;
}
