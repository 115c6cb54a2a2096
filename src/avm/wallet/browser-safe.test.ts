import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('the code of this module uses neither node: modules nor Buffer, so that it can run in a browser', () => {
  const files = readdirSync(import.meta.dir).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => /from 'node:|\bBuffer\b|from 'secp256k1'/.test(readFileSync(join(import.meta.dir, file), 'utf8')))).toEqual(
    [],
  );
});
