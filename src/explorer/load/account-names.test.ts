import { expect, test } from 'bun:test';
import { createAccountNames } from './account-names.ts';
import { createTestSource } from './test-source.fixture.ts';

const accounts = Array.from({ length: 60 }, (_, index) => ({ index, address: `X-local1${index}` }));

test('the first 50 accounts have names, and a label takes the place of one', async () => {
  const { source } = createTestSource(() => undefined, {
    'dev.accounts': { accounts },
    'dev.labels': {
      labels: [
        { address: 'X-local11', name: 'Alice' },
        { address: 'X-local1z', name: 'Zoe' },
      ],
    },
  });
  const names = (await createAccountNames()(source)) ?? {};
  expect(Object.keys(names)).toHaveLength(51);
  expect([names.local10, names.local11, names.local149, names.local150, names.local1z]).toEqual([
    'account 0',
    'Alice',
    'account 49',
    undefined,
    'Zoe',
  ]);
});

test('a caller who may not use the dev methods sees no names', async () => {
  expect(await createAccountNames()(createTestSource(() => undefined).source)).toBeUndefined();
});
