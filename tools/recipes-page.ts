import { readFileSync } from 'node:fs';

/** The programs of examples/codec in the order of docs/reference/codec.md. */
export const recipes = ['send', 'asset', 'nft', 'property', 'export', 'import', 'multisig', 'offline'] as const;

/** The recipes for docs/reference/codec.md: a table of them, and each program below its purpose, which is its first comment. */
export function renderRecipes(root: string): string {
  const read = recipes.map((name) => readRecipe(root, name));
  return [
    ['| to | |', '|---|---|', ...read.map(({ title, purpose }) => `| [${title}](#${anchorOf(title)}) | ${purpose} |`)].join('\n'),
    ...read.map(({ title, purpose, code, file }) => `## ${title}\n\n${purpose} \`${file}\`\n\n\`\`\`ts\n${code}\`\`\``),
  ].join('\n\n');
}

/** A recipe begins with `// Title: purpose.` */
function readRecipe(root: string, name: string) {
  const file = `examples/codec/${name}.ts`;
  const [, title = '', purpose = '', code = ''] = /^\/\/ ([^:\n]+): (.+\.)\n([\s\S]+)$/.exec(readFileSync(root + file, 'utf8')) ?? [];
  if (title === '') throw new Error(`${file} does not begin with a comment such as "// Send AVAX: a BaseTx."`);
  return { file, title, purpose: purpose.charAt(0).toUpperCase() + purpose.slice(1), code };
}

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** What a recipe prints: the comments behind its calls of console.log. */
export const printedLines = (code: string): string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].flatMap(([, text = '']) => text.split(', then '));
