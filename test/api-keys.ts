import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './program.ts';

/** The HTTP header with an API key. */
export type KeyHeader = Record<string, string>;

/** Creates an API key with `serac keys create`; the flags say where it is stored and which plan it has. */
export async function createKey(...flags: string[]): Promise<{ readonly id: string; readonly header: KeyHeader; readonly text: string }> {
  const { out, err } = await runProgram('keys', 'create', '--json', ...flags);
  expect(err).toBe('');
  const { id, key } = JSON.parse(out) as { id: string; key: string };
  return { id, text: key, header: { 'x-service-api-key': key } };
}

/** Limits that no test reaches. */
export const unlimited = { perMinute: 100_000_000, perDay: 100_000_000 };

/** Writes a file with rate limit plans to a new folder; returns the flag for it. */
export function writePlans(plans: object): { readonly flag: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'serac-plans-'));
  const file = join(folder, 'plans.json');
  writeFileSync(file, JSON.stringify(plans));
  return { flag: `--rate-limit-plans=${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
