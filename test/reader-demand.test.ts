import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxBatch } from '../src/api/rpc/limits.ts';
import { demandPerSecond } from '../src/app/processes/read-demand.ts';
import { childrenOf, eventually } from './processes.ts';
import { startProgram } from './program.ts';

/** Elsewhere a node has no reader processes by default. */
const hasReaders = process.platform === 'linux' && availableParallelism() > 1;

test.skipIf(!hasReaders)(
  'a developer chain on disk is one process until it answers many reads; then a reader process shares its port',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-demand-'));
    const program = await startProgram(`--data-dir=${dataDir}`);
    try {
      const readReaders = async () => {
        const report = await (await fetch(`${program.url}/ext/health`)).json();
        return report.checks.readers.message;
      };
      expect(childrenOf(program.pid)).toEqual([]);
      expect(await readReaders()).toEqual({ wanted: 0, serving: 0, replaced: 0 });

      const batch = JSON.stringify(Array.from({ length: maxBatch }, (_, id) => ({ jsonrpc: '2.0', id, method: 'info.getNetworkID' })));
      // Three times the demand is sent before the first answer: if the node waited for this process between, a busy machine gave neither of
      // them the second that counts.
      const readMuch = async (): Promise<void> => {
        const send = () =>
          fetch(`${program.url}/ext/info`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: batch });
        const batches = Array.from({ length: (3 * demandPerSecond) / maxBatch }, send);
        for (const response of await Promise.all(batches)) expect(await response.json()).toHaveLength(maxBatch);
      };
      const started = await eventually(
        async () => {
          await readMuch();
          return childrenOf(program.pid).length;
        },
        (count) => count === 1,
      );
      expect(started).toBe(1);
      const serving = await eventually(readReaders, (readers) => readers.serving === 1);
      expect(serving).toEqual({ wanted: 1, serving: 1, replaced: 0 });
    } finally {
      await program.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
