import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './program.ts';

/** A key as it is sent. */
export type Key = Record<string, string>;

/** As whoever runs the server makes one; where it is kept and what it may do, the flags say. */
export async function createKey(...flags: string[]): Promise<{ readonly id: string; readonly key: Key; readonly text: string }> {
  const { out, err } = await runProgram('keys', 'create', '--json', ...flags);
  expect(err).toBe('');
  const { id, key } = JSON.parse(out) as { id: string; key: string };
  return { id, text: key, key: { 'x-service-api-key': key } };
}

/** More than any test asks for. */
export const generous = { perMinute: 100_000_000, perDay: 100_000_000 };

/** A file of rate limit plans in a folder of its own, and the flag that names it. */
export function writePlans(plans: object): { readonly flag: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'serac-plans-'));
  const file = join(folder, 'plans.json');
  writeFileSync(file, JSON.stringify(plans));
  return { flag: `--rate-limit-plans=${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
