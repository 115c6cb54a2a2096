import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { buildDocs } from '../src/app/platform/docs-build.ts';

/**
 * Writes the documentation site as plain files, for any web server: all links are relative, so it works below any path, and from a folder.
 * Usage: bun tools/build-docs.ts [FOLDER]; default dist-docs.
 */

const root = resolve(import.meta.dir, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist-docs'));

rmSync(join(folder, 'assets'), { recursive: true, force: true });
const files = await buildDocs({ isServed: false });
let bytes = 0;
for (const [path, content] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  bytes += content.length;
}
process.stdout.write(`${relative(process.cwd(), folder)}: ${files.size} files, ${Math.round(bytes / 1000)} kB\n`);
