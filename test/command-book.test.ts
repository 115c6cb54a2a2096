import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNode } from '../src/sdk/index.ts';
import { listCommands, runBook } from './command-book.ts';

/**
 * What commands print, to be read as a whole: test/terminal/commands.txt has the daily work, test/terminal/mistakes.txt what people type wrong.
 * To write the texts again: SERAC_WRITE_GOLDEN=1.
 */

const folder = mkdtempSync(join(tmpdir(), 'serac-book-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const name of ['commands', 'mistakes'])
  test(`${name} print what the book says`, async () => {
    const path = fileURLToPath(new URL(`terminal/${name}.txt`, import.meta.url));
    const book = readFileSync(path, 'utf8');
    expect(listCommands(book).length).toBeGreaterThanOrEqual(100);
    await using node = await createNode({ reorgDepth: 10 });
    // What a book sets the clock to, it stays at.
    await node.dev.freezeTime();
    const printed = await runBook(book, { url: await node.listen(0), folder });
    if (process.env.SERAC_WRITE_GOLDEN === '1') writeFileSync(path, printed);
    expect(printed).toBe(readFileSync(path, 'utf8'));
  });
