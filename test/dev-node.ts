import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { createClient } from './http.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
type Result = any;
type Answer = { readonly result?: Result; readonly error?: { readonly message: string; readonly data: Result } };

/** A running node with its `dev.*` methods, in memory or with a data directory and a reader process. */
export type DevNode = {
  readonly program: () => Program;
  /** Calls a method of `/ext/dev`; fails the test if it returns an error. */
  readonly dev: (method: string, params?: unknown) => Promise<Result>;
  readonly devError: (method: string, params?: unknown) => Promise<NonNullable<Answer['error']>>;
  readonly issue: (tx: Tx) => Promise<Answer>;
  readonly untilAccepted: (tx: Tx) => Promise<void>;
  /** The different answers to the same request on many new connections, which the operating system distributes over the processes. */
  readonly everywhere: (path: string, method: string, params: unknown) => Promise<Answer[]>;
  readonly getEverywhere: (path: string) => Promise<Result[]>;
  /** Stops the node and starts it again with the same data directory. */
  readonly restart: (...flags: string[]) => Promise<void>;
  readonly dataDir: string | undefined;
  readonly stop: () => Promise<void>;
};

type DevMode = 'in memory' | 'with a reader process';
export const devModes: readonly DevMode[] = ['in memory', 'with a reader process'];

const connections = 16;

export async function startDevNode(mode: DevMode, ...flags: string[]): Promise<DevNode> {
  const dataDir = mode === 'in memory' ? undefined : mkdtempSync(join(tmpdir(), 'serac-dev-'));
  const start = async (...more: string[]): Promise<Program> => {
    const started = await startProgram(...(dataDir === undefined ? [] : [`--data-dir=${dataDir}`, '--workers=1']), ...more);
    if (dataDir !== undefined)
      await eventually(
        async () => (await started.client.call('/ext/health', 'health.health', {})).result as Result,
        (report) => report.checks.readers.message.serving === 1,
      );
    return started;
  };
  let program = await start(...flags);

  const call = async (path: string, method: string, params: unknown): Promise<Answer> => program.client.call(path, method, params);
  const onNewConnections = async <T>(ask: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T[]> => {
    const clients = Array.from({ length: connections }, () => createClient(program.port));
    const answers = await Promise.all(clients.map(ask));
    for (const client of clients) client.close();
    const distinct = new Map(answers.map((answer) => [JSON.stringify(answer), answer]));
    return [...distinct.values()];
  };
  return {
    program: () => program,
    dev: async (method, params = {}) => {
      const { result, error } = await call('/ext/dev', method, params);
      expect([method, error]).toEqual([method, undefined]);
      return result;
    },
    devError: async (method, params = {}) => {
      const { error } = await call('/ext/dev', method, params);
      expect([method, error]).toEqual([method, expect.anything()]);
      return error as NonNullable<Answer['error']>;
    },
    issue: (tx) => call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) }),
    untilAccepted: async (tx) => {
      const status = await eventually(
        async () => (await call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).result.status,
        (now) => now === 'Accepted',
      );
      expect(status).toBe('Accepted');
    },
    everywhere: (path, method, params) => onNewConnections((client) => client.call(path, method, params)),
    getEverywhere: (path) => onNewConnections(async (client) => JSON.parse((await client.send('GET', path)).text)),
    restart: async (...more) => {
      await program.stop();
      program = await start(...more);
    },
    dataDir,
    stop: async () => {
      await program.stop();
      if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const outputOf = (tx: Tx, index: number): Utxo => effectsOf(tx).created[index] as Utxo;
