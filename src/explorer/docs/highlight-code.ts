import { type Html, html } from '../../api/rest/html.ts';

/** What is marked in a language: comments, texts, and words that begin a line or a statement. */
type Language = { readonly comment?: RegExp; readonly text: RegExp; readonly word?: RegExp };

const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/;
const script: Language = {
  comment: /(?<![:\w])\/\/.*/,
  text: quoted,
  word: /\b(?:await|async|break|const|default|else|export|for|from|function|if|import|let|new|of|return|type|using|while)\b/,
};

const languages: Readonly<Record<string, Language>> = {
  sh: { comment: /(?<=^|\s)# .*/, text: /'[^']*'|"(?:[^"\\]|\\.)*"/, word: /(?<=^|[|;&(] *)(?:[A-Z_]+=\S+ )*[a-z][\w./-]*(?=\s|$)/ },
  js: script,
  ts: script,
  json: { text: /"(?:[^"\\]|\\.)*"(?=\s*:)/ },
  sql: { comment: /--.*/, text: /'[^']*'/, word: /\b[A-Z]{2,}\b/ },
  ini: { comment: /^[#;].*/, text: /^\[.*\]$/, word: /^[\w.]+(?= ?=)/ },
  yaml: { comment: /(?<=^|\s)#.*/, text: /'[^']*'|"[^"]*"/, word: /^[ -]*[\w./-]+(?=:)/ },
};

/** Code as HTML, with comments, texts and words marked. */
export function highlightCode(language: string, text: string): Html {
  const row = Object.hasOwn(languages, language) ? (languages[language] as Language) : undefined;
  if (row === undefined) return html`${text}`;
  const never = /(?!)/;
  const pattern = new RegExp(
    `(?<comment>${(row.comment ?? never).source})|(?<text>${row.text.source})|(?<word>${(row.word ?? never).source})`,
    'gm',
  );
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = match.groups?.comment !== undefined ? 'c' : match.groups?.text !== undefined ? 's' : 'w';
    parts.push(html`${text.slice(end, match.index)}`, html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  parts.push(html`${text.slice(end)}`);
  return { html: parts.map((part) => part.html).join('') };
}
