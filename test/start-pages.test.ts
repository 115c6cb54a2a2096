import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Glob } from 'bun';
import { services } from '../src/api/contract/services.ts';
import { unsupportedFlags } from '../src/app/config/avalanchego-flags.ts';
import { commandTable, isCommand } from '../src/app/config/command.ts';
import { flagAliases, flagTable } from '../src/app/config/flag-table.ts';
import { exitCodes } from '../src/cli/exit-error.ts';
import { parseMarkdown } from '../src/explorer/docs/markdown-blocks.ts';
import { type Program, runProgram, startProgramAsUsers } from './program.ts';
import { startTestnet, untilUp } from './testnet-program.ts';

/**
 * The README and the pages of docs/start: what they name of Serac exists, what they call missing is missing, and their commands run.
 * The requests of these pages are sent by examples.test.ts.
 */

const root = resolve(import.meta.dir, '..');
const pages = ['README.md', ...[...new Glob('docs/start/*.md').scanSync(root)].sort()];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
/** Pages without a command of Serac in a block: examples of test suites and of SDKs, which example-programs.test.ts and test/clients run. */
const testedElsewhere = ['docs/start/test-suites.md', 'docs/start/sdks.md'];
const withoutHeading = '## Without a counterpart';

const methods = new Set(Object.values(services).flatMap(({ prefix, methods }) => Object.keys(methods).map((name) => prefix + name)));
const isFlag = (name: string): boolean => Object.hasOwn(flagTable, name) || Object.hasOwn(flagAliases, name);

const spansOf = (text: string): string[] =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

/** The text of a page without the columns about other tools: all before the column `Serac` of a table. */
function textAboutSerac(page: string): string {
  const blocks = parseMarkdown(read(page)).flatMap((block) => {
    if (block.kind === 'table') {
      const at = Math.max(0, block.head.indexOf('Serac'));
      return block.rows.map((row) => row.slice(at).join(' '));
    }
    return block.kind === 'list'
      ? block.items.flat().flatMap((item) => ('text' in item ? [item.text] : []))
      : 'text' in block
        ? [block.text]
        : [];
  });
  return blocks.join('\n');
}

describe.each(pages)('%s', (page) => {
  test('every command of Serac that it names exists, with its flags', () => {
    const named = spansOf(read(page)).filter((span) => /^(npx )?serac( |$)/.test(span));
    expect(named.length).toBeGreaterThan(0);
    const unknown = named.filter((span) => !isKnownCommand(span.replace('npx ', '').split(' ').slice(1)));
    expect(unknown).toEqual([]);
  });

  test('every method and flag that it names of Serac exists', () => {
    const spans = spansOf(textAboutSerac(page)).filter((span) => !/^(npm|pnpm|yarn|bun) /.test(span));
    const flags = spans.flatMap((span) => [...span.matchAll(/(?:^| )--([\w-]+)/g)].map(([, name = '']) => name));
    expect(flags.length).toBeGreaterThan(0);
    expect(flags.filter((name) => !isFlag(name))).toEqual([]);
    const calls = spans.filter((span) => /^(avm|wallet|info|health|dev)\.\w+$/.test(span));
    expect(calls.filter((name) => !methods.has(name))).toEqual([]);
  });

  // The programs of this page are run by examples.test.ts.
  test.skipIf(testedElsewhere.includes(page))('its commands run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-start-'));
    expect(await node.client.call('/ext/dev', 'dev.reset')).toHaveProperty('result');
    try {
      const lines = [...read(page).matchAll(/```sh\n((?:npx )?serac[^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) await runLine(line.replaceAll('DIR', folder).replaceAll('chain.serac', join(folder, 'chain.serac')));
    } finally {
      await runProgram('stop', '--data-dir', folder); // a node in the background that a failed line has left
      rmSync(folder, { recursive: true });
    }
  });
});

let node: Program;
beforeAll(async () => {
  node = await startProgramAsUsers();
});
afterAll(() => node.stop());

/** A server is started on a free port and stopped when it is ready; any other command ends by itself, and asks the node of this file. */
async function runLine(line: string): Promise<void> {
  const words = wordsOf(line);
  const [name = ''] = words;
  if (name === '--detach') words.push('--http-port=0');
  if (name === '' || (isCommand(name) && commandTable[name].kind === 'server')) {
    const server = await (name === 'testnet' ? startTestnetNodes(words.slice(1)) : startProgramAsUsers(...words, '--log-level=info'));
    expect([line, await server.stop()]).toEqual([line, 0]);
    return;
  }
  const { code, err } = await runProgram(...words, ...(needsNode(words) ? ['--url', node.url] : []));
  expect([line, code, err]).toEqual([line, 0, '']);
}

/** A network whose nodes are all connected; before that, an interrupt may end it before it can stop them. */
async function startTestnetNodes(words: readonly string[]) {
  const testnet = await startTestnet(...words);
  await untilUp(testnet.nodes, testnet.nodes.length - 1);
  return testnet;
}

/** The arguments of a line of a page for `serac`, without the comment at its end. */
function wordsOf(line: string): string[] {
  const [, command = ''] = /^(?:npx )?serac\b(.*?)(?: +# .*)?$/.exec(line) ?? [];
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}

const needsNode = (words: readonly string[]): boolean => commandOf(words)?.kind === 'client';

/** The command of some words; one of two words, such as `snapshot save`, comes before one of the first alone. */
function commandOf(words: readonly string[]): { readonly kind: string } | undefined {
  const [first = '', second = ''] = words;
  return [`${first} ${second}`, first].flatMap((name) => (isCommand(name) ? [commandTable[name]] : []))[0];
}

function isKnownCommand(words: readonly string[]): boolean {
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')[0] as string);
  const isKnown = words.length === 0 || (words[0] as string).startsWith('--') || commandOf(words) !== undefined;
  return isKnown && flags.every(isFlag);
}

describe('what has no counterpart', () => {
  const [anvilPage, avalanchegoPage] = ['docs/start/from-anvil.md', 'docs/start/from-avalanchego.md'] as const;
  const [before = '', after = ''] = read(anvilPage).split(withoutHeading);
  const aliases = (text: string): string[] => spansOf(text).filter((span) => /^(evm|anvil|hardhat|txpool)_\w+$/.test(span));

  /** Those of the names that the node does not know. */
  async function findUnknown(names: readonly string[]): Promise<string[]> {
    const unknown: string[] = [];
    for (const name of names)
      if (JSON.stringify(await node.client.call('/ext/dev', name, [])).includes('RPC_METHOD_ILL_FORMED')) unknown.push(name);
    return unknown;
  }

  test('every name of Anvil, Hardhat and Ganache above that section is answered', async () => {
    expect(aliases(before).length).toBeGreaterThan(15);
    expect(await findUnknown(aliases(before))).toEqual([]);
  });

  test('none of the names in it is answered; if you have added one, move it to the table of methods', async () => {
    expect(aliases(after).length).toBeGreaterThan(10);
    expect(await findUnknown(aliases(after))).toEqual(aliases(after));
  });

  test('the flags of AvalancheGo that are called refused are refused', () => {
    const row = read(avalanchegoPage)
      .split('\n')
      .find((line) => line.includes('| refused |'));
    const flags = spansOf(row ?? '').map((span) => span.replace('--', ''));
    expect(flags.length).toBeGreaterThan(1);
    expect(flags.filter((name) => !Object.hasOwn(unsupportedFlags, name))).toEqual([]);
  });

  test('the methods that AvalancheGo has removed are not answered', () => {
    const [, section = ''] = read(avalanchegoPage).split('## What AvalancheGo has removed');
    const rows = section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `'));
    const removed = rows?.flatMap((row) => spansOf(row.split('|')[1] ?? '')).filter((span) => span.startsWith('avm.'));
    expect(removed?.length).toBeGreaterThan(3);
    expect(removed?.filter((name) => methods.has(name))).toEqual([]);
  });
});

test('docs/start/commands.md has every exit code', () => {
  const [, listed = ''] = /^Exit codes: (.*)$/m.exec(read('docs/start/commands.md')) ?? [];
  expect([...listed.matchAll(/\d+/g)].map(Number)).toEqual([0, ...Object.values(exitCodes)]);
});
