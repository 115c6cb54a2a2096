import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compareChecks, healthWords } from './health-words.ts';

const source = resolve(import.meta.dir, '../..');

test('every health check of the program has a name, a meaning and a remedy in words', () => {
  const code = ['app', 'api']
    .flatMap((folder) =>
      readdirSync(`${source}/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${source}/${folder}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const names = [...code.matchAll(/(?:applicationCheck|extraCheck)\('([^']+)'|register\('health', '([^']+)'/g)].map(
    ([, a, b]) => a ?? b ?? '',
  );
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) {
    const { name: word, meaning, remedy } = healthWords(name);
    expect([name, word !== name, meaning !== '', remedy !== '']).toEqual([name, true, true, true]);
  }
});

test('a chain has its title; a check that is not known keeps its name', () => {
  expect(healthWords('X').name).toBe('X-Chain');
  expect(healthWords('toString')).toMatchObject({ name: 'toString', meaning: '' });
});

test('chains come first, then the database; what is not known comes last', () => {
  expect(['zoo', 'bls', 'P', 'database', 'C', 'X'].sort(compareChecks)).toEqual(['X', 'C', 'P', 'database', 'bls', 'zoo']);
});
