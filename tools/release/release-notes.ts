import { storedVersions } from './stored-versions.ts';

/** A published file. */
export type ReleaseFile = { readonly name: string; readonly size: number; readonly sha256: string };

type ReleaseNotes = {
  readonly version: string;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  readonly files: readonly ReleaseFile[];
  /** Notes are read outside of the repository: links to its files begin with this URL. */
  readonly linkBase?: string | undefined;
};

/** The notes of a release: what changed, versions of stored data, files. Throws if the changelog does not have the version. */
export function renderReleaseNotes({ version, changelog, files, linkBase }: ReleaseNotes): string {
  const { text } = findSection(changelog, version);
  const linked = linkBase === undefined ? text : text.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, `](${linkBase}/$1)`);
  return [
    `# Serac ${version}`,
    linked.trim(),
    '## Versions of stored data',
    'A program refuses stored data of a version that it does not know, and says which one it needs.',
    ['| what | version |', '|---|---|', ...storedVersions.map(({ what, version }) => `| ${what} | ${version} |`)].join('\n'),
    '## Files',
    [
      '| file | bytes | SHA-256 |',
      '|---|---|---|',
      ...files.map(({ name, size, sha256 }) => `| \`${name}\` | ${size.toLocaleString('en-US')} | \`${sha256}\` |`),
    ].join('\n'),
    '',
  ].join('\n\n');
}

/** The date of a version in the changelog; undefined while it is unreleased. */
export function findReleaseDate(changelog: string, version: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.exec(findSection(changelog, version).note)?.[0];
}

/** The section `## VERSION (DATE)`, without its heading. */
function findSection(changelog: string, version: string): { readonly note: string; readonly text: string } {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`${version} (`));
  if (found === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (DATE)"`);
  const [heading = '', ...lines] = found.split('\n');
  return { note: /\((.*)\)/.exec(heading)?.[1] ?? '', text: lines.join('\n') };
}
