import type { HttpRequest } from '../../api/http/message.ts';
import type { SourceError } from '../load/source.ts';
import type { MessageData } from '../views/message-view.tsx';

type Link = MessageData['links'][number];

/** What is wrong with a value, by the parameter of the route that refuses it, and where to find a right one. */
const reasons: { readonly [parameter: string]: { readonly text: (value: string) => string; readonly links: readonly Link[] } } = {
  assetId: {
    text: (value) => `“${value}” is not the ID of an asset. An ID has about 50 letters and digits, and ends with a checksum.`,
    links: [{ href: '/assets', word: '/assets', note: 'all assets with their IDs' }],
  },
  pageToken: {
    text: () => 'This link leads to a place in a list that is not kept: places of this list are kept for 24 hours, or the link was cut.',
    links: [],
  },
};

/** Characters of a value that are shown. */
const maxShown = 100;

/** Why a route refuses a part of a page's link, in plain words, and the same page without this part. */
export function explainRefused(
  { path, query }: Pick<HttpRequest, 'path' | 'query'>,
  { fault, message }: SourceError,
): Pick<MessageData, 'text' | 'subject' | 'links'> {
  const sent = new URLSearchParams(fault.path.split('?')[1] ?? '');
  const [parameter = '', value = ''] = [...sent].find(([name]) => message.startsWith(name)) ?? [];
  const kept = new URLSearchParams(query);
  const refused = [...kept].find((one) => value !== '' && one[1] === value);
  for (const name of refused === undefined ? [...kept.keys()] : [refused[0]]) kept.delete(name);
  const shown = value.slice(0, maxShown);
  const reason = reasons[parameter];
  return {
    text: `${reason?.text(shown) ?? `The server does not take a part of this link: ${message}.`} Go on with:`,
    subject: refused === undefined ? path : `${refused[0]}=${shown}`,
    links: [
      { href: kept.size === 0 ? path : `${path}?${kept}`, word: path, note: 'the same page without this part' },
      ...(reason?.links ?? []),
    ],
  };
}
