import { expect, test } from 'bun:test';
import type { SourceError } from '../load/source.ts';
import { explainRefused } from './refused-link.ts';

const explain = (path: string, query: string, asked: string, message: string) =>
  explainRefused({ path, query }, { fault: { path: asked }, message } as unknown as SourceError);

test('a value that a page passed on is left out, and the reader is told where to find a right one', () => {
  expect(explain('/assets', 'a=1&asset=bad', '/v1/x?assetId=bad&pageSize=5', 'assetId must be an ID')).toEqual({
    text: '“bad” is not the ID of an asset. An ID has about 50 letters and digits, and ends with a checksum. Go on with:',
    subject: 'asset=bad',
    links: [
      { href: '/assets?a=1', word: '/assets', note: 'the same page without this part' },
      { href: '/assets', word: '/assets', note: 'all assets with their IDs' },
    ],
  });
});

test('a place in a list that is gone leads to the beginning of the list', () => {
  const { text, links } = explain('/txs', 'after=tok', '/v1/x?pageToken=tok', 'pageToken is too old');
  expect(text).toStartWith('This link leads to a place in a list that is not kept');
  expect(links).toEqual([{ href: '/txs', word: '/txs', note: 'the same page without this part' }]);
});

test('without a reason of its own the message is shown; a part that is not found leaves nothing of the query', () => {
  expect(explain('/txs', 'a=1&b=2', '/v1/x?sort=up', 'order must be one of these')).toEqual({
    text: 'The server does not take a part of this link: order must be one of these. Go on with:',
    subject: '/txs',
    links: [{ href: '/txs', word: '/txs', note: 'the same page without this part' }],
  });
  expect(explain('/txs', 'a=&b=2', '/v1/x', 'x').subject).toBe('/txs');
  expect(explain('/txs', 'a=&b=2', '/v1/x?order=', 'order x').links[0]?.href).toBe('/txs');
});

test('a long value is cut', () => {
  const long = 'y'.repeat(150);
  expect(explain('/a', `q=${long}`, `/v1?order=${long}`, 'order').subject).toBe(`q=${'y'.repeat(100)}`);
});
