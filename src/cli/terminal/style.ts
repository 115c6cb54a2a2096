/** Adds colours and weights to text; returns the text itself where there are none. */
export type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'cyan', (text: string) => string>>;

/** Escape sequences that begin and end a style (SGR parameters of ECMA-48). */
const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], cyan: [36, 39] } as const;

export function createStyle(hasColors: boolean): Style {
  const style = (name: keyof typeof codes) => (text: string) =>
    hasColors && text !== '' ? `\x1b[${codes[name][0]}m${text}\x1b[${codes[name][1]}m` : text;
  return { bold: style('bold'), dim: style('dim'), red: style('red'), cyan: style('cyan') };
}

/** Text without styles, for output that is not a terminal. */
export const plainStyle: Style = createStyle(false);
