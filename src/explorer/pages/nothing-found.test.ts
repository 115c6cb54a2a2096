import { expect, test } from 'bun:test';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { idOf, idText } from '../../base/bytes/id.ts';
import type { PageContext } from '../load/page-context.ts';
import { createTestSource } from '../load/test-source.fixture.ts';
import type { ReferenceLoader } from './load-reference.ts';
import { explainMissing } from './nothing-found.ts';

const bytes = new Uint8Array(20).fill(7);

/** What a page says of a text that names nothing. `results`: what a search for its first characters finds. */
async function explain(
  text: string,
  { results = [] as object[], nearest = [] as { href: string; word: string; note: string }[], dev = false } = {},
) {
  const context = {
    network: { name: 'local', hrp: 'local' },
    chain: { slug: 'x', alias: 'X', title: 'X-Chain' },
    has: { dev },
    operations: [],
  } as unknown as PageContext;
  const { source, asked } = createTestSource((path) => (path.includes('/search?') ? { results } : undefined), {
    'dev.labels': { labels: [{ address: 'X-local1q', name: 'treasury' }] },
  });
  const reference = {
    findNearest: async (_: unknown, name: string) => [{ page: 'avm.getTx', id: 'avm.getTx', summary: `like ${name}` }],
  } as unknown as ReferenceLoader;
  const { text: why, links } = await explainMissing(source, context, { text, nearest, tip: 1234, reference });
  return { why, hrefs: links.map(({ href }) => href), asked };
}

test('a height that is still to come is told the last one', async () => {
  for (const text of ['9999', ' 9,999 ']) {
    const { why, hrefs } = await explain(text);
    expect(why).toBe('There is no block at this height yet. The last block of X-Chain is 1,234.');
    expect(hrefs).toEqual(['/block/1234', '/blocks']);
  }
});

test('an address of another network is told what the same keys have here', async () => {
  const { why, hrefs } = await explain(`P-${bech32Encode('fuji', bytes)}`);
  expect(why).toStartWith('This is an address of another network or chain.');
  expect(hrefs).toEqual([`/address/X-${bech32Encode('local', bytes)}`]);
});

test('a text with a wrong character is asked whether another one was meant', async () => {
  const nearest = [{ href: '/tx/a', word: 'a', note: 'one character differs' }];
  expect(await explain('whatever', { nearest })).toMatchObject({
    why: 'The checksum does not fit. Did you mean this one?',
    hrefs: ['/tx/a'],
  });
});

test('an ID that names nothing is told why, and which IDs begin alike, at most five', async () => {
  const id = idText(idOf(Buffer.from('unknown')));
  const results = Array.from({ length: 7 }, (_, i) => ({ kind: 'transaction', id: `${i}` }));
  const found = await explain(id, { results });
  expect(found.asked.filter((path) => path.includes('/search?'))).toEqual([expect.stringMatching(new RegExp(`q=${id.slice(0, 6)}$`))]);
  expect(found.why).toMatch(/has this ID\. It may be of another network or chain\. Most like it:$/);
  expect(found.hrefs).toEqual(['/tx/0', '/tx/1', '/tx/2', '/tx/3', '/tx/4']);
  expect((await explain(id, { dev: true })).why).toMatch(/If it was there before, a revert has removed it\. Begin with a list:$/);
  expect((await explain(id)).hrefs).toEqual(['/blocks', '/assets', '/api']);
});

test('a name that is almost that of a page or of a method is told it', async () => {
  expect(await explain('asets')).toMatchObject({ hrefs: ['/assets'] });
  // A page that this server has not is no answer.
  const { hrefs, asked } = await explain('mempoo');
  expect(hrefs).toEqual(['/blocks', '/assets', '/api']);
  // So short a text has no beginning to search for.
  expect(asked).toEqual([]);
  expect(await explain('avm.getTxx')).toMatchObject({ hrefs: ['/api/avm.getTx'] });
  expect(await explain('tresury', { dev: true })).toMatchObject({ hrefs: ['/address/X-local1q'] });
  expect((await explain('!')).why).toContain('Nothing on X-Chain of the network local has this height');
});
