import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ResourceRow, resourceSections } from './resource-table.ts';

/** The generated part of docs/reference/limits.md. Values of limits are read from the source, so that the page cannot tell another number. */
export const renderLimitsPage = (root: string): string => [overview(), ...sections(root)].join('\n\n');

const overview = (): string =>
  [
    '| part | rows |',
    '|---|---|',
    ...resourceSections.map(
      ({ title, rows }) =>
        `| [${title}](#${title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-')}) | ${rows.length} |`,
    ),
  ].join('\n');

const sections = (root: string): string[] =>
  resourceSections.map(({ title, rows }) =>
    [
      `## ${title}`,
      '',
      '| resource | limit | at the limit | seen in | test |',
      '|---|---|---|---|---|',
      ...rows.map((row) => formatRow(row, root)),
    ].join('\n'),
  );

const formatRow = ({ resource, limit, over, seen, test }: ResourceRow, root: string): string =>
  `| ${resource} | ${fillLimits(limit, root)} | ${fillLimits(over, root)} | ${seen === undefined ? '' : `\`${seen}\``} | \`${test}\` |`;

/** Replaces `{file#constant}` and `{file#constant.property}`, also of a property, by the value in the source. Throws if there is none. */
const fillLimits = (text: string, root: string): string =>
  text.replaceAll(/\{([^#}]+)#([\w.]+)( ms)?\}/g, (_, file: string, name: string, unit: string | undefined) => {
    const value = readConstant(readFileSync(join(root, 'src', file), 'utf8'), name);
    if (value === undefined) throw new Error(`src/${file} has no constant ${name}; tools/resource-table.ts names it`);
    return unit === undefined ? formatNumber(value) : formatTime(value);
  });

/** The value of a constant of a file, or of a property of a constant; undefined if it is not a number. */
function readConstant(source: string, name: string): number | undefined {
  const [constant, ...path] = name.split('.');
  const [, whole] = new RegExp(`^(?:export )?const ${constant}(?:: [^=]+)? = ([^;]+);`, 'm').exec(source) ?? [];
  // Each step goes on behind the name of the property; the last one ends at a comma.
  const text = path
    .reduce((rest, property) => rest?.split(new RegExp(`\\b${property}: `))[1], whole)
    ?.match(path.length === 0 ? /[\s\S]*/ : /[^,}\n]+/)?.[0];
  const numeric = text?.trim().replaceAll(/(?<=\d)_(?=\d)|(?<=\d)n\b/g, '');
  if (numeric === undefined || !/^[\d\s.*+()-]+$/.test(numeric)) return undefined;
  return Number(new Function(`return ${numeric}`)());
}

const formatNumber = (value: number): string => {
  const mebibytes = value / 2 ** 20;
  if (mebibytes >= 1 && Number.isInteger(mebibytes)) return `${mebibytes} MiB`;
  return value.toLocaleString('en-US');
};

const formatTime = (milliseconds: number): string => (milliseconds >= 1000 ? `${milliseconds / 1000} s` : `${milliseconds} ms`);
