import { openOnUse } from '../../base/cache/memoize.ts';

/** A method or route of the API, as the page `/api` lists it. */
export type ListedCall = { readonly name: string; readonly summary: string; readonly href: string };

/** The lines of the page `/api`, which has the table that a submitted search reads too. Read once. */
export const listedCalls = openOnUse(async (): Promise<readonly ListedCall[]> => {
  const response = await fetch('/api', { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return [...page.querySelectorAll('.reference-line')].map((line) => {
    const link = line.querySelector('a');
    return {
      name: link?.textContent ?? '',
      summary: line.querySelector('span')?.firstChild?.textContent ?? '',
      href: link?.getAttribute('href') ?? '/api',
    };
  });
});

/** Calls that are listed for a text. */
const maxCalls = 5;

/** Whether a text is written as the name of a method or route is: `avm.getTx`, `getTxByHash`. */
export const isCallName = (text: string): boolean => /^[a-z]+[.A-Z]\w*$/.test(text);

/** Methods and routes whose names contain a text, in any case: the one with this name first, then those that begin with it. A server without an API has none. */
export async function findCalls(text: string): Promise<readonly ListedCall[]> {
  if (!/^[a-z][\w.]{2,49}$/i.test(text)) return [];
  return orderCalls(await listedCalls.get().catch(() => []), text);
}

export function orderCalls(calls: readonly ListedCall[], text: string): ListedCall[] {
  const wanted = text.toLowerCase();
  const rank = ({ name }: ListedCall): number => {
    const at = name.toLowerCase().indexOf(wanted);
    return at === 0 && name.length === wanted.length ? -1 : at;
  };
  return calls
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, maxCalls);
}
