/** A small mistake in a source text: the characters from `start` to before `end` are replaced by `by`. */
export type Mutation = { readonly kind: string; readonly start: number; readonly end: number; readonly by: string };

/** All mistakes that can be put into a text in TypeScript. Comments, strings, regular expressions and types have none. */
export function listMutations(source: string): Mutation[] {
  const code = maskTypes(maskTexts(source));
  return [
    ...replaceEach(code, 'comparison changed', / (===|!==|<=|>=|<|>) /g, (sign) => otherComparison[sign] as string),
    ...replaceEach(code, 'and/or swapped', / (&&|\|\|) /g, (sign) => (sign === '&&' ? '||' : '&&')),
    ...replaceEach(code, 'sum changed', / (\+=|-=) /g, (sign) => (sign === '+=' ? '-=' : '+=')),
    ...replaceEach(code, 'number changed', /(?<![\w.$])(\d[\d_]*n?)(?![\w.])/g, addOne),
    // A call whose result is not used: an invalidation, a notice to others.
    ...replaceEach(
      code,
      'statement removed',
      /^ +((?!(?:return|throw|const|yield|super)\b)(?:await )?[\w.?]+\([^\n]*\));$/gm,
      () => 'void 0',
    ),
    ...replaceEach(code, 'returned early', /\): void (?:=> )?(\{)$/gm, () => '{ return;'),
    ...conditions(code).flatMap(({ start, end }) => [
      { kind: 'check negated', start, end, by: `!(${source.slice(start, end)})` },
      { kind: 'check removed', start, end, by: 'false' },
    ]),
  ];
}

export const applyMutation = (source: string, { start, end, by }: Mutation): string => source.slice(0, start) + by + source.slice(end);

/** The opposite, or the comparison that differs at the bound. */
const otherComparison: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const addOne = (digits: string): string => {
  const plain = digits.replaceAll('_', '');
  return plain.endsWith('n') ? `${BigInt(plain.slice(0, -1)) + 1n}n` : `${Number(plain) + 1}`;
};

/** Mutations of the first group of a pattern. */
const replaceEach = (code: string, kind: string, pattern: RegExp, replace: (text: string) => string): Mutation[] =>
  [...code.matchAll(pattern)].map(({ 0: whole, 1: text = '', index }) => {
    const start = index + whole.indexOf(text);
    return { kind, start, end: start + text.length, by: replace(text) };
  });

/** The conditions of `if`, without their parentheses. */
const conditions = (code: string): { readonly start: number; readonly end: number }[] =>
  [...code.matchAll(/\bif \(/g)].map(({ 0: whole, index }) => {
    const start = index + whole.length;
    let end = start;
    for (let depth = 1; end < code.length; end++) {
      if (code[end] === '(') depth++;
      else if (code[end] === ')' && --depth === 0) break;
    }
    return { start, end };
  });

const blank = (text: string): string => text.replace(/[^\n]/g, '_');

/** The text with comments, strings, regular expressions and the texts of templates replaced by underscores; all positions stay. */
function maskTexts(source: string): string {
  let masked = '';
  /** Braces that are open in each `${` of a template. */
  const templates: number[] = [];
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[(,=:?&|!;{}[]\s*|return )\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+\/[a-z]*|[^'"`/{}]+|[\s\S]/y;
  const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
  for (let at = 0; at < source.length; ) {
    const top = templates.length - 1;
    token.lastIndex = at;
    const [text = ''] = token.exec(source) ?? [];
    at += text.length;
    const isClosed = text === '}' && templates[top] === 0;
    if (text === '`' || isClosed) {
      if (isClosed) templates.pop();
      templateText.lastIndex = at;
      const [rest = source.slice(at)] = templateText.exec(source) ?? [];
      at += rest.length;
      masked += blank(text + rest);
      if (rest.endsWith('{')) templates.push(0);
      continue;
    }
    if (top >= 0 && text === '{') templates[top] = (templates[top] as number) + 1;
    if (top >= 0 && text === '}') templates[top] = (templates[top] as number) - 1;
    masked += text.length > 1 && /^['"/]/.test(text) ? blank(text) : text;
  }
  return masked;
}

/** The code with declared types replaced as well: numbers in them are no values. */
const maskTypes = (code: string): string => code.replace(/^( *)(?:export )?type \w[\s\S]*?;$(?=\n(?!\1[ |&}]))/gm, blank);
