import { goQuote } from '../../base/bytes/go-quote.ts';
import { decodeGoUtf8 } from '../../base/bytes/go-utf8.ts';
import { RpcError } from './fault.ts';
import { maxMembers, maxValues } from './limits.ts';

/**
 * Scans JSON by the rules of Go's encoding/json without building values: it validates the text and reports the positions of values.
 * The text has one character per byte of the body (latin1), so that positions, invalid characters and echoes equal AvalancheGo's.
 */

/** The deepest nesting of objects and arrays. Go: encoding/json/scanner.go, maxNestingDepth. */
export const maxDepth = 10_000;

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null';

/** The kind of the valid JSON value at `at`, by its first character. */
export function jsonKindAt(text: string, at: number): JsonKind {
  const char = text.charCodeAt(at);
  if (char === quote) return 'string';
  if (char === brace) return 'object';
  if (char === bracket) return 'array';
  if (char === letterN) return 'null';
  return char === letterT || char === letterF ? 'bool' : 'number';
}

/** Position of the first value of a body. */
export function findFirstValue(text: string): number {
  const at = skipSpace(text, 0);
  if (at >= text.length) throw new RpcError('EOF', { code: 'RPC_BAD_JSON', at });
  return at;
}

/** Calls `visit` with the positions of key and value for each member of the object at `start`, in order. Returns the end of the object. */
export function scanObject(text: string, start: number, visit: (key: number, keyEnd: number, from: number, to: number) => void): number {
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === brace + 2) return at + 1;
  for (let members = 1; ; members++) {
    if (members > maxMembers) throw tooManyMembersError();
    const key = at;
    const keyEnd = skipKey(text, key);
    const from = skipSpace(text, skipColon(text, keyEnd));
    const to = skipValue(text, from, 1);
    visit(key, keyEnd, from, to);
    at = skipSpace(text, to);
    const char = text.charCodeAt(at);
    if (char === brace + 2) return at + 1;
    if (char !== comma) throw syntaxError(text, at, 'after object key:value pair');
    at = skipSpace(text, at + 1);
  }
}

/** Calls `visit` with the position of each element of the array at `start`, in order, until it returns false. Returns the end of the scan. */
export function scanArray(text: string, start: number, visit: (from: number, to: number) => boolean): number {
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === bracket + 2) return at + 1;
  for (;;) {
    const from = at;
    at = skipValue(text, from, 1);
    if (!visit(from, at)) return at;
    at = skipSpace(text, at);
    const char = text.charCodeAt(at);
    if (char === bracket + 2) return at + 1;
    if (char !== comma) throw syntaxError(text, at, 'after array element');
    at = skipSpace(text, at + 1);
  }
}

/** Validates the value at `start` and returns its end. `depth`: number of objects and arrays around it. */
export function skipValue(text: string, start: number, depth = 0): number {
  const first = text.charCodeAt(start);
  return first === brace || first === bracket ? skipContainer(text, start, depth) : skipScalar(text, start, first);
}

/** Keeps the open objects and arrays in a list instead of recursing, so that no input can overflow the stack. */
function skipContainer(text: string, start: number, depth: number): number {
  const open: number[] = [];
  let at = start;
  for (let values = 0; ; values++) {
    if (values > maxValues) throw tooManyValuesError();
    const char = text.charCodeAt(at);
    if (char === brace || char === bracket) {
      if (depth + open.length >= maxDepth) throw syntaxError(text, at, 'exceeded max depth');
      const next = skipSpace(text, at + 1);
      if (text.charCodeAt(next) !== char + 2) {
        open.push(char);
        at = char === brace ? skipKeyAndColon(text, next) : next;
        continue;
      }
      at = next + 1;
    } else at = skipScalar(text, at, char);

    for (;;) {
      if (open.length === 0) return at;
      const inside = open[open.length - 1] as number;
      at = skipSpace(text, at);
      const end = text.charCodeAt(at);
      if (end === comma) {
        const next = skipSpace(text, at + 1);
        at = inside === brace ? skipKeyAndColon(text, next) : next;
        break;
      }
      // In ASCII the code of a closing brace or bracket is that of the opening one plus two.
      if (end !== inside + 2) throw syntaxError(text, at, inside === brace ? 'after object key:value pair' : 'after array element');
      open.pop();
      at++;
    }
  }
}

export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return at;
    at++;
  }
}

/** The value of a valid string literal: UTF-8 decoded, escapes resolved, invalid characters replaced by U+FFFD. */
export function parseString(text: string, from: number, to: number): string {
  const inner = text.slice(from + 1, to - 1);
  if (isPlainAscii(inner)) return inner;
  const read: string = JSON.parse(`"${decodeGoUtf8(Buffer.from(inner, 'latin1'))}"`);
  return read.toWellFormed();
}

/** Member names to look for, prepared so that most keys are matched without creating strings. */
type MemberNames = { readonly names: readonly string[]; readonly folded: readonly string[] };

export const createMemberNames = (names: readonly string[]): MemberNames => ({ names, folded: names.map(foldCase) });

/** Index of the name that equals the key, or -1. */
export function findMemberName({ names, folded }: MemberNames, text: string, key: number, keyEnd: number): number {
  const length = keyEnd - key - 2;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (name.length === length && text.startsWith(name, key + 1)) return at;
  }
  return folded.indexOf(foldCase(parseString(text, key, keyEnd)));
}

/**
 * Names match case-insensitively by Unicode simple case folding, as in Go's encoding/json/fold.go.
 * Only two letters outside ASCII fold to ASCII letters: the Kelvin sign, which toLowerCase covers, and the long s.
 */
const foldCase = (name: string): string => name.toLowerCase().replaceAll('\u017f', 's');

const brace = 0x7b;
const bracket = 0x5b;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const letterU = 0x75;
const minus = 0x2d;
const zero = 0x30;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const escapedOrControl = /[\\\x00-\x1f]/;

function skipKeyAndColon(text: string, at: number): number {
  return skipSpace(text, skipColon(text, skipKey(text, at)));
}

function skipKey(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) throw syntaxError(text, at, 'looking for beginning of object key string');
  return skipString(text, at);
}

function skipColon(text: string, start: number): number {
  const at = skipSpace(text, start);
  if (text.charCodeAt(at) !== colon) throw syntaxError(text, at, 'after object key');
  return at + 1;
}

function skipScalar(text: string, at: number, first: number): number {
  if (first === quote) return skipString(text, at);
  if (first === minus || isDigit(first)) return skipNumber(text, at, first);
  const word = first === letterN ? 'null' : first === letterT ? 'true' : first === letterF ? 'false' : undefined;
  if (word === undefined) throw syntaxError(text, at, 'looking for beginning of value');
  if (text.startsWith(word, at)) return at + word.length;
  let same = 1;
  while (text[at + same] === word[same]) same++;
  throw syntaxError(text, at + same, `in literal ${word} (expecting '${word[same]}')`);
}

/** Strings up to this length are scanned character by character. For longer ones the runtime's built-in search is ten times as fast. */
const maxWalkedLength = 32;

function skipString(text: string, start: number): number {
  let at = start + 1;
  for (const far = at + maxWalkedLength; at < far; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) return at + 1;
    if (char === backslash) at = skipEscape(text, at);
    else if (!(char >= 0x20)) throw syntaxError(text, at, 'in string literal');
  }
  const end = text.indexOf('"', at);
  if (end >= 0 && !escapedOrControl.test(text.slice(at, end))) return end + 1;
  return walkString(text, at);
}

/** Whether a text is ASCII without escapes. For long texts it compares the UTF-8 length with the number of characters, which is faster than a scan. */
function isPlainAscii(text: string): boolean {
  if (text.length > maxWalkedLength) return !text.includes('\\') && Buffer.byteLength(text) === text.length;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === backslash || char > 0x7f) return false;
  }
  return true;
}

function walkString(text: string, start: number): number {
  for (let at = start; ; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) return at + 1;
    if (char === backslash) at = skipEscape(text, at);
    else if (!(char >= 0x20)) throw syntaxError(text, at, 'in string literal');
  }
}

/** Position of the last character of the escape at `at`. */
function skipEscape(text: string, at: number): number {
  const char = text.charCodeAt(at + 1);
  if (char !== letterU) {
    if (!isShortEscape(char)) throw syntaxError(text, at + 1, 'in string escape code');
    return at + 1;
  }
  for (let digit = at + 2; digit < at + 6; digit++)
    if (!isHexDigit(text.charCodeAt(digit))) throw syntaxError(text, digit, 'in \\u hexadecimal character escape');
  return at + 5;
}

function skipNumber(text: string, start: number, first: number): number {
  let at = first === minus ? start + 1 : start;
  if (!isDigit(text.charCodeAt(at))) throw syntaxError(text, at, 'in numeric literal');
  at = text.charCodeAt(at) === zero ? at + 1 : skipDigits(text, at);
  let next = text.charCodeAt(at);
  if (next === 0x2e) {
    if (!isDigit(text.charCodeAt(++at))) throw syntaxError(text, at, 'after decimal point in numeric literal');
    at = skipDigits(text, at);
    next = text.charCodeAt(at);
  }
  // `e` or `E`.
  if ((next | 0x20) === 0x65) {
    const sign = text.charCodeAt(++at);
    if (sign === 0x2b || sign === minus) at++;
    if (!isDigit(text.charCodeAt(at))) throw syntaxError(text, at, 'in exponent of numeric literal');
    at = skipDigits(text, at);
  }
  return at;
}

function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

const isDigit = (char: number): boolean => char >= zero && char <= 0x39;

/** Setting bit 0x20 turns an ASCII letter into lower case. */
const isHexDigit = (char: number): boolean => isDigit(char) || ((char | 0x20) >= 0x61 && (char | 0x20) <= letterF);

/** Characters that may follow a backslash, apart from `u`: `"`, `/`, `\\`, `b`, `f`, `n`, `r`, `t`. */
const isShortEscape = (char: number): boolean =>
  char === quote ||
  char === 0x2f ||
  char === backslash ||
  char === 0x62 ||
  char === letterF ||
  char === letterN ||
  char === 0x72 ||
  char === letterT;

const tooManyValuesError = () =>
  new RpcError(`the request has more than ${maxValues} values`, { code: 'RPC_TOO_MANY_VALUES', max: maxValues });

const tooManyMembersError = () =>
  new RpcError(`an object of the request has more than ${maxMembers} members`, { code: 'RPC_TOO_MANY_MEMBERS', max: maxMembers });

/** The syntax error for the character at `at`, with Go's message. */
function syntaxError(text: string, at: number, where: string): RpcError {
  const fault = { code: 'RPC_BAD_JSON', at } as const;
  if (at >= text.length) return new RpcError('unexpected EOF', fault);
  const char = text.charAt(at);
  const shown = char === "'" ? "\\'" : char === '"' ? '"' : goQuote(char).slice(1, -1);
  return new RpcError(`invalid character '${shown}' ${where}`, fault);
}
