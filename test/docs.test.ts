import { expect, test } from 'bun:test';
import { pages, rendered } from '../tools/docs.ts';

for (const page of Object.keys(pages))
  test(`${page} says what the tables in the code say (bun tools/docs.ts)`, async () => {
    const { before, after } = await rendered(page);
    expect(before).toBe(after);
  });
