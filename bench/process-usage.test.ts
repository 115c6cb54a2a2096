import { expect, test } from 'bun:test';
import { readHighestMemory } from './process-usage.ts';

test.skipIf(process.platform !== 'linux')(
  'the highest memory of a program is its own, whatever the process has that started it',
  async () => {
    const megabytes = 200;
    const filled = new Uint8Array(megabytes * 2 ** 20).fill(1);
    await using program = Bun.spawn(['sleep', '60']);
    expect(readHighestMemory(process.pid)).toBeGreaterThan(megabytes);
    expect(readHighestMemory(program.pid)).toBeGreaterThan(0);
    expect(readHighestMemory(program.pid)).toBeLessThan(megabytes / 2);
    program.kill();
    await program.exited;
    expect(readHighestMemory(program.pid)).toBeUndefined();
    expect(filled.at(-1)).toBe(1);
  },
);
