/** How a programming language writes JSON values. */
type Spelling = {
  readonly text: (value: string) => string;
  readonly key: (name: string) => string;
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
  readonly indent: string;
  /** Whether an object on one line has spaces inside its braces. */
  readonly isSpaced: boolean;
};

const single = (value: string): string => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const script: Spelling = {
  text: single,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : single(name)),
  words: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
  isSpaced: true,
};

const python: Spelling = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
  isSpaced: false,
};

/** Characters of a value that stays on one line. */
const maxLine = 88;

/** A JSON value as a literal of TypeScript and JavaScript. */
export const scriptLiteral = (value: unknown): string => literal(script, value, '');

/** A JSON value as a literal of Python, indented for a place within `indent`. */
export const pythonLiteral = (value: unknown, indent = ''): string => literal(python, value, indent);

function literal(spelling: Spelling, value: unknown, indent: string): string {
  if (typeof value === 'string') return spelling.text(value);
  if (typeof value === 'boolean') return spelling.words[`${value}`];
  if (value === null || value === undefined) return spelling.words.null;
  if (typeof value !== 'object') return String(value);
  const inner = indent + spelling.indent;
  const items = Array.isArray(value)
    ? value.map((one) => literal(spelling, one, inner))
    : Object.entries(value).map(([name, one]) => `${spelling.key(name)}: ${literal(spelling, one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  const space = spelling.isSpaced && !Array.isArray(value) ? ' ' : '';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (line.length <= maxLine && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}
