import type { RpcClient } from '../../api/client/rpc-client.ts';
import { type ClientContext, callDev, type DevResult, decodeDev, nodeMethods } from './client-command.ts';

/** What became of a transaction, and what to do about one that is not accepted yet. */
export type Outcome = { readonly status: string; readonly remedy?: string };

/** Milliseconds between two questions about a transaction, how long a block may take, and the longest wait where blocks are made by time. */
const [pollInterval, blockWait, maxWait] = [200, 10_000, 60_000];

/**
 * The status of an issued transaction. Waits until it is accepted, unless `--no-wait` is given or blocks are made by hand. Without a transaction,
 * something waits to be imported.
 */
export async function waitForOutcome({ client, options, wait }: ClientContext, txID: string | undefined): Promise<Outcome> {
  if (txID === undefined) return { status: 'Waiting' };
  const status = await readStatus(client, txID);
  if (status !== 'Processing') return { status };
  const policy = await readPolicy(client);
  if (options['no-wait'] || isByHand(policy)) return { status, remedy: remedyFor(policy) };
  const { automine = true, interval = 0 } = policy ?? {};
  const what = automine ? 'waiting until the transaction is accepted' : `waiting for the next block; one is made every ${interval} s`;
  const later = await wait(what, pollStatus(client, txID, Math.min(interval * 1000 + blockWait, maxWait)));
  return later === 'Processing' ? { status: later, remedy: remedyFor(policy) } : { status: later };
}

const readStatus = async (client: RpcClient, txID: string): Promise<string> => (await nodeMethods(client).avm.getTxStatus({ txID })).status;

/** Asks until the transaction is accepted or dropped, or the time is over. */
async function pollStatus(client: RpcClient, txID: string, milliseconds: number): Promise<string> {
  for (let waited = 0; waited < milliseconds; waited += pollInterval) {
    const status = await readStatus(client, txID);
    if (status !== 'Processing') return status;
    await new Promise((resolve) => setTimeout(resolve, pollInterval));
  }
  return 'Processing';
}

type Policy = Pick<DevResult<'nodeInfo'>, 'automine' | 'interval'>;

/** When the node makes blocks; undefined for a node of a network, whose validators decide. */
const readPolicy = (client: RpcClient): Promise<Policy | undefined> =>
  callDev(client, 'nodeInfo').then(
    (json) => decodeDev('nodeInfo', json),
    () => undefined,
  );

const isByHand = (policy: Policy | undefined): boolean => policy?.automine === false && policy.interval === 0;

const remedyFor = (policy: Policy | undefined): string =>
  isByHand(policy) ? 'blocks are made by hand here: serac mine makes one' : 'it is in no block yet; serac tx ID shows whether it is';
