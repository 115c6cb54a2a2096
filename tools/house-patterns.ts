import { dirname, join } from 'node:path';

/** What tools/count-house.ts counts in the text of a source file: places that are hard to read, found by patterns. */

/** Something that was counted: its line in the file, its size and the text of its first line. */
export type Found = { readonly line: number; readonly size: number; readonly start: string };

/** A place in a text, of size 1 unless something is counted there. */
const foundAt = (text: string, index: number, size = 1): Found => {
  const before = text.lastIndexOf('\n', index) + 1;
  const after = text.indexOf('\n', index);
  return { line: text.slice(0, index).split('\n').length, size, start: text.slice(before, after < 0 ? undefined : after).trim() };
};

/** Lines from the start of each function to its end, found by indentation: the formatter puts the end below the start. */
export function findFunctions(text: string): Found[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    const isStart = /^\s*(export )?(async )?function\b.*[{(]$/.test(line) || /^\s*(export )?const \w+.*(=>|=> \{|=> \($|\()$/.test(line);
    if (!isStart) return [];
    const indent = line.length - line.trimStart().length;
    const after = lines.findIndex(
      (next, at) =>
        at > start && next.trim() !== '' && next.length - next.trimStart().length <= indent && !/^\s*[})\]].*([{([]|=>)$/.test(next),
    );
    const end = /^\s*[})\]]/.test(lines[after] ?? '') ? after + 1 : after;
    return [{ line: start + 1, size: end - start, start: line.trim() }];
  });
}

/** Object types with their name, their fields (a line each) and their place. */
const listTypes = (text: string) =>
  [...text.matchAll(/^(?:export )?(?:type|interface) (\w+)[^{\n]*\{\n((?: {2}.*\n|\n)*?)\}/gm)].map(
    ({ 1: name = '', 2: body = '', index }) => ({
      name,
      fields: body.split('\n').filter((line) => /^ {2}(readonly )?[\w[\]'.]+\??[:(<]/.test(line)),
      index,
    }),
  );

const countMethods = (fields: readonly string[]): number =>
  fields.filter((field) => /^ {2}(readonly )?\w+\??(\(|<|: (<[^>]*>)?\()/.test(field)).length;

/** The number of fields of each object type. */
export const findTypes = (text: string): Found[] => listTypes(text).map(({ fields, index }) => foundAt(text, index, fields.length));

/**
 * Types with two or more methods that one function of the same file builds: each signature stands in the type and in the function. The size is the
 * number of methods.
 */
export const findRepeatedSignatures = (text: string): Found[] =>
  listTypes(text).flatMap(({ name, fields, index }) => {
    const methods = countMethods(fields);
    const factories = text.match(new RegExp(`\\): (?:Promise<)?${name}(?:<[^>]*>)?>? (?:\\{|=>)`, 'g')) ?? [];
    return methods >= 2 && factories.length === 1 ? [foundAt(text, index, methods)] : [];
  });

/** Lines with the type of a value that comes now or with a promise. */
export const findMaybePromises = (text: string): Found[] =>
  [...text.matchAll(/^.*\| Promise<.*$/gm)].map(({ index }) => foundAt(text, index));

/** The text without the brackets in its strings, at the same places. */
const withoutStrings = (text: string): string =>
  text.replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, (string) => string.replaceAll(/[[\](){}]/g, ' '));

/** The bracket that opens the literal, the list or the pattern in which a place is. */
function openerBefore(text: string, index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    if ('}])'.includes(text[at] as string)) depth++;
    else if ('{[('.includes(text[at] as string) && depth-- === 0) return at;
  }
  return -1;
}

/** The place after the bracket that closes the one at `opener`. */
function endOf(text: string, opener: number): number {
  let depth = 0;
  for (let at = opener; at < text.length; at++) {
    if ('{[('.includes(text[at] as string)) depth++;
    else if ('}])'.includes(text[at] as string) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Whether the spread at `index` is in an object literal: not in a list, in arguments, in JSX, or the rest of a pattern. */
function isInObject(text: string, index: number): boolean {
  const opener = openerBefore(text, index);
  if (opener < 0 || text[opener] !== '{' || text[opener + 1] === '.') return false;
  const end = endOf(text, opener);
  return !/^\s*(?::|=[^=>]|of\b)/.test(text.slice(end, end + 20));
}

/** Spreads that depend on a condition: `...(x && { x })`, `...(c ? { x } : {})`. A default, `...(x ?? y)`, is none. */
export function findConditionalSpreads(text: string): Found[] {
  const code = withoutStrings(text);
  const isConditional = (index: number): boolean =>
    isInObject(code, index) && /&&|(?<!\?)\?[^.?]/.test(code.slice(index + 4, endOf(code, index + 3) - 1));
  return [...code.matchAll(/\.\.\.\(/g)].filter(({ index }) => isConditional(index)).map(({ index }) => foundAt(text, index));
}

/** Names of the types of a file that have a method: a value of such a type carries functions, not data. */
const listTypesWithMethods = (text: string): string[] =>
  listTypes(text).flatMap(({ name, fields }) => (countMethods(fields) > 0 ? [name] : []));

/** By file: names of the types with a method that it declares, or that it imports from a file that does. */
export function findTypesWithMethods(texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const declared = new Map([...texts].map(([file, text]) => [file, listTypesWithMethods(text)]));
  return new Map(
    [...texts].map(([file, text]) => {
      const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(([, names = '', from = '']) => {
        const known = declared.get(join(dirname(file), from)) ?? [];
        return known.filter((name) => new RegExp(`\\b${name}\\b`).test(names));
      });
      return [file, new Set([...(declared.get(file) ?? []), ...imported])];
    }),
  );
}

const bagTypes = /(?:Deps|Options|Parts|Config|Env|Context|Settings|Hooks)$/;
const bagNames = /^(?:\w*(?:deps|options|parts|config|env|context|settings|hooks)|base|own|shared|common|core)$/i;

/** Whether a name is an object of texts and numbers that its file writes down, as a set of headers: copying it hides nobody's parts. */
const isPlainValue = (code: string, name: string): boolean =>
  new RegExp(`\\bconst ${name} = \\{\\s*(?:['\\w-]+: (?:'[^'\\n]*'|[\\d_.]+|true|false),?\\s*)*\\}`).test(code);

/** Whether the spread at `index` makes a value of a union, which says its `kind`: a transaction, a block, a schema. */
function makesTaggedValue(code: string, index: number): boolean {
  const opener = openerBefore(code, index);
  return /^\{\s*kind: '/.test(code.slice(opener, opener + 40));
}

/**
 * Spreads of a value that carries things for others: named or typed as a bag, or with a type that has methods. Who gets what cannot be seen there.
 * Copies of plain values and of values of a union do not count.
 */
export function findBagSpreads(text: string, typesWithMethods: ReadonlySet<string>): Found[] {
  const code = withoutStrings(text);
  const isBag = (name: string): boolean =>
    bagNames.test(name) ||
    [...code.matchAll(new RegExp(`\\b${name}\\??: (?:Readonly<)?(\\w+)`, 'g'))].some(
      ([, type = '']) => bagTypes.test(type) || typesWithMethods.has(type),
    );
  return [...code.matchAll(/\.\.\.(\w+)(?=[\s,}])/g)]
    .filter(
      ({ 1: name = '', index }) => isBag(name) && isInObject(code, index) && !isPlainValue(code, name) && !makesTaggedValue(code, index),
    )
    .map(({ index }) => foundAt(text, index));
}

/** Types of bags, `…Deps`, `…Options` and `…Parts`. The size is how often they are used, imports aside. */
export function findBags(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Found[]> {
  const declared = new Map(
    [...texts].map(([file, text]) => [file, [...text.matchAll(/^(export )?(?:type|interface) (\w*(?:Deps|Options|Parts))\b/gm)]]),
  );
  return new Map(
    [...declared].map(([file, types]) => [
      file,
      types.map(({ 1: exported, 2: name = '', index }) => {
        const uses = [...texts].filter(
          ([other]) => other === file || (exported && !declared.get(other)?.some(([, , same]) => same === name)),
        );
        const count = uses.reduce((sum, [, text]) => sum + countUses(text, name), 0);
        return foundAt(texts.get(file) as string, index, count - 1);
      }),
    ]),
  );
}

const countUses = (text: string, name: string): number =>
  text.includes(name) ? (text.replaceAll(/^import[^;]*;/gm, '').match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length : 0;
