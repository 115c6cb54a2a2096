import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('a file for which there is not enough space is not replaced by its first part', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-files-'));
  const path = join(folder, 'state');
  writeFileSync(path, 'old');
  const code = `
    import { replaceFile } from ${JSON.stringify(join(import.meta.dir, 'whole-files.ts'))};
    async function* chunks() { yield Buffer.alloc(300_000); }
    console.log(await replaceFile(${JSON.stringify(path)}, chunks()).catch((error) => error.code));`;
  // A limit of the size of files, in blocks of 512 or 1024 bytes, stands for a full disk.
  const { stdout } = Bun.spawnSync(['sh', '-c', 'trap "" XFSZ; ulimit -f 100; exec "$0" -e "$1"', process.execPath, code]);
  expect([stdout.toString(), readFileSync(path, 'utf8')]).toEqual(['EFBIG\n', 'old']);
  rmSync(folder, { recursive: true });
});
