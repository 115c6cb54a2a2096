import type { DocsEntry, DocsIndex } from './docs-search.ts';

/** A section, or a row of a table of flags or codes, that contains all words of a search. */
export type FoundEntry = { readonly entry: DocsEntry; readonly title: string };

/** At most this many words of a search are looked for. */
const maxWords = 8;

export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);

/** Entries that contain all words, best first: words in the heading count more than words in the title of the page and in the text. */
export function findEntries({ pages, entries }: DocsIndex, words: readonly string[], max: number): FoundEntry[] {
  const scored = entries.flatMap((entry) => {
    const { title = '', weight = 1 } = pages[entry[0]] ?? {};
    const score = weight * scoreOf(entry, title, words);
    return score === 0 ? [] : [{ entry, title, score }];
  });
  return scored.sort((a, b) => b.score - a.score).slice(0, max);
}

function scoreOf([, heading, anchor, text]: DocsEntry, title: string, words: readonly string[]): number {
  const places = [
    [heading.toLowerCase(), 20],
    [title.toLowerCase(), anchor === '' ? 10 : 4],
    [text.toLowerCase(), 1],
  ] as const;
  let total = 0;
  for (const word of words) {
    let best = 0;
    for (const [place, weight] of places) {
      if (place === word) best += 3 * weight;
      for (let at = place.indexOf(word), from = best; at >= 0 && best < from + 4 * weight; at = place.indexOf(word, at + 1))
        best += weight * wordShare(place, at, word.length);
    }
    if (best === 0) return 0;
    total += best;
  }
  return total;
}

/** A whole word counts more than the beginning of one, and that more than its middle. `--state` is not a whole word of `--state-interval`. */
function wordShare(place: string, at: number, length: number): number {
  const isBegin = at === 0 || !/[\p{L}\p{N}]/u.test(place[at - 1] as string);
  if (!isBegin) return 0.25;
  return /^(?![\p{L}\p{N}_-])/u.test(place.slice(at + length)) ? 1.5 : 1;
}
