import type { WriterStart } from './node-processes.ts';

/** Set in the environment of a writer process that a supervisor process started (`--supervise`): what it is told, as JSON. */
const supervisedVariable = 'SERAC_SUPERVISED';

/** The environment of a writer process. */
export const supervisedEnvironment = (
  variables: Record<string, string | undefined>,
  start: WriterStart,
): Record<string, string | undefined> => ({
  ...variables,
  [supervisedVariable]: JSON.stringify(start),
});

/** What the supervisor tells this process; undefined if it has none. Removes the variable, so that child processes do not read it. */
export function takeWriterStart(): WriterStart | undefined {
  const text = process.env[supervisedVariable];
  delete process.env[supervisedVariable];
  return text === undefined || process.send === undefined ? undefined : (JSON.parse(text) as WriterStart);
}
