import type { RpcClient } from '../../api/client/rpc-client.ts';
import { type ClientContext, callDev, type DevResult, decodeDev, nodeMethods } from './client-command.ts';

/** What became of a transaction, and what to do about one that is not accepted yet. */
export type Outcome = { readonly status: string; readonly remedy?: string };

/** Milliseconds between two questions about a transaction, and the longest wait for the next block of a node that makes them by time. */
const [pollInterval, maxWait] = [200, 60_000];

/**
 * The status of an issued transaction. Where blocks are made by time it waits for the next one, unless `--no-wait` is given. Without a transaction,
 * something waits to be imported.
 */
export async function waitForOutcome({ client, options, wait }: ClientContext, txID: string | undefined): Promise<Outcome> {
  if (txID === undefined) return { status: 'Waiting', remedy: 'serac import imports it' };
  const status = await readStatus(client, txID);
  if (status !== 'Processing') return { status };
  const policy = await readPolicy(client);
  if (options['no-wait'] || policy === undefined || policy.interval === 0) return { status, remedy: remedyFor(policy) };
  const accepted = pollStatus(client, txID, Math.min(policy.interval * 1000 + 10_000, maxWait));
  const later = await wait(`waiting for the next block; one is made every ${policy.interval} s`, accepted);
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

const remedyFor = (policy: Policy | undefined): string =>
  policy?.automine === false && policy.interval === 0
    ? 'blocks are made by hand here: serac mine makes one'
    : 'it is in no block yet; serac tx ID shows whether it is';
