import { expect, test } from 'bun:test';
import { readerEnvironment } from './processes.ts';

test('a variable with the prefix replaces the one without it, in whatever order they are', () => {
  const own = { SERAC_READER_BUN_JSC_forceRAMSize: '96', PATH: '/bin', BUN_JSC_forceRAMSize: '192', SERAC_READER_NEW: 'a' };
  const expected = { PATH: '/bin', BUN_JSC_forceRAMSize: '96', NEW: 'a' };
  expect(readerEnvironment(own)).toEqual(expected);
  expect(readerEnvironment(Object.fromEntries(Object.entries(own).reverse()))).toEqual(expected);
});

test('without such variables the environment is unchanged', () => {
  expect(readerEnvironment({ A: '1', B: undefined })).toEqual({ A: '1', B: undefined });
});
