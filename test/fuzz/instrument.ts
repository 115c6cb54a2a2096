/**
 * Adds counters to JavaScript: one for each side of a branch, each operand of a logical operator, each function and each block. It works on
 * tokens, not on a syntax tree: the text must come from Bun's printer, which writes every semicolon. The caller checks the result for syntax.
 */

/** Counters are elements of this global array; `counter` is called for each and returns its index. */
export const counterArray = '__fuzzCounters';

type Token = { readonly text: string; readonly start: number; readonly kind: 'word' | 'punctuator' | 'literal' };

/** What is open at a depth: brackets, the two sides of `? :`, and expressions that end with the expression around them. */
type Frame =
  | { readonly kind: 'bracket'; readonly isCondition: boolean; readonly isSwitchHead: boolean; readonly isTemplate: boolean }
  | { readonly kind: 'consequent' | 'tail' | 'case' };

const wordsBeforeRegExp = new Set(
  'return typeof case in of delete void throw new else do instanceof yield await default extends'.split(' '),
);
const wordsBeforeBlock = new Set(['else', 'do', 'try', 'finally', 'catch']);
const blockOpeners = new Set([')', '=>']);

export function instrument(source: string, counter: () => number): string {
  const out: string[] = [];
  const frames: Frame[] = [];
  let copied = 0;
  const insert = (at: number, text: string): void => {
    out.push(source.slice(copied, at), text);
    copied = at;
  };
  const count = (): string => `${counterArray}[${counter()}]++`;
  /** Closes expressions that end here. */
  const closeTails = (at: number): void => {
    while (frames.at(-1)?.kind === 'tail') {
      frames.pop();
      insert(at, ')');
    }
  };
  const closeExpressions = (at: number): void => {
    closeTails(at);
    while (frames.at(-1)?.kind === 'consequent' || frames.at(-1)?.kind === 'case') {
      frames.pop();
      closeTails(at);
    }
  };

  let [last, beforeBracket]: [Token | undefined, string] = [undefined, ''];
  let closedSwitchHead = false;
  for (const token of tokensOf(source)) {
    const { text, start } = token;
    const end = start + text.length;
    const wasSwitchHead = closedSwitchHead;
    closedSwitchHead = false;
    if (token.kind === 'punctuator') {
      if (text === '(' || text === '[' || text === '{' || text === '${') {
        beforeBracket = last?.text ?? '';
        const isCondition = text === '(' && last?.kind === 'word' && (last.text === 'if' || last.text === 'while');
        frames.push({
          kind: 'bracket',
          isCondition,
          isSwitchHead: text === '(' && last?.kind === 'word' && beforeBracket === 'switch',
          isTemplate: text === '${',
        });
        if (isCondition) insert(end, '(');
        const isBlock =
          text === '{' &&
          !wasSwitchHead &&
          ((last?.kind === 'punctuator' && blockOpeners.has(last.text)) || (last?.kind === 'word' && wordsBeforeBlock.has(last.text)));
        if (isBlock) insert(end, `${count()};`);
      } else if (text === ')' || text === ']' || text === '}') {
        closeExpressions(start);
        const frame = frames.pop();
        if (frame?.kind === 'bracket') {
          if (frame.isCondition) insert(start, `)?(${count()},true):(${count()},false)`);
          closedSwitchHead = frame.isSwitchHead;
        }
      } else if (text === ';' || text === ',') closeTails(start);
      else if (text === '?') {
        insert(end, `(${count()},`);
        frames.push({ kind: 'consequent' });
      } else if (text === ':') {
        closeTails(start);
        const frame = frames.at(-1);
        if (frame?.kind === 'consequent') {
          frames.pop();
          insert(start, ')');
          insert(end, `(${count()},`);
          frames.push({ kind: 'tail' });
        } else if (frame?.kind === 'case') {
          frames.pop();
          insert(end, `${count()};`);
        }
      } else if (text === '&&') insert(end, `(${count()},true)&&`);
      else if (text === '||') insert(end, `(${count()},false)||`);
      else if (text === '??') insert(end, `(${count()},null)??`);
      else if (text === '=>' && nextVisible(source, end) !== '{') {
        insert(end, `(${count()},`);
        frames.push({ kind: 'tail' });
      }
    } else if (token.kind === 'word' && text === 'case' && last?.text !== '.' && last?.text !== '{' && isStatementStart(last)) {
      frames.push({ kind: 'case' });
    } else if (token.kind === 'word' && text === 'case' && last?.text === '{') frames.push({ kind: 'case' });
    last = token;
  }
  out.push(source.slice(copied));
  return out.join('');
}

const isStatementStart = (last: Token | undefined): boolean => last === undefined || [';', '}', ':', '{'].includes(last.text);

const nextVisible = (source: string, at: number): string => /\S/.exec(source.slice(at, at + 200))?.[0] ?? '';

const punctuators = [
  ...['>>>=', '...', '===', '!==', '**=', '<<=', '>>=', '>>>', '&&=', '||=', '??='],
  ...['=>', '==', '!=', '<=', '>=', '&&', '||', '??', '?.', '++', '--', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<', '>>', '**'],
];

/** The tokens of a program. A template is cut at its `${` and the `}` that closes it. */
function* tokensOf(source: string): Generator<Token> {
  const closers: ('}' | '`')[] = [];
  let last: Token | undefined;
  let at = 0;
  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const space = matchAt(/(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y);
    if (space !== undefined) at += space.length;
    if (at >= source.length) return;
    const start = at;
    const char = source[at] as string;
    const inTemplate = char === '}' && closers.at(-1) === '`';
    let token: Token;
    if (inTemplate) {
      // The `}` ends the expression; the text after it belongs to the template.
      closers.pop();
      yield { text: '}', start, kind: 'punctuator' };
      const text = matchAt(/\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y) as string;
      at += text.length;
      token = { text: '`', start: at, kind: 'literal' };
      if (source[at] === '`') at++;
      else {
        yield { text: '${', start: at, kind: 'punctuator' };
        at += 2;
        closers.push('`');
        last = { text: '${', start: at, kind: 'punctuator' };
        continue;
      }
    } else if (char === '`') {
      const text = matchAt(/`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y) as string;
      at += text.length;
      if (source[at] === '`') {
        at++;
        token = { text: source.slice(start, at), start, kind: 'literal' };
      } else {
        token = { text: '${', start: at, kind: 'punctuator' };
        at += 2;
        closers.push('`');
      }
    } else {
      const word = matchAt(/[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy);
      const literal =
        word === undefined
          ? matchAt(
              /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?/y,
            ) || (isRegExpHere(last) ? matchAt(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y) : undefined)
          : undefined;
      if (word !== undefined) token = { text: word, start, kind: 'word' };
      else if (literal) token = { text: literal, start, kind: 'literal' };
      else {
        const found = punctuators.find((one) => source.startsWith(one, at));
        const text = found === undefined || (found === '?.' && /\d/.test(source[at + 2] ?? '')) ? char : found;
        token = { text, start, kind: 'punctuator' };
      }
      at += token.text.length;
      if (token.text === '{') closers.push('}');
      else if (token.text === '}') closers.pop();
    }
    yield token;
    last = token;
  }
}

/** Whether a slash after this token begins a regular expression and is no division. */
const isRegExpHere = (last: Token | undefined): boolean =>
  last === undefined ||
  (last.kind === 'punctuator' && last.text !== ')' && last.text !== ']' && last.text !== '}') ||
  (last.kind === 'word' && wordsBeforeRegExp.has(last.text));
