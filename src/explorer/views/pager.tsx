import type { PagerData } from '../load/list-place.ts';
import { groupDigits } from '../text/text-format.ts';

type PagerProps = {
  readonly pager: PagerData;
  /** Name of the table, whose pages are all saved when it is. */
  readonly list: string;
  /** What the rows are: `blocks`. */
  readonly what: string;
  /** Whether rows are ordered by rank, not by time. */
  readonly isRanking?: boolean;
  /** The path of the list, and filters that a jump keeps. Undefined: the list cannot jump to a height or a date. */
  readonly jump?: { readonly path: string; readonly keep?: readonly (readonly [name: string, value: string])[] };
};

const linkWords = { first: 'First', newer: 'Newer', older: 'Older', last: 'Last' } as const;
const rankWords = { first: 'First', newer: 'Previous', older: 'Next', last: 'Last' } as const;

/** Where a page of a list is in the whole, links to other pages, and a field that jumps to a height or a date. A form: it works without script too. */
export function Pager({ pager, list, what, jump, isRanking }: PagerProps) {
  const { links, refused } = pager;
  const hasPages = Object.values(links).some((href) => href !== undefined);
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <p class="pager-place">{placeText(pager, what)}</p>
      {hasPages && jump !== undefined && (
        <form method="get" action={jump.path} class="pager-jump">
          {jump.keep?.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <label>
            Go to{' '}
            <input name="go" placeholder="height or date" defaultValue={refused} autocomplete="off" aria-invalid={refused !== undefined} />
          </label>
          <button type="submit">Go</button>
        </form>
      )}
      {hasPages && <PageLinks links={links} list={list} isRanking={isRanking} />}
      {refused !== undefined && (
        <p class="pager-refused bad-text" role="alert">
          “{refused}” is neither a height nor a date. Type a height as 1,200, or a day or time in UTC as 2026-11-18 or 2026-11-18 09:41.
        </p>
      )}
    </nav>
  );
}

/** The links alone, below a long list. */
export const PagerFoot = ({ pager: { links }, list, what, isRanking }: Omit<PagerProps, 'jump'>) =>
  Object.values(links).some((href) => href !== undefined) ? (
    <nav class="pager" aria-label={`Pages of ${what}, below the list`}>
      <PageLinks links={links} list={list} isRanking={isRanking} />
    </nav>
  ) : null;

const PageLinks = ({ links, list, isRanking }: { links: PagerData['links']; list: string; isRanking: boolean | undefined }) => (
  <span class="pager-links">
    {(['first', 'newer', 'older', 'last'] as const).map((name) => {
      const word = (isRanking ? rankWords : linkWords)[name];
      return links[name] === undefined ? (
        <span class="button" aria-hidden="true">
          {word}
        </span>
      ) : (
        <a class="button" href={links[name]} {...(name === 'older' ? { rel: 'next', 'data-list': list } : {})}>
          {word}
        </a>
      );
    })}
  </span>
);

/** `51–100 of 100,200 blocks`, or as much of it as is known. */
export function placeText({ position, total }: PagerData, what: string): string {
  if (total === 0) return `no ${what}`;
  const of = total === undefined ? '' : ` of ${groupDigits(total)}`;
  if (position === undefined) return total === undefined ? '' : `${groupDigits(total)} ${what}`;
  const { first, last } = position;
  const word = (total ?? last) === 1 ? what.replace(/s$/, '') : what;
  return `${groupDigits(first)}${last > first ? `–${groupDigits(last)}` : ''}${of} ${word}`;
}
