import { Fault } from '../../base/fault.ts';

/** Whether this program runs on Bun; otherwise it runs on Node. */
export const isBun: boolean = process.versions.bun !== undefined;

type RuntimeFault = { code: 'RUNTIME_NEEDS_BUN'; feature: string } | { code: 'RUNTIME_NODE_TOO_OLD'; version: string };
class RuntimeError extends Fault<RuntimeFault> {}

export const needsBun = (feature: string) =>
  new RuntimeError(`${feature} needs Bun, but this process runs on Node; install Serac with its dependency bun`, {
    code: 'RUNTIME_NEEDS_BUN',
    feature,
  });

/**
 * Each runtime has a SQLite that the other does not know. They are loaded by name when a database is opened, because an import of the other's
 * would fail, and because an import that is awaited would make the library unusable with `require`.
 */
export const loadSqliteOfBun = () => process.getBuiltinModule('bun:sqlite') as unknown as typeof import('bun:sqlite');
export const loadSqliteOfNode = () => process.getBuiltinModule('node:sqlite');

/** Throws on a Node that is too old: node:sqlite does not exist there, or needs a flag. */
export function requireRecentNode(oldest: string): void {
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) return;
  throw nodeTooOld('Serac', oldest);
}

/** Throws on a Node without zstd, with which nodes compress their messages to each other. */
export function requireZstd(): void {
  if (process.getBuiltinModule('node:zlib').zstdDecompressSync !== undefined) return;
  throw nodeTooOld('Joining a network', '22.15');
}

function nodeTooOld(feature: string, oldest: string): RuntimeError {
  const version = process.versions.node;
  return new RuntimeError(`${feature} needs Node ${oldest} or newer, or Bun; this is Node ${version}`, {
    code: 'RUNTIME_NODE_TOO_OLD',
    version,
  });
}

/** Writes a line to stderr. */
export const writeError = (line: string): void => void process.stderr.write(`${line}\n`);
