import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packDocs, readDocsFile, unpackDocs, writeDocsFile } from './docs-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-docs-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('all files of the site are one, and come back from it', () => {
  const files = new Map<string, string | Uint8Array>([
    ['index.html', '<p>ö</p>\n'],
    ['empty.css', ''],
    ['a/picture.png', Uint8Array.of(10, 0, 255)],
    ['last.txt', 'end'],
  ]);
  const packed = packDocs(files);
  // The head is one line, and nothing follows the last file.
  expect(Buffer.from(packed).toString().split('\n')[0]).toBe('[["index.html",10],["empty.css",0],["a/picture.png",3],["last.txt",3]]');
  const shifted = new Uint8Array(packed.length + 7);
  shifted.set(packed, 7);
  for (const bytes of [packed, shifted.subarray(7)])
    expect([...unpackDocs(bytes)].map(([name, content]) => [name, Buffer.from(content).toString('latin1')])).toEqual(
      [...files].map(([name, content]) => [name, Buffer.from(content).toString('latin1')]),
    );
  expect(unpackDocs(packDocs(new Map())).size).toBe(0);
});

test('the file is written into a folder that need not exist, compressed, and read again', () => {
  const path = join(folder, 'not', 'yet', 'docs.br');
  writeDocsFile(path, new Map([['a.html', 'x'.repeat(10_000)]]));
  const read = readDocsFile(pathToFileURL(path));
  expect([[...read.keys()], Buffer.from(read.get('a.html') ?? '').toString()]).toEqual([['a.html'], 'x'.repeat(10_000)]);
  expect(Bun.file(path).size).toBeLessThan(100);
});
