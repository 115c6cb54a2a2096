import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Glob } from 'bun';

/** Comments of the code name files that exist, and each stands above what it describes. */

const root = resolve(import.meta.dir, '..');
const list = (pattern: string): string[] =>
  [...new Glob(pattern).scanSync({ cwd: root })].filter((path) => !path.includes('node_modules/'));

const sources = list('{src,test,bench,tools}/**/*.{ts,tsx}').filter((path) => !path.startsWith('src/explorer/assets/'));
/** What a comment may name: every file of the repository, by the end of its path. */
const tracked = [...sources, ...list('{bin,vectors,examples,test,tools}/**/*.{ts,js,cjs,mjs,json,c,go}')].map((path) => `/${path}`);

type Finding = { readonly line: number; readonly text: string };

/** Line and text of each comment, strings of code aside: a comment starts a line or follows code and a space. */
function commentsOf(text: string): Finding[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm)].map((found) => ({
    line: text.slice(0, found.index).split('\n').length,
    text: found[0],
  }));
}

/** Names of TypeScript files in the comments of a file that end no path of the repository. Paths of packages and of other projects have another ending. */
function missingFiles(text: string): Finding[] {
  return commentsOf(text).flatMap(({ line, text: comment }) =>
    [...comment.matchAll(/(?<![\w*…./-])((?:[\w-]+\/)*[\w-][\w.-]*\.tsx?)\b/g)]
      .map(([, name = '']) => name)
      .filter((name) => !tracked.some((path) => path.endsWith(`/${name}`)))
      .map((name) => ({ line, text: name })),
  );
}

/** Doc comments above an empty line, above another doc comment, or at the end of a block or of the file. The first one of a file may describe the file. */
function detachedComments(text: string): Finding[] {
  return [...text.matchAll(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n(?=\s*(?:\n|\/\*\*|[})\]]|$(?![\s\S])))/gm)]
    .filter(
      (found) =>
        text.slice(0, found.index).includes('/**') ||
        !/\*\/[ \t]*\n[ \t]*\n/.test(text.slice(found.index, found.index + found[0].length + 2)),
    )
    .map((found) => ({ line: text.slice(0, found.index).split('\n').length, text: found[0].trim() }));
}

describe('the checks find', () => {
  test('a file that does not exist', () => {
    const missing = ['moved', 'ts'].join('.');
    expect(missingFiles(`/** See api/access/gate.ts and ${missing}. */\n`)).toEqual([{ line: 1, text: missing }]);
    expect(missingFiles(`const a = 1; // as in ${missing}\nconst d = '${missing}';\n`)).toEqual([{ line: 1, text: missing }]);
  });

  test('a comment above nothing', () => {
    const text = '/** The file. */\n\n/** Nothing. */\n\n/** Two. */\n/** Three. */\nconst a = {\n  /** End. */\n};\n/** Last. */\n';
    expect(detachedComments(text).map(({ line }) => line)).toEqual([3, 5, 8, 10]);
  });
});

const readings = sources.map((path) => [path, readFileSync(resolve(root, path), 'utf8')] as const);

test('comments name only files that exist', () => {
  expect(readings.length).toBeGreaterThan(1500);
  expect(readings.flatMap(([path, text]) => missingFiles(text).map(({ line, text: name }) => `${path}:${line} names ${name}`))).toEqual([]);
});

test('every doc comment stands above what it describes', () => {
  expect(readings.flatMap(([path, text]) => detachedComments(text).map(({ line, text: comment }) => `${path}:${line} ${comment}`))).toEqual(
    [],
  );
});
