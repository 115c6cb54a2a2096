import { expect, test } from 'bun:test';
import { configFrom } from '../app/config/config.ts';
import { parseFlags } from '../app/config/flags.ts';
import { type StartedAs, selectRole } from './process-role.ts';

/** Flags that change how processes start. */
const startFlags = ['--detach', '--supervise', '--workers=2', '--wait', '--json', '--log-file=/l', '--state=/s'];

/** What may go beside a pair: where the node stores its chain, and `--detach`, without which `--wait` and `--log-file` are refused. */
const besides = [[], ['--data-dir=/d'], ['--detach', '--log-file=/l'], ['--detach', '--data-dir=/d']];

/** More processes than any command line starts. */
const maxProcesses = 10;

/** The roles of all processes that a command line starts, in their order; undefined if its flags are refused. */
function listRoles(argv: string[]): string[] | undefined {
  const parsed = parseFlags(argv, {});
  if (parsed.kind !== 'run') return undefined;
  const { options, command } = parsed;
  const workers = Number(configFrom(options, command).workers === 'auto' ? 1 : configFrom(options, command).workers);
  const readers = Array.from({ length: workers }, (): StartedAs => 'reader');
  const waiting: StartedAs[] = ['program'];
  const roles: string[] = [];
  for (let next = waiting.shift(); next !== undefined && roles.length < maxProcesses; next = waiting.shift()) {
    const role = selectRole(options, next);
    roles.push(role);
    if (role === 'launcher') waiting.push('background');
    // The readers of a supervised writer are children of the supervisor.
    if (role === 'supervisor') waiting.push('writer', ...readers);
    if (role === 'writer' && next !== 'writer') waiting.push(...readers);
  }
  return roles;
}

test('every pair of flags that changes how processes start gives one writer, at most one supervisor and one launcher, and the readers', () => {
  let accepted = 0;
  for (const first of startFlags)
    for (const second of startFlags)
      for (const beside of besides) {
        const argv = [...new Set([first, second, ...beside])];
        const roles = listRoles(argv);
        if (roles === undefined) continue;
        accepted++;
        const count = (role: string): number => roles.filter((one) => one === role).length;
        const hasReaders = argv.includes('--data-dir=/d');
        expect([argv, count('launcher'), count('supervisor'), count('writer'), count('reader')]).toEqual([
          argv,
          argv.includes('--detach') ? 1 : 0,
          argv.includes('--supervise') ? 1 : 0,
          1,
          hasReaders ? (argv.includes('--workers=2') ? 2 : 1) : 0,
        ]);
      }
  expect(accepted).toBeGreaterThan(60);
});

test('processes start each other in order, and a role that was given is kept', () => {
  expect(listRoles(['--detach', '--supervise', '--data-dir=/d', '--workers=2'])).toEqual([
    'launcher',
    'supervisor',
    'writer',
    'reader',
    'reader',
  ]);
  for (const role of ['writer', 'reader'] as const)
    for (const detach of [false, true]) for (const supervise of [false, true]) expect(selectRole({ detach, supervise }, role)).toBe(role);
});
