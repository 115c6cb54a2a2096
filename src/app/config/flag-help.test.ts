import { expect, test } from 'bun:test';
import { commandNames, commandTable } from './command.ts';
import { formatUsage } from './command-arguments.ts';
import { flagNames, formatCommandList, formatFlagList, formatGroupHelp, formatHelp, wrap } from './flag-help.ts';
import { acceptsFlag, flagTable } from './flag-table.ts';

const rows = Object.entries(flagTable) as [string, (typeof flagTable)[keyof typeof flagTable]][];
const hasFlag = (text: string, flag: string): boolean => new RegExp(`^  (?:-\\w, )?(?:--[\\w-]+, )*--${flag}(?:[ ,]|$)`, 'm').test(text);

test('lines break at 80 columns, with an indent after the first', () => {
  expect(wrap('short')).toBe('short');
  const words = `${'a'.repeat(40)} ${'b'.repeat(39)}`;
  expect(wrap(words)).toBe(words);
  expect(wrap(`${words}b`, 4)).toBe(`${'a'.repeat(40)}\n    ${'b'.repeat(40)}`);
  expect(wrap(`  ${'a'.repeat(40)}   ${'b'.repeat(10)}`)).toBe(`  ${'a'.repeat(40)}   ${'b'.repeat(10)}`);
  // A word that is longer than a line stays whole.
  expect(wrap(`a ${'x'.repeat(90)}`, 2)).toBe(`a\n  ${'x'.repeat(90)}`);
});

test('every help text fits a terminal of 80 columns', () => {
  const texts = [formatCommandList(), formatFlagList(), ...commandNames.map((name) => formatHelp(name))];
  for (const text of texts) expect(text.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
});

test('the list of commands has every command, and that of flags every flag', () => {
  const list = formatCommandList();
  for (const name of commandNames) expect(list).toContain(`\n  ${formatUsage(name)}`);
  const flags = formatFlagList();
  for (const [flag] of rows) expect([flag, hasFlag(flags, flag)]).toEqual([flag, true]);
});

test('the help of a command has its explanation, examples and the flags that it takes, no others', () => {
  for (const name of ['dev', 'send', 'check', 'api'] as const) {
    const text = formatHelp(name);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(commandTable[name].help.replaceAll(/\s+/g, ' '));
    for (const example of commandTable[name].examples)
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`serac ${example}`.trim().replaceAll(/\s+/g, ' '));
    for (const [flag, row] of rows) expect([name, flag, hasFlag(text, flag)]).toEqual([name, flag, acceptsFlag(name, row)]);
  }
  expect(formatHelp('send')).toContain('SERAC_URL');
  expect(formatHelp('dev')).toContain('AVAGO_HTTP_PORT');
  expect(formatHelp('send')).toContain('ADDRESS is an address, the number of an account');
});

test('the help of a group has its commands', () => {
  const text = formatGroupHelp('snapshot');
  for (const name of commandNames.filter((one) => one.startsWith('snapshot '))) expect(text).toContain(name);
  expect(text).not.toContain('serac send');
});

test('a flag has its letter, its aliases and what its value is', () => {
  expect(flagNames('http-port', flagTable['http-port'], ['port'])).toBe('-p, --http-port, --port N');
  expect(flagNames('json', flagTable.json)).toMatch(/--json$/);
});
