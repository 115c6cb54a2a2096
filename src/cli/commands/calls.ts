import type { LoggedCallJson } from '../../api/contract/dev-call-methods.ts';
import { maxLoggedCalls } from '../../api/contract/dev-call-methods.ts';
import { cleanText } from '../../base/bytes/printable.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import { type ClientCommand, callDev, decodeDev } from './client-command.ts';
import { followEvents } from './tail.ts';

/** `serac calls`: prints the calls that the log has, and those that come, until it is interrupted. To read the log keeps it on. */
export const calls: ClientCommand = async (context) => {
  const { client, options, print } = context;
  let after = 0;
  const show = async (): Promise<void> => {
    const { calls: found, last } = decodeDev('calls', await callDev(client, 'calls', { after, limit: maxLoggedCalls }));
    // A node that was started again counts from 1.
    after = last < after ? 0 : last;
    for (const call of found.toReversed()) print(options.json ? JSON.stringify(call) : formatCall(call));
  };
  await show();
  return followEvents(context, new URLSearchParams({ kind: 'calls' }), show);
};

/** `17:02:12.345  avm.getHeight  200  0.4 ms  curl/8.5.0`, and the error with what to do. */
export function formatCall({ time, methods, batchSize, httpMethod, path, status, duration, error, ...caller }: LoggedCallJson): string {
  const name = methods.length === 0 ? `${httpMethod} ${path}` : methods.join(', ');
  const who = caller.isFromPage
    ? 'a page of this node'
    : caller.transport === 'library'
      ? 'library'
      : (caller.userAgent ?? caller.address ?? '');
  const line = [
    `${rfc3339(BigInt(Math.floor(time / 1000)) * 1_000_000_000n).slice(11, 19)}.${String(time % 1000).padStart(3, '0')}`,
    batchSize === undefined ? name : `${name} and ${batchSize - methods.length} more`,
    error?.code ?? String(status),
    `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`,
    who,
  ].join('  ');
  return cleanText(error === undefined ? line : `${line}  ${error.message}${error.remedy === undefined ? '' : ` (${error.remedy})`}`);
}
