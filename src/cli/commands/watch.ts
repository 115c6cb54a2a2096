import type { RpcClient } from '../../api/client/rpc-client.ts';
import { formatHolding, readHoldings } from './balance.ts';
import type { ClientCommand } from './client-command.ts';
import { parseAnswer } from './data-client.ts';
import { formatEvent } from './format-event.ts';
import { requireAddress } from './named-address.ts';
import { createWriters, followEvents } from './tail.ts';

/** Events that change what an address has: transactions, reverts, and the clock, which ends locks. */
const kinds = ['tx', 'reverted', 'time'];

/** `serac watch`: prints what happens to an address, and what it has after each event, until it is interrupted. */
export const watch: ClientCommand = async (context) => {
  const { client, args, options, print } = context;
  const address = await requireAddress(client, args[0] ?? '');
  const writers = createWriters(client);
  const show = async (lines: readonly string[], event?: string): Promise<void> => {
    const balances = await readHoldings(client, address);
    // The event is printed as it came: its amounts may be above 2^53.
    if (options.json) print(`{"address":${JSON.stringify(address)},"event":${event ?? null},"balances":${JSON.stringify(balances)}}`);
    else for (const line of [...lines, ...balances.map((holding) => `  has ${formatHolding(holding)}`)]) print(line);
  };
  // Before the balances are read, so that no event after them is missed.
  const position = await readPosition(client);
  await show([address]);
  const filter = new URLSearchParams([['address', address], ...kinds.map((kind) => ['kind', kind])]);
  const handle = async (kind: string, data: string): Promise<void> => {
    if (kind !== 'heartbeat') await show(await formatEvent(kind, data, writers), data);
  };
  return followEvents(context, filter, handle, position);
};

/** Where the event stream is now; undefined if the node does not tell. */
async function readPosition(client: RpcClient): Promise<string | undefined> {
  const response = await client.request('/ext/events/position');
  const text = await client.readText(response);
  return response.ok ? (parseAnswer(text, client.url) as { readonly id?: string }).id : undefined;
}
