import { expect } from 'bun:test';
import type { Options } from './flag-table.ts';
import { type FlagEnv, parseFlags } from './flags.ts';

export function options(argv: string[], env: FlagEnv = {}): Options {
  const parsed = parseFlags(argv, env);
  if (parsed.kind !== 'run') return expect.unreachable(JSON.stringify(parsed));
  return parsed.options;
}

export function warnings(argv: string[], env: FlagEnv = {}): readonly string[] {
  const parsed = parseFlags(argv, env);
  return parsed.kind === 'run' ? parsed.warnings : [JSON.stringify(parsed)];
}

export function errorMessage(argv: string[], env: FlagEnv = {}): string {
  const parsed = parseFlags(argv, env);
  if (parsed.kind !== 'error') return expect.unreachable(`no error: ${parsed.kind}`);
  expect(parsed.exitCode).toBe(2);
  return parsed.message;
}
