import { expect, test } from 'bun:test';
import { generatedPages, renderPage } from '../tools/docs.ts';
import { callerCodes, findCodesInSource } from '../tools/errors-page.ts';

for (const page of Object.keys(generatedPages))
  test(`${page} is up to date with the code (bun tools/docs.ts)`, async () => {
    const { before, after } = await renderPage(page);
    expect(before).toBe(after);
  });

test('docs/errors.md: every documented code exists in the source, and each meaning and remedy is a sentence', async () => {
  const known = await findCodesInSource(new URL('..', import.meta.url).pathname);
  expect([...callerCodes.keys()].filter((code) => !known.has(code))).toEqual([]);
  for (const [code, advice] of callerCodes)
    for (const text of advice) expect([code, text]).toEqual([code, expect.stringMatching(/^.{8,}\.$/)]);
});
