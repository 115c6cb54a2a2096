import type { WriterStart } from './node-processes.ts';

/**
 * Set in the environment of every process that another process of its node starts. The message channel alone does not tell: any program can start
 * Serac with one, as `child_process.fork` does.
 */
const childVariable = 'SERAC_CHILD';

/** The environment of a process that this process starts and sends messages to. */
export const childEnvironment = (variables: Record<string, string | undefined>): Record<string, string | undefined> => ({
  ...variables,
  [childVariable]: '1',
});

/** Whether another process of this node started this one and has a message channel to it. */
export const isChildOfNode = takeChildMark();

/** Removes the variable, so that programs which this process starts do not read it. */
function takeChildMark(): boolean {
  const isMarked = process.env[childVariable] === '1';
  delete process.env[childVariable];
  return isMarked && process.send !== undefined;
}

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
  return text === undefined || !isChildOfNode ? undefined : (JSON.parse(text) as WriterStart);
}
