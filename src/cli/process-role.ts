/**
 * What a process of a server does. Every process of a node has the same command line, so its flags alone do not say it:
 * - `launcher`: starts the node in the background and ends (`--detach`); bin/launcher.js, which runs before any of these, is something else;
 * - `supervisor`: starts the writer process and the reader processes, and restarts the writer (`--supervise`);
 * - `writer`: runs the node, and starts its reader processes, itself or through the supervisor;
 * - `reader`: serves reads.
 */
export type ProcessRole = 'launcher' | 'supervisor' | 'writer' | 'reader';

/** As what a process was started: by a user, by a launcher in the background, or by another process of the node, which gives it its role. */
export type StartedAs = 'program' | 'background' | 'writer' | 'reader';

export function selectRole(flags: { readonly detach: boolean; readonly supervise: boolean }, startedAs: StartedAs): ProcessRole {
  if (startedAs === 'writer' || startedAs === 'reader') return startedAs;
  if (flags.detach && startedAs === 'program') return 'launcher';
  return flags.supervise ? 'supervisor' : 'writer';
}
