import { expect, test } from 'bun:test';
import { SeracError } from '../../api/client/fault.ts';
import type { ClientContext } from './client-command.ts';
import { followEvents } from './tail.ts';

test('an event that could not be handled because the node was lost comes again, and no other does', async () => {
  const asked: (string | undefined)[] = [];
  const interrupted = new AbortController();
  const request = async (_: string, { headers }: { readonly headers: Readonly<Record<string, string>> }) => {
    asked.push(headers['last-event-id']);
    return new Response(asked.length === 1 ? 'id: a-5\nevent: tx\ndata: {}\n\nid: a-6\nevent: tx\ndata: {}\n\n' : '');
  };
  const context = { client: { url: 'http://node', request }, onInterrupt: () => interrupted.signal } as unknown as ClientContext;
  let handled = 0;
  const handle = async (): Promise<void> => {
    handled++;
    if (handled === 2) throw new SeracError('no node answers', { code: 'NODE_UNREACHABLE', url: 'http://node' });
  };
  const following = followEvents(context, new URLSearchParams(), handle, 'a-4');
  while (asked.length < 2) await Bun.sleep(20);
  interrupted.abort();
  await following;
  expect(asked).toEqual(['a-4', 'a-5']);
});
