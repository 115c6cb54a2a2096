import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSite, type DocsAssetName, type DocsInput } from '../../explorer/docs/docs-site.tsx';

const root = new URL('../../../', import.meta.url);
const explorer = new URL('src/explorer/', root);

/** Sources of the files that are built, by name. */
const assetSources: { readonly [name in Exclude<DocsAssetName, 'mark.svg'>]: string } = {
  'docs.js': 'browser/docs.ts',
  'theme.js': 'browser/theme.ts',
  'docs.css': 'style/docs.css',
};

type DocsUse = {
  /** Whether a node serves the site: then it has links to the explorer, and no pictures of it. */
  readonly isServed: boolean;
};

/** Builds the documentation site from docs/ and the other Markdown files of the repository, in a clone on Bun. */
export async function buildDocs({ isServed }: DocsUse): Promise<Map<string, string | Uint8Array>> {
  const names = [
    ...readdirSync(root),
    ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ];
  const read = (pattern: RegExp): string[] => names.filter((name) => pattern.test(name));
  const built = await Promise.all(
    Object.entries(assetSources).map(async ([name, path]) => {
      const { outputs } = await Bun.build({
        entrypoints: [fileURLToPath(new URL(path, explorer))],
        target: 'browser',
        format: 'iife',
        minify: true,
      });
      return [name, new Uint8Array(await (outputs[0] as Blob).arrayBuffer())] as const;
    }),
  );
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return buildSite({
    sources: new Map(read(/\.md$/).map((name) => [name, readFileSync(new URL(name, root), 'utf8')])),
    pictures: new Map(isServed ? [] : read(/^docs\/.*\.(png|webp)$/).map((name) => [name, readFileSync(new URL(name, root))])),
    assets: Object.fromEntries([...built, ['mark.svg', readFileSync(new URL('mark.svg', explorer))]]) as DocsInput['assets'],
    version,
    isServed,
  });
}
