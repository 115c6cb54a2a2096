import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnReaderProcess } from '../src/app/platform/bun/processes.ts';
import type { MessageFromWriter } from '../src/app/processes/writer-messages.ts';
import { programCommand } from './program.ts';

test('the supervisor hears of progress while the writer works and cannot answer pings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-supervised-start-'));
  const file = join(folder, 'heard');
  const child = spawnReaderProcess([process.execPath, fileURLToPath(new URL('busy-writer.ts', import.meta.url)), file], process.env);
  try {
    const { promise: ready, resolve } = Promise.withResolvers<string>();
    child.onMessage((message) => {
      const { writer } = message as MessageFromWriter;
      if (writer === 'pong') writeFileSync(file, '');
      if (writer === 'ready') resolve(writer);
    });
    expect(await Promise.race([ready, child.exited])).toBe('ready');
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a program that starts Serac with a message channel, as child_process.fork does, gets a node and not a reader process', async () => {
  const child = Bun.spawn([...programCommand, '--http-port=0', '--accounts=1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ipc: () => {},
  });
  try {
    const { value } = await child.stdout.getReader().read();
    expect(Buffer.from(value as Uint8Array).toString()).toContain('http://127.0.0.1:');
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
});
