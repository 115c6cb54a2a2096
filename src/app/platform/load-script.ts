import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fault } from '../../base/fault.ts';

/** Loads a module from a file, TypeScript or JavaScript, and returns what it exports by default. */
export async function loadScript(file: string): Promise<unknown> {
  const path = resolve(file);
  if (!existsSync(path)) throw new ScriptError(`there is no file ${path}`, { code: 'SCRIPT_NOT_LOADED', file });
  try {
    return ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    if (!isLoadError(error)) throw error;
    throw new ScriptError(`cannot load ${file}: ${describe(error)}`, { code: 'SCRIPT_NOT_LOADED', file });
  }
}

/** What Bun throws for a file that it cannot parse, or for an import that it cannot find; an error of the script itself is neither. */
type LoadError = {
  readonly name: string;
  readonly message: string;
  readonly errors?: readonly LoadError[];
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | null;
};
const isLoadError = (error: unknown): error is LoadError => {
  const { name, errors } = error as LoadError;
  return /^(?:BuildMessage|ResolveMessage|SyntaxError)$/.test(name) || (Array.isArray(errors) && errors.every(isLoadError));
};

function describe({ message, position, errors }: LoadError): string {
  const first = errors?.[0];
  if (first !== undefined) return describe(first);
  return position == null ? message : `${message} (${position.file}:${position.line}:${position.column})`;
}

type ScriptFault = { readonly code: 'SCRIPT_NOT_LOADED'; readonly file: string };
class ScriptError extends Fault<ScriptFault> {}
